"""URLs as the table PAGES has them: looked up and written one by one, or those of a page together."""

from __future__ import annotations

import contextlib
import json
import sqlite3
from collections.abc import Iterable, Iterator
from typing import Final, NamedTuple

from store.states import READMITTED
from store.table import Table

_KNOWN_URLS: Final = 1 << 14


class KnownUrl(NamedTuple):
    """A URL of the table: its id, its depth, and whether it may be requested."""

    page: int
    depth: int
    wanted: bool


class Urls(Table):
    """Looks up URLs in the table PAGES, and adds new ones; writes belong to the caller's transaction."""

    def __init__(self, connection: sqlite3.Connection) -> None:
        super().__init__(connection)
        self._known: dict[str, KnownUrl] = {}
        # New URLs that are not written yet, and those that the table is known to lack.
        self._new: list[tuple[int, *tuple[object, ...]]] | None = None
        self._unknown: set[str] = set()
        self._next = 0

    def forget(self) -> None:
        """Drops what is remembered of the table."""
        self._known.clear()

    @contextlib.contextmanager
    def together(self, urls: Iterable[str]) -> Iterator[None]:
        """Looks up many URLs at once, and writes the new ones at once, at the end."""
        wanted = {url for url in urls if url not in self._known and url.isascii() and url.isprintable()}
        if len(wanted) < _KNOWN_URLS:
            rows = self._execute(
                f"SELECT url, page, depth, {READMITTED} IS NOT TRUE FROM json_each(?) "
                "CROSS JOIN pages ON pages.url = json_each.value",
                (json.dumps([*wanted]),),
            )
            for url, *columns in rows:
                wanted.discard(url)
                self.remember(url, KnownUrl(*columns))
            self._unknown = wanted
        self._new = []
        self._next = self._number("SELECT coalesce(max(page), 0) + 1 FROM pages")
        try:
            yield
            self.write()
        finally:
            self._new = None
            self._unknown = set()

    def write(self) -> None:
        """Writes new URLs that wait for others: whatever else reads or writes the table comes after that."""
        if self._new:
            self._executemany(
                "INSERT INTO pages (page, url, host, state, reason, due, depth) VALUES (?, ?, ?, ?, ?, ?, ?)",
                self._new,
            )
            self._new.clear()

    def find(self, url: str) -> KnownUrl | None:
        """Returns a URL of the table, None for one that it lacks."""
        known = self._known.get(url)
        if known is not None or url in self._unknown:
            return known
        self.write()
        known = self._first(
            KnownUrl, f"SELECT page, depth, {READMITTED} IS NOT TRUE FROM pages WHERE url = ?", url
        )
        if known is not None:
            self.remember(url, known)
        return known

    def add(self, url: str, host: int, state: str, reason: str | None, due: bool, depth: int) -> int:
        """Adds a URL that the table lacks; returns its id. Takes its columns: the ``url`` and its ``host``,
        its ``state`` and the ``reason`` for that, whether it is ``due``, and its ``depth``.
        """
        new = (url, host, state, reason, due, depth)
        if self._new is None:
            made = self._execute(
                "INSERT INTO pages (url, host, state, reason, due, depth) VALUES (?, ?, ?, ?, ?, ?)", new
            ).lastrowid
            assert made is not None
            return made
        page, self._next = self._next, self._next + 1
        self._new.append((page, *new))
        self._unknown.discard(url)
        return page

    def remember(self, url: str, known: KnownUrl) -> None:
        """Keeps a URL in memory."""
        if len(self._known) >= _KNOWN_URLS:
            self._known.clear()
        self._known[url] = known
