"""Recording pages with their pagelets and links, each in one transaction."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from store.fragments import Fragments, StoredFragment
from store.states import ALIVE, FETCHED, UNCONDITIONAL, WHOLE
from store.table import Table
from store.tag_paths import TagPaths

if TYPE_CHECKING:
    import sqlite3
    from collections.abc import Sequence

    from store.bodies import Bodies
    from store.frontier import Frontier, Outcomes
    from store.previous import PreviousVersions
    from store.records import FetchedPage


class Fetch(NamedTuple):
    """The last fetch of a page: the run, the response, the text; ``changed_run`` is the last one that has
    found another text than before, ``interval`` the seconds until the page is due again.
    """

    run: int
    status: int
    fetched_at: str
    fingerprint: int
    changed_run: int | None
    interval: int | None


class Pages(Table):
    """Writes fetched pages; each write belongs to the caller's transaction."""

    def __init__(
        self,
        connection: sqlite3.Connection,
        frontier: Frontier,
        outcomes: Outcomes,
        bodies: Bodies,
        previous: PreviousVersions,
    ) -> None:
        super().__init__(connection)
        self._frontier = frontier
        self._outcomes = outcomes
        self._bodies = bodies
        self._previous = previous
        self.fragments = Fragments(connection, frontier)
        self._tag_paths = TagPaths(connection)

    def forget(self) -> None:
        """Drops what is remembered of the tables: a transaction was rolled back."""
        self.fragments.forget()
        self._tag_paths.forget()

    def unknown(self, fingerprints: Sequence[int]) -> set[int]:
        """Returns the given fragments that the store does not have."""
        return set(fingerprints).difference(self.fragments.find(fingerprints))

    def record(self, fetched: FetchedPage, run: int | None) -> None:
        """Stores a page with its pagelets and links, and makes its links known; it is *held* from then on.

        The version before is kept until the round of crawling is found to be good (`PreviousVersions`). With
        ``run`` None the page is derived again from its stored body: its pagelets, fingerprint and title are
        those of today, its state and where it leads stay. Raises KeyError where a fragment is neither stored
        nor new.
        """
        if run is not None:
            self._previous.keep(fetched.page)
        before = set(self._each(int, "SELECT fragment FROM pagelets WHERE page = ?", fetched.page))
        pagelets = self.pagelets(fetched)
        self.fragments.drop(before.difference(fragment for _, fragment, _ in pagelets))
        self._execute("DELETE FROM pagelets WHERE page = ?", (fetched.page,))
        self._executemany(
            "INSERT INTO pagelets VALUES (?, ?, ?, ?)", [(fetched.page, *row) for row in pagelets]
        )
        if run is None:
            self._outcomes.derive(fetched)
            return
        targets = {self._frontier.add(target, fetched.depth + 1) for target in fetched.follow}
        self._execute("DELETE FROM follows WHERE page = ?", (fetched.page,))
        self._executemany(
            "INSERT INTO follows VALUES (?, ?)", ((fetched.page, target) for target in sorted(targets))
        )
        canonical = fetched.canonical and self._frontier.add(fetched.canonical, fetched.depth + 1)
        self._bodies.put(fetched.page, fetched.body)
        self._outcomes.hold(fetched, run, canonical)

    def pagelets(self, fetched: FetchedPage) -> list[tuple[int, int, int]]:
        """Position, fragment and tag path of each of a page's pagelets; stores what is new of them."""
        known = self.fragments.find(fetched.fragments)
        new = [fragment for fragment in fetched.new if fragment.fingerprint not in known]
        for print_, fragment in known.items():
            if fetched.depth < fragment.depth:
                # Its links lie nearer to the start than was thought.
                self.fragments.come_nearer(print_, fragment, fetched.depth)
        known.update(self.fragments.add(new, fetched.depth))
        tag_paths = self._tag_paths.numbers(fetched.tag_paths)
        return [
            (position, known[print_].fragment, tag_path)
            for position, (print_, tag_path) in enumerate(zip(fetched.fragments, tag_paths, strict=True))
        ]

    def let_go_pagelets(self, page: int) -> None:
        """Removes the pagelets of a page; it still leads to what their links lead to."""
        self._execute(
            "INSERT OR IGNORE INTO follows SELECT page, target FROM pagelets JOIN fragment_links "
            "USING (fragment) WHERE page = ? AND NOT nofollow",
            (page,),
        )
        self._execute("DELETE FROM pagelets WHERE page = ?", (page,))

    def spread_depths(self) -> None:
        """Brings what is linked from pages that have come nearer to the start nearer too, at the end of a
        transaction: how far a crawl goes does not depend on the order in which pages arrive.
        """
        while self._frontier.nearer:
            page = self._frontier.nearer.pop()
            rows = self._execute(
                "SELECT DISTINCT fragments.fingerprint, fragment, fragments.depth, pages.depth "
                "FROM pagelets JOIN fragments USING (fragment) JOIN pages USING (page) "
                "WHERE page = ? AND fragments.depth > pages.depth",
                (page,),
            ).fetchall()
            for fingerprint, fragment, depth, nearer in rows:
                self.fragments.come_nearer(fingerprint, StoredFragment(fragment, depth), nearer)

    def clear_tag_paths(self) -> None:
        """Removes the tag paths that no pagelet has, and that lead to none."""
        self._execute(
            "WITH RECURSIVE used (tag_path) AS (SELECT DISTINCT tag_path FROM pagelets UNION "
            "SELECT parent FROM used JOIN tag_paths USING (tag_path)) "
            "DELETE FROM tag_paths WHERE tag_path NOT IN (SELECT tag_path FROM used)"
        )
        self._tag_paths.forget()

    def fetch(self, page: int) -> Fetch | None:
        """Returns the last fetch of a page, None if it was never fetched."""
        return self._first(
            Fetch,
            "SELECT fetched_run, status, fetched_at, fingerprint, changed_run, interval FROM pages "
            f"WHERE page = ? AND {FETCHED}",
            page,
        )

    def alive(self) -> list[int]:
        """The ids of the pages that the site has, in the order in which they were found."""
        return list(self._each(int, f"SELECT page FROM pages WHERE {ALIVE} ORDER BY page"))

    def seen_since(self, run: int) -> bool:
        """Returns True if any page was stored, or found unchanged, by a run after this one."""
        return self._any("pages WHERE seen_run > ?", run)

    def is_whole(self, page: int) -> bool:
        """Returns True if the store has all of a page, and its last transfer did not break off."""
        return self._any(f"pages WHERE page = ? AND {WHOLE}", page)

    def is_unconditional(self, page: int) -> bool:
        """Returns True if a page's server may have refused to be asked whether it has changed."""
        return self._any(f"pages WHERE page = ? AND {UNCONDITIONAL}", page)

    def sketches(self, page: int) -> list[int]:
        """The sketch keys of a page's pagelets, in order."""
        return [sketch for sketch, _ in self.keyed(page)]

    def has_sketch(self, sketch: int) -> bool:
        """Returns True if any pagelet of the site has this sketch key."""
        return self._any("fragments WHERE sketch = ?", sketch)

    def host(self, page: int) -> int:
        """The id of a page's host. Raises KeyError where there is no such page."""
        return self._get(int, "SELECT host FROM pages WHERE page = ?", page)

    def named(self, page: int) -> tuple[str, str]:
        """The URL and the title of a stored page."""
        row = self._execute("SELECT url, title FROM pages WHERE page = ?", (page,)).fetchone()
        return row[0], row[1] or ""

    def keyed(self, page: int) -> list[tuple[int, bytes]]:
        """The sketch key of each of a page's pagelets, and the keys of its blocks as stored, in order."""
        return self._execute(
            "SELECT fragments.sketch, fragments.block_keys FROM pagelets JOIN fragments USING (fragment) "
            "WHERE page = ? ORDER BY position",
            (page,),
        ).fetchall()

    def path(self, page: int, position: int, sketch: int) -> str | None:
        """The tag path of the pagelet at a position of a page; None where that has another sketch key."""
        return self._first(
            self._tag_paths.name,
            "SELECT tag_path FROM pagelets JOIN fragments USING (fragment) "
            "WHERE page = ? AND position = ? AND sketch = ?",
            *(page, position, sketch),
        )
