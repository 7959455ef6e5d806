"""Documents that went out, and those that arrived: the table DOCUMENTS."""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final, NamedTuple

import numpy as np

from store.meta import DOCUMENT_VERSION, Meta
from store.runs import FINISHED
from store.states import ALIVE, CURRENT, JUDGED, OBSOLETE, PENDING, SEEN_AGAIN, WANTED, WHICH_PAGES
from store.table import Table
from store.titles import Titles

if TYPE_CHECKING:
    import sqlite3
    from collections.abc import Iterable, Iterator, Sequence

    from numpy.typing import NDArray

    from store.changes import Changes
    from store.frontier import Outcomes


class Released(NamedTuple):
    """A page's last document; ``arrived`` is True if it was delivered, and not deleted. ``run`` is the last
    one that has judged it, ``steady_hash`` the hash of its text without blocks that may prove to be volatile.
    """

    content_hash: str
    template_version: str
    arrived: bool
    run: int
    steady_hash: str | None
    fields_hash: str | None = None


class Made(NamedTuple):
    """The basis of a page's last document: the hash of its text, the templates, and its counts.

    ``present`` is True if it was made of the page as it is stored, ``basis`` names all else (`Memory`).
    """

    content_hash: str
    template_version: str
    counts: dict[str, int]
    present: bool
    basis: bytes | None


class Memory(NamedTuple):
    """The memory of a recrawl of a page's judgement.

    ``basis`` names all that it was judged by, ``keys`` its blocks (`KEYS`), ``steady_hash`` the text without
    blocks that may prove to be volatile, ``fields_hash`` the values of the site's fields.
    """

    basis: bytes
    keys: bytes
    steady_hash: str
    fields_hash: str | None = None


KEYS: Final = np.dtype("<u2")
"""Of the key of a block's text at its tag path: enough to find it again on the same page."""


def _settled(column: str, until: str) -> str:
    """Returns the SQL of a column of the last document of a round that ended with the run ``until``, by which
    later runs judge what is in doubt: also where a run has made another since, and was cut short.
    """
    # What is kept for fear of an empty page says nothing of its blocks.
    speaks = "op = 'index' AND NOT coalesce(reasons ->> '$.kept_whole', 0)"
    return f"iif(documents.run <= {until}, iif({speaks}, {column}, NULL), settled_{column})"


_ENDED: Final = f"(SELECT coalesce(max(run), 0) FROM runs WHERE outcome IN {(*sorted(FINISHED),)})"
_SETTLES: Final = ", ".join(f"settled_{name} = {_settled(name, _ENDED)}" for name in ("mask", "keys"))
_JUDGED: Final = (
    "run = ?2, content_hash = ?3, template_version = ?4, mask = ?5, reasons = ?6, basis = ?7, keys = ?8, "
    "steady_hash = ?9, fields_hash = ?10"
)
_PUT: Final = (
    "INSERT INTO documents (page, run, content_hash, template_version, mask, reasons, basis, keys, "
    "steady_hash, fields_hash, version, sent_hash) "
    "VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12) "
    f"ON CONFLICT (page) DO UPDATE SET {_SETTLES}, {_JUDGED}, version = ?11, "
    "sent_hash = ?12, delivered = 0, op = 'index', deleted_for = NULL, kept_back = 0"
)


@dataclass(slots=True, frozen=True)
class ObsoletePage:
    """A page whose document has to be deleted, and why."""

    page_id: int
    url: str
    reason: str


