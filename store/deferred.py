"""Transactions that are committed together."""

from __future__ import annotations

import contextlib
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    import sqlite3
    from collections.abc import Iterator

MOST_DEFERRED: Final = 16
"""Transactions that are committed together."""


class Deferred:
    """Transactions of a connection that wait for their commit; each alone is all or nothing."""

    def __init__(self, connection: sqlite3.Connection) -> None:
        self._connection = connection
        self._waiting = 0

    @property
    def is_full(self) -> bool:
        """True if as many wait as may."""
        return self._waiting >= MOST_DEFERRED

    @contextlib.contextmanager
    def transaction(self) -> Iterator[None]:
        """Opens one more transaction. If it is undone, the earlier ones stay."""
        execute = self._connection.execute
        if not self._waiting:
            execute("BEGIN IMMEDIATE")
        execute("SAVEPOINT deferred")
        try:
            yield
        except BaseException:
            # A full disk may have rolled back all of them already.
            if not self._connection.in_transaction:
                self._waiting = 0
            elif self._waiting:
                execute("ROLLBACK TO deferred")
                execute("RELEASE deferred")
            else:
                execute("ROLLBACK")
            raise
        execute("RELEASE deferred")
        self._waiting += 1

    def commit(self) -> None:
        """Commits those that wait, all or none."""
        if not self._waiting:
            return
        self._waiting = 0
        try:
            self._connection.execute("COMMIT")
        except BaseException:
            if self._connection.in_transaction:
                self._connection.execute("ROLLBACK")
            raise
