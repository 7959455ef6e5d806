"""Titles without the name of the site, which most pages of a site repeat."""

from __future__ import annotations

import re
from collections import Counter
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from collections.abc import Iterable

NEARLY_ALL: Final = 0.8
"""The share of a site's pages that have the same title only where it says nothing of any of them."""

_SEPARATOR: Final = re.compile(r"\s+(?:[|\-–—·•:«»/~]|::|&[lr]aquo;)\s+")


def affixes(titles: Iterable[str], min_pages: int = 3, min_share: float = 0.5) -> frozenset[str]:
    """The first and last parts of titles that name the site, as so many pages, and this share of them, have.

    Takes the titles of a site's pages, one a page. Parts lie between separators such as ``|`` and a dash with
    spaces around it. The part that the most pages have names the site, on whichever side it stands; a part at
    the other end does only where more than that part is left of the titles: of "Site - News" on every other
    page "News" is the title. What nearly all pages have, once these names are taken off, is one of them.
    """
    parts = Counter(map(tuple, map(_SEPARATOR.split, titles)))
    total = parts.total()
    least = max(min_pages, min_share * total)
    names: set[str] = set()
    while True:
        counts: Counter[str] = Counter()
        for title, pages in parts.items():
            left = _without(title, names)
            if len(left) > 1:
                counts.update(dict.fromkeys({title[0], title[-1]}.intersection((left[0], left[-1])), pages))
        usual = [part for part, count in counts.items() if part and count >= least]
        if not usual:
            break
        wholes = {title[0]: pages for title, pages in parts.items() if len(title) == 1}
        last = Counter(title[-1] for title in parts)
        names.add(max(usual, key=lambda part: (counts[part] + wholes.get(part, 0), last[part], part)))
    rests: Counter[tuple[str, ...]] = Counter()
    for title, pages in parts.items():
        rests[_without(title, names)] += pages
    nearly = max(min_pages, NEARLY_ALL * total)
    names.update(rest[0] for rest, pages in rests.items() if len(rest) == 1 and rest[0] and pages >= nearly)
    return frozenset(names)


def _without(parts: tuple[str, ...], names: set[str]) -> tuple[str, ...]:
    """The parts of a title without those at its ends that are among names: at least one."""
    start, stop = 0, len(parts)
    while stop - start > 1 and parts[stop - 1] in names:
        stop -= 1
    while stop - start > 1 and parts[start] in names:
        start += 1
    return parts[start:stop]


def clean(title: str, site: frozenset[str]) -> str:
    """A title without the parts at its ends that name the site; as it is where nothing would be left."""
    start, end = 0, len(title)
    spans = [match.span() for match in _SEPARATOR.finditer(title)]
    while spans and title[spans[-1][1] : end] in site:
        end = spans.pop()[0]
    while spans and title[start : spans[0][0]] in site:
        start = spans.pop(0)[1]
    return title[start:end]
