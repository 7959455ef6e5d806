"""Prices of what a page presents or lists: shops repeat amounts on many pages, which speaks against them."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

import numpy as np

from pagelets.quantities import states_price

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from pagelets.methods.judged.kept_page import KeptPage

_HEADLINES: Final = frozenset({"h1", "h2"})
_NEAR: Final = 20
"""So many texts behind the headline are looked at."""
_LONGEST: Final = 8
"""Maximum number of words of a price."""


def price(kept: KeptPage, never: NDArray[np.bool_]) -> NDArray[np.bool_]:
    """Marks the first price behind the headline that is kept, if it is removed: bool[b]. One that shares its
    tag path with other texts of the page is of an entry in a list.

    Args:
        kept: the page, of b blocks.
        never: the blocks that are not taken, bool[b].

    """
    mask, words = kept.mask, kept.words
    found = np.zeros(len(mask), bool)
    tags, blocks = kept.page.tree.tags, kept.page.blocks
    spoken = np.flatnonzero(words).tolist()
    headline = next(
        (at for at, place in enumerate(spoken) if mask[place] and tags[blocks[place].node] in _HEADLINES),
        None,
    )
    if headline is None:
        return found
    for place in spoken[headline + 1 : headline + 1 + _NEAR]:
        if words[place] <= _LONGEST and not never[place] and states_price(blocks[place].text):
            if not mask[place]:
                found[place] = np.count_nonzero(kept.tag_paths[spoken] == kept.tag_paths[place]) == 1
            break
    return found


def listed_prices(kept: KeptPage, never: NDArray[np.bool_]) -> NDArray[np.bool_]:
    """Marks the prices that are removed right beside a text that is kept, or one of these, in the entries of
    a list: bool[b]. Nothing speaks against them where the site is not known, and a page that declares one
    product lists others.

    Args:
        kept: the page, of b blocks.
        never: the blocks that are not taken, bool[b].

    """
    blocks = kept.page.blocks
    if kept.is_alone:
        return np.zeros(len(never), bool)
    found = kept.beside(never, _LONGEST, lambda place: states_price(blocks[place].text))
    return np.zeros(len(never), bool) if not found.any() or kept.presents_product else kept.listed(found)
