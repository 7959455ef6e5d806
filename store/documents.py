"""Which documents went out, and which of them arrived: the table DOCUMENTS."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any, Final, NamedTuple

import numpy as np

if TYPE_CHECKING:
    import sqlite3
    from collections.abc import Iterator, Sequence

CURRENT = "fetched_run IS NOT NULL AND state NOT IN ('gone', 'redirected')"
"""Pages that have a document: they were fetched, and nothing says that they are no more."""


_PENDING: Final = "NOT (coalesce(delivered, 0) AND documents.run >= coalesce(fetched_run, 0))"
"""Pages whose last document never arrived, or was made before they were fetched again: a run that was cut
short between the two leaves them so."""


class Released(NamedTuple):
    """What is known of a page's last document; ``pending`` tells that the page has to go out (again)."""

    content_hash: str
    template_version: str
    pending: bool


class Documents:
    """Reads and writes the table DOCUMENTS; writes belong to the caller's transaction."""

    def __init__(self, connection: sqlite3.Connection) -> None:
        self._connection = connection

    def current(self) -> Iterator[int]:
        """The pages that have a document, in order of their URLs."""
        rows = self._connection.execute(f"SELECT page FROM pages WHERE {CURRENT} ORDER BY url").fetchall()
        return (page for (page,) in rows)

    def is_current(self, page: int) -> bool:
        """Whether a page has a document."""
        row = self._connection.execute(
            f"SELECT 1 FROM pages WHERE page = ? AND {CURRENT}", (page,)
        ).fetchone()
        return row is not None

    def to_release(self, run: int) -> Iterator[int]:
        """The pages that a run has to release, or to judge again, in order of their URLs.

        Those that were fetched since their last document, those whose document never arrived, and those whose
        document was made with other templates; without those that the run has released already.
        """
        rows = self._connection.execute(
            f"SELECT page FROM pages LEFT JOIN documents USING (page) WHERE {CURRENT} AND ({_PENDING} "
            "OR template_version IS NOT (SELECT value FROM meta WHERE key = 'template_version')) "
            "AND coalesce(documents.run, 0) != ? ORDER BY url",
            (run,),
        ).fetchall()
        return (page for (page,) in rows)

    def pending(self) -> bool:
        """Whether some page's document has never arrived."""
        row = self._connection.execute(
            f"SELECT 1 FROM pages LEFT JOIN documents USING (page) WHERE {CURRENT} AND {_PENDING} LIMIT 1"
        ).fetchone()
        return row is not None

    def duplicates(self) -> int:
        """How many pages have the same text as another page of their host."""
        row = self._connection.execute(
            f"SELECT coalesce(sum(copies - 1), 0) FROM (SELECT count(*) AS copies FROM pages WHERE {CURRENT} "
            "GROUP BY host, fingerprint)"
        ).fetchone()
        return int(row[0])

    def get(self, page: int) -> Released | None:
        """A page's last document, None where there was none."""
        row = self._connection.execute(
            f"SELECT content_hash, template_version, {_PENDING} FROM documents JOIN pages USING (page) "
            "WHERE page = ?",
            (page,),
        ).fetchone()
        return None if row is None else Released(row[0], row[1], bool(row[2]))

    def put(
        self,
        page: int,
        run: int,
        content_hash: str,
        template_version: str,
        mask: Sequence[bool],
        reasons: dict[str, Any],
    ) -> None:
        """Notes that a page's document goes out with this run; it is delivered when the run says so."""
        self._connection.execute(
            "INSERT OR REPLACE INTO documents VALUES (?, ?, ?, ?, ?, ?, 0)",
            (
                page,
                run,
                content_hash,
                template_version,
                np.packbits(np.asarray(mask, bool)).tobytes(),
                json.dumps(reasons, sort_keys=True),
            ),
        )
        self._connection.execute(
            "UPDATE pages SET state = 'released' WHERE page = ? AND state = 'held'", (page,)
        )

    def confirm(self, page: int, template_version: str) -> None:
        """Notes that other templates give a page the same document: it need not go out again."""
        self._connection.execute(
            "UPDATE documents SET template_version = ? WHERE page = ?", (template_version, page)
        )

    def withdraw(self, page: int, run: int) -> bool:
        """Notes that a document of this run did not arrive, whatever the others do.

        Returns whether the run had released it.
        """
        cursor = self._connection.execute(
            "UPDATE documents SET run = 0 WHERE page = ? AND run = ? AND NOT delivered", (page, run)
        )
        return cursor.rowcount > 0

    def deliver(self, run: int) -> int:
        """Notes that all documents of a run have arrived; returns how many."""
        cursor = self._connection.execute(
            "UPDATE documents SET delivered = 1 WHERE run = ? AND NOT delivered", (run,)
        )
        self._connection.execute(
            "UPDATE pages SET state = 'delivered' WHERE state = 'released' "
            "AND page IN (SELECT page FROM documents WHERE run = ? AND delivered)",
            (run,),
        )
        return cursor.rowcount
