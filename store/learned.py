"""Models that methods have learned of a site's hosts: the table LEARNED, and the pages they learn from."""

from __future__ import annotations

import contextlib
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final, NamedTuple

from pagelets.judging.naming import learned_name
from store.states import JUDGED, WHICH_PAGES
from store.table import Table

if TYPE_CHECKING:
    import sqlite3
    from collections.abc import Callable, Collection, Iterator

    from pagelets.methods.base import Subject
    from store.faults import Border

STEP: Final = "learning"
"""The name of this step, of pages that cannot be learned from."""
_OF_HOST: Final = "SELECT page FROM temp.host_pages WHERE host = ?"


class HostPages(NamedTuple):
    """The pages of a host that are judged: how many, and a name, which is another where they are others,
    fetched again or partitioned in another way.
    """

    size: int
    name: str


class LearnedModel(NamedTuple):
    """The model that a method has learned of a host: the method's ``version``, the ``pages`` that it learned
    from (as `HostPages` names them), and the ``model`` itself.
    """

    version: str
    pages: str
    model: bytes


class Learned(Table):
    """Reads and writes the table LEARNED; writes belong to the caller's transaction."""

    def get(self, method: str, host: int) -> LearnedModel | None:
        """Returns the model that a method has learned of a host, or None."""
        select = "SELECT version, pages, model FROM learned WHERE method = ? AND host = ?"
        return self._first(LearnedModel, select, method, host)

    def put(self, method: str, host: int, model: LearnedModel) -> None:
        """Keeps the ``model`` that a ``method`` has learned of a ``host`` in place of the one before."""
        self._execute("INSERT OR REPLACE INTO learned VALUES (?, ?, ?, ?, ?)", (method, host, *model))

    def forget(self, method: str, host: int) -> None:
        """Lets go what a ``method`` has learned of a ``host``."""
        self._execute("DELETE FROM learned WHERE method = ? AND host = ?", (method, host))

    def keep(self, methods: Collection[str]) -> None:
        """Lets go what other methods have learned, and all of hosts that have no pages any more."""
        hosts = self.hosts()
        for method, host in self._execute("SELECT method, host FROM learned").fetchall():
            if method not in methods or host not in hosts:
                self.forget(method, host)

    def any(self) -> bool:
        """Returns True if any method has learned of any host."""
        return self._any("learned")

    def versions(self, method: str) -> set[str]:
        """The versions of a method that have learned of some host."""
        return set(self._each(str, "SELECT DISTINCT version FROM learned WHERE method = ?", method))

    def digest(self) -> bytes:
        """Names all that is learned: equal knowledge has equal names, none has an empty one."""
        return learned_name(
            self._execute(
                "SELECT method, name, version, model FROM learned JOIN hosts USING (host) "
                "ORDER BY method, name"
            )
        )

    def hosts(self) -> dict[int, HostPages]:
        """The hosts whose pages are judged, in order of their names, each with these pages."""
        rows = self._execute(
            f"SELECT pages.host, {WHICH_PAGES}, (SELECT value FROM meta WHERE key = 'derivation') "
            f"FROM pages JOIN hosts USING (host) WHERE {JUDGED} GROUP BY pages.host ORDER BY name"
        )
        return {host: HostPages(row[0], " ".join(map(str, row))) for host, *row in rows}

    @contextlib.contextmanager
    def gathered(self) -> Iterator[None]:
        """Inside, the pages of each host are at hand for `StoredHost`, as they are at the beginning."""
        self._execute("CREATE TEMP TABLE host_pages (host, page, PRIMARY KEY (host, page)) WITHOUT ROWID")
        try:
            self._execute(f"INSERT INTO temp.host_pages SELECT host, page FROM pages WHERE {JUDGED}")
            yield
        finally:
            self._execute("DROP TABLE temp.host_pages")


@dataclass(slots=True, frozen=True)
class StoredHost:
    """The pages of a host, as `pagelets.judging.learning.HostView` reads them, while `Learned.gathered`.

    Pages that cannot be read are flagged.

    Args:
        connection: the store's.
        host: the id of the host.
        read_page: reads a page by its id.
        tell: called after each page that was read.
        border: catches what a page raises when it is read (`Store.border`).
    """

    connection: sqlite3.Connection
    host: int
    read_page: Callable[[int], Subject]
    tell: Callable[[], None]
    border: Border

    def links(self) -> Iterator[tuple[str, str]]:
        """The links between pages of the host, each once: the addresses that they lead from and to."""
        return self.connection.execute(
            "SELECT DISTINCT source.url, target.url FROM pagelets JOIN fragment_links USING (fragment) "
            "JOIN pages AS source ON source.page = pagelets.page "
            "JOIN pages AS target ON target.page = fragment_links.target "
            f"WHERE source.page IN ({_OF_HOST}) AND target.page IN ({_OF_HOST}) ORDER BY 1, 2",
            (self.host, self.host),
        )

    def find(self, url: str) -> int | None:
        """The id of the page at an address."""
        select = f"SELECT page FROM pages WHERE url = ? AND page IN ({_OF_HOST})"
        row = self.connection.execute(select, (url, self.host)).fetchone()
        return None if row is None else int(row[0])

    def all(self) -> Iterator[tuple[str, int]]:
        """The address and the id of each page."""
        return self.connection.execute(
            f"SELECT url, page FROM pages WHERE page IN ({_OF_HOST})", (self.host,)
        )

    def read(self, page: int) -> Subject | None:
        """The page of an id."""
        subject = None
        with self.border(page, STEP):
            subject = self.read_page(page)
        self.tell()
        return subject
