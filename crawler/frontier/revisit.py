"""The time until a page is asked for again."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, Final, Self

from scrapy.settings import BaseSettings

FIRST: Final = 86_400
"""Seconds that a page waits after it was seen for the first time, within its bounds."""
SHORTEST: Final = 60
"""Seconds: halving would otherwise end at nothing, from which nothing grows."""


@dataclass(slots=True, frozen=True)
class Revisit:
    """Adaptive intervals: halved where a page has changed, doubled where it has not, within bounds.

    ``REVISIT_MIN`` and ``REVISIT_MAX`` are the bounds in seconds; ``overrides`` gives the bounds of a URL
    (``revisit_min``, ``revisit_max``). With an upper bound of 0 every run asks for the page.
    """

    least: float
    most: float
    overrides: Callable[[str], Mapping[str, Any]] = lambda _: {}

    @classmethod
    def from_settings(cls, settings: BaseSettings, overrides: Callable[[str], Mapping[str, Any]]) -> Self:
        """The intervals that the settings ask for."""
        return cls(settings.getfloat("REVISIT_MIN"), settings.getfloat("REVISIT_MAX"), overrides)

    def longest(self, url: str) -> float:
        """Returns the upper bound of a URL's interval, in seconds."""
        return float(self.overrides(url).get("revisit_max", self.most))

    def next(self, url: str, interval: int | None, changed: bool) -> int | None:
        """Returns the seconds until a page is due again, None for at every run.

        Args:
            url: the page.
            interval: the seconds that it waited last, None for a new page.
            changed: whether it has changed since.

        """
        least, most = float(self.overrides(url).get("revisit_min", self.least)), self.longest(url)
        if most <= 0:
            return None
        if interval is None:
            wanted = float(FIRST)
        else:
            wanted = interval / 2 if changed else max(interval, SHORTEST) * 2
        return round(min(max(wanted, least, SHORTEST if changed else 0), most))


def revisits(settings: BaseSettings) -> bool:
    """Returns True if some pages wait longer than until the next run."""
    longest = [override.get("revisit_max", 0) for override in settings.getlist("OVERRIDES")]
    return any(wait > 0 for wait in [settings.getfloat("REVISIT_MAX"), *longest])
