"""The last good version of the pages that a round of crawling has changed: the table PREVIOUS_VERSIONS.

A round is a crawl with those that continue it. What its pages were before is kept until the round is found to
be good; a round that went wrong is undone.
"""

from __future__ import annotations

import json
from itertools import chain
from typing import TYPE_CHECKING, Any, Final, NamedTuple

import numpy as np

from store.rounds import links_changed
from store.states import DELIVERED
from store.table import Table

if TYPE_CHECKING:
    import sqlite3
    from collections.abc import Iterator, Sequence

    from numpy.typing import NDArray

    from store.frontier import Outcomes

_COLUMNS: Final = (
    "state reason status fetched_run fetched_at fingerprint title flags excluded canonical seen_run interval "
    "missed changed_run"
).split()


class PreviousVersion(NamedTuple):
    """A page as it was: the values of its columns in PAGES, and the columns that hold its response."""

    values: dict[str, Any]
    packed: tuple[str, bytes, int | None, bytes]


class PreviousVersions(Table):
    """Keeps and restores previous versions of pages; writes belong to the caller's transaction."""

    def __init__(self, connection: sqlite3.Connection, outcomes: Outcomes) -> None:
        super().__init__(connection)
        self._outcomes = outcomes

    def keep(self, page: int) -> None:
        """Keeps a page as it is stored, before another version takes its place.

        A version that the round has kept already stays; a page that the round has met first is not kept.
        Its body is copied when another takes its place (`store.bodies.Bodies.put`).
        """
        row = self._execute(
            f"SELECT {', '.join(_COLUMNS)} FROM pages WHERE page = ? AND {DELIVERED} "
            "AND page NOT IN (SELECT page FROM previous_versions)",
            (page,),
        ).fetchone()
        if row is None:
            return
        pagelets = self._execute(
            "SELECT position, fragment, tag_path FROM pagelets WHERE page = ? ORDER BY position", (page,)
        ).fetchall()
        follows = self._execute("SELECT target FROM follows WHERE page = ?", (page,)).fetchall()
        self._execute(
            "INSERT INTO previous_versions SELECT page, ?, encoding, headers, dictionary, size, x'', ?, ? "
            "FROM bodies WHERE page = ?",
            (json.dumps(dict(zip(_COLUMNS, row, strict=True))), _packed(pagelets), _packed(follows), page),
        )

    def version(self, page: int) -> PreviousVersion | None:
        """Returns the version of a page before the round has changed it, or None."""
        return self._first(
            lambda columns, *packed: PreviousVersion(json.loads(columns), packed),
            "SELECT columns, encoding, headers, dictionary, iif(body = x'', "
            "(SELECT body FROM bodies WHERE bodies.page = previous_versions.page), body) "
            "FROM previous_versions WHERE page = ?",
            page,
        )

    def pages(self) -> Sequence[int]:
        """The pages that the round has changed, in order of their ids."""
        return self._pages("SELECT page FROM previous_versions ORDER BY page")

    def derived(self, page: int, values: dict[str, Any], pagelets: list[tuple[int, int, int]]) -> None:
        """Notes the version of a ``page`` before the round as it is derived now: the ``values`` of its
        columns, and its ``pagelets`` as position, fragment and tag path.
        """
        self._execute(
            "UPDATE previous_versions SET columns = ?, pagelets = ? WHERE page = ?",
            (json.dumps(values), _packed(pagelets), page),
        )
        # No page holds them, unless the round is undone.
        self._executemany(
            "INSERT OR IGNORE INTO dropped_fragments VALUES (?)", [(fragment,) for _, fragment, _ in pagelets]
        )

    def fragments(self) -> Iterator[tuple[int, list[int]]]:
        """The pages that the round has fetched again, and the fragments of each one's previous version."""
        rows = self._execute("SELECT page, pagelets FROM previous_versions ORDER BY page")
        return ((page, _pagelets(packed)[:, 1].tolist()) for page, packed in rows)

    def clear(self) -> None:
        """Lets the previous versions go: the round is good."""
        self._execute("DELETE FROM previous_versions")

    def count(self) -> int:
        """Counts the pages that the round has changed."""
        return self._count("previous_versions")

    def text(self) -> tuple[int, int]:
        """The characters of the changed pages' distinct fragments, before the round and now."""
        rows = chain.from_iterable(self._execute("SELECT fragment, chars FROM fragments"))
        fragment, chars = np.fromiter(rows, np.int64).reshape(-1, 2).T
        now = self._number(
            "SELECT coalesce(sum(chars), 0) FROM fragments WHERE fragment IN (SELECT fragment FROM pagelets "
            "WHERE page IN (SELECT page FROM previous_versions))"
        )
        return int(chars[np.isin(fragment, self._fragments())].sum()), now

    def lost_templates(self) -> int:
        """Counts the changed pages that hold less than half of the templates that they held before."""
        templates = self._execute("SELECT fragment, sketch FROM fragments JOIN templates USING (sketch)")
        template_of = dict(templates)
        lost = 0
        for page, packed in self._execute("SELECT page, pagelets FROM previous_versions"):
            held = self._pages("SELECT fragment FROM pagelets WHERE page = ?", page)
            before = set(map(template_of.get, _pagelets(packed)[:, 1].tolist())) - {None}
            now = set(map(template_of.get, held)) - {None}
            lost += bool(before) and len(before & now) < len(before) / 2
        return lost

    def restore(self, round_after: int) -> None:
        """Undoes the round that began after a run: its pages are what they were, and due at once.

        Pages that it met for the first time are known, no more, and their documents are to be deleted; what
        it found to be gone has its document again. What people decide stays decided.
        """
        for row in self._execute("SELECT page, columns, pagelets, follows FROM previous_versions"):
            self._restore(*row)
        self._execute(
            "INSERT OR REPLACE INTO bodies SELECT page, encoding, headers, dictionary, size, body "
            "FROM previous_versions WHERE body != x''"
        )
        self._execute(
            "UPDATE bodies SET encoding = previous.encoding, headers = previous.headers "
            "FROM previous_versions AS previous WHERE previous.page = bodies.page AND previous.body = x''"
        )
        new = self._pages(
            f"SELECT page FROM pages WHERE fetched_run > ? AND NOT {DELIVERED} "
            "AND page NOT IN (SELECT page FROM previous_versions)",
            round_after,
        )
        for page in new:
            self._forget(page)
        # Their fields are taken from these bodies when they are asked for.
        self._execute("DELETE FROM page_fields WHERE page IN (SELECT page FROM previous_versions)")
        self._outcomes.revive()
        # Which pages they lead to was found out of those that are undone.
        links_changed(self._connection)
        self.clear()

    def _restore(self, page: int, columns: str, pagelets: bytes, follows: bytes) -> None:
        self._outcomes.restore(page, json.loads(columns))
        self._drop_pagelets(page)
        rows = ((page, *row) for row in _pagelets(pagelets).tolist())
        self._executemany("INSERT INTO pagelets VALUES (?, ?, ?, ?)", rows)
        self._execute("DELETE FROM follows WHERE page = ?", (page,))
        targets = np.frombuffer(follows, "<i4").tolist()
        self._executemany("INSERT INTO follows VALUES (?, ?)", ((page, target) for target in targets))

    def _forget(self, page: int) -> None:
        self._drop_pagelets(page)
        for table in ("follows", "bodies", "page_fields", "signatures", "signature_bands"):
            self._execute(f"DELETE FROM {table} WHERE page = ?", (page,))
        # A feed may have it, of a run that was killed.
        sent = "page = ? AND op = 'index'"
        self._execute(f"UPDATE documents SET op = 'delete', deleted_for = 'gone' WHERE {sent}", (page,))
        self._outcomes.restore(page, None)

    def _drop_pagelets(self, page: int) -> None:
        self._execute(
            "INSERT OR IGNORE INTO dropped_fragments SELECT fragment FROM pagelets WHERE page = ?", (page,)
        )
        self._execute("DELETE FROM pagelets WHERE page = ?", (page,))

    def _fragments(self) -> NDArray[np.int32]:
        """The distinct fragments of the previous versions."""
        held = self._each(_pagelets, "SELECT pagelets FROM previous_versions")
        return np.unique(np.concatenate([np.empty(0, np.int32), *(rows[:, 1] for rows in held)]))


def _packed(rows: Sequence[tuple[int, ...]]) -> bytes:
    return np.array(rows, "<i4").tobytes()


def _pagelets(packed: bytes) -> NDArray[np.int32]:
    """Position, fragment and tag path of each pagelet: int32[n, 3]."""
    return np.frombuffer(packed, "<i4").reshape(-1, 3)
