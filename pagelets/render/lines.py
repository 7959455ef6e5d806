"""The insides of blocks: their lines, the runs of these as text in a style, and the language of code.

Marked inline elements part lines into blocks: what is kept of a line is one block again. A reference in a
sentence may go without leaving the sentence in pieces.
"""

from __future__ import annotations

import re
from itertools import islice
from typing import TYPE_CHECKING, Final

from pagelets.page import Block, Page, Run, text_of
from pagelets.reading.elements import BLOCK_TAGS

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from pagelets.render.outline import Outline, Piece
    from pagelets.tree import Tree

_OWN: Final = re.compile(r"(?:language|lang|highlight)-([A-Za-z0-9+#.-]{1,32})\Z")
_HIGHLIGHTER: Final = re.compile(
    r"(?:language|highlight(?:-source)?|mw-highlight-lang)-(?!source-)([A-Za-z0-9+#.-]{1,32})\Z"
)
_NO_LANGUAGE: Final = frozenset({"default", "none", "notranslate", "plaintext", "text"})
_MAX_CLASSES: Final = 500


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
    spaces: list[Run] = []
    for text, holder in runs[:1] + runs[-1:]:
        edges = text[:1] + text[-1:]
        if edges.isspace() or any(edge.isspace() for edge in edges):
            spaces.append((" ", holder))
    return spaces[:1]


def pieces(outline: Outline, block: Block) -> list[Piece]:
    """The pieces of a kept block in order, white space folded. Takes the outline of its page."""
    block_pieces = outline.pieces.get(block)
    if block_pieces is None:
        runs = block.runs
        if len(runs) == 1 and (words := block.text.split()):
            # Most blocks are a single text.
            block_pieces = [("", " ".join(words), outline.place(runs[0][1])[1], None)]
        else:
            block_pieces = _pieces(outline, block.node, runs)
        outline.pieces[block] = block_pieces
    return block_pieces


def _pieces(outline: Outline, node: int, runs: list[Run]) -> list[Piece]:
    block_pieces: list[Piece] = []
    parting = ""
    place, tags = outline.place, outline.tree.tags
    style = place(node)[1]
    for text, holder in runs:
        if words := text.split():
            folded = " ".join(words)
            if not parting and text[0] != folded[0]:
                parting = " "
            block_pieces.append((parting, folded, style if holder == node else place(holder)[1], None))
            parting = " " if text[-1] != folded[-1] else ""
        elif not text:
            if (source := outline.source(holder)) is not None:
                block_pieces.append((parting, "", place(holder)[1], (holder, source)))
                parting = ""
        elif text == "\n" and tags[holder] == "br":
            parting = "\n\n" if "\n" in parting else "\n"
        elif not parting:
            parting = " "
    return block_pieces


def verbatim(outline: Outline, block: Block) -> list[Piece]:
    """The pieces of a kept block of a ``pre``, white space as it is."""
    block_pieces: list[Piece] = []
    for text, holder in block.runs:
        if text:
            block_pieces.append(("", text, outline.place(holder)[1], None))
        elif (source := outline.source(holder)) is not None:
            block_pieces.append(("", "", outline.place(holder)[1], (holder, source)))
    return block_pieces


def language(tree: Tree, pre: int) -> str:
    """The language of the ``pre`` at a node, empty where the page does not say it.

    It is the ``language-x``, ``lang-x`` or ``highlight-x`` among the classes of its ``code`` or its own, or
    what a highlighter (Sphinx, Jekyll, GitHub, MediaWiki) wrote at one of the two elements around it.
    """
    code_nodes = [child for child in islice(tree.children(pre), 1) if tree.tags[child] == "code"]
    around = islice(tree.ancestors(pre), 2)
    for pattern, nodes in ((_OWN, [*code_nodes, pre]), (_HIGHLIGHTER, around)):
        for node in nodes:
            for name in (tree.get(node, "class") or "")[:_MAX_CLASSES].split():
                if (match := pattern.match(name)) and match[1].lower() not in _NO_LANGUAGE:
                    return match[1]
    return ""
