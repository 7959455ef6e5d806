"""Words as readers see them."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from pagelets.reading.formulas import put_signs

if TYPE_CHECKING:
    from pagelets.tree import Tree


INVISIBLE: Final = "\u00ad\u034f\u200b\u200c\u200d\u200e\u200f\u2060\ufeff \n"
"""Characters that show nothing where they stand alone, as in the paragraphs that editors leave empty."""
_IN_WORDS: Final = "\u00ad\u2060\ufeff"
"""Soft hyphens, word joiners and byte order marks, which no reader sees in a word."""


def spell(tree: Tree) -> None:
    """Takes soft hyphens and the like out of the texts of a page, puts brackets around the readings of
    characters (``rt``), signs between the parts of formulas, and a space where only a style sheet does:
    before the type of a term ("axis" and "int", in docutils and Sphinx), and between a time and the next
    ("published" and "updated", in WordPress).
    """
    if any(map("".join(tree.texts).__contains__, _IN_WORDS)):
        unseen = dict.fromkeys(map(ord, _IN_WORDS))
        tree.texts[:] = [text.translate(unseen) or text for text in tree.texts]
    put_signs(tree)
    bracketed = {tree.parents[node] for node in tree.of_tag("rp")}
    for node in tree.of_tag("rt"):
        if tree.tags[tree.parents[node]] == "ruby" and tree.parents[node] not in bracketed:
            tree.put_around(node, "(", ")")
    types = (
        node
        for node, name in tree.attribute("class").items()
        if name == "classifier" and tree.tags[node] == "span"
    )
    times = (node for node in tree.of_tag("time") if _follows_time(tree, node))
    for node in (*types, *times):
        tree.put_around(node, " ")


def _follows_time(tree: Tree, node: int) -> bool:
    before = next(tree.previous_siblings(node), None)
    return before is not None and tree.tags[before] == "time" and not tree.tail(before)
