"""Headings of what is kept: shops and manuals repeat theirs on every page, which speaks against them."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

import numpy as np

from pagelets.page import HEADING_TAGS, Page

if TYPE_CHECKING:
    from numpy.typing import NDArray


_LONGEST: Final = 12
"""Maximum number of words of such a heading."""


def headings(
    page: Page, words: NDArray[np.float64], mask: NDArray[np.bool_], never: NDArray[np.bool_]
) -> NDArray[np.bool_]:
    """Marks the headings that are removed inside what is kept, bool[b]: text is kept before them, and right
    after them.

    Args:
        page: the page, of b blocks.
        words: the words of each, float64[b].
        mask: the blocks that are kept, bool[b].
        never: the blocks that are not taken, bool[b].

    """
    found = np.zeros(len(mask), bool)
    spoken = np.flatnonzero(words)
    if not mask[spoken].any():
        return found
    tags, blocks = page.tree.tags, page.blocks
    candidates = (words <= _LONGEST) & ~mask & ~never
    candidates[: spoken[mask[spoken]][0]] = False
    # From the end: the heading of a section may stand right before that of its first part.
    for place, after in zip(spoken[-2::-1].tolist(), spoken[:0:-1].tolist(), strict=True):
        if candidates[place] and tags[blocks[place].node] in HEADING_TAGS:
            found[place] = mask[after] or found[after]
    return found
