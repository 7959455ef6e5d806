"""Entries of a site's sitemaps: the tables SITEMAPS and SITEMAP_PAGES."""

from __future__ import annotations

from collections.abc import Iterable

from store.rounds import links_changed
from store.states import GONE
from store.table import Table


class SitemapTable(Table):
    """Reads and writes what sitemaps list; writes belong to the caller's transaction.

    A sitemap that cannot be had lists what it listed when it was last read.
    """

    def replace(self, url: str, pages: Iterable[int], run: int, *, whole: bool = True) -> None:
        """Notes what a sitemap lists, in place of what it listed before.

        Args:
            url: The sitemap.
            pages: The ids of what it lists.
            run: The run that has read it.
            whole: False if it was not read to its end, or names the latest pages alone: it lists what it
                listed before, too, but for what is gone.

        """
        sitemap = self._number(
            "INSERT INTO sitemaps (url, run) VALUES (?, ?) "
            "ON CONFLICT (url) DO UPDATE SET run = excluded.run RETURNING sitemap",
            *(url, run),
        )
        before = set(self._pages("SELECT page FROM sitemap_pages WHERE sitemap = ?", sitemap))
        there = f"SELECT page FROM sitemap_pages JOIN pages USING (page) WHERE sitemap = ? AND NOT {GONE}"
        now = {*pages, *(() if whole else self._pages(there, sitemap))}
        if before != now:
            links_changed(self._connection)
        self._executemany(
            "DELETE FROM sitemap_pages WHERE sitemap = ? AND page = ?",
            ((sitemap, page) for page in sorted(before - now)),
        )
        self._executemany(
            "INSERT INTO sitemap_pages VALUES (?, ?)", ((sitemap, page) for page in sorted(now - before))
        )

    def remove(self, url: str) -> None:
        """Notes that there is no such sitemap any more."""
        cursor = self._execute(
            "DELETE FROM sitemap_pages WHERE sitemap = (SELECT sitemap FROM sitemaps WHERE url = ?)", (url,)
        )
        if cursor.rowcount:
            links_changed(self._connection)
        self._execute("DELETE FROM sitemaps WHERE url = ?", (url,))

    def urls(self) -> set[str]:
        """The sitemaps, and indexes of sitemaps, that have been read."""
        return set(self._each(str, "SELECT url FROM sitemaps"))

    def keep_only(self, seen: Iterable[str]) -> None:
        """Removes the sitemaps that no robots.txt, index or setting names any more."""
        for url in self.urls().difference(seen):
            self.remove(url)
