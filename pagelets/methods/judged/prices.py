"""Prices of what a page presents or lists, and its properties beside them: shops repeat amounts and stock on
many pages, which speaks against them.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Final

import numpy as np

from pagelets.methods.judged.properties import PROPERTY
from pagelets.quantities import states_price

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from pagelets.methods.judged.kept_page import KeptPage

_HEADLINES: Final = frozenset({"h1", "h2"})
_NEAR: Final = 20
"""So many texts behind the headline are looked at."""
_LONGEST: Final = 8
"""Maximum number of words of a price, and of a property."""
_NUMBER: Final = 3
"""Maximum number of words of a price that its element alone says to be one."""
_OF_PRICE: Final = re.compile(r"(?<![a-z])price(?![a-z])", re.IGNORECASE)


def price(kept: KeptPage, never: NDArray[np.bool_]) -> NDArray[np.bool_]:
    """Marks the first price behind the headline that is kept, if it is removed: bool[b]. One that shares its
    tag path with other texts of the page is of an entry in a list.

    Args:
        kept: the page, of b blocks.
        never: the blocks that are not taken, bool[b].

    """
    mask, words = kept.mask, kept.words
    found = np.zeros(len(mask), bool)
    for place in _presented(kept):
        if words[place] <= _LONGEST and not never[place] and _is_price(kept, place):
            if not mask[place]:
                alike = kept.tag_paths == kept.tag_paths[place]
                found[place] = np.count_nonzero(alike[words > 0]) == 1
            break
    return found


def properties_beside(kept: KeptPage, never: NDArray[np.bool_]) -> NDArray[np.bool_]:
    """Marks the lines that name a property ("Availability: in stock") right beside a text that is kept, or
    one of these, behind the headline of a page with a price there: bool[b]. Nothing speaks against them where
    the site is not known.

    Args:
        kept: the page, of b blocks.
        never: the blocks that are not taken, bool[b].

    """
    blocks, places = kept.page.blocks, _presented(kept)
    short = [place for place in places if kept.mask[place] and kept.words[place] <= _LONGEST]
    if kept.is_alone or not any(_is_price(kept, place) for place in short):
        return np.zeros(len(never), bool)
    lines = {place for place in places if PROPERTY.fullmatch(blocks[place].text)}
    return kept.beside(never, _LONGEST, lines.__contains__)


def _presented(kept: KeptPage) -> list[int]:
    """The places of the texts right behind the headline that is kept."""
    tags, blocks = kept.page.tree.tags, kept.page.blocks
    spoken = kept.spoken
    for at in np.flatnonzero(kept.mask[spoken]).tolist():
        if tags[blocks[spoken[at]].node] in _HEADLINES:
            return spoken[at + 1 : at + 1 + _NEAR].tolist()  # type: ignore[no-any-return]
    return []


def _is_price(kept: KeptPage, place: int) -> bool:
    """Returns True for a line with an amount of money, and a number in an element that is named a price."""
    tree, block = kept.page.tree, kept.page.blocks[place]
    if states_price(block.text):
        return True
    if kept.words[place] > _NUMBER or not any(map(str.isdigit, block.text)):
        return False
    nodes = (block.node, int(tree.parent[block.node]))
    return any(
        _OF_PRICE.search(tree.get(node, name) or "") for node in nodes for name in ("class", "itemprop")
    )
