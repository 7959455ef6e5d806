"""Lines that marked inline elements have parted into blocks: what is kept of a line is one block again.

A reference in a sentence may go without leaving the sentence in pieces.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from pagelets.page import Block, Page, Run, text_of
from pagelets.reading.elements import BLOCK_TAGS

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from pagelets.tree import Tree


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
            yield _joined(page.tree, line, runs)
            line, runs = [], []
    if line:
        yield _joined(page.tree, line, runs)


def _joined(tree: Tree, line: list[Block], runs: list[Run]) -> Block:
    first, last = line[0], line[-1]
    node, tags, parents = first.node, tree.tags, tree.parents
    while tags[node] not in BLOCK_TAGS and parents[node] >= 0:
        node = parents[node]
    if first is last and node == first.node:
        return first
    preformatted = tags[first.node] == "pre" or any(
        tags[above] == "pre" for above in tree.ancestors(first.node)
    )
    text = text_of(runs, tags, preformatted=preformatted)
    links = slice(first.links.start, last.links.stop)
    return Block(text, node, links, slice(0, len(runs)), runs)


def _edges(runs: list[Run]) -> list[Run]:
    """The white space that text which is left out begins or ends with."""
    for text, holder in runs[:1] + runs[-1:]:
        if any(map(str.isspace, text[:1] + text[-1:])):
            return [(" ", holder)]
    return []
