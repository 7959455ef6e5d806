"""Opening a store's SQLite database."""

from __future__ import annotations

import contextlib
import sqlite3
from typing import TYPE_CHECKING, Final

from store.errors import StoreMissing, StoreUnusable, StoreVersion
from store.schema import MIGRATIONS, TABLES, VERSION

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

FILE: Final = "store.sqlite"


def connect(folder: Path, *, create: bool = False) -> sqlite3.Connection:
    """A connection to the store in ``folder``, in autocommit mode: transactions are begun by `transaction`.

    Raises StoreMissing where there is none and ``create`` is false, StoreVersion where it is of another
    version, StoreUnusable where it cannot be read or written.
    """
    path = folder / FILE
    if not create and not path.exists():
        raise StoreMissing(f"{path}: there is no store; crawl the site first (scrapy crawl site -a url=...)")
    try:
        folder.mkdir(parents=True, exist_ok=True)
        connection = sqlite3.connect(path, isolation_level=None, timeout=30, check_same_thread=False)
    except (sqlite3.Error, OSError) as error:
        raise unusable(path, error) from error
    try:
        _prepare(connection, path)
    except sqlite3.Error as error:
        connection.close()
        raise unusable(path, error) from error
    except BaseException:
        connection.close()
        raise
    return connection


def unusable(path: Path, error: Exception) -> StoreUnusable:
    """One line on a database that cannot be used, with the mend."""
    return StoreUnusable(
        f"{path}: {error}; see that the folder is writable, the disk has room, and the file is a store"
    )


def _prepare(connection: sqlite3.Connection, path: Path) -> None:
    connection.execute("PRAGMA journal_mode = WAL")
    # Safe against kill -9; a power cut may undo the last pages, which are then fetched again.
    connection.execute("PRAGMA synchronous = NORMAL")
    connection.execute("PRAGMA cache_size = -8192")
    connection.execute("PRAGMA temp_store = MEMORY")
    if _is_new(connection):
        with transaction(connection):
            # Another process may be opening the same new store: one of the two makes the tables.
            if _is_new(connection):
                _execute(connection, TABLES)
                connection.execute(f"PRAGMA user_version = {VERSION}")
    version = connection.execute("PRAGMA user_version").fetchone()[0]
    while version in MIGRATIONS:
        version = _migrate(connection)
    if version != VERSION:
        raise StoreVersion(
            f"{path}: tables of version {version}, this is version {VERSION}; "
            "crawl the site anew (-a fresh=1), or use the version that made it"
        )


def _execute(connection: sqlite3.Connection, statements: str) -> None:
    for statement in statements.split(";\n"):
        if statement.strip():
            connection.execute(statement)


def _migrate(connection: sqlite3.Connection) -> int:
    """Makes the tables those of the next version, all or nothing; returns the version that they are of."""
    with transaction(connection):
        # Another process may have done it since.
        version = int(connection.execute("PRAGMA user_version").fetchone()[0])
        if version in MIGRATIONS:
            _execute(connection, MIGRATIONS[version])
            version += 1
            connection.execute(f"PRAGMA user_version = {version}")
    return version


def _is_new(connection: sqlite3.Connection) -> bool:
    version = connection.execute("PRAGMA user_version").fetchone()[0]
    return version == 0 and not connection.execute("SELECT count(*) FROM sqlite_master").fetchone()[0]


@contextlib.contextmanager
def transaction(connection: sqlite3.Connection) -> Iterator[None]:
    """All or nothing: commits at the end, rolls back on any exception."""
    connection.execute("BEGIN IMMEDIATE")
    try:
        yield
        connection.execute("COMMIT")
    except BaseException:
        # A full disk may have rolled back already.
        if connection.in_transaction:
            connection.execute("ROLLBACK")
        raise
