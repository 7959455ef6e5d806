"""Requests of a page to robots: robots meta elements and X-Robots-Tag headers.

Source: Google Search Central, "Robots meta tag, data-nosnippet, and X-Robots-Tag specifications"; there is no
standard. Where that leaves room the reading is the one that asks for more.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime
from itertools import chain
from typing import Final

EVERYONE: Final = "robots"
"""The name of the meta element that speaks to all robots."""

RESTRICTING: Final = frozenset(
    "noindex nofollow noarchive nosnippet noimageindex notranslate nocache indexifembedded".split()
)
"""The directives that are returned. What allows (``all``, ``index``) takes nothing back."""

EXPIRES: Final = "unavailable_after"
"""The directive that means ``noindex`` once its date has passed."""

_NONE: Final = frozenset({"noindex", "nofollow"})
_WORDS: Final = RESTRICTING | {"none", "all", "index", "follow", "archive", "snippet", "noodp", "noydir"}
_VALUED: Final = frozenset({EXPIRES, "max-snippet", "max-image-preview", "max-video-preview"})
_NAMED: Final = re.compile(r"\s*([A-Za-z0-9_.*-]{1,100})\s*:(.*)", re.DOTALL)
_GAP: Final = re.compile(r"[\s;|]+")
_COMMA: Final = re.compile(
    r",(?!(?<=day,)\s*\d)(?!(?<=(?:mon|tue|wed|thu|fri|sat|sun),)\s*\d)", re.IGNORECASE
)
"""What parts directives, which the comma of "Fri, 25 Jun 2010 15:00:00 GMT" does not."""
_TOKEN: Final = re.compile(r"[a-z0-9_.-]+")
_LONGEST_DATE: Final = 100


def directives(
    metas: Iterable[tuple[str, str]], headers: Iterable[str], agent: str, now: datetime
) -> frozenset[str]:
    """Returns the directives of a page, of those in `RESTRICTING`, that bind a robot.

    Directives for this robot add to those for all. ``none`` means ``noindex`` and ``nofollow``;
    ``unavailable_after`` means ``noindex`` once its date has passed, and nothing if it cannot be read.

    Args:
        metas: names and contents of the page's meta elements.
        headers: values of its X-Robots-Tag headers.
        agent: the robot's product token (a whole user agent's first word will do), in any case.
        now: the time, with its zone.

    """
    addressees = {EVERYONE, _product(agent)}
    said = [(name.strip().lower(), content) for name, content in metas]
    said += chain.from_iterable(map(_addressed, headers))
    return frozenset(word for name, part in said if name in addressees for word in _said(part, now))


def _product(agent: str) -> str:
    match = _TOKEN.match(agent.strip().lower())
    return match[0] if match else EVERYONE


def _addressed(value: str) -> Iterator[tuple[str, str]]:
    """To whom each part of a header speaks, and the part: a name holds until the next one.

    A name before a colon is a robot's where a directive follows; servers join several headers by commas.
    """
    name = EVERYONE
    parts: list[str] = []
    for part in _COMMA.split(value):
        match = _NAMED.match(part)
        if match is not None and match[1].lower() not in _VALUED and _speaks(match[2]):
            yield name, ",".join(parts)
            name, parts = match[1].lower(), [match[2]]
            if name == "*":
                name = EVERYONE
        else:
            parts.append(part)
    yield name, ",".join(parts)


def _speaks(text: str) -> bool:
    """Returns True if a text begins with a directive, or is empty."""
    named = _NAMED.match(text)
    if named is not None:
        return named[1].lower() in _VALUED
    words = _words(text)
    return not words or words[0] in _WORDS


def _words(text: str) -> list[str]:
    return [word for word in _GAP.split(text.lower()) if word]


def _said(content: str, now: datetime) -> Iterator[str]:
    for part in _COMMA.split(content):
        named = _NAMED.match(part)
        if named is None:
            for word in _words(part):
                if word in RESTRICTING:
                    yield word
                elif word == "none":
                    yield from _NONE
        elif named[1].lower() == EXPIRES:
            moment = _moment(named[2].strip())
            if moment is not None and moment <= now:
                yield "noindex"


def _moment(date: str) -> datetime | None:
    """Reads a date of RFC 822, RFC 850 or ISO 8601, in UTC without a zone. None for any other text."""
    if len(date) > _LONGEST_DATE:
        return None
    for read in (datetime.fromisoformat, parsedate_to_datetime):
        try:
            moment = read(date)
        except (ValueError, TypeError, IndexError, OverflowError):
            continue
        return moment if moment.tzinfo is not None else moment.replace(tzinfo=UTC)
    return None
