"""The kept blocks as sections under their headings, for retrieval."""

from __future__ import annotations

from itertools import groupby
from operator import itemgetter
from typing import TYPE_CHECKING, Final, TypedDict

from pagelets.render.outline import HEADING, Entry, Outline
from pagelets.render.to_text import joined

if TYPE_CHECKING:
    from collections.abc import Sequence

    from pagelets.page import Page

MAX_HEADING: Final = 300
"""Characters of a heading. What is longer is text: a section repeats all the headings above it."""


class Section(TypedDict):
    """Text and the headings above it, the outermost first."""

    heading: list[str]
    text: str


def sections(page: Page, mask: Sequence[bool]) -> list[Section]:
    """The kept blocks cut at headings, in document order.

    Takes a page and one truth value a block, true where content. Text before the first heading has an empty
    path. A heading is in the paths of what follows it until one of its own or a higher level, and not in
    the text. A heading without text below it makes no section of its own where a section further down has
    it in its path, else one with empty text: every kept block is in a path or in a text. Raises ValueError
    where the mask is not aligned with the blocks.
    """
    outline = Outline(page)
    return write_sections(outline, outline.entries(mask))


def write_sections(outline: Outline, entries: list[Entry]) -> list[Section]:
    """`sections` of the entries of a page's outline."""
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
        if context.kind != HEADING or not blocks:
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
