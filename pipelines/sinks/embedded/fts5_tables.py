"""The tables of the SQLite index, and how a document's units get into and out of them."""

from __future__ import annotations

import contextlib
import json
import sqlite3
import unicodedata
from typing import TYPE_CHECKING, Any, Final

from crawler.indexing.search import day_of, language_prefixes, path_of
from crawler.indexing.sink import units_of
from pipelines.sinks.embedded.shown import packed
from pipelines.sinks.text.words import VERSION as WORDS_VERSION
from pipelines.sinks.text.words import normalised
from store.database import transaction

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from crawler.indexing.sink import Operation, Unit

VERSION: Final = f"1.{WORDS_VERSION}.{unicodedata.unidata_version}"
"""Of the tables, and of the words: a row is taken out of ``words`` by the words that it was put in with."""

DURABLE: Final = "PRAGMA synchronous = FULL"
"""For connections that write: what counts as delivered has to outlive a power cut."""
_TABLES: Final = (
    "CREATE TABLE meta (name TEXT NOT NULL)",
    "CREATE TABLE units (id INTEGER PRIMARY KEY, document TEXT NOT NULL, unit TEXT NOT NULL, "
    "content_hash TEXT NOT NULL, day INTEGER, language TEXT NOT NULL, path TEXT NOT NULL, "
    "shown TEXT NOT NULL, text TEXT NOT NULL)",
    # Holds what `held` tells and what a document is found by, so that no row with its text is read for them.
    "CREATE INDEX units_of_documents ON units (document, unit, content_hash)",
    # Without a copy of the texts; they come as lower-case words, of which all but ASCII is one of FTS5's.
    "CREATE VIRTUAL TABLE words USING fts5 (title, headings, text, content='', tokenize='ascii')",
    "INSERT INTO words (words, rank) VALUES ('hashsize', 33554432)",
)
_ROW: Final = (
    "INSERT INTO units (document, unit, content_hash, day, language, path, shown, text) "
    "VALUES (?, ?, ?, ?, ?, ?, ?, ?)"
)
OF_ONE_DOCUMENT: Final = (sqlite3.DataError, sqlite3.ProgrammingError, UnicodeError, OverflowError)
"""What SQLite has against a value, not against the file."""


def make(connection: sqlite3.Connection, name: str) -> None:
    """Makes the tables of an index of that name in an empty database."""
    connection.execute("PRAGMA journal_mode = WAL")
    connection.execute(DURABLE)
    with transaction(connection):
        for statement in _TABLES:
            connection.execute(statement)
        connection.execute("INSERT INTO meta VALUES (?)", (name,))


def empty(connection: sqlite3.Connection, name: str) -> None:
    """Makes it an empty index of that name, inside a transaction."""
    connection.execute("INSERT INTO words (words) VALUES ('delete-all')")
    connection.execute("DELETE FROM units")
    connection.execute("UPDATE meta SET name = ?", (name,))


def replace(connection: sqlite3.Connection, operation: Operation, units: str) -> None:
    """Takes a document's units in place of those that are there. Raises `OF_ONE_DOCUMENT`."""
    there = connection.execute(
        "SELECT id, shown, text FROM units WHERE document = ?", (operation.id,)
    ).fetchall()
    for row, shown, text in there:
        fields = json.loads(shown)
        connection.execute(
            "INSERT INTO words (words, rowid, title, headings, text) VALUES ('delete', ?, ?, ?, ?)",
            (row, *_words(fields["title"], fields["headings"], text)),
        )
    if there:
        connection.execute("DELETE FROM units WHERE document = ?", (operation.id,))
    for unit in units_of(operation, units):
        row = connection.execute(_ROW, _values(unit)).lastrowid
        connection.execute(
            "INSERT INTO words (rowid, title, headings, text) VALUES (?, ?, ?, ?)",
            (row, *_words(unit.title, unit.headings, unit.text)),
        )


def _words(title: str, headings: Iterable[str], text: str) -> tuple[str, str, str]:
    return normalised(title), normalised("\n".join(headings)), normalised(text)


def _values(unit: Unit) -> tuple[Any, ...]:
    day = day_of(unit.published, unit.fetched_at)
    return (
        unit.document,
        unit.id,
        unit.content_hash,
        day.toordinal() if day else None,
        (language_prefixes(unit.language) or [""])[-1],
        path_of(unit.url),
        packed(unit),
        unit.text,
    )


def name_of(connection: sqlite3.Connection) -> str:
    """The name of the index. Raises sqlite3.Error."""
    row = connection.execute("SELECT name FROM meta").fetchone()
    return str(row[0]) if row else ""


def is_damage(error: sqlite3.DatabaseError) -> bool:
    """Whether the file holds no database of ours, rather than cannot be read or written now."""
    said = str(error)
    return "malformed" in said or "not a database" in said or "no such table" in said or "fts5" in said


@contextlib.contextmanager
def snapshot(connection: sqlite3.Connection) -> Iterator[None]:
    """The tables as they are at the first look at them."""
    connection.execute("BEGIN")
    try:
        yield
    finally:
        connection.execute("ROLLBACK")


@contextlib.contextmanager
def savepoint(connection: sqlite3.Connection) -> Iterator[None]:
    """All or nothing inside a transaction, as to what is wrong with one document."""
    connection.execute("SAVEPOINT batch")
    try:
        yield
    except OF_ONE_DOCUMENT:
        connection.execute("ROLLBACK TO batch")
        connection.execute("RELEASE batch")
        raise
    connection.execute("RELEASE batch")
