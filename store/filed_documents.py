"""The documents that belong in the file of all documents, and where the changes of a run begin."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterable, Iterator
from typing import Final, NamedTuple

from store.states import CURRENT

CHANGES: Final = "changes"
"""The folder of a store that has a file ``RUN.jsonl`` for the changes of each of the last runs."""
PUT: Final = b'{"_op":"put",'
"""The beginning of a line of such a file that has a document."""


class FiledDocument(NamedTuple):
    """A document that went out, or a change of this run.

    ``wanted`` is 1 if the document belongs in the file, ``can_be_made`` if the store has its page still,
    ``arrived`` if its last version was delivered. ``place`` is where the last change of it begins, None if
    the run did not change it.
    """

    page: int
    url: str
    wanted: int
    can_be_made: int
    arrived: int
    place: int | None


def filed_documents(
    connection: sqlite3.Connection, places: Iterable[tuple[int, int]]
) -> Iterator[FiledDocument]:
    """Yields the documents that went out, and those that a run has changed, in order of their URLs.

    Args:
        connection: a connection on which nothing else is written until the last one has come.
        places: page and place of each change, in the order in which they were made.

    """
    connection.execute("CREATE TEMP TABLE places (page INTEGER PRIMARY KEY, place INTEGER NOT NULL)")
    connection.executemany("INSERT OR REPLACE INTO temp.places VALUES (?, ?)", places)
    rows = connection.execute(
        "SELECT page, url, op = 'index' AND NOT kept_back AS wanted, "
        f"documents.run != 0 AND {CURRENT}, delivered, place "
        "FROM documents JOIN pages USING (page) LEFT JOIN temp.places USING (page) "
        "WHERE wanted OR place IS NOT NULL ORDER BY url"
    )
    yield from map(FiledDocument._make, rows)
