"""The distinct fragments of a site's pagelets: the tables FRAGMENTS and FRAGMENT_LINKS, and their index."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Final, NamedTuple

from store.meta import INDEXED_FRAGMENTS, Meta
from store.table import Table

if TYPE_CHECKING:
    import sqlite3
    from collections.abc import Iterable, Sequence

    from store.frontier import Frontier
    from store.records import NewFragment

_KNOWN: Final = 1 << 14
UNINDEXED: Final = 1 << 15
"""So many fragments are looked up in memory before they enter the index on disk."""


class StoredFragment(NamedTuple):
    """A stored fragment: its id, and the depth of the nearest page that was seen to hold it."""

    fragment: int
    depth: int


class Fragments(Table):
    """Reads and writes fragments; writes belong to the caller's transaction.

    Fingerprints are random: written page by page, an index of them would change a leaf for every new
    fragment. So the latest ones are found in memory, and enter the table FRAGMENT_INDEX many at a time, in
    order.
    """

    def __init__(self, connection: sqlite3.Connection, frontier: Frontier) -> None:
        super().__init__(connection)
        self._meta = Meta(connection)
        self._frontier = frontier
        # Fragments that the index lacks, all of them once `_latest` has read them; and some that it has.
        self._unindexed: dict[int, StoredFragment] | None = None
        self._known: dict[int, StoredFragment] = {}
        self._next = 0

    def forget(self) -> None:
        """Drops what is remembered of the tables: a transaction was rolled back."""
        self._unindexed = None
        self._known.clear()

    def find(self, fingerprints: Iterable[int]) -> dict[int, StoredFragment]:
        """Returns the fragments that the store has, by fingerprint."""
        latest = self._latest()
        fragments: dict[int, StoredFragment] = {}
        missing: list[int] = []
        for print_ in set(fingerprints):
            fragment = latest.get(print_) or self._known.get(print_)
            if fragment is None:
                missing.append(print_)
            else:
                fragments[print_] = fragment
        if missing:
            rows = self._execute(
                "SELECT fragment_index.fingerprint, fragment, depth FROM json_each(?) "
                "CROSS JOIN fragment_index ON fragment_index.fingerprint = json_each.value "
                "JOIN fragments USING (fragment)",
                (json.dumps(missing),),
            )
            indexed = {row[0]: StoredFragment(row[1], row[2]) for row in rows}
            if len(self._known) + len(indexed) > _KNOWN:
                self._known.clear()
            self._known.update(indexed)
            fragments.update(indexed)
        return fragments

    def add(self, fragments: Sequence[NewFragment], depth: int) -> dict[int, StoredFragment]:
        """Stores fragments that are new, of a page at this depth, and makes their links known.

        Returns them by fingerprint.
        """
        latest = self._latest()
        added: dict[int, StoredFragment] = {}
        rows, links = [], []
        with self._frontier.together(link.target.url for fragment in fragments for link in fragment.links):
            for fragment in fragments:
                number, self._next = self._next, self._next + 1
                added[fragment.fingerprint] = StoredFragment(number, depth)
                measures = (*fragment.sketch, fragment.chars, len(fragment.links), depth)
                rows.append((number, fragment.fingerprint, *measures, fragment.block_keys.tobytes()))
                for position, link in enumerate(fragment.links):
                    target = self._frontier.add(link.target, depth + 1)
                    links.append((number, position, target, link.anchor, link.nofollow))
        self._executemany("INSERT INTO fragments VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)", rows)
        self._executemany("INSERT INTO fragment_links VALUES (?, ?, ?, ?, ?)", links)
        latest.update(added)
        if len(latest) >= UNINDEXED:
            self._index()
        return added

    def come_nearer(self, fingerprint: int, fragment: StoredFragment, depth: int) -> None:
        """Notes that a page at a smaller ``depth`` holds a ``fragment``, named by its ``fingerprint``: the
        pages that it links to come nearer, too.
        """
        self._execute("UPDATE fragments SET depth = ? WHERE fragment = ?", (depth, fragment.fragment))
        self._frontier.come_nearer(fragment.fragment, depth + 1)
        latest = self._latest()
        memory = latest if fingerprint in latest else self._known
        memory[fingerprint] = StoredFragment(fragment.fragment, depth)

    def part(self) -> int:
        """Lets no page that is recorded from now on share a fragment with those of before.

        Returns the last fragment of before: when all pages are recorded, those up to it are to be cleared.
        """
        self._execute("DELETE FROM fragment_index")
        last = self._last()
        self._meta.set(INDEXED_FRAGMENTS, last)
        self.forget()
        return last

    def clear(self, first: int, last: int) -> None:
        """Removes the fragments from one to another, which are not found any more (`part`)."""
        for table in ("fragment_links", "dropped_fragments", "fragments"):
            self._execute(f"DELETE FROM {table} WHERE fragment BETWEEN ? AND ?", (first, last))

    def drop(self, fragments: Iterable[int]) -> None:
        """Notes that a page holds these fragments no more: they may be unused."""
        self._executemany(
            "INSERT OR IGNORE INTO dropped_fragments VALUES (?)", [(fragment,) for fragment in fragments]
        )

    def clear_unused(self) -> None:
        """Removes the fragments that no page holds any more."""
        if not self._any("dropped_fragments"):
            return
        # In this order only what was dropped is held in memory, not all that the site has.
        self._execute(
            "DELETE FROM dropped_fragments WHERE fragment IN "
            "(SELECT fragment FROM pagelets CROSS JOIN dropped_fragments USING (fragment))"
        )
        unused = "(SELECT fragment FROM dropped_fragments)"
        self._execute(
            "DELETE FROM fragment_index WHERE fingerprint IN "
            f"(SELECT fingerprint FROM fragments WHERE fragment IN {unused}) AND fragment IN {unused}"
        )
        self._execute(f"DELETE FROM fragment_links WHERE fragment IN {unused}")
        self._execute(f"DELETE FROM fragments WHERE fragment IN {unused}")
        self._execute("DELETE FROM dropped_fragments")
        self.forget()

    def _indexed(self) -> int:
        return self._meta.get(INDEXED_FRAGMENTS) or 0

    def _last(self) -> int:
        return self._number("SELECT coalesce(max(fragment), 0) FROM fragments")

    def _latest(self) -> dict[int, StoredFragment]:
        if self._unindexed is None:
            indexed = self._indexed()
            rows = self._execute(
                "SELECT fingerprint, fragment, depth FROM fragments WHERE fragment > ?", (indexed,)
            )
            self._unindexed = {print_: StoredFragment(fragment, depth) for print_, fragment, depth in rows}
            # The ids of fragments that were removed since may not come back below the mark.
            self._next = max(indexed, self._last()) + 1
        return self._unindexed

    def _index(self) -> None:
        self._execute(
            "INSERT INTO fragment_index SELECT fingerprint, fragment FROM fragments WHERE fragment > ? "
            "ORDER BY fingerprint",
            (self._indexed(),),
        )
        self._meta.set(INDEXED_FRAGMENTS, self._next - 1)
        self._unindexed = {}
