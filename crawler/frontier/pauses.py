"""Pauses that hosts ask for: 429 and 503 with Retry-After (RFC 9110, section 10.2.3)."""

from __future__ import annotations

import logging
from collections import Counter
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime
from time import monotonic
from typing import Final

from scrapy.http import Request, Response

from crawler.fetching.internals import slot_of

LONGEST: Final = 120.0
"""Seconds: a host that asks for more is down rather than busy, and its pages fail as others do."""
MOST_IN_VAIN: Final = 3
"""Pauses in a row after which a host that answers no better gets none any more: a crawl has to end."""

logger = logging.getLogger(__name__)


class Pauses:
    """The slots of the downloader whose hosts have asked for a pause."""

    def __init__(self) -> None:
        self._until: dict[str, float] = {}
        self._in_vain: Counter[str] = Counter()

    def hear(self, response: Response, request: Request) -> None:
        """Takes note of a ``response`` to a ``request``."""
        key = slot_of(request)
        if key is None:
            return
        if response.status < 400:
            del self._in_vain[key]
        wait, now = pause_of(response), monotonic()
        if not wait:
            return
        if not self.left(key, now):
            if self._in_vain[key] >= MOST_IN_VAIN:
                return
            self._in_vain[key] += 1
            logger.info("%s answers %d: it gets no request for %.0f s", key, response.status, wait)
        self._until[key] = max(self._until.get(key, 0.0), now + wait)

    def left(self, key: str, now: float) -> float:
        """Returns the seconds from ``now``, of the monotonic clock, until the pause of a slot is over."""
        return max(0.0, self._until.get(key, 0.0) - now)


def pause_of(response: Response) -> float:
    """Returns the seconds that a response asks to wait; 0 for none, and for more than `LONGEST`."""
    wait = _seconds(response.headers.get("Retry-After")) if response.status in (429, 503) else 0.0
    return wait if 0 < wait <= LONGEST else 0.0


def _seconds(value: bytes | None) -> float:
    """Reads a Retry-After, a number or a date; 0 for none, and for any other text."""
    text = (value or b"").decode("latin-1").strip()
    if text.isascii() and text.isdigit():
        return float(text)
    try:
        moment = parsedate_to_datetime(text)
        return (moment - datetime.now(moment.tzinfo and UTC)).total_seconds()
    except (ValueError, TypeError, IndexError, OverflowError):
        return 0.0
