"""Headings of what is kept: shops and manuals repeat theirs on every page, which speaks against them, and
menus have the headline of each page.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

import numpy as np

from pagelets.judging.title import clean
from pagelets.methods.judged.other_pages import headlines
from pagelets.page import HEADING_TAGS, Page

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from pagelets.judging.page_facts import PageFacts

_LONGEST: Final = 12
"""Maximum number of words of such a heading."""


def headings(
    page: Page, words: NDArray[np.float64], mask: NDArray[np.bool_], never: NDArray[np.bool_],
    evidence: PageFacts,
) -> NDArray[np.bool_]:  # fmt: skip
    """Marks the headings that are removed inside what is kept, bool[b]: text is kept before them, and right
    after them. Before the headline of a page of a known site, which says its title, none has to be.

    Args:
        page: the page, of b blocks.
        words: the words of each, float64[b].
        mask: the blocks that are kept, bool[b].
        never: the blocks that are not taken, bool[b].
        evidence: the site's facts on the page.

    """
    found = np.zeros(len(mask), bool)
    spoken = np.flatnonzero(words)
    if not mask[spoken].any():
        return found
    tags, blocks = page.tree.tags, page.blocks
    candidates = (words <= _LONGEST) & ~mask & ~never
    first = int(spoken[mask[spoken]][0])
    candidates[:first] &= _are_headlines(page, mask, evidence)[:first]
    # From the end: the heading of a section may stand right before that of its first part.
    for place, after in zip(spoken[-2::-1].tolist(), spoken[:0:-1].tolist(), strict=True):
        if candidates[place] and tags[blocks[place].node] in HEADING_TAGS:
            found[place] = mask[after] or found[after]
    return found


def _are_headlines(page: Page, mask: NDArray[np.bool_], evidence: PageFacts) -> NDArray[np.bool_]:
    """Marks headlines of the page, but for names of its site, if none is kept (``mask``): bool[b]."""
    nothing, marked = np.zeros((2, len(mask)), bool)
    if evidence.pages <= 1:
        return nothing
    title, tags, blocks = clean(page.title, evidence.affixes).casefold(), page.tree.tags, page.blocks
    for place in headlines(page, evidence.affixes):
        if blocks[place].text.casefold() in title:
            if mask[place]:
                return nothing
            marked[place] = tags[blocks[place].node] in HEADING_TAGS
    return marked
