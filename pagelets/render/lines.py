"""Lines that marked inline elements have parted into blocks: what is kept of a line is one block again.

A reference in a sentence may go without leaving the sentence in pieces.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final, cast

from pagelets.page import BLOCK_TAGS, Block, text_of

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from lxml.html import HtmlElement

    from pagelets.page import Page, Run

_PRE: Final = frozenset({"pre"})


def with_lines_joined(page: Page, mask: Sequence[bool]) -> Iterator[Block]:
    """The blocks that a mask keeps, in order, one for each line that the page's marks have parted.

    Takes a page and one truth value a block. Text on the two sides of what is left out stays as far apart as
    it was written.
    """
    line: list[Block] = []
    runs: list[Run] = []
    for position, (block, keep) in enumerate(zip(page.blocks, mask, strict=True)):
        if keep:
            line.append(block)
            runs += block.runs
        elif line:
            runs += _edges(block.runs)
        if position in page.parted:
            if line:
                runs += page.parted[position]
        elif line:
            yield _joined(line, runs)
            line, runs = [], []
    if line:
        yield _joined(line, runs)


def _joined(line: list[Block], runs: list[Run]) -> Block:
    first, last = line[0], line[-1]
    element = first.element
    while element.tag not in BLOCK_TAGS and (above := element.getparent()) is not None:
        element = cast("HtmlElement", above)
    if first is last and element is first.element:
        return first
    text = text_of(runs, preformatted=first.ancestor(_PRE) is not None)
    return Block(text, element, runs, slice(first.links.start, last.links.stop))


def _edges(runs: list[Run]) -> list[Run]:
    """The white space that text which is left out begins or ends with."""
    found: list[Run] = []
    for text, holder in runs[:1] + runs[-1:]:
        edges = text[:1] + text[-1:]
        if edges.isspace() or any(edge.isspace() for edge in edges):
            found.append((" ", holder))
    return found[:1]
