"""A site's store: one folder, one database, and the tables on it."""

from __future__ import annotations

import contextlib
import re
import shutil
import sqlite3
from typing import TYPE_CHECKING, Final, Self

from store.bodies import Bodies
from store.changes import CHANGES, Changes
from store.database import FILE, connect, transaction, unusable
from store.decisions import Decisions
from store.deliveries import Deliveries
from store.derivation import Derivation
from store.documents import Documents
from store.duplicates import SignatureTable
from store.errors import StoreError, StoreUnusable
from store.evidence import EVIDENCE, SHINGLES, Relations, asked, is_small, relations, shingles
from store.faults import Fault, Faults, is_of_store
from store.flat_pages import FlatPages
from store.frontier import Frontier, Outcomes
from store.learned import Learned
from store.meta import Meta
from store.page_fields import PageFields
from store.pages import Pages
from store.previous import PreviousVersions
from store.rounds import Rounds
from store.runs import RunTable
from store.scratch import scratch
from store.sitemaps import SitemapTable
from store.support import StoredSupport
from store.templates import TemplateTable
from store.volatile_blocks import ChangingBlocks

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from pathlib import Path

    import duckdb

    from store.publish import DocumentFields
    from store.records import FetchedPage
    from store.structure import RankingQuery

    _Interruptible = sqlite3.Connection | duckdb.DuckDBPyConnection

TABLES: Final = "tables"
"""The folder of the published tables, in that of the store."""
KINDS: Final = ("old", "sample", "fresh")
"""Stores of a site beside its own: what is being replaced, the last sample, what a crawl builds."""
FILES_OF_RUNS: Final = (CHANGES, "runs")
"""The folders of a store with a file for each run."""
_BESIDE: Final = re.compile(rf"\.(?P<site>.+)\.(?:{'|'.join(KINDS)})")


