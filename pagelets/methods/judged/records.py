"""Facts of what a page presents, such as an event's place and price: their names stand on all pages of the
kind, and many a value on several, which speaks against them.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Final

import numpy as np

from pagelets.methods.judged.fact_boxes import fact_boxes
from pagelets.methods.judged.other_pages import NAMES
from pagelets.quantities import states_quantity

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from pagelets.methods.judged.kept_page import KeptPage

_LONGEST: Final = 15
"""Maximum number of words of a name or value."""
_FEWEST: Final = 3
_MOST: Final = 40
"""The least and the largest number of texts of a box with facts."""
_BOXES: Final = 12
"""Maximum number of boxes that are looked at."""
_PAGES: Final = 5
"""The least number of pages that have such a box."""
_NAME: Final = 0.8
"""The share of these pages from which on a text is a name of theirs."""
_VALUE: Final = 0.6
"""The share up to which it is a value."""
_PAIRS: Final = 3
_NAMED: Final = 0.3
"""The least number of names with a value, and their least share of the texts."""
_COUNT: Final = re.compile(r"\(\d+\)$")
"""The end of a choice in a filter: "White (12)"."""
_TOLD: Final = 2
"""The least number of values in words, of amounts, and of texts that are kept in a list of facts."""


def facts(kept: KeptPage, never: NDArray[np.bool_]) -> NDArray[np.bool_]:
    """Marks what `records` and `pagelets.methods.judged.fact_boxes` mark: bool[b].

    Args:
        kept: the page, of b blocks.
        never: the blocks that are not taken, bool[b].

    """
    return records(kept, never) | fact_boxes(kept, never)


def records(kept: KeptPage, never: NDArray[np.bool_]) -> NDArray[np.bool_]:
    """Marks what is removed in small boxes of facts below a kept text, bool[b]: of names that the pages with
    such a box share, each with a value that most of them have not; of values, if half of the box is kept; and
    of lines that differ in their amounts ("Cooking time: 20 minutes"). Boxes with many links, and those that
    a page has several of, are left out.

    Args:
        kept: the page, of b blocks.
        never: the blocks that are not taken, bool[b].

    """
    found, words, containers = np.zeros(len(never), bool), kept.words, kept.containers
    if kept.is_alone or not kept.mask.any():
        return found
    support, spoken = kept.evidence.blocks, words > 0
    removed = ~(kept.mask | never) & spoken & (support.tag_path_pages >= _PAGES)
    own = removed & (np.minimum(support.pages, support.placed_pages) <= _VALUE * support.tag_path_pages)
    if not own.any():
        return found
    sums = containers.sums
    told, stay = sums(np.array(own, float)), sums(np.array(kept.mask & spoken, float))
    small = (kept.texts >= _FEWEST) & (kept.texts <= _MOST) & (stay < kept.texts)
    small &= (containers.start > int(kept.mask.argmax())) & ((told >= _TOLD) | (2 * stay >= kept.texts))
    if small.any():
        others = np.where(never | (words > _LONGEST), _MOST, kept.linked & spoken)
        small &= 2 * sums(np.array(others, float)) <= kept.texts
    end = 0
    for box in np.flatnonzero(small)[:_BOXES].tolist():
        start, stop = int(containers.start[box]), int(containers.stop[box])
        if start >= end:
            facts = _facts(kept, start + np.flatnonzero(words[start:stop]))
            if len(facts):
                found[facts], end = True, stop
    return found & removed


def _facts(kept: KeptPage, inside: NDArray[np.int64]) -> NDArray[np.int64]:
    """Returns those of the texts of a box, by their places, that belong to its facts."""
    support, paths = kept.evidence.blocks, kept.tag_paths
    pages = int(support.tag_path_pages[inside].max())
    said = np.minimum(support.pages, support.placed_pages)[inside]
    names, values = said >= _NAME * pages, said <= _VALUE * pages
    if len(kept.evidence.named):
        names &= kept.evidence.named[inside] < NAMES
    # Headings that differ are titles of other pages.
    if pages < _PAGES or np.count_nonzero(values) < _TOLD or (values & kept.headed[inside]).any():
        return inside[:0]
    if np.count_nonzero(np.isin(paths[kept.spoken], paths[inside])) > len(inside):
        return inside[:0]
    texts = [kept.page.blocks[place].text for place in inside.tolist()]
    linked, told = kept.linked[inside], values & [any(map(str.isalpha, text)) for text in texts]
    if any(map(_COUNT.search, texts)):
        return inside[:0]
    pairs = np.flatnonzero((names & ~linked)[:-1] & (values & ~linked)[1:]).tolist()
    once = len({texts[at] for at in pairs}) == len(pairs) >= max(_PAIRS, _NAMED * len(texts))
    if once and np.count_nonzero(told) >= _TOLD:
        return inside[~(names & linked)]
    if np.count_nonzero(kept.mask[inside]) >= max(_TOLD, len(inside) / 2):
        return inside[told & ~linked]
    lines = inside[told & ~linked & (support.placed_pages[inside] >= _NAME * pages)]
    return lines if _are_amounts([kept.page.blocks[place].text for place in lines.tolist()]) else inside[:0]


def _are_amounts(lines: list[str]) -> bool:
    """Returns True for lines with several amounts whose names differ: a list of other pages repeats them."""
    names = {"".join(filter(str.isalpha, line)) for line in lines}
    return len(names) == len(lines) and sum(map(states_quantity, lines)) >= _TOLD
