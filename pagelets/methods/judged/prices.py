"""Prices of what a page presents or lists: shops repeat amounts on many pages, which speaks against them."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

import numpy as np

from pagelets.quantities import states_price

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from pagelets.methods.base import Subject
    from pagelets.methods.judged.kept_page import KeptPage

_HEADLINES: Final = frozenset({"h1", "h2"})
_NEAR: Final = 20
"""So many texts behind the headline are looked at."""
_LONGEST: Final = 8
"""Maximum number of words of a price."""
_LISTED: Final = 3
"""The least number of prices of a list."""


def price(
    subject: Subject, words: NDArray[np.float64], mask: NDArray[np.bool_], never: NDArray[np.bool_]
) -> NDArray[np.bool_]:
    """Marks the first price behind the headline that is kept, if it is removed: bool[b]. One that shares its
    tag path with other texts of the page is of an entry in a list.

    Args:
        subject: the page, of b blocks.
        words: the words of each, float64[b].
        mask: the blocks that are kept, bool[b].
        never: the blocks that are not taken, bool[b].

    """
    found = np.zeros(len(mask), bool)
    tags, blocks = subject.page.tree.tags, subject.page.blocks
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
                tag_paths = subject.tag_paths
                found[place] = np.count_nonzero(tag_paths[spoken] == tag_paths[place]) == 1
            break
    return found


def listed_prices(kept: KeptPage, mask: NDArray[np.bool_], never: NDArray[np.bool_]) -> NDArray[np.bool_]:
    """Marks the prices that are removed right before or behind a text that is kept, or one of these, if
    several have their tag path, as those of the entries of a list: bool[b]. Nothing speaks against them where
    the site is not known, and a page that declares one product lists others.

    Args:
        kept: the page, of b blocks.
        mask: the blocks of it that are kept by now, bool[b].
        never: the blocks that are not taken, bool[b].

    """
    found, blocks, words = np.zeros(len(mask), bool), kept.page.blocks, kept.words
    if kept.is_alone:
        return found
    spoken = np.flatnonzero(words)
    candidates = (words <= _LONGEST) & ~mask & ~never
    around = np.concatenate([[False], mask[spoken], [False]])
    near = spoken[candidates[spoken] & (around[:-2] | around[2:])].tolist()
    if not any(states_price(blocks[place].text) for place in near) or kept.presents_product:
        return found
    for places in (spoken, spoken[::-1]):
        beside = False
        for place in places.tolist():
            if beside and candidates[place]:
                found[place] = found[place] or states_price(blocks[place].text)
            beside = bool(mask[place] or found[place])
    if found.any():
        paths, of_path = np.unique(kept.tag_paths[spoken], return_inverse=True)
        found[spoken] &= np.bincount(of_path, found[spoken], len(paths))[of_path] >= _LISTED
    return found