class Store:
    """The tables of one site, by what they are for: ``frontier``, ``outcomes``, ``rounds``, ``sitemaps``,
    ``pages``, ``page_fields``, ``previous``, ``bodies``, ``flat_pages``, ``templates``, ``decisions``,
    ``support``, ``documents``, ``changes``, ``duplicates``, ``deliveries``, ``faults``, ``changing``,
    ``learned``, ``runs``, ``derivation``. Single values are had by ``meta``, ``set_meta``, ``forget_meta``
    (`Meta`).

    Open with `Store.open`; usable as a context manager. Not safe for use by several threads at once.
    """

    def __init__(self, folder: Path, connection: sqlite3.Connection) -> None:
        self.folder = folder
        self.connection = connection
        values = Meta(connection)
        self.meta, self.set_meta, self.forget_meta = values.get, values.set, values.forget
        self.outcomes = Outcomes(connection)
        self.frontier = Frontier(connection, self.outcomes)
        self.bodies = Bodies(connection)
        self.flat_pages = FlatPages(connection, folder, self.bodies)
        self.previous = PreviousVersions(connection, self.outcomes)
        self.pages = Pages(connection, self.frontier, self.outcomes, self.bodies, self.previous)
        self.page_fields = PageFields(connection)
        self.sitemaps = SitemapTable(connection)
        self.rounds = Rounds(connection)
        self.templates = TemplateTable(connection)
        self.decisions = Decisions(connection, self.templates)
        self.support = StoredSupport(connection)
        self.changes = Changes(connection)
        self.documents = Documents(connection, self.outcomes, self.changes)
        self.duplicates = SignatureTable(connection)
        self.deliveries = Deliveries(connection)
        self.faults = Faults(self.frontier, self.outcomes)
        self.changing = ChangingBlocks(
            connection, self.flat_pages, self.documents, self.previous, self.border
        )
        self.learned = Learned(connection)
        self.runs = RunTable(connection)
        self.derivation = Derivation(connection, folder)
        self._others: list[tuple[_Interruptible, type[Exception]]] = []

    @classmethod
    def open(cls, folder: Path, *, create: bool = False) -> Self:
        """Opens the store in ``folder``, or makes one there.

        Raises StoreMissing, StoreVersion or StoreUnusable, as `store.database.connect`.
        """
        return cls(folder, connect(folder, create=create))

    @property
    def name(self) -> str:
        """The site's name."""
        return name_of(self.folder)

    @property
    def tables(self) -> Path:
        """The folder of the published tables."""
        return self.folder / TABLES

    @contextlib.contextmanager
    def transaction(self) -> Iterator[None]:
        """All or nothing: the writes inside are committed together, or none is.

        Raises StoreUnusable where the disk is full or read-only, or the database is damaged.
        """
        try:
            with transaction(self.connection):
                yield
                self.pages.spread_depths()
        except BaseException as error:
            self.frontier.nearer.clear()
            self._forget()
            # The other subclasses of DatabaseError are mistakes of a caller.
            if isinstance(error, sqlite3.OperationalError) or type(error) is sqlite3.DatabaseError:
                raise unusable(self.folder / FILE, error) from error
            raise

    def _forget(self) -> None:
        """Drops what the tables' readers remember: it may have been rolled back."""
        self.frontier.forget()
        self.pages.forget()
        self.bodies.forget()

    @contextlib.contextmanager
    def border(self, page: int, step: str) -> Iterator[list[Fault]]:
        """Catches whatever one page makes a step raise, and notes it as a fault of that page (`Faults`).

        Inside a transaction the page's own writes are undone, those before them stay. What says that the
        store or its disk failed passes. Yields a list, which has the fault afterwards where there was one.

        Args:
            page: the id of the page.
            step: the name of the step, one word.
        """
        inside, nearer = self.connection.in_transaction, len(self.frontier.nearer)
        if inside:
            self.connection.execute("SAVEPOINT page")
        faults: list[Fault] = []
        try:
            yield faults
        except Exception as error:
            if is_of_store(error):
                raise
            if inside:
                self.connection.execute("ROLLBACK TO page")
                del self.frontier.nearer[nearer:]
                self._forget()
            faults.append(self.faults.note(page, step, error))
        if inside:
            self.connection.execute("RELEASE page")

    def only_read(self) -> None:
        """Refuses writes from now on."""
        self.connection.execute("PRAGMA query_only = 1")

    @contextlib.contextmanager
    def snapshot(self) -> Iterator[None]:
        """Reads inside see the store as it is at the first of them, whatever a crawl writes meanwhile."""
        self.connection.execute("BEGIN")
        try:
            yield
        finally:
            if self.connection.in_transaction:
                self.connection.execute("ROLLBACK")

    def record(self, fetched: FetchedPage, run: int | None) -> None:
        """Stores a fetched page with its pagelets and links in one transaction.

        Raises StoreUnusable as `transaction`; nothing of the page is stored then.
        """
        with self.transaction():
            self.pages.record(fetched, run)
            if fetched.extraction:
                self.page_fields.put(fetched.page, fetched.extraction, fetched.extracted)

    @contextlib.contextmanager
    def detection_input(self, *, near_duplicates: bool = False) -> Iterator[Relations]:
        """The relations that detection reads, as the tables stand: in memory, or those of a large site in
        files, which are removed at the end. With ``near_duplicates`` pages with the same shingle count as
        duplicates.

        Opens a connection of its own to the database, so that it can run in another thread than the crawl.
        Raises StoreHalfDerived and OSError.
        """
        with contextlib.ExitStack() as held:
            with self.reader() as reader:
                reader.derivation.check()
                with reader.snapshot():
                    near = shingles(reader.connection) if near_duplicates else {}
                    small = is_small(reader.connection)
                    given: Relations | None = relations(reader.connection, near) if small else None
                if given is None:
                    import pyarrow as pa
                    import pyarrow.parquet as pq

                    from store.publish import publish

                    given = held.enter_context(scratch(self.folder)) / TABLES
                    publish(reader.connection, given, EVIDENCE)
                    if near:
                        columns = {"page": [*near], "fingerprint": [*near.values()]}
                        pq.write_table(pa.table(columns), given / f"{SHINGLES}.parquet")
            yield given

    @contextlib.contextmanager
    def evidence(self, given: Relations, *, memory: int = 256) -> Iterator[duckdb.DuckDBPyConnection]:
        """Opens DuckDB over what detection reads.

        Args:
            given: the relations (`detection_input`), or a folder of published tables.
            memory: the MB of memory that it may use; more goes to the disk.

        Raises:
            StoreUnusable: the disk has no room.
            MemoryError: the memory is not enough.
            StoreError: DuckDB cannot answer, or was interrupted.

        """
        import duckdb

        try:
            with (
                asked(given, spill=self.folder, memory=memory) as con,
                self._interruptible(con, duckdb.Error),
            ):
                yield con
        except duckdb.IOException as error:
            raise unusable(self.folder, error) from error
        except duckdb.OutOfMemoryException as error:
            raise MemoryError(str(error)) from error
        except duckdb.Error as error:
            raise StoreError(f"{self.folder}: {error}") from error

    def publish(
        self,
        fields: DocumentFields | None = None,
        names: Sequence[str] = (),
        query: RankingQuery | None = None,
    ) -> list[Path]:
        """Writes tables as Parquet.

        Args:
            fields: those that the table of documents has columns for.
            names: of the tables.
            query: pages are ranked for it.

        Returns:
            the paths.

        Raises:
            StoreHalfDerived: a derivation was interrupted.
            OSError: they cannot be written.
        """
        # Its package takes as long to load as a small site to detect.
        from store import publish

        self.derivation.check()
        wanted = tuple(names or publish.TABLES)
        return publish.publish(self.connection, self.tables, wanted, fields=fields, query=query)

    @contextlib.contextmanager
    def reader(self) -> Iterator[Self]:
        """The same store by another connection, which sees what has been committed."""
        with (
            type(self).open(self.folder) as store,
            self._interruptible(store.connection, sqlite3.ProgrammingError),
        ):
            yield store

    def interrupt(self) -> None:
        """Ends the statements that are running, on this store's connection and on those that it has opened
        for others: they raise an error. Called from another thread than that which they run in.
        """
        for connection, ended in ((self.connection, sqlite3.ProgrammingError), *self._others):
            with contextlib.suppress(ended):
                connection.interrupt()

    def abandon(self) -> None:
        """Rolls back a transaction whose own end was interrupted."""
        if self.connection.in_transaction:
            self.connection.execute("ROLLBACK")

    @contextlib.contextmanager
    def _interruptible(self, connection: _Interruptible, ended: type[Exception]) -> Iterator[None]:
        """Takes the exception that a connection raises which has ended meanwhile and is closed."""
        self._others.append((connection, ended))
        try:
            yield
        finally:
            self._others.remove((connection, ended))

    def close(self) -> None:
        """Closes the database; the store's folder stays."""
        self.flat_pages.close()
        self.connection.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()


