"""The search index that needs nothing installed: SQLite's FTS5, in one file of the data folder."""

from __future__ import annotations

import contextlib
import logging
import sqlite3
from typing import TYPE_CHECKING

from crawler.indexing.search import NoIndex
from crawler.indexing.sink import Refusal, Sink, SinkDown
from pipelines.sinks.embedded.files import WriterLock, disk_trouble, is_made, made_with, new_name
from pipelines.sinks.embedded.fts5_query import find
from pipelines.sinks.embedded.fts5_tables import (
    DURABLE,
    OF_ONE_DOCUMENT,
    VERSION,
    empty,
    is_damage,
    make,
    name_of,
    replace,
    savepoint,
    snapshot,
)
from store.database import transaction

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from crawler.indexing.search import Found, Query
    from crawler.indexing.sink import Operation, Place

logger = logging.getLogger(__name__)


class Fts5Sink(Sink):
    """Keeps units in an SQLite database with an FTS5 table, ``fts5.sqlite``, which `scrapy search` reads.

    A database that is damaged, or that was made with other options, is left for a new and empty one.
    """

    most_documents = 10_000

    def __init__(self, place: Place) -> None:
        super().__init__(place)
        self._path = place.folder / "fts5.sqlite"
        self._made = made_with(VERSION, {"units": self.units})
        self._lock: WriterLock | None = None
        self._connection: sqlite3.Connection | None = None
        self._filling = False

    def open(self) -> str:
        """Opens the database for writing, or makes one. Raises SinkDown, as where another writes it."""
        try:
            if self._lock is None:
                self._lock = WriterLock(self._path.with_name("fts5.lock"))
            with self._down():
                name = self._usable()
                if name is None:
                    self._remove()
                    name = self._make()
        except BaseException:
            self.close()
            raise
        return name

    def write(self, operations: Sequence[Operation]) -> Mapping[str, Refusal]:
        """Takes a batch in one transaction."""
        connection = self._opened()
        if self._filling:
            with self._down():
                return self._put(connection, operations)
        with self._down(), transaction(connection):
            return self._put(connection, operations)

    @contextlib.contextmanager
    def rebuild(self) -> Iterator[None]:
        """Empties the tables and fills them in one transaction."""
        connection = self._opened()
        try:
            with self._down():
                connection.execute("BEGIN IMMEDIATE")
                empty(connection, new_name(self._made))
            self._filling = True
            yield
            with self._down():
                connection.execute("COMMIT")
        except BaseException:
            # Closing undoes what is not committed, whatever state SQLite is in.
            self._disconnect()
            raise
        finally:
            self._filling = False

    def held(self) -> Iterator[tuple[str, str]]:
        """The units that the index holds, from an index of the table."""
        with contextlib.suppress(NoIndex), self._to_read() as connection:
            yield from connection.execute(
                "SELECT unit, content_hash FROM units INDEXED BY units_of_documents"
            )

    def search(self, query: Query) -> Found:
        """The hits of a query (`crawler.indexing.search.Searchable`). Raises NoIndex, SinkDown."""
        with self._to_read() as connection:
            return find(connection, query)

    def close(self) -> None:
        """Closes the database, and lets others write."""
        self._disconnect()
        if self._lock is not None:
            self._lock.release()
            self._lock = None

    def _disconnect(self) -> None:
        connection, self._connection = self._connection, None
        if connection is not None:
            # A full disk shows here again, when the log is written back: it stays where it is.
            with contextlib.suppress(sqlite3.Error):
                connection.close()

    def _opened(self) -> sqlite3.Connection:
        if self._connection is None:
            self.open()
        assert self._connection is not None
        return self._connection

    def _connect(self, mode: str) -> sqlite3.Connection:
        return sqlite3.connect(
            f"{self._path.absolute().as_uri()}?mode={mode}",
            uri=True,
            isolation_level=None,
            check_same_thread=False,
            timeout=self.place.timeout,
        )

    def _usable(self) -> str | None:
        """The name of the index that is there, None where it cannot be used further; says why not."""
        if not self._path.exists():
            return None
        if self._connection is None:
            self._connection = self._connect("rw")
        try:
            name = name_of(self._connection)
            self._connection.execute(DURABLE)
            self._connection.execute("SELECT rowid FROM words WHERE words MATCH 'a' LIMIT 1").fetchone()
        except sqlite3.DatabaseError as error:
            if not is_damage(error):
                raise
            why = f"is damaged ({error})"
        else:
            if is_made(name, self._made):
                return name
            why = "was made with other options or by another version"
        logger.warning("The index in %s %s: it is made anew and filled again", self._path, why)
        return None

    def _make(self) -> str:
        self._connection = connection = self._connect("rwc")
        name = new_name(self._made)
        make(connection, name)
        return name

    def _remove(self) -> None:
        self._disconnect()
        # The file itself last: its log beside another file would be taken for the log of that.
        for suffix in ("-wal", "-shm", ""):
            self._path.with_name(self._path.name + suffix).unlink(missing_ok=True)

    def _put(self, connection: sqlite3.Connection, operations: Sequence[Operation]) -> Mapping[str, Refusal]:
        """Takes operations inside a transaction; where one cannot be taken, all of them one by one."""
        try:
            with savepoint(connection):
                for operation in operations:
                    replace(connection, operation, self.units)
        except OF_ONE_DOCUMENT as error:
            if len(operations) == 1:
                return {operations[0].id: Refusal(f"{type(error).__name__}: {error}"[:300])}
            refusals: dict[str, Refusal] = {}
            for operation in operations:
                refusals |= self._put(connection, [operation])
            return refusals
        return {}

    @contextlib.contextmanager
    def _to_read(self) -> Iterator[sqlite3.Connection]:
        """The database as it is at this moment. Raises NoIndex, SinkDown."""
        site = self.place.site
        with self._down():
            if self._path.exists():
                with contextlib.closing(self._connect("rw")) as connection:
                    connection.execute("PRAGMA query_only = ON")
                    with snapshot(connection):
                        if is_made(name_of(connection), self._made):
                            yield connection
                            return
        raise NoIndex(
            f"{self._path}: there is no index of {site} with these options; "
            f"scrapy index {site} --rebuild makes one, and so does a crawl"
        )

    @contextlib.contextmanager
    def _down(self) -> Iterator[None]:
        """Turns what SQLite raises into SinkDown; a damaged database is made anew when it is opened again."""
        try:
            yield
        except (sqlite3.Error, OSError) as error:
            if isinstance(error, sqlite3.DatabaseError) and is_damage(error):
                if self._lock is not None:
                    self._spoil()
                site = self.place.site
                raise SinkDown(
                    f"{self._path}: {error}; scrapy index {site} --rebuild makes it anew"
                ) from error
            self._disconnect()
            raise disk_trouble(self._path, error) from error

    def _spoil(self) -> None:
        """Keeps a database that turned out to be damaged from being opened again."""
        self._disconnect()
        with contextlib.suppress(OSError):
            self._remove()
