"""Progress of long commands."""

from __future__ import annotations

import sys
import time
from collections.abc import Callable
from typing import TYPE_CHECKING, Final, Self

if TYPE_CHECKING:
    from rich.status import Status

EVERY: Final = 30.0
"""Seconds between two lines where standard error is no terminal."""
_REFRESHED: Final = 0.2


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