def replace_store(new: Path, old: Path) -> None:
    """Puts the store in folder ``new`` in the place of the one in ``old``, which is removed.

    Where the process ends halfway, `restore_store` mends it. Raises StoreUnusable.
    """
    old, aside = _real(old), beside(old, "old")
    shutil.rmtree(aside, ignore_errors=True)
    try:
        if old.exists():
            old.rename(aside)
        new.rename(old)
    except OSError as error:
        raise StoreUnusable(
            f"{old}: {error.strerror}: the store of this run cannot take its place; it is whole in {new}: "
            f"remove {aside}, and move what is in {new} to {old} before the next crawl"
        ) from error
    _take_files(aside, old)


def restore_store(folder: Path) -> None:
    """Puts back the store that a `replace_store` which was cut short had moved aside, or its files of runs
    where the new one is in its place.
    """
    aside = beside(folder, "old")
    if folder.exists():
        _take_files(aside, folder)
    elif aside.exists():
        aside.rename(_real(folder))


def _take_files(aside: Path, folder: Path) -> None:
    """Moves the files of earlier runs into the folder of a store, and removes the store that had them."""
    # Whoever reads the changes may be some runs behind.
    for file in _files_of_runs(aside):
        with contextlib.suppress(OSError):
            place = folder / file.relative_to(aside)
            place.parent.mkdir(exist_ok=True)
            file.rename(place)
    shutil.rmtree(aside, ignore_errors=True)


def remove_store(folder: Path) -> None:
    """Removes the store in a folder, with those that crawls have left beside it.

    The store is there as a whole or not at all: where the process ends halfway, the rest is what a crawl with
    ``fresh`` removes before it begins. Raises OSError.
    """
    for kind in KINDS:
        shutil.rmtree(beside(folder, kind), ignore_errors=True)
    rest = _real(folder).rename(beside(folder, "fresh"))
    shutil.rmtree(rest)
    if folder.is_symlink():
        folder.unlink()


def last_file(folder: Path) -> int:
    """Returns the number of the last run with a file in the folder of a store, 0 for none. No log counts."""
    return max((int(file.stem) for file in _files_of_runs(folder) if file.suffix != ".log"), default=0)


def _files_of_runs(folder: Path) -> list[Path]:
    files = (file for name in FILES_OF_RUNS for file in folder.glob(f"{name}/*"))
    return [file for file in files if file.stem.isdecimal()]


def name_of(folder: Path) -> str:
    """Returns the name of the site whose store is in a folder."""
    match = _BESIDE.fullmatch(folder.name)
    return match["site"] if match else folder.name


def beside(folder: Path, kind: str) -> Path:
    """Returns where another store of a site is than its own in ``folder``; ``kind`` is one of `KINDS`."""
    return _real(folder).with_name(f".{folder.name}.{kind}")


def _real(folder: Path) -> Path:
    """Returns the folder that a store is in: that of a site may be a symbolic link to it."""
    return folder.resolve() if folder.is_symlink() else folder
