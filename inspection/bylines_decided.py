"""Deciding on bylines: the rules of a site with another choice, and its site file with it."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Final

from inspection.site_source import changed, set_first
from pagelets.overrides import BYLINES
from settings.errors import UnknownName
from store.judging import StoredJudge

if TYPE_CHECKING:
    from store.site import Store

KEY: Final = "bylines"


def judge_with(store: Store, judge: StoredJudge, choice: str) -> StoredJudge:
    """Returns a judge that treats bylines otherwise, as the next crawl would.

    Args:
        store: the store.
        judge: judges its pages as they are judged now.
        choice: ``keep``, ``drop`` or ``auto``.

    Raises:
        UnknownName: there is no such choice.

    """
    config = replace(judge.config, bylines=_checked(choice), known_as="")
    return StoredJudge(store, config, recorded_with=store.derivation.selectors)


def with_choice(source: str, choice: str) -> str:
    """Returns a site file with another choice; comments and layout stay.

    Raises:
        UnknownName: there is no such choice.
        ConfigurationError: the file is laid out in a way that is not understood.

    """
    _checked(choice)
    return changed(
        source,
        f"the key '{KEY}'",
        lambda before: {**before, KEY: choice},
        lambda document: set_first(document, KEY, choice),
    )


def _checked(choice: str) -> str:
    if choice not in BYLINES:
        raise UnknownName(KEY, choice, BYLINES)
    return choice