class Documents(Table):
    """Reads and writes the table DOCUMENTS; writes belong to the caller's transaction."""

    def __init__(self, connection: sqlite3.Connection, outcomes: Outcomes, changes: Changes) -> None:
        super().__init__(connection)
        self._outcomes = outcomes
        self._changes = changes
        self._meta = Meta(connection)

    def current(self, *, dropped: bool = True) -> Iterator[int]:
        """The pages that have a document, in order of their URLs; also ``dropped`` ones (`keep_back`)."""
        left_out = "" if dropped else "AND page NOT IN (SELECT page FROM documents WHERE kept_back)"
        return iter(self._pages(f"SELECT page FROM pages WHERE {CURRENT} {left_out} ORDER BY url"))

    def count(self) -> int:
        """Returns the number of pages with a document."""
        return self._count(f"pages WHERE {CURRENT}")

    def evidence_pages(self) -> str:
        """The pages that what the site repeats is counted over, as text: another where they are others."""
        row = self._execute(f"SELECT {WHICH_PAGES} FROM pages WHERE {ALIVE}").fetchone()
        return " ".join(map(str, row))

    def titles(self) -> Titles:
        """The titles of the pages that what the site repeats is counted over."""
        return Titles(self._connection)

    def is_current(self, page: int) -> bool:
        """Returns True if a page has a document."""
        return self._any(f"pages WHERE page = ? AND {CURRENT}", page)

    def page_of(self, url: str) -> int | None:
        """Returns the page of a URL, None where it has no document."""
        return self._first(int, f"SELECT page FROM pages WHERE url = ? AND {CURRENT}", url)

    def to_release(self, run: int) -> Iterator[int]:
        """The pages that a run has to release, or to judge again, in order of their URLs.

        Those that were fetched since their last document, those whose document never arrived, waited until
        they were seen again, or was made with other templates or values; without those that the run has
        released already.
        """
        return iter(
            self._pages(
                "SELECT page FROM pages LEFT JOIN documents USING (page) LEFT JOIN page_fields USING (page) "
                f"WHERE {JUDGED} AND ({PENDING} OR {SEEN_AGAIN} "
                "OR template_version IS NOT (SELECT value FROM meta WHERE key = 'template_version') "
                "OR (op = 'index' AND documents.fields_hash IS NOT page_fields.fields_hash)) "
                "AND coalesce(documents.run, 0) != ? ORDER BY url",
                run,
            )
        )

    def basis(self, page: int) -> bytes | None:
        """Returns the basis of the judgement of a page's document, which has arrived (`Memory`). None if it
        is unknown, or if the document has to go out anyhow.
        """
        made = f"pages JOIN documents USING (page) WHERE page = ? AND NOT {PENDING} AND basis IS NOT NULL"
        return self._first(bytes, f"SELECT basis FROM {made}", page)

    def any(self) -> bool:
        """Returns True if any document ever went out."""
        return self._any("documents")

    def pending(self) -> bool:
        """Returns True if some page's document has never arrived, or waited until it is seen again."""
        due = f"{JUDGED} AND ({PENDING} OR {SEEN_AGAIN})"
        return self._any(f"pages LEFT JOIN documents USING (page) WHERE {due}")

    def any_obsolete(self) -> bool:
        """Returns True if there is a document to delete."""
        return self._any(f"documents WHERE {OBSOLETE}")

    def count_obsolete(self, run: int = -1) -> int:
        """Counts the documents to delete (`obsolete`)."""
        return self._count(f"documents WHERE {OBSOLETE} AND NOT (op = 'delete' AND run = ?)", run)

    def obsolete(self, run: int = -1) -> Iterator[ObsoletePage]:
        """The documents to delete, in order of their URLs, without those that the run has deleted already."""
        pages = self._pages(
            f"SELECT page FROM documents JOIN pages USING (page) WHERE {OBSOLETE} "
            "AND NOT (op = 'delete' AND documents.run = ?) ORDER BY url",
            run,
        )
        for page in pages:
            url, reason = self._execute(
                f"SELECT url, coalesce(deleted_for, excluded, iif({WANTED}, reason, 'missed'), 'redirect') "
                "FROM documents JOIN pages USING (page) WHERE page = ?",
                (page,),
            ).fetchone()
            yield ObsoletePage(page, url, reason)

    def delete(self, page: int, run: int, reason: str) -> None:
        """Notes that the deletion of the document of a ``page`` goes out with a ``run``, for a ``reason``."""
        self._execute(
            f"UPDATE documents SET {_SETTLES}, op = 'delete', deleted_for = ?, run = ?, delivered = 0 "
            "WHERE page = ?",
            (reason, run, page),
        )

    def leave_out(self, page: int, run: int, content_hash: str, template_version: str) -> None:
        """Notes with a ``run`` that a ``page`` without a document stays so, as another page is its original.
        Takes the ``content_hash`` and ``template_version`` of its text.
        """
        self._execute(
            "INSERT OR REPLACE INTO documents (page, run, content_hash, template_version, mask, reasons, "
            "delivered, op, deleted_for) VALUES (?, ?, ?, ?, x'', '{}', 1, 'delete', 'duplicate')",
            (page, run, content_hash, template_version),
        )

    def duplicates(self) -> int:
        """Counts the pages with the same text as another page of their host."""
        return self._number(
            f"SELECT coalesce(sum(copies - 1), 0) FROM (SELECT count(*) AS copies FROM pages WHERE {CURRENT} "
            "GROUP BY host, fingerprint)"
        )

    def get(self, page: int) -> Released | None:
        """Returns a page's last document, or None."""
        return self._first(
            Released,
            "SELECT content_hash, template_version, delivered AND op = 'index', run, steady_hash, "
            "fields_hash FROM documents WHERE page = ?",
            page,
        )

    def made(self, page: int) -> Made | None:
        """Returns the basis of a page's last document, or None."""
        return self._first(
            lambda text, version, counts, present, basis: Made(
                text, version, json.loads(counts), bool(present), basis
            ),
            "SELECT content_hash, template_version, reasons, documents.run >= coalesce(fetched_run, 0), "
            "basis FROM documents JOIN pages USING (page) WHERE page = ? AND op = 'index'",
            page,
        )

    def mask(self, page: int, blocks: int) -> list[bool] | None:
        """Marks the blocks that a page's last document kept; None if it had another number of blocks."""
        select = "SELECT mask FROM documents WHERE page = ? AND op = 'index' AND reasons ->> '$.blocks' = ?"
        packed = self._first(bytes, select, page, blocks)
        if packed is None:
            return None
        return np.unpackbits(np.frombuffer(packed, np.uint8), count=blocks).astype(bool).tolist()

    def verdicts(self, page: int, keys: NDArray[np.uint16], until: int) -> NDArray[np.int8]:
        """Returns what became of blocks in a page's last document of a round that has ended.

        Args:
            page: the page's id.
            keys: of the blocks (`KEYS`).
            until: the last run of that round.

        Returns: 1 for each block kept, 0 for a removed one, -1 for a new one or one with several verdicts;
        empty for an unknown page.
        """
        row = self._execute(
            f"SELECT {_settled('mask', '?2')}, {_settled('keys', '?2')} FROM documents WHERE page = ?1",
            (page, until),
        ).fetchone()
        if row is None or row[1] is None:
            return np.zeros(0, np.int8)
        before = np.frombuffer(row[1], KEYS)
        kept = np.unpackbits(np.frombuffer(row[0], np.uint8), count=len(before)).astype(np.int8)
        if np.array_equal(before, keys):
            return kept
        known: dict[int, int] = {}
        for key, verdict in zip(before.tolist(), kept.tolist(), strict=True):
            known[key] = verdict if known.get(key, verdict) == verdict else -1
        return np.array([known.get(key, -1) for key in keys.tolist()], np.int8)

    def forget_verdicts(self, page: int | None = None) -> None:
        """Forgets the verdicts on the blocks of a page, or of all pages: other rules judge them now."""
        forget = "UPDATE documents SET keys = NULL, settled_mask = NULL, settled_keys = NULL"
        if page is None:
            self._execute(forget)
        else:
            self._execute(f"{forget} WHERE page = ?", (page,))

    def put(
        self,
        page: int,
        run: int,
        content_hash: str,
        template_version: str,
        mask: Sequence[bool],
        reasons: dict[str, Any],
        memory: Memory | None = None,
        *,
        confirmed: bool = False,
    ) -> None:
        """Notes that the document of a ``page`` goes out with a ``run``, which says when it is delivered; or,
        if ``confirmed``, that the page was judged anew, and still has the document that went out before.

        Takes the ``content_hash`` of its text, its ``template_version``, the ``mask`` of kept blocks with the
        ``reasons``, and the ``memory`` of a recrawl. What has arrived before stays noted until this does: a
        page is not forgotten, nor a bad night taken for a good one, where a delivery fails in between. If the
        hash of a confirmed one is another, the difference is not worth a delivery: indexes may hold either
        text.
        """
        packed = np.packbits(np.asarray(mask, bool)).tobytes()
        judged = packed, json.dumps(reasons, sort_keys=True), *(memory or [None] * 4)
        values = page, run, content_hash, template_version, *judged
        if confirmed:
            self._execute(
                f"UPDATE documents SET {_SETTLES}, {_JUDGED}, "
                "sent_hash = iif(content_hash = ?3, sent_hash, coalesce(sent_hash, content_hash)) "
                "WHERE page = ?1",
                values,
            )
        else:
            # A number that no document of the store has had: sinks note it with the document.
            version = (self._meta.get(DOCUMENT_VERSION) or 0) + 1
            self._meta.set(DOCUMENT_VERSION, version)
            self._execute(_PUT, (*values, version, self.sent(page)[0]))
        self._outcomes.release(page, arrived=confirmed)

    def send_again(self) -> None:
        """Has the next release send all documents once more."""
        self._execute("UPDATE documents SET delivered = 0 WHERE op = 'index'")

    def keep_back(self, page: int) -> None:
        """Notes that a pipeline has dropped a page's document: no search index is to have it."""
        self._execute("UPDATE documents SET kept_back = 1 WHERE page = ?", (page,))

    def sent(self, page: int) -> tuple[str | None, int]:
        """Returns the hash of the text of a page that has arrived, None where none has; and 1 if a pipeline
        has dropped its document, else 0.
        """
        sent = self._first(
            lambda *columns: columns,
            "SELECT iif(delivered OR sent_hash IS NOT NULL, coalesce(sent_hash, content_hash), NULL), "
            "kept_back FROM documents WHERE page = ? AND op = 'index'",
            page,
        )
        return sent or (None, 0)

    def keep_sent(self, page: int, sent: tuple[str | None, int]) -> None:
        """Notes with a document that was judged anew between two runs what had arrived before (`sent`)."""
        self._execute(
            "UPDATE documents SET sent_hash = ?, kept_back = ? WHERE page = ? AND NOT delivered",
            (*sent, page),
        )

    def renew(self, page: int, basis: bytes, template_version: str) -> None:
        """Notes that other rules of judging make the same document of a ``page``. Takes the ``basis`` of its
        judgement now (`Memory`), and the ``template_version``.
        """
        self._execute(
            "UPDATE documents SET basis = ?, template_version = ? WHERE page = ?",
            (basis, template_version, page),
        )

    def pass_over(self, pages: Iterable[int], template_version: str) -> None:
        """Notes that the new knowledge of the site changes nothing for these pages."""
        self._executemany(
            "UPDATE documents SET template_version = ? WHERE page = ?",
            ((template_version, page) for page in pages),
        )

    def withdraw(self, page: int, run: int) -> bool:
        """Notes that a document of this run did not arrive. Returns True if the run had released it."""
        cursor = self._execute(
            "UPDATE documents SET run = 0 WHERE page = ? AND run = ? AND NOT delivered", (page, run)
        )
        return cursor.rowcount > 0

    def deliver(self, run: int) -> int:
        """Notes that all documents and deletions of a run have arrived; returns how many documents."""
        self._changes.note(run)
        cursor = self._execute(
            "UPDATE documents SET delivered = 1, sent_hash = NULL "
            "WHERE run = ? AND NOT delivered AND op = 'index'",
            (run,),
        )
        self._execute(
            "DELETE FROM documents WHERE run = ? AND op = 'delete' AND NOT delivered "
            f"AND page NOT IN (SELECT page FROM pages WHERE {CURRENT})",
            (run,),
        )
        self._outcomes.deliver(run)
        return cursor.rowcount
