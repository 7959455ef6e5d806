"""Titles without the name of the site, which most pages of a site repeat."""

from __future__ import annotations

import re
from array import array
from collections import Counter, defaultdict
from collections.abc import Iterable
from itertools import groupby
from typing import Final

import numpy as np

from pagelets.text.scripts import UNSPACED_BLOCKS

NEARLY_ALL: Final = 0.8
"""The share of a site's pages that have the same title only where it says nothing of any of them."""

_MANY: Final = 10
"""Of fewer pages all may be of one section, which their titles name."""
_HELD: Final = 1 << 16
"""Parts are counted by so many hashes, before those that are frequent are looked at."""
_DASH: Final = r"\-_–—·＿－"
_DASHES: Final = rf"\s*+[{_DASH}]++\s*+"
SEPARATOR: Final = re.compile(
    # Looked at first: few characters may begin a separator. None begins inside another one, which keeps it
    # linear.
    rf"(?=[\s|｜丨{_DASH}])(?:"
    r"\s+(?:[|\-‐−–—―]{1,3}|[·•∙⋅:«»‹›<>/~│¦←→▸]|::|&[lr]aquo;)\s+|(?<=[^\s_|｜丨])\s*+[|｜丨]++\s*+(?=[^\s_])|"
    rf"(?<=[{UNSPACED_BLOCKS}]){_DASHES}(?=\S)|(?<=[^\s{_DASH}]){_DASHES}(?=[{UNSPACED_BLOCKS}]))"
)
"""Parts a title into its parts. Scripts without spaces between words put a dash between parts alone."""
_EDGES: Final = " |｜丨│¦·•∙⋅:«»‹›~/-‐−–—―_＿－"
_BRACKET: Final = re.compile(r"(?<=\w)<")
_BRACKETED: Final = re.compile(r"(?<=\S)\s+(?=(?:\[[^\[\]]+\]|\([^()]+\))\Z)")
"""Parts "Title [Site]" and "Title (Site)", which have no separator."""
_COLON: Final = re.compile(r"(\S[^:：]{0,99}(?::(?=\s)|：))\s*(?=\S)")
"""The words before the first colon of a title, with the colon."""


def site_names(
    titles: Iterable[str], min_pages: int = 3, min_share: float = 0.5
) -> tuple[frozenset[str], frozenset[str]]:
    """Returns the first and last parts of titles that name the site, and those that say nothing of a page.

    Parts lie between separators such as ``|`` and a dash with spaces around it (`SEPARATOR`), or before a
    bracket at the end. The part that the most pages have names the site, on whichever side it stands; a part
    at the other end does only if the titles have further parts: of "Site - News" on every other page "News"
    is the title. A part that nearly all pages have, once these names are taken off, is one of them.

    Nearly all of many pages have the other parts beside these names, or, in titles without a name, before a
    colon ("Site: Page"; with the colon).

    Args:
        titles: the titles of a site's pages, one a page, which are read at most four times.
        min_pages: the least pages that have such a part.
        min_share: their least share of all pages.

    """
    held, total = _held(titles)
    least, nearly = max(min_pages, min_share * total), max(min_pages, NEARLY_ALL * total)
    parts: Counter[tuple[str, ...]] = Counter()
    lasts: defaultdict[str, array[int]] = defaultdict(lambda: array("q"))
    for split in map(parts_of, titles):
        reduced = _reduced(split, held, min(least, nearly))
        parts[reduced] += 1
        if reduced[-1]:
            lasts[reduced[-1]].append(hash(tuple(split)))
    last = {part: len(np.unique(np.frombuffer(hashes, np.int64))) for part, hashes in lasts.items()}
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
        names.add(max(usual, key=lambda part: (counts[part] + wholes.get(part, 0), last.get(part, 0), part)))
    rests: Counter[tuple[str, ...]] = Counter()
    for title, pages in parts.items():
        rests[_without(title, names)] += pages
    names.update(rest[0] for rest, pages in rests.items() if len(rest) == 1 and rest[0] and pages >= nearly)
    return frozenset(names), _beside(parts, names, titles, max(_MANY, nearly))


