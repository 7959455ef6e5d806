"""The documents that each run has brought, changed and taken away: the table DOCUMENT_CHANGES, and what
belongs in the file of all documents.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Iterable, Iterator
from typing import Final, NamedTuple

from store.states import CURRENT
from store.table import Table

CAME: Final = "came"
CHANGED: Final = "changed"
WENT: Final = "went"

CHANGES: Final = "changes"
"""The folder of a store that has a file ``RUN.jsonl`` for the changes of each of the last runs."""
PUT: Final = b'{"_op":"put",'
"""The beginning of a line of such a file that has a document."""

KEPT: Final = 100
"""Of so many runs all changes are kept; of those before, the last one of each page."""

_LAST: Final = (
    "(SELECT kind FROM document_changes WHERE document_changes.page = documents.page "
    "ORDER BY document_changes.run DESC LIMIT 1)"
)


class Change(NamedTuple):
    """The change of a document by a run: `CAME`, `CHANGED` or `WENT`."""

    url: str
    kind: str


class Changes(Table):
    """Reads and writes the table DOCUMENT_CHANGES; writes belong to the caller's transaction."""

    def note(self, run: int) -> None:
        """Notes the documents and deletions of a run, which arrive now."""
        self._execute(
            "INSERT OR IGNORE INTO document_changes SELECT page, run, CASE WHEN op = 'delete' THEN ?1 "
            f"WHEN coalesce({_LAST}, ?1) = ?1 THEN ?2 ELSE ?3 END FROM documents "
            f"WHERE run = ?4 AND NOT delivered AND (op = 'index' OR coalesce({_LAST}, ?1) != ?1)",
            (WENT, CAME, CHANGED, run),
        )
        self._execute(
            "DELETE FROM document_changes AS old WHERE run <= ? AND EXISTS "
            "(SELECT 1 FROM document_changes AS later WHERE later.page = old.page AND later.run > old.run)",
            (run - KEPT,),
        )

    def of_page(self, page: int) -> list[tuple[int, str]]:
        """Returns the runs that have changed the document of a page, the latest first, and what each did."""
        rows = self._execute(
            "SELECT run, kind FROM document_changes WHERE page = ? ORDER BY run DESC", (page,)
        )
        return rows.fetchall()

    def between(self, run: int, until: int) -> list[Change]:
        """Returns the changes of documents after a run, up to another, in the order of their URLs.

        One that came and went meanwhile is left out. Both runs are among the last `KEPT`.
        """
        rows = self._execute(
            "SELECT url, kind FROM document_changes JOIN pages USING (page) "
            "WHERE document_changes.run > ? AND document_changes.run <= ? ORDER BY url, document_changes.run",
            (run, until),
        ).fetchall()
        first_and_last: dict[str, tuple[str, str]] = {}
        for url, kind in rows:
            first_and_last[url] = first_and_last[url][0] if url in first_and_last else kind, kind
        return [
            Change(url, last if last == WENT else CAME if first == CAME else CHANGED)
            for url, (first, last) in first_and_last.items()
            if (first, last) != (CAME, WENT)
        ]


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
