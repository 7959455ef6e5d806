"""Selectors of what is kept and dropped in the text of a site file, whose comments and layout stay."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Final, Literal, TypeAlias

from inspection.site_source import changed, set_first
from pagelets.overrides import Selectors, WrongSelector
from settings.errors import ConfigurationError

Kind: TypeAlias = Literal["keep", "drop"]
SIDES: Final[Sequence[Kind]] = ("keep", "drop")


def with_selector(source: str, kind: Kind, selector: str) -> str:
    """Returns a site file with one more selector.

    Args:
        source: the text of the file.
        kind: the key that it is added to.
        selector: the selector; taken from the other key if it stands there.

    Raises:
        ConfigurationError: the selector is wrong, or the file is laid out in a way that is not understood.

    """
    try:
        Selectors(keep=(selector,))
    except WrongSelector as error:
        raise ConfigurationError(str(error)) from error

    def edit(document: Any) -> None:
        for name in SIDES:
            listed = document.get(name)
            if name != kind and listed is not None and selector in listed:
                listed.remove(selector)
        if kind not in document:
            set_first(document, kind, [selector])
        elif selector not in document[kind]:
            document[kind].append(selector)

    return changed(source, f"the key '{kind}'", lambda before: _expected(before, kind, selector), edit)


def _expected(before: dict[str, Any], kind: Kind, selector: str) -> dict[str, Any]:
    expected = dict(before)
    for name in SIDES:
        listed = [other for other in before.get(name, []) if name == kind or other != selector]
        if name == kind and selector not in listed:
            listed.append(selector)
        if listed or name in before:
            expected[name] = listed
    return expected