def _beside(
    parts: Counter[tuple[str, ...]], names: set[str], titles: Iterable[str], least: float
) -> frozenset[str]:
    """Returns what so many titles have beside names of the site; of titles without a name before a colon."""
    if not names:
        return frozenset(_before_colons(titles, least))
    beside: set[str] = set()
    while True:
        counts: Counter[str] = Counter()
        for title, pages in parts.items():
            left = _without(title, names | beside)
            if len(left) > 1:
                counts.update(dict.fromkeys({left[0], left[-1]}, pages))
        if not (usual := {part for part, count in counts.items() if part and count >= least}):
            return frozenset(beside)
        beside |= usual


def _before_colons(titles: Iterable[str], least: float) -> list[str]:
    """Returns the words before a colon that so many titles have, more than half of them; or none."""
    likeliest, lead = "", 0
    for start in map(_before_colon, titles):
        # The majority outweighs all others together, wherever they stand.
        if not lead:
            likeliest = start
        lead += 1 if start == likeliest else -1
    pages = sum(start == likeliest for start in map(_before_colon, titles))
    return [likeliest] if likeliest and pages >= least else []


def _before_colon(title: str) -> str:
    return match[1] if (match := _COLON.match(title)) else ""


def _held(titles: Iterable[str]) -> tuple[array[int], int]:
    """Counts the titles that have parts of each hash, and all titles."""
    held, total = array("l", bytes(_HELD * array("l").itemsize)), 0
    for title in titles:
        total += 1
        for part in set(parts_of(title)):
            held[hash(part) % _HELD] += 1
    return held, total


def _reduced(title: list[str], held: array[int], least: float) -> tuple[str, ...]:
    """The parts of a title, with nothing in the place of those that no more than a few titles have: so there
    are few different ones, however many pages there are.
    """
    parts = (part if held[hash(part) % _HELD] >= least else "" for part in title)
    # One after the other they are as one: at either end they are no name, and nothing beyond them is.
    return tuple(part for part, same in groupby(parts) for part in ([""] if not part else same))


def _without(parts: tuple[str, ...], names: set[str]) -> tuple[str, ...]:
    """The parts of a title without those at its ends that are among names: at least one."""
    start, stop = 0, len(parts)
    while stop - start > 1 and parts[stop - 1] in names:
        stop -= 1
    while stop - start > 1 and parts[start] in names:
        start += 1
    return parts[start:stop]


def parts_of(title: str) -> list[str]:
    """The parts of a title."""
    spans = _separators(title)
    starts, ends = [0, *(end for _, end in spans)], [*(start for start, _ in spans), len(title)]
    return [title[start:end] for start, end in zip(starts, ends, strict=True)]


def _separators(title: str) -> list[tuple[int, int]]:
    """The separators in a title, without those that close a bracket ("Map< K, V > Class Reference"), and the
    space before a bracket at its end.
    """
    spans = [match.span() for match in SEPARATOR.finditer(title)]
    if spans and (bracket := _BRACKET.search(title)):
        spans = [span for span in spans if span[0] < bracket.start() or ">" not in title[slice(*span)]]
    if title[-1:] in ("]", ")") and (last := _BRACKETED.search(title)):
        spans = [span for span in spans if span[1] < last.start()] + [last.span()]
    return spans


def clean(title: str, site: frozenset[str]) -> str:
    """A title without what names the site at its ends, one or more parts; as it is where nothing would be
    left.
    """
    if not site:
        return title
    start, end, longest = 0, len(title), max(map(len, site))
    spans = _separators(title)
    for before, behind in reversed(spans):
        if end - behind > longest:
            break
        if title[behind:end] in site:
            end = before
    for before, behind in spans:
        if before - start > longest or behind > end:
            break
        if title[start:before] in site:
            start = behind
    if (colon := _COLON.match(title, start, end)) and colon[1] in site:
        start = colon.end()
    left = title[start:end] or title
    # "| Site" of a page whose own title is empty.
    return bare if (bare := left.strip(_EDGES)) in site else left
