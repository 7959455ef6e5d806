"""Opening a store's SQLite database."""

from __future__ import annotations

import contextlib
import os
import sqlite3
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Final

from store.errors import StoreMissing, StoreUnusable, StoreVersion
from store.migrations import STEPS
from store.schema import TABLES, VERSION

FILE: Final = "store.sqlite"
_DAMAGED: Final = (sqlite3.SQLITE_ERROR, sqlite3.SQLITE_CORRUPT, sqlite3.SQLITE_NOTADB)
"""Errors of a file that lacks a table, or is damaged."""
_WAIT: Final = 30.0
"""Seconds that one may be in the way of another."""


def connect(folder: Path, *, create: bool = False) -> sqlite3.Connection:
    """Connects to the store in ``folder``, in autocommit mode: transactions are begun by `transaction`.

    Raises StoreMissing if it does not exist and ``create`` is false, StoreVersion if it is of another
    version, StoreUnusable if it cannot be read or written.
    """
    path = folder / FILE
    if not create and not path.exists():
        raise StoreMissing(f"{path}: there is no store; crawl the site first (scrapy crawl site -a url=...)")
    with contextlib.ExitStack() as failed:
        try:
            folder.mkdir(parents=True, exist_ok=True)
            # What does not fit into memory goes beside the stores: /var/tmp may be small, or memory itself.
            os.environ.setdefault("SQLITE_TMPDIR", str(folder.parent.resolve()))
            connection = sqlite3.connect(path, isolation_level=None, timeout=_WAIT, check_same_thread=False)
            failed.callback(connection.close)
            _prepare(connection, path)
        except (sqlite3.Error, OSError) as error:
            raise unusable(path, error) from error
        failed.pop_all()
    return connection


def unusable(path: Path, error: Exception) -> StoreUnusable:
    """One line on a database that cannot be used, with the mend."""
    if getattr(error, "sqlite_errorcode", 0) & 0xFF in _DAMAGED:
        return StoreUnusable(f"{path}: {error}; put back a copy of it, or crawl the site anew (-a fresh=1)")
    return StoreUnusable(
        f"{path}: {error}; see that the folder is writable, the disk has room, and the file is a store"
    )


def _keep_log(connection: sqlite3.Connection) -> None:
    """Has the database write its changes to a log (WAL). Where two open a new one at once, SQLite refuses one
    of them at once, whatever time it may wait.
    """
    until = time.monotonic() + _WAIT
    while True:
        try:
            connection.execute("PRAGMA journal_mode = WAL")
        except sqlite3.OperationalError as error:
            if error.sqlite_errorcode & 0xFF != sqlite3.SQLITE_BUSY or time.monotonic() > until:
                raise
            time.sleep(0.01)
        else:
            return


def _prepare(connection: sqlite3.Connection, path: Path) -> None:
    _keep_log(connection)
    # Safe against kill -9; a power cut may undo the last pages, which are then fetched again.
    connection.execute("PRAGMA synchronous = NORMAL")
    connection.execute("PRAGMA cache_size = -8192")
    # Temporary tables and what is sorted are in memory as long as the cache has room for them.
    connection.execute("PRAGMA temp_store = FILE")
    connection.create_function("casefold", 1, lambda text: text and text.casefold(), deterministic=True)
    if _is_new(connection):
        with transaction(connection):
            # Another process may be opening the same new store: one of the two makes the tables.
            if _is_new(connection):
                _execute(connection, TABLES)
                connection.execute(f"PRAGMA user_version = {VERSION}")
    while (version := _version(connection)) in STEPS:
        _migrate(connection, path, version)
    if version != VERSION:
        raise StoreVersion(f"{path}: {_of_version(version)}, or crawl the site anew (-a fresh=1)")


def _of_version(version: int) -> str:
    if not version:
        return "it is no store of this program; move it away"
    age = "too old to be converted" if version < VERSION else "made by a later program"
    return f"tables of version {version}, {age}: this is version {VERSION}; use the program that made it"


def _execute(connection: sqlite3.Connection, statements: str) -> None:
    for statement in statements.split(";\n"):
        if statement.strip():
            connection.execute(statement)


def _migrate(connection: sqlite3.Connection, path: Path, version: int) -> None:
    """Makes the tables of a version those of the next one, all or nothing."""
    try:
        with transaction(connection):
            # Another process may have done it since.
            if _version(connection) == version:
                _execute(connection, STEPS[version])
                connection.execute(f"PRAGMA user_version = {version + 1}")
    except sqlite3.Error as error:
        raise StoreUnusable(
            f"{path}: {error}; its tables could not be converted and are of version {version} as before; see "
            "that the folder is writable and the disk has room"
        ) from error


def _version(connection: sqlite3.Connection) -> int:
    return int(connection.execute("PRAGMA user_version").fetchone()[0])


def _is_new(connection: sqlite3.Connection) -> bool:
    return (
        not _version(connection)
        and not connection.execute("SELECT count(*) FROM sqlite_master").fetchone()[0]
    )


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
