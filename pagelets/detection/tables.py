"""The relations that detection reads, and those that it makes of them on the way, in DuckDB.

Detection asks with SELECTs that Spark understands as well. What the two say in different words is here:
keeping a result, numbering its rows, and taking arrays in and out.
"""

from __future__ import annotations

from contextlib import AbstractContextManager, contextmanager
from typing import TYPE_CHECKING, Any, Protocol

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping

    import duckdb
    from numpy.typing import NDArray


class Kept(Protocol):
    """Tables and views by their names, wherever they are: what the steps of detection take."""

    def keep(self, name: str, select: str, *values: object) -> None:
        """Keeps the rows of a SELECT as a table, in place of one of that name."""

    def gather(self, name: str, selects: Iterable[str]) -> None:
        """Keeps the rows of one SELECT after the other as one table."""

    def number(self, name: str, columns: str, source: str, by: str, number: str) -> None:
        """Keeps ``columns`` of the table or view ``source`` as ``name``, with a column ``number``: the number
        of each row from 0 on, in the order of the columns ``by``.
        """

    def drop(self, name: str) -> None:
        """Drops a table that was kept."""

    def scratch(self) -> AbstractContextManager[None]:
        """Drops at its end all that was kept meanwhile."""


class Tables:
    """Tables and views of a connection by their names; what is kept there is temporary."""

    def __init__(self, con: duckdb.DuckDBPyConnection) -> None:
        self._con = con
        self._kept: dict[str, None] = {}

    def keep(self, name: str, select: str, *values: object) -> None:
        """Keeps the rows of a SELECT as a table, in place of one of that name."""
        self._kept[name] = None
        self._con.execute(f"CREATE OR REPLACE TEMP TABLE {name} AS {select}", list(values))

    def gather(self, name: str, selects: Iterable[str]) -> None:
        """Keeps the rows of one SELECT after the other as one table."""
        for number, select in enumerate(selects):
            if number:
                self._con.execute(f"INSERT INTO {name} {select}")
            else:
                self.keep(name, select)

    def number(self, name: str, columns: str, source: str, by: str, number: str) -> None:
        """Keeps ``columns`` of the table or view ``source`` as ``name``, with a column ``number``: the number
        of each row from 0 on, in the order of the columns ``by``.
        """
        row = f"CAST(ROW_NUMBER() OVER (ORDER BY {by}) - 1 AS INTEGER)"
        self.keep(name, f"SELECT {columns}, {row} AS {number} FROM {source}")

    def read(self, select: str, *values: object) -> dict[str, NDArray[Any]]:
        """The columns of a SELECT as arrays, rows in no promised order."""
        return self._con.execute(select, list(values)).fetchnumpy()

    @contextmanager
    def lent(self, name: str, columns: Mapping[str, NDArray[Any]]) -> Iterator[None]:
        """Shows arrays as a table."""
        self._con.register(name, dict(columns))
        try:
            yield
        finally:
            self._con.unregister(name)

    def drop(self, name: str) -> None:
        """Drops a table that was kept."""
        del self._kept[name]
        self._con.execute(f"DROP TABLE temp.{name}")

    @contextmanager
    def scratch(self) -> Iterator[None]:
        """Drops at its end all that was kept meanwhile."""
        try:
            yield
        finally:
            for name in self._kept:
                self._con.execute(f"DROP TABLE IF EXISTS temp.{name}")
            self._kept.clear()
