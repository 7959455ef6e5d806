"""Recording pages with their pagelets and links, each in one transaction."""

from __future__ import annotations

from typing import TYPE_CHECKING

from store.contents import Content, Contents
from store.paths import Paths

if TYPE_CHECKING:
    import sqlite3
    from collections.abc import Sequence

    from store.bodies import Bodies
    from store.earlier import EarlierPages
    from store.frontier import Frontier
    from store.records import FetchedPage


class Pages:
    """Writes fetched pages; each write belongs to the caller's transaction."""

    def __init__(
        self, connection: sqlite3.Connection, frontier: Frontier, bodies: Bodies, earlier: EarlierPages
    ) -> None:
        self._connection = connection
        self._frontier = frontier
        self._bodies = bodies
        self._earlier = earlier
        self._contents = Contents(connection, frontier)
        self._paths = Paths(connection)

    def forget(self) -> None:
        """Drops what is remembered of the tables: a transaction was rolled back."""
        self._contents.forget()
        self._paths.forget()

    def unknown(self, fingerprints: Sequence[int]) -> set[int]:
        """Those of the given contents that the store does not have."""
        return set(fingerprints).difference(self._contents.find(fingerprints))

    def record(self, fetched: FetchedPage, run: int | None) -> None:
        """Stores a page with its pagelets and links, and makes its links known; it is *held* from then on.

        The version before is kept until the round of crawling is found to be good (`EarlierPages`). With
        ``run`` None the page is derived again from its stored body: its pagelets, fingerprint and title are
        those of today, its state and where it leads stay. Raises KeyError where a content is neither stored
        nor new.
        """
        if run is not None:
            self._earlier.keep(fetched.page)
        execute = self._connection.execute
        before = execute("SELECT content FROM pagelets WHERE page = ?", (fetched.page,)).fetchall()
        pagelets = self.pagelets(fetched)
        if before:
            now = {content for _, content, _ in pagelets}
            self._contents.drop(content for (content,) in before if content not in now)
        execute("DELETE FROM pagelets WHERE page = ?", (fetched.page,))
        self._connection.executemany(
            "INSERT INTO pagelets VALUES (?, ?, ?, ?)", [(fetched.page, *row) for row in pagelets]
        )
        if run is None:
            execute(
                "UPDATE pages SET fingerprint = ?, title = ? WHERE page = ?",
                (fetched.fingerprint, fetched.title, fetched.page),
            )
            return
        targets = {self._frontier.add(target, fetched.depth + 1) for target in fetched.follow}
        execute("DELETE FROM follows WHERE page = ?", (fetched.page,))
        self._connection.executemany(
            "INSERT INTO follows VALUES (?, ?)", ((fetched.page, target) for target in sorted(targets))
        )
        canonical = fetched.canonical and self._frontier.add(fetched.canonical, fetched.depth + 1)
        self._bodies.put(fetched.page, fetched.body)
        execute(
            "UPDATE pages SET state = 'held', reason = NULL, due = 0, run = :run, fetched_run = :run, "
            "seen_run = :run, status = :status, fetched_at = :fetched_at, checked_at = :checked_at, "
            "changed_run = iif(fingerprint IS :fingerprint, changed_run, :run), "
            "fingerprint = :fingerprint, title = :title, flags = :flags, excluded = :excluded, "
            "canonical = :canonical, interval = coalesce(:interval, interval), target = NULL, attempts = 0 "
            "WHERE page = :page",
            {
                "page": fetched.page,
                "run": run,
                "status": fetched.status,
                "fetched_at": fetched.fetched_at,
                "checked_at": fetched.checked_at,
                "fingerprint": fetched.fingerprint,
                "title": fetched.title,
                "flags": fetched.flags,
                "excluded": fetched.excluded,
                "canonical": canonical,
                "interval": fetched.interval,
            },
        )

    def pagelets(self, fetched: FetchedPage) -> list[tuple[int, int, int]]:
        """Position, content and path of each of a page's pagelets; stores contents and links that are new."""
        known = self._contents.find(fetched.contents)
        new = [content for content in fetched.new if content.fingerprint not in known]
        for print_, content in known.items():
            if fetched.depth < content.depth:
                # Its links lie nearer to the start than was thought.
                self._contents.come_nearer(print_, content, fetched.depth)
        known.update(self._contents.add(new, fetched.depth))
        return [
            (position, known[print_].content, self._paths.number(path))
            for position, (print_, path) in enumerate(zip(fetched.contents, fetched.paths, strict=True))
        ]

    def spread_depths(self) -> None:
        """Brings what is linked from pages that have come nearer to the start nearer too, at the end of a
        transaction: how far a crawl goes does not depend on the order in which pages arrive.
        """
        while self._frontier.nearer:
            page = self._frontier.nearer.pop()
            rows = self._connection.execute(
                "SELECT DISTINCT contents.fingerprint, content, contents.depth, pages.depth "
                "FROM pagelets JOIN contents USING (content) JOIN pages USING (page) "
                "WHERE page = ? AND contents.depth > pages.depth",
                (page,),
            ).fetchall()
            for fingerprint, content, depth, nearer in rows:
                self._contents.come_nearer(fingerprint, Content(content, depth), nearer)

    def begin_derivation(self) -> int:
        """Lets no page that is recorded from now on share a content with those of before.

        Returns the last content of before: when all pages are recorded, those up to it are to be cleared.
        """
        return self._contents.part()

    def clear_derived(self, first: int, last: int) -> None:
        """Removes the contents from one to another, which no page holds any more."""
        self._contents.clear(first, last)

    def clear_paths(self) -> None:
        """Removes the paths that no pagelet has, and that lead to none."""
        self._connection.execute(
            "WITH RECURSIVE used (path) AS (SELECT DISTINCT path FROM pagelets UNION "
            "SELECT parent FROM used JOIN paths USING (path)) "
            "DELETE FROM paths WHERE path NOT IN (SELECT path FROM used)"
        )
        self._paths.forget()

    def clear_unused(self) -> None:
        """Removes contents that no page holds any more."""
        self._contents.clear_unused()

    def seen_since(self, run: int) -> bool:
        """Whether any page was stored, or found as it was, by a run after this one."""
        row = self._connection.execute("SELECT 1 FROM pages WHERE seen_run > ? LIMIT 1", (run,)).fetchone()
        return row is not None

    def sketches(self, page: int) -> list[int]:
        """The sketch keys of a page's pagelets, in order."""
        return [sketch for sketch, _ in self.traced(page)]

    def has_sketch(self, sketch: int) -> bool:
        """Whether any pagelet of the site has this sketch key."""
        row = self._connection.execute(
            "SELECT 1 FROM contents WHERE sketch = ? LIMIT 1", (sketch,)
        ).fetchone()
        return row is not None

    def host(self, page: int) -> int:
        """The id of a page's host. Raises KeyError where there is no such page."""
        row = self._connection.execute("SELECT host FROM pages WHERE page = ?", (page,)).fetchone()
        if row is None:
            raise KeyError(page)
        return int(row[0])

    def traced(self, page: int) -> list[tuple[int, bytes]]:
        """The sketch key of each of a page's pagelets, and the traces of its blocks as stored, in order."""
        return self._connection.execute(
            "SELECT contents.sketch, contents.blocks FROM pagelets JOIN contents USING (content) "
            "WHERE page = ? ORDER BY position",
            (page,),
        ).fetchall()

    def path(self, page: int, position: int, sketch: int) -> str | None:
        """The path of the pagelet at a position of a page; None where it no longer has this sketch key."""
        row = self._connection.execute(
            "SELECT path FROM pagelets JOIN contents USING (content) "
            "WHERE page = ? AND position = ? AND sketch = ?",
            (page, position, sketch),
        ).fetchone()
        return None if row is None else self._paths.name(row[0])
