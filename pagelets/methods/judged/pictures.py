"""Pictures inside what is kept: the model judges words, and a picture shows it no word."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Final

import numpy as np

from pagelets.patterns import host_of

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from pagelets.methods.judged.kept_page import KeptPage

_SMALL: Final = re.compile(r"\s*[0-9]{1,2}(?![0-9%])")
"""Widths and heights of icons and of portraits of authors: less than 100 pixels."""
_FILE: Final = re.compile(r"\.(?:avif|gif|jpe?g|png|svg|webp)(?:[?#]|\Z)", re.IGNORECASE)


def pictures(kept: KeptPage, never: NDArray[np.bool_]) -> NDArray[np.bool_]:
    """Marks the removed pictures between texts that are kept, bool[b], but for icons and links to other
    sites, such as those to share a page.

    Args:
        kept: the page, of b blocks.
        never: the blocks that are not taken, bool[b].

    """
    found = np.zeros(len(never), bool)
    spoken = kept.spoken
    candidates = np.flatnonzero((kept.words == 0) & ~kept.mask & ~never)
    if not len(candidates):
        return found
    after = spoken.searchsorted(candidates)
    inside = (after > 0) & (after < len(spoken))
    candidates, after = candidates[inside], after[inside]
    between = kept.mask[spoken[after - 1]] & kept.mask[spoken[after]]
    for place in candidates[between].tolist():
        found[place] = _is_picture(kept, place)
    return found


def _is_picture(kept: KeptPage, place: int) -> bool:
    """Returns True if a block shows pictures alone, none of them small, and leads to no other site."""
    page = kept.page
    block, get = page.blocks[place], page.tree.get
    # Few blocks are asked: the runs of all others are not made for them.
    images = [holder for text, holder in block.source[block.span] if not text]
    if block.text or not images:
        return False
    sizes = (get(image, name) or "" for image in images for name in ("width", "height"))
    addresses = (link.url for link in page.links[block.links])
    host = host_of(page.url)
    return not any(map(_SMALL.match, sizes)) and all(
        host_of(address) == host or _FILE.search(address) for address in addresses
    )
