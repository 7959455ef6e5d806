"""The kept blocks as plain text."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Final

from pagelets.page import HEADING_TAGS, Block, Page
from pagelets.render.outline import (
    DETAILS,
    FIGURE,
    HEADING,
    ITEM,
    LIST,
    PRE,
    QUOTE,
    ROOT,
    ROW,
    ROWS,
    TABLE,
    TERMS,
    Outline,
    common,
    kept,
)

_PARAGRAPHS: Final = HEADING_TAGS | {"p"}
_UNITS: Final = frozenset({"li", "td", "th", "dt", "dd"})
_LINES: Final = frozenset({HEADING, PRE})
_CLOSE: Final = frozenset({LIST, TABLE, ROWS, ROW, TERMS, ITEM})
"""Contexts whose parts stand on adjacent lines."""
_OPEN: Final = frozenset({ROOT, QUOTE, FIGURE, DETAILS})
"""Contexts whose blocks are paragraphs, whatever their elements."""


def text(page: Page, mask: Sequence[bool]) -> str:
    """The kept blocks as plain text: one block a line, paragraphs and headings parted by a blank line.

    Takes a page and one truth value a block, true where content. The items of a list, the cells of a table
    and the blocks of one ``pre`` stand on adjacent lines unless they are paragraphs or headings. Line ends
    inside a block (``br``, ``pre``) are kept; blocks without text give nothing. Raises ValueError where the
    mask is not aligned with the blocks.
    """
    return joined(Outline(page), kept(page, mask))


def joined(outline: Outline, blocks: Iterable[Block]) -> str:
    """The texts of blocks of the outline's page, in document order, parted as `text` does."""
    parts: list[str] = []
    previous: Block | None = None
    for block in blocks:
        if block.text:
            if previous is not None:
                parts.append("\n\n" if _parted(outline, previous, block) else "\n")
            parts.append(block.text)
            previous = block
    return "".join(parts)


def _parted(outline: Outline, block: Block, after: Block) -> bool:
    tags, parents = outline.tree.tags, outline.tree.parents
    node, other = block.node, after.node
    paragraphs = (tags[node] in _PARAGRAPHS) + (tags[other] in _PARAGRAPHS)
    # The tags of most neighbours say it, without the elements around them.
    if paragraphs == 2 and node != other:
        return True
    if tags[node] in _UNITS and tags[other] in _UNITS and parents[node] == parents[other]:
        return False
    context, next_context = outline.context(block), outline.context(after)
    if context is next_context:
        return context.kind not in _LINES and (paragraphs > 0 or context.kind in _OPEN)
    if paragraphs or context.kind in _LINES or next_context.kind in _LINES:
        return True
    return common(context, next_context).kind not in _CLOSE
