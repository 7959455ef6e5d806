"""The columns of a table's cells, which neither the cells' order nor the kept ones alone tell."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final, NamedTuple

from pagelets.render.outline import integer

if TYPE_CHECKING:
    from collections.abc import Iterator

    from pagelets.tree import Tree

MAX_COLUMNS: Final = 100
MAX_ROWS: Final = 1000
"""Spans are followed this far: a page may claim any size for a cell, and say so in every row."""

_ROW_GROUPS: Final = frozenset({"thead", "tbody", "tfoot"})


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
            for row in tree.children(child):
                if tags[row] == "tr":
                    yield row
