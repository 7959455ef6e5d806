"""Overrides by URL, as site files have them: methods, selectors, fields, and how pages are fetched."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from types import MappingProxyType
from typing import Any, Final, NamedTuple

from pagelets.patterns import Pattern, PatternError

BOUNDS: Final = ("revisit_min", "revisit_max")
"""Keys that come from one override together: bounds of two overrides need not fit each other."""
SELECTORS: Final = ("keep", "drop")
"""Keys that list selectors."""
KINDS: Final = {"bylines": "byline", "comments": "comment", "reviews": "review", "related": "related"}
"""Keys that say what becomes of a kind of blocks (`pagelets.kinds`), and the kind as reasons name it."""
VALUES: Final = ("method", "fields", *KINDS, *SELECTORS, *BOUNDS, "javascript", "extract")
"""What an override may say of the URLs that match it."""
OWN: Final = ("type", "pattern", "priority")

_KNOWN_URLS: Final = 1 << 16
_NOTHING: Final[Mapping[str, Any]] = MappingProxyType({})


@dataclass(slots=True, frozen=True)
class UrlOverride:
    """Values for the URLs that match a pattern."""

    pattern: Pattern
    priority: int
    values: Mapping[str, Any]

    @property
    def rank(self) -> tuple[int, int, str, str]:
        """The place in the order in which overrides are asked: priority, then length, type and text."""
        return -self.priority, -len(self.pattern.text), self.pattern.type, self.pattern.text


class Conflict(NamedTuple):
    """Two overrides of one pattern and priority that give a key different values, by their places."""

    first: int
    second: int
    key: str


class UrlOverrides:
    """The overrides of the setting ``OVERRIDES``: dicts of ``type``, ``pattern``, ``priority`` (0) and any of
    `VALUES`. Raises PatternError.

    The order in which they are given is of no matter.
    """

    def __init__(self, given: Iterable[Mapping[str, Any]]) -> None:
        self._overrides = sorted(
            (override_of(override) for override in given),
            key=lambda override: (override.rank, _text(override)),
        )
        self._known = lru_cache(_KNOWN_URLS)(self._merged)

    def of(self, url: str) -> Mapping[str, Any]:
        """The values in force for a canonical URL: of each key that of the matching override with the highest
        priority; among equals the longest pattern decides, then the order of type and text.
        """
        return self._known(url) if self._overrides else _NOTHING

    def decides(self, url: str, key: str) -> Pattern | None:
        """Returns the pattern of the override whose value of a key is in force for a URL; None if none has
        one.
        """
        return next(
            (
                override.pattern
                for override in self._overrides
                if key in override.values and override.pattern.matches(url)
            ),
            None,
        )

    def _merged(self, url: str) -> Mapping[str, Any]:
        merged: dict[str, Any] = {}
        for override in self._overrides:
            if not override.pattern.matches(url):
                continue
            bounded = any(key in merged for key in BOUNDS)
            for key, value in override.values.items():
                if key not in merged and not (bounded and key in BOUNDS):
                    merged[key] = value
        return MappingProxyType(merged) if merged else _NOTHING


def override_of(given: Mapping[str, Any]) -> UrlOverride:
    """An override from its normal form. Raises PatternError."""
    for key in given:
        if key not in (*OWN, *VALUES):
            raise PatternError(f"unknown key {key!r}; an override has {', '.join((*OWN, *VALUES))}")
    for key in ("type", "pattern"):
        if not isinstance(given.get(key), str):
            raise PatternError(f"{key} is missing or no text; give type and pattern")
    priority = given.get("priority", 0)
    if isinstance(priority, bool) or not isinstance(priority, int):
        raise PatternError(f"priority {priority!r}: give a whole number")
    values = {key: given[key] for key in VALUES if key in given}
    return UrlOverride(Pattern.of(given["type"], given["pattern"]), priority, values)


def without_extract(given: Iterable[Mapping[str, Any]]) -> list[Mapping[str, Any]]:
    """Overrides as they concern the judging of pages: the fields that they extract have no part in it."""
    return [
        {key: value for key, value in override.items() if key != "extract"}
        for override in given
        if "extract" not in override or not override.keys() <= {*OWN, "extract"}
    ]


def only_extract(given: Iterable[Mapping[str, Any]]) -> list[Mapping[str, Any]]:
    """Overrides as they concern the fields that are taken from pages, and nothing else."""
    keys = (*OWN, "extract")
    return [
        {key: override[key] for key in keys if key in override} for override in given if "extract" in override
    ]


def conflicts(given: Sequence[UrlOverride]) -> Iterator[Conflict]:
    """The pairs of overrides of which no order says which one counts."""
    same: dict[tuple[Pattern, int], list[int]] = defaultdict(list)
    for place, override in enumerate(given):
        same[override.pattern, override.priority].append(place)
    for places in same.values():
        first: dict[str, int] = {}
        for place in places:
            for key, value in given[place].values.items():
                before = first.setdefault(key, place)
                if given[before].values[key] != value:
                    yield Conflict(before, place, key)


def _text(override: UrlOverride) -> str:
    return repr(sorted(override.values.items()))
