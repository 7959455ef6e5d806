"""Titles of a site's other pages, found among the blocks of a page: boxes and lists name pages by them."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

import numpy as np

from pagelets.block_keys import block_fingerprint, block_fingerprints
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
    """Returns the fingerprints of titles without their ``affixes``, sorted, each once. Blocks with the
    same text have the same fingerprints.
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
    places = np.minimum(titles.searchsorted(blocks), len(titles) - 1)
    found: NDArray[np.float32] = (titles[places] == blocks).astype(np.float32)
    return found


def other_titles(
    page: Page, whole: NDArray[np.float32], titles: NDArray[np.int64], affixes: frozenset[str]
) -> NDArray[np.float32]:
    """Returns the share of each block's words that are titles of other pages: float32[b].

    A block has such a title as its whole text, or as the text of a link, if links are half of its text. A
    link alone begins or ends the block: one in the midst of a sentence names nothing.

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
    links = page.links
    for place, (block, known) in enumerate(zip(page.blocks, whole.tolist(), strict=True)):
        start, stop, text = block.links.start, block.links.stop, block.text
        # Most links are a block of their own, which has been looked up.
        if start == stop or known or (stop - start == 1 and len(links[start].text) >= len(text)):
            continue
        names = [link.text for link in links[start : min(stop, start + _LINKS)]]
        # Links within a sentence are not looked up: that would take most of the time.
        if 2 * sum(map(len, names)) < len(text):
            continue
        for name in names:
            if stop - start == 1 and not (text.startswith(name) or text.endswith(name)):
                continue
            if _SHORTEST <= len(name) <= _LONGEST and name != own:
                texts.append(name)
                holders.append(place)
    keys = block_fingerprints(texts)
    for at in np.flatnonzero(are_titles(keys, titles)).tolist():
        place = holders[at]
        found[place] += len(tokens(texts[at])) / max(1, len(tokens(page.blocks[place].text)))
    return np.minimum(found, np.float32(1.0))
