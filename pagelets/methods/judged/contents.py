"""Links within a page: lists of links to its headings, and lines that lead to its top."""

from __future__ import annotations

import re
from bisect import bisect_left
from typing import TYPE_CHECKING, Final

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from pagelets.methods.judged.kept_page import KeptPage

_LEAST: Final = 3
"""So many links make such a list."""
_LINKED: Final = 0.7
"""The least share of a line's characters that its links have."""
_NAMED: Final = 0.5
"""The least share of the links that say a heading."""
_COVERED: Final = 0.4
"""The least share of the page's headings that they say."""
_LABEL: Final = 5
"""Maximum number of other words of such a list, and of the words of a line to the top."""
_SHARE: Final = 0.1
"""Maximum share of its other words."""
_TOP: Final = re.compile(r"(?:[^\W_]+[-_])*(?:page|to)?top", re.IGNORECASE)
_NUMBER: Final = re.compile(r"[\W\d_]+")


def contents(kept: KeptPage) -> NDArray[np.bool_]:
    """Marks lists of links to most of the page's own headings, each with its label, and lines to its top:
    bool[b].
    """
    page, words, containers = kept.page, kept.words, kept.containers
    blocks, own = page.blocks, page.url.partition("#")[0] + "#"
    marked = np.zeros(len(words), bool)
    inside = [link for link in page.links if link.text and link.url.startswith(own)]
    leads_up = [_TOP.fullmatch(link.url, len(own)) is not None for link in inside]
    if len(inside) < _LEAST and not any(leads_up):
        return marked
    headings = np.flatnonzero(kept.headed).tolist()
    # Of each block the links within the page, their characters, how many say a heading, and lead to the top.
    links, linked, said, top = np.zeros((4, len(words)))
    at = [link.block for link in inside]
    np.add.at(links, at, 1)
    np.add.at(linked, at, [len(link.text) for link in inside])
    np.add.at(top, at, leads_up)
    lines = (links > 0) & (linked >= _LINKED * np.array([len(block.text) for block in blocks]))
    lines[headings] = False
    marked |= lines & (top == links) & (words <= _LABEL)
    least = max(_LEAST, _COVERED * np.count_nonzero(kept.mask[headings]))
    listed = containers.sums(links * lines)
    boxes = listed >= least
    if boxes.any():
        texts = sorted(_plain(blocks[place].text) for place in headings)
        np.add.at(said, at, [lines[link.block] and _begins(texts, _plain(link.text)) for link in inside])
        boxes = containers.sums(said) >= np.maximum(least, _NAMED * listed)
    if boxes.any():
        total = kept.sizes
        boxes &= total - containers.sums(words * lines) <= np.maximum(_LABEL, _SHARE * total)
    for box in np.flatnonzero(boxes).tolist():
        marked[containers.start[box] : containers.stop[box]] = True
    return marked if (words * kept.mask)[~marked].sum() >= kept.least else np.zeros(len(words), bool)


def _plain(text: str) -> str:
    return _NUMBER.sub(" ", text.casefold()).strip()


def _begins(texts: list[str], text: str) -> bool:
    place = bisect_left(texts, text)
    return bool(text) and place < len(texts) and texts[place].startswith(text)
