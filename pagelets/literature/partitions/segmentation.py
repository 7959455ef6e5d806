"""FixedPS, DomPS, VIPS and CombPS: pages are cut into windows of words, by tags, by looks, and by both.

Cai, Yu, Wen & Ma, "Block-based Web Search", SIGIR 2004, Section 3. No text of that paper was at hand: where
its summaries leave something open, a docstring says how it was decided.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from pagelets.containers import Containers
from pagelets.literature.partitions.vips import seen_slices, slices_of
from pagelets.literature.partitions.visual_blocks import boxes_of
from pagelets.partition import Pagelet
from pagelets.text.words import counts

if TYPE_CHECKING:
    from collections.abc import Iterable

    from pagelets.page import Page

WINDOW: Final = 200
"""Words of a window, as in the paper."""

_PARTS: Final = frozenset(
    """
    h1 h2 h3 h4 h5 h6 p table ul
    article aside blockquote dl fieldset figure footer form header main nav ol pre section
    """.split()
)
"""Elements that make a pagelet of their own: those that the paper names, and what does their work today."""


def fixed(page: Page, words: int = WINDOW) -> list[Pagelet]:
    """FixedPS: windows of at most so many words that end where a block ends.

    A longer block is a window by itself. The paper's windows overlap by half and end in the midst of a block;
    pagelets cover each block once. Their element is the innermost one around the window. Returns the
    pagelets in document order. Linear in the page's size for pages that the parser reads, whose depth it
    bounds.
    """
    return _windows(page, [(0, len(page.blocks))] if page.blocks else [], words)


def dom(page: Page) -> list[Pagelet]:
    """DomPS: runs of blocks in the same innermost paragraph, heading, list, table or section.

    What lies in none of them is cut where one of them begins or ends. Returns the pagelets in document order.
    """
    if not page.blocks:
        return []
    containers = Containers.of(page)
    parts = containers.numbered(dict.fromkeys(_PARTS, 1)) > 0
    owners = containers.nodes[containers.nearest(parts)[containers.of_block]].tolist()
    return [Pagelet(start, stop, owners[start], anonymous=False) for start, stop in slices_of(owners)]


def vips(page: Page) -> list[Pagelet]:
    """VIPS: what a reader sees as a block, by the boxes that a browser has noted (`seen_slices`).

    A page that was not rendered is cut by `dom`. Returns the pagelets in document order.
    """
    boxes = boxes_of(page.tree)
    if boxes is None:
        return dom(page)
    return [_window(page, start, stop) for start, stop in seen_slices(page, boxes)]


def combps(page: Page, words: int = WINDOW) -> list[Pagelet]:
    """CombPS: what `vips` finds, in windows, as `fixed` cuts, where that has more words."""
    return _windows(page, [(pagelet.start, pagelet.stop) for pagelet in vips(page)], words)


def _windows(page: Page, spans: Iterable[tuple[int, int]], words: int) -> list[Pagelet]:
    sizes = counts([block.text for block in page.blocks]).tolist()
    windows = []
    for first, last in spans:
        start, total = first, 0.0
        for position in range(first, last):
            if position > start and total + sizes[position] > words:
                windows.append(_window(page, start, position))
                start, total = position, 0.0
            total += sizes[position]
        windows.append(_window(page, start, last))
    return windows


def _window(page: Page, start: int, stop: int) -> Pagelet:
    """Some blocks that follow each other as a pagelet, whose element is the innermost one around them."""
    blocks, last = page.blocks[start:stop], page.tree.last
    first, final = min(block.node for block in blocks), max(block.node for block in blocks)
    while last[first] < final:
        first = page.tree.parents[first]
    return Pagelet(start, stop, first, anonymous=False)
