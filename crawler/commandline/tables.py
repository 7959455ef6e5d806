"""Tables on standard output, of texts that strangers wrote."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from typing import Final

COUNTS: Final = {
    "fetched": "pages/held",
    "unchanged": "pages/not_modified",
    "failed": "pages/failed",
    "released": "documents/released",
    "deleted": "documents/deleted",
}
"""Columns of tables and lines on crawls, and the stats that they show."""


def show(columns: Sequence[str], rows: Sequence[Sequence[object]]) -> None:
    """Prints a table: with rules on a terminal, else as plain aligned text.

    Numbers are aligned to the right, floats have three digits, None is a hyphen.
    """
    # A crawl imports this file, and prints no table.
    from rich.cells import cell_len

    numeric = [
        any(isinstance(row[place], int | float) for row in rows)
        and all(row[place] is None or isinstance(row[place], int | float) for row in rows)
        for place in range(len(columns))
    ]
    cells = [[_cell(value) for value in row] for row in rows]
    if sys.stdout.isatty():
        from rich.console import Console
        from rich.table import Table
        from rich.text import Text

        table = Table()
        for title, right in zip(columns, numeric, strict=True):
            table.add_column(Text(title), justify="right" if right else "left", overflow="fold")
        for row in cells:
            table.add_row(*map(Text, row))
        Console().print(table)
        return
    lines = [list(columns), *cells]
    widths = [max(cell_len(line[place]) for line in lines) for place in range(len(columns))]
    for line in lines:
        spaces = [" " * (width - cell_len(text)) for text, width in zip(line, widths, strict=True)]
        parts = zip(line, spaces, numeric, strict=True)
        print("  ".join(space + text if right else text + space for text, space, right in parts).rstrip())


def section(title: str, columns: Sequence[str], rows: Sequence[Sequence[object]]) -> None:
    """Prints a table with ``columns`` of ``rows`` below its ``title``; without rows nothing."""
    if rows:
        print(f"\n{title}")
        show(columns, rows)


def printable(text: str, length: int | None = None) -> str:
    """A text on one line, cut to a length, without the characters that would steer a terminal."""
    line = " ".join(text.split())
    line = "".join(character for character in line if character.isprintable())
    return line if length is None or len(line) <= length else line[: length - 1] + "…"


def _cell(value: object) -> str:
    if value is None:
        return "-"
    return f"{value:.3f}" if isinstance(value, float) else printable(str(value))
