"""Deciding on bylines: the rules of a site with another choice, and its site file with it."""

from __future__ import annotations

import tomllib
from dataclasses import replace
from typing import TYPE_CHECKING, Any, Final

import tomlkit
from tomlkit.exceptions import TOMLKitError

from pagelets.overrides import BYLINES
from settings.errors import ConfigurationError, UnknownName
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
    try:
        before = tomllib.loads(source)
        written = _edited(source, _checked(choice))
        after = tomllib.loads(written)
    except (tomllib.TOMLDecodeError, TOMLKitError) as error:
        raise ConfigurationError(f"{error}; write the key '{KEY}' by hand") from error
    if after != {**before, KEY: choice}:
        raise ConfigurationError(
            f"the key '{KEY}' is laid out in a way that is not understood; write it by hand"
        )
    return written


def _edited(source: str, choice: str) -> str:
    document: Any = tomlkit.parse(source)
    if KEY not in document:
        # A key behind a table would belong to that table.
        return f"{KEY} = {tomlkit.item(choice).as_string()}\n{source}"
    document[KEY] = choice
    return tomlkit.dumps(document)


def _checked(choice: str) -> str:
    if choice not in BYLINES:
        raise UnknownName(KEY, choice, BYLINES)
    return choice
