"""The documents that each run has brought, changed and taken away: the table DOCUMENT_CHANGES."""

from __future__ import annotations

from typing import Final, NamedTuple

from store.table import Table

CAME: Final = "came"
CHANGED: Final = "changed"
WENT: Final = "went"

KEPT: Final = 100
"""Of so many runs all changes are kept; of those before, the last one of each page."""

_LAST: Final = (
    "(SELECT kind FROM document_changes WHERE document_changes.page = documents.page "
    "ORDER BY document_changes.run DESC LIMIT 1)"
)


class Change(NamedTuple):
    """The change of a document by a run: `CAME`, `CHANGED` or `WENT`."""

    page: int
    url: str
    kind: str


class Changes(Table):
    """Reads and writes the table DOCUMENT_CHANGES; writes belong to the caller's transaction."""

    def note(self, run: int) -> None:
        """Notes the documents and deletions of a run, which arrive now."""
        self._connection.execute(
            "INSERT OR IGNORE INTO document_changes SELECT page, run, CASE WHEN op = 'delete' THEN ?1 "
            f"WHEN coalesce({_LAST}, ?1) = ?1 THEN ?2 ELSE ?3 END FROM documents "
            f"WHERE run = ?4 AND NOT delivered AND (op = 'index' OR coalesce({_LAST}, ?1) != ?1)",
            (WENT, CAME, CHANGED, run),
        )
        self._connection.execute(
            "DELETE FROM document_changes AS old WHERE run <= ? AND EXISTS "
            "(SELECT 1 FROM document_changes AS later WHERE later.page = old.page AND later.run > old.run)",
            (run - KEPT,),
        )

    def of_page(self, page: int) -> list[tuple[int, str]]:
        """Returns the runs that have changed the document of a page, the latest first, and what each did."""
        rows = self._connection.execute(
            "SELECT run, kind FROM document_changes WHERE page = ? ORDER BY run DESC", (page,)
        )
        return rows.fetchall()

    def between(self, run: int, until: int) -> list[Change]:
        """Returns the changes of documents after a run, up to another, in the order of their URLs.

        One that came and went meanwhile is left out. Both runs are among the last `KEPT`.
        """
        rows = self._connection.execute(
            "SELECT page, url, kind FROM document_changes JOIN pages USING (page) "
            "WHERE document_changes.run > ? AND document_changes.run <= ? ORDER BY url, document_changes.run",
            (run, until),
        ).fetchall()
        by_page: dict[int, tuple[str, str, str]] = {}
        for page, url, kind in rows:
            by_page[page] = url, by_page[page][1] if page in by_page else kind, kind
        changes = []
        for page, (url, first, last) in by_page.items():
            if (first, last) != (CAME, WENT):
                kind = last if last == WENT else CAME if first == CAME else CHANGED
                changes.append(Change(page, url, kind))
        return changes
