"""Which URLs are requested at all: those in scope, and of those that differ in their query alone a number."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from typing import TYPE_CHECKING, TypeAlias

from store.states import REQUESTED, SCOPED, TRAP, UNFETCHED, UNREQUESTED

if TYPE_CHECKING:
    import sqlite3

Judge: TypeAlias = Callable[[str, int], str | None]
"""Tells of a URL and its depth why it is not requested, None if it is."""


def query_path(url: str) -> str | None:
    """A URL up to its query, None where it has none."""
    path, mark, _ = url.partition("?")
    return path + mark if mark else None


class QueryLimit:
    """How many URLs of a path that differ in their query alone are requested, as calendars and filters
    have no end: ``limit`` places, 0 for any number.

    What has a place keeps it, from run to run, until it is gone: the table PAGES says what has one. Writes
    belong to the caller's transaction.
    """

    def __init__(self, connection: sqlite3.Connection) -> None:
        self._connection = connection
        self._taken: dict[str, int] = {}
        self.limit = 0

    def forget(self) -> None:
        """Drops what is remembered of the table."""
        self._taken.clear()

    def take(self, url: str) -> bool:
        """Takes a place for a URL that is not yet requested; False where its path has none left."""
        path = query_path(url)
        if path is None or not self.limit:
            return True
        taken = self._taken.get(path)
        if taken is None:
            taken = self._taken[path] = self._count(path)
        if taken >= self.limit:
            return False
        self._taken[path] = taken + 1
        return True

    def _count(self, path: str) -> int:
        # The URLs that begin so are one stretch of the index: "@" follows "?".
        row = self._connection.execute(
            f"SELECT count(*) FROM pages WHERE url >= ? AND url < ? AND {REQUESTED}", (path, f"{path[:-1]}@")
        ).fetchone()
        return int(row[0])

    def fill(self, judge: Judge) -> int:
        """Gives the places that are left to URLs that were refused for want of one and that links lead to,
        those nearest to the start first. Returns how many are due by that.
        """
        self.forget()
        if not self.limit:
            return 0
        rows = self._connection.execute(
            f"SELECT page, url, depth FROM pages WHERE {TRAP} AND linked ORDER BY depth, url"
        ).fetchall()
        due = [page for page, url, depth in rows if judge(url, depth) is None and self.take(url)]
        self._connection.executemany(
            "UPDATE pages SET state = iif(state = 'refused', 'known', state), reason = NULL, due = 1 "
            "WHERE page = ?",
            ((page,) for page in due),
        )
        return len(due)

    def judge_again(self, judge: Judge) -> None:
        """Applies another scope, or another limit.

        A page that was fetched in an earlier scope stays what it is, and is not requested again; one that a
        rule denies has no document any more. What has a place goes before what has none, then what is nearer
        to the start.
        """
        rows = self._connection.execute(
            f"SELECT page, url, depth, {UNFETCHED}, reason, {REQUESTED} FROM pages "
            f"WHERE {SCOPED} ORDER BY {REQUESTED} DESC, depth, url"
        ).fetchall()
        taken: Counter[str] = Counter()
        for page, url, depth, unfetched, reason, requested in rows:
            refusal = judge(url, depth)
            path = query_path(url) if self.limit else None
            if refusal is None and path is not None and (requested or reason in UNREQUESTED):
                taken[path] += 1
                if taken[path] > self.limit and depth:
                    refusal = "trap"
            if unfetched:
                self._connection.execute(
                    "UPDATE pages SET state = ?, reason = ?, due = ? WHERE page = ?",
                    ("known" if refusal is None else "refused", refusal, refusal is None, page),
                )
            elif refusal is not None or reason in UNREQUESTED:
                self._connection.execute(
                    "UPDATE pages SET reason = ?1, due = ?1 IS NULL, "
                    "excluded = CASE WHEN ?1 = 'rule' THEN ?1 WHEN excluded = 'rule' THEN NULL "
                    "ELSE excluded END WHERE page = ?2",
                    (refusal, page),
                )
