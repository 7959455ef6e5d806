"""Tables of texts that strangers wrote, on standard output, and the progress of long commands."""

from __future__ import annotations

import sys
import time
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Final, Self

if TYPE_CHECKING:
    from rich.status import Status

COUNTS: Final = {
    "fetched": "pages/held",
    "unchanged": "pages/not_modified",
    "failed": "pages/failed",
    "released": "documents/released",
    "deleted": "documents/deleted",
}
"""Columns of tables and lines on crawls, and the stats that they show."""
EVERY: Final = 30.0
"""Seconds between two lines where standard error is no terminal."""
_REFRESHED: Final = 0.2


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


class Progress:
    """Shows the progress of a command: on a terminal in one line on standard error, else by a line now and
    then. A context manager.

    Takes the total, 0 for an unknown one, the name of the counted things ("documents"), and a function that
    writes a line.
    """

    def __init__(self, total: int, what: str, say: Callable[[str], None]) -> None:
        self._total = total
        self._what = what
        self._say = say
        self._done = 0
        self._status: Status | None = None
        self._last = time.monotonic()

    def __enter__(self) -> Self:
        if sys.stderr.isatty():
            # Most commands run unseen, or have nothing to wait for.
            from rich.console import Console

            self._status = Console(stderr=True).status(self._text())
            self._status.start()
        return self

    def __exit__(self, *_: object) -> None:
        if self._status is not None:
            self._status.stop()

    def one_more(self) -> None:
        """Counts one more."""
        self.at(self._what, self._done + 1, self._total)

    def at(self, what: str, done: int, total: int) -> None:
        """Shows that ``done`` of ``total`` are done of ``what``, which may be another thing than before."""
        self._what, self._done, self._total = what, done, total
        now = time.monotonic()
        if now - self._last < (EVERY if self._status is None else _REFRESHED):
            return
        self._last = now
        if self._status is None:
            self._say(self._text())
        else:
            self._status.update(self._text())

    def _text(self) -> str:
        return f"{self._done} of {self._total} {self._what}" if self._total else self._what
