"""The pages that a new crawl would come to."""

from __future__ import annotations

import sqlite3
from collections.abc import Collection

from store.states import ALIVE, GONE, REFUSED_BY_FORM, TRAP, UNLED, WANTED


def spread(
    connection: sqlite3.Connection, starts: Collection[int], depth_limit: int, round_after: int
) -> int:
    """Follows the links that are stored, as a new crawl would, and notes the URLs that they lead to from the
    start URLs or from sitemaps; in the caller's transaction.

    A URL that was given up, or that nothing led to, is due when links lead to it again. Each page and
    fragment is followed once: linear in the rows of PAGELETS and FRAGMENT_LINKS, however many steps.

    Args:
        connection: a connection to the store.
        starts: the ids of the start URLs.
        depth_limit: the depth at which no more links are followed, 0 for none.
        round_after: the run after which the round began.

    Returns:
        The number of URLs that are due again.

    """
    execute = connection.execute
    for table, key in (("reached", "page"), ("reached_fragments", "fragment")):
        execute(f"DROP TABLE IF EXISTS temp.{table}")
        execute(f"CREATE TEMP TABLE {table} ({key} INTEGER PRIMARY KEY, depth INTEGER NOT NULL)")
        # Each step takes what the last one has come to, and reads nothing of what lies nearer.
        execute(f"CREATE INDEX temp.{table}_depth ON {table} (depth)")
    connection.executemany("INSERT OR IGNORE INTO reached VALUES (?, 0)", ((page,) for page in starts))
    execute("INSERT OR IGNORE INTO reached SELECT DISTINCT page, 1 FROM sitemap_pages")
    depth = 0
    while execute("SELECT 1 FROM temp.reached WHERE depth >= ? LIMIT 1", (depth,)).fetchone():
        _redirect(connection, depth)
        if 0 < depth_limit <= depth:
            break
        _step(connection, depth)
        depth += 1
    again = execute(
        "UPDATE pages SET due = 1 WHERE page IN (SELECT page FROM temp.reached) "
        f"AND ({GONE} OR {UNLED}) AND NOT due AND coalesce(run, 0) <= ? AND {WANTED}",
        (round_after,),
    ).rowcount
    execute(
        "UPDATE pages SET linked = (page IN (SELECT page FROM temp.reached)) "
        "WHERE linked != (page IN (SELECT page FROM temp.reached))"
    )
    execute("DROP TABLE temp.reached")
    execute("DROP TABLE temp.reached_fragments")
    return again


def _redirect(connection: sqlite3.Connection, depth: int) -> None:
    # A redirect leads on without a step; one that leads to another is followed in the next turn.
    while connection.execute(
        "INSERT OR IGNORE INTO temp.reached SELECT target, ?1 FROM pages "
        "WHERE target IS NOT NULL AND page IN (SELECT page FROM temp.reached WHERE depth = ?1)",
        (depth,),
    ).rowcount:
        pass


def _step(connection: sqlite3.Connection, depth: int) -> None:
    execute = connection.execute
    here = (
        f"SELECT page FROM pages WHERE {ALIVE} AND {WANTED} "
        "AND page IN (SELECT page FROM temp.reached WHERE depth = ?1)"
    )
    execute(
        "INSERT OR IGNORE INTO temp.reached_fragments "
        f"SELECT DISTINCT fragment, ?1 FROM pagelets WHERE page IN ({here})",
        (depth,),
    )
    for targets in (
        "SELECT target FROM fragment_links WHERE NOT nofollow "
        "AND fragment IN (SELECT fragment FROM temp.reached_fragments WHERE depth = ?1)",
        f"SELECT target FROM follows WHERE page IN ({here})",
        f"SELECT canonical FROM pages WHERE canonical IS NOT NULL AND page IN ({here})",
    ):
        execute(
            "INSERT OR IGNORE INTO temp.reached SELECT page, ?1 + 1 FROM pages "
            f"WHERE page IN ({targets}) AND ({WANTED} OR {TRAP} OR {REFUSED_BY_FORM})",
            (depth,),
        )
