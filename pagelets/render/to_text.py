"""The kept blocks as plain text: all of it, or in sections under their headings, for retrieval."""

from __future__ import annotations

from collections.abc import Iterable
from itertools import groupby
from operator import itemgetter
from typing import Final, TypedDict

from pagelets.page import HEADING_TAGS
from pagelets.render.outline import MAX_HEADING, Entry, Outline, common

_PARAGRAPHS: Final = HEADING_TAGS | {"p"}
_UNITS: Final = frozenset({"li", "td", "th", "dt", "dd"})
_LINES: Final = frozenset({"heading", "pre"})
_CLOSE: Final = frozenset({"list", "table", "rows", "tr", "dl", "li"})
"""Contexts whose parts stand on adjacent lines."""
_OPEN: Final = frozenset({"", "blockquote", "figure", "details"})
"""Contexts whose blocks are paragraphs, whatever their elements."""


class Section(TypedDict):
    """Text and the headings above it, the outermost first."""

    heading: list[str]
    text: str


def joined(outline: Outline, entries: Iterable[Entry]) -> str:
    """The texts of entries of an outline, in order, parted as `pagelets.render.Rendering.text` parts them."""
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


def sections(outline: Outline, entries: list[Entry]) -> list[Section]:
    """`pagelets.render.Rendering.sections` of the entries of a page's outline."""
    written: list[Section] = []
    # The headings above, each with its level; and whether the last of them is in a section's path.
    path: list[tuple[int, str]] = []
    lines: list[Entry] = []
    told = True

    def close() -> None:
        nonlocal told
        written.append({"heading": [heading for _, heading in path], "text": joined(outline, lines)})
        lines.clear()
        told = True

    for context, group in groupby(entries, key=itemgetter(1)):
        blocks = [entry for entry in group if entry[0].text]
        if context.kind != "heading" or not blocks:
            lines.extend(blocks)
            continue
        heading = " ".join(" ".join(block.text.split()) for block, _ in blocks)
        if len(heading) > MAX_HEADING:
            lines.extend(blocks)
            continue
        level = int(context.tag[1])
        if lines or (not told and path[-1][0] >= level):
            close()
        while path and path[-1][0] >= level:
            path.pop()
        path.append((level, heading))
        told = False
    if lines or not told:
        close()
    return written
