"""The kept blocks as plain text."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Final

from pagelets.page import HEADING_TAGS, Page
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
    Entry,
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
    outline = Outline(page)
    return joined(outline, ((block, outline.context(block)) for block in kept(page, mask)))


def joined(outline: Outline, entries: Iterable[Entry]) -> str:
    """The texts of entries of an outline, in document order, parted as `text` does."""
    parts: list[str] = []
    previous: Entry | None = None
    for entry in entries:
        if text := entry[0].text:
            if previous is not None:
                parts.append("\n\n" if _parted(outline, previous, entry) else "\n")
            parts.append(text)
            previous = entry
    return "".join(parts)


def _parted(outline: Outline, entry: Entry, after: Entry) -> bool:
    tags, parents = outline.tree.tags, outline.tree.parents
    (block, context), (next_block, next_context) = entry, after
    node, other = block.node, next_block.node
    paragraphs = (tags[node] in _PARAGRAPHS) + (tags[other] in _PARAGRAPHS)
    # The tags of most neighbours say it, without the elements around them.
    if paragraphs == 2 and node != other:
        return True
    if tags[node] in _UNITS and tags[other] in _UNITS and parents[node] == parents[other]:
        return False
    if context is next_context:
        return context.kind not in _LINES and (paragraphs > 0 or context.kind in _OPEN)
    if paragraphs or context.kind in _LINES or next_context.kind in _LINES:
        return True
    return common(context, next_context).kind not in _CLOSE
