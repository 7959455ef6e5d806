"""Which pages a crawl that began anew would come to, and which it would miss."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

from store.meta import MISSED_ROUND, Meta
from store.rounds import links_changed
from store.states import ALIVE, OUT_OF_REACH, WANTED

if TYPE_CHECKING:
    import sqlite3
    from collections.abc import Collection


class Reach:
    """Follows the links that are stored, as a new crawl would; writes belong to the caller's transaction."""

    def __init__(self, connection: sqlite3.Connection) -> None:
        self._connection = connection

    def spread(self, starts: Collection[int], depth_limit: int, round_after: int) -> int:
        """Notes of each URL whether links lead to it from the start URLs or from sitemaps.

        Takes the ids of the start URLs, the depth at which no more links are followed (0 for none), and the
        run after which the round began. A URL that was given up, and that links lead to again, is due;
        returns how many these are. Each page and fragment is followed once: linear in the rows of PAGELETS
        and FRAGMENT_LINKS, however many steps there are.
        """
        execute = self._connection.execute
        execute("DROP TABLE IF EXISTS temp.reached")
        execute("DROP TABLE IF EXISTS temp.reached_fragments")
        execute("CREATE TEMP TABLE reached (page INTEGER PRIMARY KEY, depth INTEGER NOT NULL)")
        execute("CREATE TEMP TABLE reached_fragments (fragment INTEGER PRIMARY KEY, depth INTEGER NOT NULL)")
        # Each step takes what the last one has come to, and reads nothing of what lies nearer.
        execute("CREATE INDEX temp.reached_depth ON reached (depth)")
        execute("CREATE INDEX temp.reached_fragments_depth ON reached_fragments (depth)")
        self._connection.executemany(
            "INSERT OR IGNORE INTO reached VALUES (?, 0)", ((page,) for page in starts)
        )
        execute("INSERT OR IGNORE INTO reached SELECT DISTINCT page, 1 FROM sitemap_pages")
        depth = 0
        while self._level(depth) and not 0 < depth_limit <= depth:
            depth = self._step(depth)
        execute(
            "UPDATE pages SET linked = (page IN (SELECT page FROM temp.reached)) "
            "WHERE linked != (page IN (SELECT page FROM temp.reached))"
        )
        again = execute(
            "UPDATE pages SET due = 1 WHERE linked AND state = 'gone' AND NOT due AND coalesce(run, 0) <= ? "
            f"AND {WANTED}",
            (round_after,),
        ).rowcount
        execute("DROP TABLE temp.reached")
        execute("DROP TABLE temp.reached_fragments")
        return again

    def lead_to(self, pages: Collection[int]) -> None:
        """Notes that these pages are the site, whatever links to them: what is gone and not among them is
        asked for no more.
        """
        execute, listed = self._connection.execute, (json.dumps(list(pages)),)
        execute(
            "UPDATE pages SET linked = 1 WHERE NOT linked AND page IN (SELECT value FROM json_each(?))",
            listed,
        )
        execute(
            "UPDATE pages SET linked = 0, due = 0 WHERE linked AND state = 'gone' "
            "AND page NOT IN (SELECT value FROM json_each(?))",
            listed,
        )

    def _level(self, depth: int) -> bool:
        row = self._connection.execute(
            "SELECT 1 FROM temp.reached WHERE depth >= ? LIMIT 1", (depth,)
        ).fetchone()
        return row is not None

    def _step(self, depth: int) -> int:
        execute = self._connection.execute
        # A redirect leads on without a step; one that leads to another is followed in the next turn.
        while execute(
            "INSERT OR IGNORE INTO temp.reached SELECT target, ?1 FROM pages "
            "WHERE target IS NOT NULL AND page IN (SELECT page FROM temp.reached WHERE depth = ?1)",
            (depth,),
        ).rowcount:
            pass
        here = (
            f"SELECT page FROM pages WHERE {ALIVE} AND {WANTED} "
            "AND page IN (SELECT page FROM temp.reached WHERE depth = ?1)"
        )
        execute(
            "INSERT OR IGNORE INTO temp.reached_fragments "
            f"SELECT DISTINCT fragment, ?1 FROM pagelets WHERE page IN ({here})",
            (depth,),
        )
        for found in (
            "SELECT target FROM fragment_links WHERE NOT nofollow "
            "AND fragment IN (SELECT fragment FROM temp.reached_fragments WHERE depth = ?1)",
            f"SELECT target FROM follows WHERE page IN ({here})",
            f"SELECT canonical FROM pages WHERE canonical IS NOT NULL AND page IN ({here})",
        ):
            execute(
                "INSERT OR IGNORE INTO temp.reached SELECT page, ?1 + 1 FROM pages "
                f"WHERE page IN ({found}) AND ({WANTED} OR reason = 'trap')",
                (depth,),
            )
        return depth + 1

    def miss(self, round_after: int, runs: int) -> int:
        """Counts that a complete round has missed pages; those missed ``runs`` times in a row are gone.

        Missed are stored pages that no link leads to, that robots.txt forbids, that the archive lacks, or
        that redirect elsewhere for the time being. A round counts once. Returns how many are gone by it.
        """
        execute = self._connection.execute
        meta = Meta(self._connection)
        if meta.get(MISSED_ROUND) == round_after:
            return 0
        meta.set(MISSED_ROUND, round_after)
        execute(f"UPDATE pages SET missed = 0 WHERE missed AND NOT {OUT_OF_REACH}")
        execute(f"UPDATE pages SET missed = missed + 1 WHERE {ALIVE} AND {OUT_OF_REACH}")
        # What cannot be had for the moment is no evidence.
        gone = execute(
            f"UPDATE pages SET state = 'gone', reason = 'missed' WHERE {ALIVE} AND missed >= ? "
            "AND state != 'failed'",
            (runs,),
        ).rowcount
        if gone:
            # What only these lead to is missed from the next round on.
            links_changed(self._connection)
        return gone
