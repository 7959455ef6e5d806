"""The inside of a block: its runs as text in a style, and its pictures."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from pagelets.page import Block, Run
    from pagelets.render.outline import Outline, Piece


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
