"""Words that only a style sheet parts."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from pagelets.tree import Tree


def part(tree: Tree) -> None:
    """Puts a space before the type of a term ("axis" and "int", in docutils and Sphinx), and between a time
    and the next ("published" and "updated", in WordPress).
    """
    classes = tree.attribute("class")
    types = (node for node in tree.of_tag("span") if classes.get(node) == "classifier")
    times = (node for node in tree.of_tag("time") if _follows_time(tree, node))
    for node in (*types, *times):
        if span := tree.text_span(node):
            tree.texts[span.start] = f" {tree.texts[span.start]}"


def _follows_time(tree: Tree, node: int) -> bool:
    before = next(tree.previous_siblings(node), None)
    return before is not None and tree.tags[before] == "time" and not tree.tail(before)
