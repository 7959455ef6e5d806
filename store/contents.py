"""The distinct contents of a site's pagelets: the tables CONTENTS and CONTENT_LINKS, and their index."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Final, NamedTuple

if TYPE_CHECKING:
    import sqlite3
    from collections.abc import Iterable, Sequence

    from store.frontier import Frontier
    from store.records import NewContent

_KNOWN: Final = 1 << 14
UNINDEXED: Final = 1 << 15
"""So many contents are looked up in memory before they enter the index on disk."""


class Content(NamedTuple):
    """A stored content: its id, and the depth of the nearest page that was seen to hold it."""

    content: int
    depth: int


class Contents:
    """Reads and writes contents; writes belong to the caller's transaction.

    Fingerprints are random: written page by page, an index of them would change a leaf for every new content.
    So the latest contents are found in memory, and enter the table CONTENT_INDEX many at a time, in order.
    """

    def __init__(self, connection: sqlite3.Connection, frontier: Frontier) -> None:
        self._connection = connection
        self._frontier = frontier
        # Contents that the index lacks, all of them once `_latest` has read them; and some that it has.
        self._unindexed: dict[int, Content] | None = None
        self._known: dict[int, Content] = {}
        self._next = 0

    def forget(self) -> None:
        """Drops what is remembered of the tables: a transaction was rolled back."""
        self._unindexed = None
        self._known.clear()

    def find(self, fingerprints: Iterable[int]) -> dict[int, Content]:
        """Those of the contents that the store has, by fingerprint."""
        latest = self._latest()
        found: dict[int, Content] = {}
        missing: list[int] = []
        for print_ in set(fingerprints):
            content = latest.get(print_) or self._known.get(print_)
            if content is None:
                missing.append(print_)
            else:
                found[print_] = content
        if missing:
            rows = self._connection.execute(
                "SELECT content_index.fingerprint, content, depth FROM json_each(?) "
                "CROSS JOIN content_index ON content_index.fingerprint = json_each.value "
                "JOIN contents USING (content)",
                (json.dumps(missing),),
            )
            indexed = {row[0]: Content(row[1], row[2]) for row in rows}
            if len(self._known) + len(indexed) > _KNOWN:
                self._known.clear()
            self._known.update(indexed)
            found.update(indexed)
        return found

    def add(self, contents: Sequence[NewContent], depth: int) -> dict[int, Content]:
        """Stores contents that the store does not have, of a page at this depth, and makes their links known.

        Returns them by fingerprint.
        """
        latest = self._latest()
        added: dict[int, Content] = {}
        rows, links = [], []
        for content in contents:
            number, self._next = self._next, self._next + 1
            added[content.fingerprint] = Content(number, depth)
            sketch = content.sketch
            rows.append(
                (
                    number,
                    content.fingerprint,
                    sketch.key,
                    sketch.values,
                    sketch.words,
                    content.chars,
                    len(content.links),
                    depth,
                    content.blocks.tobytes(),
                )
            )
            for position, link in enumerate(content.links):
                target = self._frontier.add(link.target, depth + 1)
                links.append((number, position, target, link.anchor, link.nofollow))
        self._connection.executemany("INSERT INTO contents VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)", rows)
        self._connection.executemany("INSERT INTO content_links VALUES (?, ?, ?, ?, ?)", links)
        latest.update(added)
        if len(latest) >= UNINDEXED:
            self._index()
        return added

    def come_nearer(self, fingerprint: int, content: Content, depth: int) -> None:
        """Notes that a page at a smaller depth holds a content: so do the pages that it links to."""
        self._connection.execute("UPDATE contents SET depth = ? WHERE content = ?", (depth, content.content))
        nearer = self._connection.execute(
            "UPDATE pages SET depth = ?1, "
            "state = iif(state = 'refused' AND reason = 'depth', 'known', state), "
            "due = iif(state = 'refused' AND reason = 'depth', 1, due), "
            "reason = iif(state = 'refused' AND reason = 'depth', NULL, reason) "
            "WHERE page IN (SELECT target FROM content_links WHERE content = ?2 AND NOT nofollow) "
            "AND (depth > ?1 OR state = 'refused' AND reason = 'depth') RETURNING page, host, due",
            (depth + 1, content.content),
        ).fetchall()
        self._frontier.come_nearer(nearer)
        latest = self._latest()
        memory = latest if fingerprint in latest else self._known
        memory[fingerprint] = Content(content.content, depth)

    def part(self) -> int:
        """Finds none of the contents that are stored any more; returns the last of them."""
        self._connection.execute("DELETE FROM content_index")
        last = int(self._connection.execute("SELECT coalesce(max(content), 0) FROM contents").fetchone()[0])
        self._connection.execute("INSERT OR REPLACE INTO meta VALUES ('indexed_contents', ?)", (str(last),))
        self.forget()
        return last

    def clear(self, first: int, last: int) -> None:
        """Removes the contents from one to another, which are not found any more (`part`)."""
        for table in ("content_links", "dropped_contents", "contents"):
            self._connection.execute(f"DELETE FROM {table} WHERE content BETWEEN ? AND ?", (first, last))

    def drop(self, contents: Iterable[int]) -> None:
        """Notes that a page holds these contents no more: they may be unused."""
        self._connection.executemany(
            "INSERT OR IGNORE INTO dropped_contents VALUES (?)", [(content,) for content in contents]
        )

    def clear_unused(self) -> None:
        """Removes the contents that no page holds any more."""
        execute = self._connection.execute
        if execute("SELECT 1 FROM dropped_contents LIMIT 1").fetchone() is None:
            return
        # In this order only what was dropped is held in memory, not all that the site has.
        execute(
            "DELETE FROM dropped_contents WHERE content IN "
            "(SELECT content FROM pagelets CROSS JOIN dropped_contents USING (content))"
        )
        unused = "(SELECT content FROM dropped_contents)"
        execute(
            "DELETE FROM content_index WHERE fingerprint IN "
            f"(SELECT fingerprint FROM contents WHERE content IN {unused}) AND content IN {unused}"
        )
        execute(f"DELETE FROM content_links WHERE content IN {unused}")
        execute(f"DELETE FROM contents WHERE content IN {unused}")
        execute("DELETE FROM dropped_contents")
        self.forget()

    def _indexed(self) -> int:
        """All contents up to this one are in the index."""
        row = self._connection.execute("SELECT value FROM meta WHERE key = 'indexed_contents'").fetchone()
        return 0 if row is None else int(row[0])

    def _latest(self) -> dict[int, Content]:
        if self._unindexed is None:
            indexed = self._indexed()
            rows = self._connection.execute(
                "SELECT fingerprint, content, depth FROM contents WHERE content > ?", (indexed,)
            )
            self._unindexed = {print_: Content(content, depth) for print_, content, depth in rows}
            # The ids of contents that were removed since may not come back below the mark.
            last = self._connection.execute("SELECT max(content) FROM contents").fetchone()[0] or 0
            self._next = max(indexed, last) + 1
        return self._unindexed

    def _index(self) -> None:
        execute = self._connection.execute
        execute(
            "INSERT INTO content_index SELECT fingerprint, content FROM contents WHERE content > ? "
            "ORDER BY fingerprint",
            (self._indexed(),),
        )
        execute("INSERT OR REPLACE INTO meta VALUES ('indexed_contents', ?)", (str(self._next - 1),))
        self._unindexed = {}
