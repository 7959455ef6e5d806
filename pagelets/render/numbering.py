"""The numbers of the items of ordered lists, which count the removed items too."""

from __future__ import annotations

from typing import TYPE_CHECKING, cast

from pagelets.render.outline import Context, integer

if TYPE_CHECKING:
    from pagelets.tree import Tree


class Numbering:
    """Numbers the items of a page's ordered lists as a browser does, ``reversed`` aside.

    Items are asked for in document order, each once; so every list is gone through once in all.
    """

    def __init__(self, tree: Tree) -> None:
        self._tree = tree
        self._last: dict[Context, int] = {}
        self._last_child: dict[int, int] = {}

    def expected(self, parent: Context) -> int:
        """The number that the list's next item has where none was removed before it."""
        if parent in self._last:
            return self._last[parent] + 1
        start = integer(self._tree, parent.node, "start")
        return 1 if start is None else start

    def number(self, item: Context) -> int:
        """The number of the list's next item."""
        parent = cast("Context", item.parent)
        number = self.expected(parent)
        if item.node is not None:
            number += self._removed_before(item.node)
            value = integer(self._tree, item.node, "value")
            number = number if value is None else value
        self._last[parent] = number
        return number

    def _removed_before(self, node: int) -> int:
        # Items may lie in wrappers inside the list: those of each wrapper are counted for themselves.
        around, tags = self._tree.parents[node], self._tree.tags
        last = self._last_child.get(around)
        self._last_child[around] = node
        removed = 0
        for sibling in self._tree.previous_siblings(node):
            if sibling == last:
                break
            removed += tags[sibling] == "li"
        return removed
