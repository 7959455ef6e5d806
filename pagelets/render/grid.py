"""The columns of a table's cells, which neither the cells' order nor the kept ones alone tell."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final, NamedTuple, cast

from pagelets.render.outline import integer

if TYPE_CHECKING:
    from collections.abc import Iterator

    from lxml.html import HtmlElement

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


def positions(table: HtmlElement) -> dict[HtmlElement, Position]:
    """The position of every cell of a table; nested tables are none of its business.

    Rows that do not lie directly in the table or in a group of its rows have no position.
    """
    found: dict[HtmlElement, Position] = {}
    taken: dict[int, int] = {}
    for number, row in enumerate(_rows(table)):
        column = 0
        for child in row:
            if child.tag != "td" and child.tag != "th":
                continue
            while taken and taken.get(column, 0) > number:
                column += 1
            columns = min(max(integer(child, "colspan") or 1, 1), MAX_COLUMNS)
            rows = min(max(integer(child, "rowspan") or 1, 1), MAX_ROWS)
            found[cast("HtmlElement", child)] = Position(number, column, rows, columns)
            if rows > 1:
                taken.update(dict.fromkeys(range(column, min(column + columns, MAX_COLUMNS)), number + rows))
            column += columns
    return found


def _rows(table: HtmlElement) -> Iterator[HtmlElement]:
    for child in table:
        if child.tag == "tr":
            yield cast("HtmlElement", child)
        elif child.tag in _ROW_GROUPS:
            for row in child:
                if row.tag == "tr":
                    yield cast("HtmlElement", row)
