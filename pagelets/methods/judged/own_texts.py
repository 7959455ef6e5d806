"""A page's own texts that are removed: what it fills a field with."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from pagelets.judging.page_facts import PageFacts
    from pagelets.page import Page

VERSION: Final = 1
"""Counts the changes of this step: it is a part of the version of the method."""
_VALUE: Final = 3
"""The least number of words of a field's value."""
_FILLED: Final = 0.1
"""The least share of the site's pages that have the field."""
_SINGLETONS: Final = 0.5
"""The least share of a field's values that stand on one page."""


def own_texts(
    page: Page,
    evidence: PageFacts,
    words: NDArray[np.float64],
    mask: NDArray[np.bool_],
    never: NDArray[np.bool_],
) -> NDArray[np.bool_]:
    """Marks the removed values of fields between what is kept, bool[b]: many of the site's pages have a text
    at the tag path, most have another there than all other pages, and this one is no link.

    Args:
        page: the page, of b blocks.
        evidence: the site's facts on the page.
        words: the words of each block, float64[b].
        mask: the blocks that are kept, bool[b].
        never: the blocks that are not taken, bool[b].

    """
    support, kept = evidence.blocks, np.flatnonzero(mask & (words > 0))
    found = np.zeros(len(mask), bool)
    if not len(kept):
        return found
    filled = ~mask & ~never & (words >= _VALUE) & (support.placed_pages <= 1)
    filled &= (support.tag_path_shares >= _FILLED) & (support.tag_path_singletons >= _SINGLETONS)
    filled[: kept[0]] = filled[kept[-1] :] = False
    for place in np.flatnonzero(filled).tolist():
        links = page.blocks[place].links
        found[place] = links.start == links.stop
    return found
