"""Limits requests: to URLs in scope, and to a number of those that differ in their query alone."""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Callable, Iterator
from itertools import count, groupby
from typing import Final, TypeAlias

from store.states import FETCHED, PAST, REQUESTED, SCOPED, TRAP, UNFETCHED, UNLED, UNREQUESTED
from store.table import Table

Judge: TypeAlias = Callable[[str, int], str | None]
"""Tells of a URL and its depth why it is not requested, None if it is."""

_PATH: Final = "substr(url, 1, instr(url, '?'))"
"""A URL up to its query, empty for one without a query."""
_TAKEN: Final = 1 << 14
"""Paths whose places are remembered at once."""


def query_path(url: str) -> str | None:
    """Returns a URL up to its query, None for one without a query."""
    path, mark, _ = url.partition("?")
    return path + mark if mark else None


class QueryLimit(Table):
    """Limits the requested URLs of a path that differ in their query alone, as calendars and filters have no
    end: ``limit`` places, 0 for any number.

    A URL with a place keeps it, from run to run, until it is gone: the table PAGES has the places. Writes
    belong to the caller's transaction. ``write`` writes the URLs that the table still lacks.
    """

    def __init__(self, connection: sqlite3.Connection, write: Callable[[], None]) -> None:
        super().__init__(connection)
        self._write = write
        self._taken: dict[str, int] = {}
        self.limit = 0

    def forget(self) -> None:
        """Drops what is remembered of the table."""
        self._taken.clear()

    def take(self, url: str) -> bool:
        """Takes a place for a URL that is not yet requested; False if all places of its path are taken."""
        path = query_path(url)
        if path is None or not self.limit:
            return True
        taken = self._taken.get(path)
        if taken is None:
            if len(self._taken) >= _TAKEN:
                self._taken.clear()
            self._write()
            # The URLs that begin so are one stretch of the index: "@" follows "?".
            stretch = f"pages WHERE url >= ? AND url < ? AND {REQUESTED}"
            taken = self._taken[path] = self._count(stretch, path, f"{path[:-1]}@")
        if taken >= self.limit:
            return False
        self._taken[path] = taken + 1
        return True

    def fill(self, judge: Judge) -> int:
        """Gives the places that are left to URLs that were refused for want of one and that links lead to,
        those nearest to the start first. Returns how many are due by that.
        """
        self.forget()
        if not self.limit:
            return 0
        # Each path has places of its own: path by path no more than one is counted at a time.
        rows = self._execute(
            f"SELECT page, url, depth FROM pages WHERE {TRAP} AND linked ORDER BY {_PATH}, depth, url"
        )
        admitted = [page for page, url, depth in rows if judge(url, depth) is None and self.take(url)]
        return self._execute(
            "UPDATE pages SET state = iif(state = 'refused', 'known', state), reason = NULL, due = 1 "
            "WHERE page IN (SELECT value FROM json_each(?))",
            (json.dumps(admitted),),
        ).rowcount

    def judge_again(self, judge: Judge) -> list[int]:
        """Applies another scope, or another limit; returns stored pages that a rule no longer denies.

        A page that was fetched in an earlier scope stays what it is, and is not requested again; one that a
        rule denies has no document any more. URLs with a place come first, then those nearer to the start.
        """
        self._execute(
            "CREATE TEMP TABLE verdicts (page INTEGER NOT NULL, unfetched INTEGER NOT NULL, refusal TEXT)"
        )
        self._executemany("INSERT INTO temp.verdicts VALUES (?, ?, ?)", self._verdicts(judge))
        self._execute(
            "UPDATE pages SET state = iif(refusal IS NULL, 'known', 'refused'), reason = refusal, "
            f"due = refusal IS NULL AND NOT {UNLED}, linked = linked OR state = 'refused' "
            "FROM temp.verdicts AS verdicts "
            "WHERE verdicts.page = pages.page AND unfetched"
        )
        lifted = self._execute(
            "SELECT page FROM pages JOIN temp.verdicts USING (page) "
            f"WHERE excluded = 'rule' AND refusal IS NOT 'rule' AND {FETCHED}"
        ).fetchall()
        self._execute(
            # With a reason a redirect would be one for the time being, and the page be there again.
            f"UPDATE pages SET state = iif(refusal IS NOT NULL AND {PAST}, 'gone', state), "
            "reason = refusal, due = refusal IS NULL, "
            "excluded = CASE WHEN refusal = 'rule' THEN refusal WHEN excluded = 'rule' THEN NULL "
            "ELSE excluded END FROM temp.verdicts AS verdicts "
            "WHERE verdicts.page = pages.page AND NOT unfetched"
        )
        self._execute("DROP TABLE temp.verdicts")
        return [page for (page,) in lifted]

    def _verdicts(self, judge: Judge) -> Iterator[tuple[int, int, str | None]]:
        """The id of each URL that another scope may refuse or request, whether it is one that was never
        fetched, and why it is refused; without those that stay what they are.
        """
        new = f"{UNFETCHED} AND (state = 'known' OR NOT {FETCHED})"
        rows = self._execute(
            f"SELECT page, url, depth, {new}, reason, {REQUESTED} FROM pages "
            f"WHERE {SCOPED} ORDER BY {_PATH}, {REQUESTED} DESC, depth, url"
        )
        for path, of_path in groupby(rows, key=lambda row: query_path(row[1])):
            places = count(1)
            for page, url, depth, unfetched, reason, requested in of_path:
                refusal = judge(url, depth)
                limited = self.limit and path is not None and (requested or reason in UNREQUESTED)
                if limited and refusal is None and next(places) > self.limit and depth:
                    refusal = "trap"
                # What an answer or robots.txt has refused may be refused by the scope, and not requested.
                if refusal is not None or reason in UNREQUESTED or (unfetched and reason is None):
                    yield page, unfetched, refusal
