"""The base of what reads and writes the tables of a store."""

from __future__ import annotations

import sqlite3
from array import array
from collections.abc import Callable, Iterator
from itertools import starmap
from typing import Any, TypeVar

T = TypeVar("T")


class Table:
    """Reads and writes tables on a connection; writes belong to the caller's transaction."""

    def __init__(self, connection: sqlite3.Connection) -> None:
        self._connection = connection
        self._execute, self._executemany = connection.execute, connection.executemany

    def _each(self, make: Callable[..., T], select: str, *values: Any) -> Iterator[T]:
        """Makes something of the columns of each row."""
        return starmap(make, self._execute(select, values))

    def _first(self, make: Callable[..., T], select: str, *values: Any) -> T | None:
        """Makes something of the columns of the first row; None without a row."""
        return next(self._each(make, select, *values), None)

    def _get(self, make: Callable[..., T], select: str, key: int) -> T:
        """Makes something of the columns of the row with a key. Raises KeyError for an unknown one."""
        made = self._first(make, select, key)
        if made is None:
            raise KeyError(key)
        return made

    def _pages(self, select: str, *values: Any) -> array[int]:
        """The pages of a SELECT as they are now: what is written meanwhile changes none of them."""
        return array("q", self._each(int, select, *values))

    def _number(self, select: str, *values: Any) -> int:
        """The number that is the answer."""
        return int(self._execute(select, values).fetchone()[0])

    def _count(self, rows: str, *values: Any) -> int:
        """Counts rows: those of a table, with conditions."""
        return self._number(f"SELECT count(*) FROM {rows}", *values)

    def _any(self, rows: str, *values: Any) -> bool:
        """Returns True if there is any such row."""
        return bool(self._number(f"SELECT EXISTS (SELECT 1 FROM {rows})", *values))
