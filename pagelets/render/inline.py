"""The inside of a block: its runs as text in a style, its pictures, and the language of code."""

from __future__ import annotations

import re
from itertools import islice
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from pagelets.page import Block, Run
    from pagelets.render.outline import Outline, Piece
    from pagelets.tree import Tree

_OWN: Final = re.compile(r"(?:language|lang|highlight)-([A-Za-z0-9+#.-]{1,32})\Z")
_HIGHLIGHTER: Final = re.compile(
    r"(?:language|highlight(?:-source)?|mw-highlight-lang)-(?!source-)([A-Za-z0-9+#.-]{1,32})\Z"
)
_NO_LANGUAGE: Final = frozenset({"default", "none", "notranslate", "plaintext", "text"})
_MAX_CLASSES: Final = 500


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
