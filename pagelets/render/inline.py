"""The inside of a block: its runs as text in a style, its pictures, and the language of code."""

from __future__ import annotations

import re
from itertools import islice, takewhile
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from pagelets.page import Block, Run
    from pagelets.render.outline import Outline, Piece
    from pagelets.tree import Tree

_WHOLE: Final = re.compile(r"[A-Za-z0-9+#.-]{1,32}")
_NAME: Final = rf"({_WHOLE.pattern})(?![^\s;])"
_OWN: Final = re.compile(rf"(?<!\S)(?:(?:language|lang|highlight|src)-|(?:brush|lang):\s?){_NAME}")
_HIGHLIGHTER: Final = re.compile(
    r"(?<!\S)(?:language|highlight(?:-(?:source|text)(?=-))?|mw-highlight-lang|source|hl)-(?!source-)" + _NAME
)
_ATTRIBUTES: Final = ("data-lang", "data-language", "data-enlighter-language", "language")
_NAMES: Final = frozenset(
    """
    bash c c# c++ clojure cpp csharp css diff dockerfile elixir erlang fsharp go groovy haskell html ini java
    javascript js json jsx kotlin latex lisp lua makefile markdown matlab nginx objc objectivec perl php
    powershell python python3 r rb ruby rust sass scala scss sh shell sql swift toml ts tsx typescript vb vim
    xml yaml yml zsh
    """.split()
)
"""Languages that a class names by itself."""
_NO_LANGUAGE: Final = frozenset(
    "auto default fallback nohighlight none notranslate null plain plaintext text txt undefined".split()
)
_TABLE: Final = frozenset({"table", "tbody", "td", "tr"})
"""Elements around code that stands beside the numbers of its lines."""
_MAX_AROUND: Final = 8
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
    what a highlighter (Sphinx, Jekyll, GitHub, MediaWiki) wrote at one of the two elements around it; else
    an attribute such as ``data-lang``, or the name of a language as a class (Pandoc, Hexo, DokuWiki).
    """
    near = (node for node in islice(tree.ancestors(pre), _MAX_AROUND) if tree.tags[node] not in _TABLE)
    # mdBook puts one "pre" into another.
    first = takewhile(
        lambda node: tree.tags[node] in ("code", "pre"), range(pre, min(pre + 2, int(tree.last[pre])) + 1)
    )
    own = [*first][::-1]
    places = [*own, *islice(near, 2)]
    classes = [(tree.get(node, "class") or "")[:_MAX_CLASSES] for node in places]
    names: list[str] = []
    for place, value in enumerate(classes):
        names += (_OWN if place < len(own) else _HIGHLIGHTER).findall(value)
    for place, (node, value) in enumerate(zip(places, classes, strict=True)):
        words = value.split()
        if place < len(own) or "highlight" in words:
            names += (tree.get(node, name) or "" for name in _ATTRIBUTES)
            names += (word for word in (*words, tree.get(node, "lang")) if word in _NAMES)
    return next((name for name in names if _WHOLE.fullmatch(name) and name.lower() not in _NO_LANGUAGE), "")
