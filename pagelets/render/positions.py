"""The columns of a table's cells and the numbers of a list's items, which the removed ones count for too."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Final, NamedTuple, cast

if TYPE_CHECKING:
    from collections.abc import Iterator

    from pagelets.render.outline import Context
    from pagelets.tree import Tree

MAX_COLUMNS: Final = 100
MAX_ROWS: Final = 1000
"""Spans are followed this far: a page may claim any size for a cell, and say so in every row."""

_ROW_GROUPS: Final = frozenset({"thead", "tbody", "tfoot"})
_INTEGER: Final = re.compile(r"\s*(-?[0-9]{1,9})(?![0-9])")


def integer(tree: Tree, node: int | None, name: str) -> int | None:
    """Returns the whole number, of nine digits at most, of the attribute ``name`` of a ``node`` of a
    ``tree``, or None.
    """
    value = None if node is None else tree.get(node, name)
    number = _INTEGER.match(value) if value else None
    return int(number[1]) if number else None


class Position(NamedTuple):
    """A cell's row and column, counted from 0, and over how many of them it reaches."""

    row: int
    column: int
    rows: int
    columns: int


def positions(tree: Tree, table: int) -> dict[int, Position]:
    """Returns the position of every cell of the table at a node, without those of nested tables.

    Rows that do not lie directly in the table or in a group of its rows have no position.
    """
    cells: dict[int, Position] = {}
    tags = tree.tags
    taken: dict[int, int] = {}
    for number, row in enumerate(_rows(tree, table)):
        column = 0
        for child in tree.children(row):
            if tags[child] != "td" and tags[child] != "th":
                continue
            while taken and taken.get(column, 0) > number:
                column += 1
            columns = min(max(integer(tree, child, "colspan") or 1, 1), MAX_COLUMNS)
            rows = min(max(integer(tree, child, "rowspan") or 1, 1), MAX_ROWS)
            cells[child] = Position(number, column, rows, columns)
            if rows > 1:
                taken.update(dict.fromkeys(range(column, min(column + columns, MAX_COLUMNS)), number + rows))
            column += columns
    return cells


def _rows(tree: Tree, table: int) -> Iterator[int]:
    tags = tree.tags
    for child in tree.children(table):
        if tags[child] == "tr":
            yield child
        elif tags[child] in _ROW_GROUPS:
            yield from (row for row in tree.children(child) if tags[row] == "tr")


class Numbering:
    """Numbers the items of a page's ordered lists as a browser does.

    Items are asked for in document order, each once; so every list is gone through once in all.
    """

    def __init__(self, tree: Tree) -> None:
        self._tree = tree
        self._last: dict[Context, int] = {}
        self._last_child: dict[int, int] = {}

    def expected(self, parent: Context) -> int:
        """The number that the list's next item has in a rendering unless it is written there."""
        if parent in self._last:
            return self._last[parent] + 1
        start = integer(self._tree, parent.node, "start")
        return 1 if start is None else start

    def number(self, item: Context) -> int:
        """The number of the list's next item."""
        parent = cast("Context", item.parent)
        number, step = self.expected(parent), 1
        if parent.node is not None and self._tree.get(parent.node, "reversed") is not None:
            step = -1
            if parent in self._last:
                number -= 2
            elif integer(self._tree, parent.node, "start") is None:
                number = sum(self._tree.tags[child] == "li" for child in self._tree.children(parent.node))
        if item.node is not None:
            number += step * self._removed_before(item.node)
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
