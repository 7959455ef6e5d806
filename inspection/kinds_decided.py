"""Deciding on kinds of blocks, such as bylines: the rules of a site with other choices, and its site file."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

from inspection.site_source import changed, set_first
from pagelets.judging.by_url import KINDS
from pagelets.overrides import CHOICES
from settings.errors import UnknownName
from store.judging import StoredJudge

if TYPE_CHECKING:
    from collections.abc import Mapping

    from store.site import Store


def judge_with(store: Store, judge: StoredJudge, choices: Mapping[str, str]) -> StoredJudge:
    """Returns a judge that treats kinds of blocks otherwise, as the next crawl would.

    Args:
        store: the store.
        judge: judges its pages as they are judged now.
        choices: ``keep``, ``drop`` or ``auto``, by the kind.

    Raises:
        UnknownName: there is no such kind, or no such choice.

    """
    _check(choices)
    config = replace(judge.config, kinds={**judge.config.kinds, **choices}, known_as="")
    return StoredJudge(store, config, recorded_with=store.derivation.selectors)


def with_choices(source: str, choices: Mapping[str, str]) -> str:
    """Returns a site file with other choices; comments and layout stay.

    Raises:
        UnknownName: there is no such kind, or no such choice.
        ConfigurationError: the file is laid out in a way that is not understood.

    """
    _check(choices)

    def edit(document: Any) -> None:
        for kind, choice in choices.items():
            set_first(document, kind, choice)

    where = " and ".join(f"the key '{kind}'" for kind in choices)
    return changed(source, where, lambda before: {**before, **choices}, edit)


def _check(choices: Mapping[str, str]) -> None:
    for kind, choice in choices.items():
        if kind not in KINDS:
            raise UnknownName("kind", kind, KINDS)
        if choice not in CHOICES:
            raise UnknownName(kind, choice, CHOICES)
