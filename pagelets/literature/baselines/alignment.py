"""Finds a text on a page: the words of both are matched in order.

Runs of words that both have once are matched first, those that rise together in both, then what is between
them, by shorter runs (Bram Cohen's patience diff, over runs of words instead of lines).
"""

from __future__ import annotations

import re
from bisect import bisect_left
from itertools import chain
from typing import TYPE_CHECKING, Final, NamedTuple

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

_WORD: Final = re.compile(r"\w+")
_RUNS: Final = (8, 3, 1)
"""Lengths of the runs of words that are looked for, one after the other."""
_DEPTH: Final = 12
"""So often what is between two matches is looked at anew: time is linear in the words of both."""


class _Gap(NamedTuple):
    """Words of the page and of the text that stand between the same matches, and what was tried on them."""

    page_start: int
    page_stop: int
    text_start: int
    text_stop: int
    runs: int
    depth: int


def aligned(blocks: Sequence[str], text: str) -> NDArray[np.float64]:
    """The share of each block's words that stand in the text, in order: float64[b], from 0 to 1.

    A block without any word has the smaller share of the blocks around it.
    """
    words = [_words(block) for block in blocks]
    matched = _matched([*chain.from_iterable(words)], _words(text))
    counts = np.array([*map(len, words)], np.int64)
    sums = np.concatenate([[0], np.cumsum(matched, dtype=np.int64)])
    stops = np.cumsum(counts)
    shares: NDArray[np.float64] = (sums[stops] - sums[stops - counts]) / np.maximum(counts, 1)
    worded = np.flatnonzero(counts)
    if 0 < len(worded) < len(counts):
        following = np.searchsorted(worded, np.arange(len(counts)))
        after = worded[following.clip(max=len(worded) - 1)]
        before = worded[(following - 1).clip(min=0)]
        shares = np.where(counts > 0, shares, np.minimum(shares[before], shares[after]))
    return shares


def _words(text: str) -> list[str]:
    return _WORD.findall(text.casefold())


def _matched(page: Sequence[str], text: Sequence[str]) -> NDArray[np.bool_]:
    """Marks the words of the page that match one of the text."""
    matched = np.zeros(len(page), bool)
    gaps = [_Gap(0, len(page), 0, len(text), 0, 0)]
    while gaps:
        gap = gaps.pop()
        size = _RUNS[gap.runs]
        if min(gap.page_stop - gap.page_start, gap.text_stop - gap.text_start) < size:
            pairs = []
        else:
            # The runs of words that both have once each in the gap, as places in both, in the page's order.
            in_text = _once(text, gap.text_start, gap.text_stop, size)
            on_page = _once(page, gap.page_start, gap.page_stop, size)
            pairs = _rising([(place, in_text[run]) for run, place in on_page.items() if run in in_text])
        if not pairs or gap.depth == _DEPTH:
            if gap.runs + 1 < len(_RUNS):
                gaps.append(gap._replace(runs=gap.runs + 1, depth=0))
            continue
        page_at, text_at = gap.page_start, gap.text_start
        for page_place, text_place in pairs:
            if page_place < page_at or text_place < text_at:
                continue
            start, text_first = page_place, text_place
            while start > page_at and text_first > text_at and page[start - 1] == text[text_first - 1]:
                start, text_first = start - 1, text_first - 1
            stop, text_last = page_place, text_place
            while stop < gap.page_stop and text_last < gap.text_stop and page[stop] == text[text_last]:
                stop, text_last = stop + 1, text_last + 1
            matched[start:stop] = True
            gaps.append(_Gap(page_at, start, text_at, text_first, gap.runs, gap.depth + 1))
            page_at, text_at = stop, text_last
        gaps.append(_Gap(page_at, gap.page_stop, text_at, gap.text_stop, gap.runs, gap.depth + 1))
    return matched


def _once(words: Sequence[str], start: int, stop: int, size: int) -> dict[tuple[str, ...], int]:
    places: dict[tuple[str, ...], int] = {}
    several = set()
    for place in range(start, stop - size + 1):
        run = tuple(words[place : place + size])
        if places.setdefault(run, place) != place:
            several.add(run)
    return {run: place for run, place in places.items() if run not in several}


def _rising(pairs: Sequence[tuple[int, int]]) -> list[tuple[int, int]]:
    """The longest part of pairs, whose first numbers rise, of which the second rise too."""
    ends: list[int] = []
    at: list[int] = []
    before = []
    for number, (_, second) in enumerate(pairs):
        place = bisect_left(ends, second)
        before.append(at[place - 1] if place else -1)
        ends[place : place + 1] = [second]
        at[place : place + 1] = [number]
    rising = []
    number = at[-1] if at else -1
    while number >= 0:
        rising.append(pairs[number])
        number = before[number]
    return rising[::-1]
