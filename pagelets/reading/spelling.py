"""Words as readers see them."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from pagelets.tree import Tree


_SOFT_HYPHEN: Final = "\N{SOFT HYPHEN}"


def spell(tree: Tree) -> None:
    """Takes soft hyphens out of the texts of a page, and puts a space where only a style sheet does: before
    the type of a term ("axis" and "int", in docutils and Sphinx), and between a time and the next
    ("published" and "updated", in WordPress).
    """
    if _SOFT_HYPHEN in "".join(tree.texts):
        tree.texts[:] = [text.replace(_SOFT_HYPHEN, "") or text for text in tree.texts]
    types = (
        node
        for node, name in tree.attribute("class").items()
        if name == "classifier" and tree.tags[node] == "span"
    )
    times = (node for node in tree.of_tag("time") if _follows_time(tree, node))
    for node in (*types, *times):
        if span := tree.text_span(node):
            tree.texts[span.start] = f" {tree.texts[span.start]}"


def _follows_time(tree: Tree, node: int) -> bool:
    before = next(tree.previous_siblings(node), None)
    return before is not None and tree.tags[before] == "time" and not tree.tail(before)
