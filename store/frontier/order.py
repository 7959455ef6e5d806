"""Another order of requests than the nearest first: some URLs come before all others, some later."""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Collection, Iterable, Iterator, Mapping
from math import inf
from typing import Final

from store.table import Table

_BATCH: Final = 32
"""URLs that are read at once of a host: what is read already is not moved by what is found meanwhile."""

_FIRST: Final = (
    "SELECT page, url, depth, -score FROM temp.ordered CROSS JOIN pages USING (page) "
    "WHERE score > 0 AND due AND host = ? ORDER BY score DESC, depth, page LIMIT ?"
)
_OTHERS: Final = (
    "SELECT page, url, depth, depth FROM pages WHERE due AND host = ? "
    "AND page NOT IN (SELECT page FROM temp.ordered) ORDER BY depth, page LIMIT ?"
)
_LATER: Final = (
    "SELECT page, url, depth, depth - score FROM temp.ordered CROSS JOIN pages USING (page) "
    "WHERE score < 0 AND due AND host = ? ORDER BY depth, page LIMIT ?"
)


class Order(Table):
    """The order of URLs in the frontier. It lives as long as the connection: nothing of it is stored.

    Args:
        connection: the connection to the store.
        discount: URLs that come later are requested as if so many links more led to them; by default after
            all others.

    """

    def __init__(self, connection: sqlite3.Connection, discount: float = inf) -> None:
        super().__init__(connection)
        self._discount = discount
        connection.execute("CREATE TEMP TABLE IF NOT EXISTS ordered (page INTEGER PRIMARY KEY, score REAL)")
        connection.execute("CREATE INDEX IF NOT EXISTS temp.ordered_score ON ordered (score)")

    def replace(self, first: Mapping[int, float], later: Collection[int]) -> None:
        """Takes the URLs that come first, those with the highest scores before the others, and those that
        come later unless they are among these.
        """
        insert = "INSERT OR IGNORE INTO temp.ordered VALUES (?, ?)"
        self._execute("SAVEPOINT ordering")
        self._execute("DELETE FROM temp.ordered")
        self._executemany(insert, first.items())
        self._executemany(insert, ((page, -self._discount) for page in later))
        self._execute("RELEASE ordering")

    def raise_to(self, scores: Mapping[int, float]) -> None:
        """Has URLs come first with these scores, where they have no higher ones."""
        self._executemany(
            "INSERT INTO temp.ordered VALUES (?, ?) "
            "ON CONFLICT (page) DO UPDATE SET score = max(score, excluded.score)",
            ((page, score) for page, score in scores.items() if score > 0),
        )

    def rise(self, pages: Iterable[int]) -> bool:
        """Has URLs come later no more; returns whether any did."""
        cursor = self._execute(
            "DELETE FROM temp.ordered WHERE score < 0 AND page IN (SELECT value FROM json_each(?))",
            (json.dumps(list(pages)),),
        )
        return cursor.rowcount > 0

    def due(self, host: int, limit: int, passed: Collection[int]) -> Iterator[tuple[float, int, int, str]]:
        """Yields the next URLs of a ``host``, at most about ``limit``, without the ids ``passed``: each with
        its place, its depth, its id.
        """
        limit = min(limit, _BATCH)
        for statements in ((_FIRST,), (_OTHERS, _LATER)):
            rows = [
                (place, depth, page, url)
                for statement in statements
                for page, url, depth, place in self._execute(statement, (host, limit + len(passed)))
                if page not in passed
            ]
            yield from sorted(rows)[:limit]
            limit -= len(rows)
            if limit <= 0:
                return
