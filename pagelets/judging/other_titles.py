"""Titles of a site's other pages, found among the blocks of a page: boxes and lists name pages by them."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

import numpy as np

from pagelets.block_keys import block_fingerprint
from pagelets.judging.title import clean
from pagelets.text.words import tokens

if TYPE_CHECKING:
    from collections.abc import Iterable

    from numpy.typing import NDArray

    from pagelets.page import Page

NO_TITLES: Final = np.empty(0, np.int64)
"""Of a site whose titles are not known."""
_SHORTEST: Final = 6
_LONGEST: Final = 300
"""Characters of a title."""
_LINKS: Final = 20
"""Maximum number of links examined per block."""


def title_keys(titles: Iterable[str], affixes: frozenset[str]) -> NDArray[np.int64]:
    """Returns the fingerprints of titles without their ``affixes``, sorted, each once. They are those of
    blocks with the same text.
    """
    names = {clean(title, affixes) for title in titles}
    keys = {block_fingerprint(name) for name in names if _SHORTEST <= len(name) <= _LONGEST}
    return np.array(sorted(keys), np.int64)


def are_titles(blocks: NDArray[np.int64], titles: NDArray[np.int64]) -> NDArray[np.float32]:
    """Returns 1 for blocks whose whole text is a title of the site, 0 for others: float32[b].

    Args:
        blocks: the fingerprints of the blocks' texts, int64[b].
        titles: what `title_keys` returned.

    """
    if not len(titles):
        return np.zeros(len(blocks), np.float32)
    places = titles.searchsorted(blocks).clip(max=len(titles) - 1)
    return (titles[places] == blocks).astype(np.float32)


def other_titles(
    page: Page, whole: NDArray[np.float32], titles: NDArray[np.int64], affixes: frozenset[str]
) -> NDArray[np.float32]:
    """Returns the share of each block's words that are titles of other pages: float32[b].

    A block has such a title as its whole text, or as the text of a link.

    Args:
        page: a page of b blocks.
        whole: what `are_titles` returned for them.
        titles: what `title_keys` returned.
        affixes: the parts of titles that name the site.

    """
    if not len(titles):
        return whole
    own = clean(page.title, affixes)
    found = whole.copy()
    for place in np.flatnonzero(whole).tolist():
        if page.blocks[place].text == own:
            found[place] = 0.0
    texts: list[str] = []
    holders: list[int] = []
    for place, block in enumerate(page.blocks):
        if whole[place] or block.links.start == block.links.stop:
            continue
        for link in page.links[block.links][:_LINKS]:
            text = link.text
            if _SHORTEST <= len(text) <= _LONGEST and text not in (block.text, own):
                texts.append(text)
                holders.append(place)
    keys = np.array([block_fingerprint(text) for text in texts], np.int64)
    for at in np.flatnonzero(are_titles(keys, titles)).tolist():
        place = holders[at]
        found[place] += len(tokens(texts[at])) / max(1, len(tokens(page.blocks[place].text)))
    return np.minimum(found, np.float32(1.0))
