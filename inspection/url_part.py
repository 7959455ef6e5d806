"""The part that the URLs of some pages have in common, and those of others lack."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import Final
from urllib.parse import urlsplit

_BEGINS: Final = re.compile(r"[/?&]")
_ENDS: Final = re.compile(r"[/?&=_-]")
_LONGEST: Final = 3
"""Number of words of a path in a part."""
_LEAST: Final = 2
"""Number of pages that tell a part from the address of one page."""
_HALF: Final = 0.5


def part_of_urls(wanted: Sequence[str], others: Sequence[str]) -> str:
    """Returns the part of path and query that all ``wanted`` URLs have and fewest others, the shortest of
    several; empty if more than a half of the others have it, or all are wanted.
    """
    if len(wanted) < _LEAST or not others:
        return ""
    texts, lacking = ([_text(url) for url in urls] for urls in (wanted, others))
    common = [part for part in dict.fromkeys(_parts(texts[0])) if all(part in text for text in texts)]
    counted = [(sum(part in text for text in lacking), len(part), part) for part in common]
    count, _, part = min(counted, default=(len(lacking), 0, ""))
    return part if count <= _HALF * len(lacking) else ""


def _text(url: str) -> str:
    parts = urlsplit(url)
    return f"{parts.path}?{parts.query}" if parts.query else parts.path


def _parts(text: str) -> Iterator[str]:
    for begin in _BEGINS.finditer(text):
        ends = [one.end() for one in _ENDS.finditer(text, begin.end())]
        yield from (text[begin.start() : end] for end in ends[:_LONGEST] if end - begin.start() > _LEAST)
