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
    """The first and last parts of titles that so many pages, and this share of them, have in common.

    Takes the titles of a site's pages, one a page. Parts lie between separators such as ``|`` and a dash with
    spaces around it. A title without parts is one of them where nearly all pages have it.
    """
    counts: Counter[str] = Counter()
    wholes: Counter[str] = Counter()
    total = 0
    for title in titles:
        total += 1
        parts = _SEPARATOR.split(title)
        if len(parts) > 1:
            counts.update({parts[0], parts[-1]})
        else:
            wholes[title] += 1
    least = max(min_pages, min_share * total)
    names = {part for part, count in counts.items() if count >= least}
    names.update(title for title, count in wholes.items() if count >= max(min_pages, NEARLY_ALL * total))
    return frozenset(names - {""})


def clean(title: str, site: frozenset[str]) -> str:
    """A title without the parts at its ends that name the site; as it is where nothing would be left."""
    start, end = 0, len(title)
    spans = [match.span() for match in _SEPARATOR.finditer(title)]
    while spans and title[spans[-1][1] : end] in site:
        end = spans.pop()[0]
    while spans and title[start : spans[0][0]] in site:
        start = spans.pop(0)[1]
    return title[start:end]
