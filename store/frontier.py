"""The frontier: every known URL of a site and what became of it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Final, NamedTuple
from urllib.parse import urlsplit

if TYPE_CHECKING:
    import sqlite3
    from collections.abc import Callable, Collection, Iterable

UNREQUESTED: Final = frozenset({"scope", "nofollow", "depth", "trap", "type"})
"""Reasons of a refusal that are decided on the URL alone, before any request."""

_KNOWN_URLS: Final = 1 << 16


class Target(NamedTuple):
    """Where a link leads: the URL in its canonical form, and why it is not to be requested, None if it is."""

    url: str
    refusal: str | None


@dataclass(slots=True, frozen=True)
class Due:
    """A URL to request: its id, the URL itself, and how many links it lies from a start URL."""

    page: int
    url: str
    depth: int


class Frontier:
    """Reads and writes the table PAGES; writes belong to the caller's transaction.

    A URL is *due* until the run has settled it. `begin_round` makes all URLs due again.
    """

    def __init__(self, connection: sqlite3.Connection) -> None:
        self._connection = connection
        self._hosts: dict[str, int] = {}
        # (id, depth, whether it may be requested) of URLs met lately.
        self._known: dict[str, tuple[int, int, bool]] = {}

    def forget(self) -> None:
        """Drops what is remembered of the tables: a transaction was rolled back."""
        self._hosts.clear()
        self._known.clear()

    def add(self, target: Target, depth: int) -> int:
        """Makes a URL known, due unless it is refused; returns its id.

        A URL that is known already gets the smaller depth; one that was refused on sight becomes due where
        another link leads to it that may be followed.
        """
        known = self._known.get(target.url) or self._look_up(target.url)
        if known is not None:
            page, least, wanted = known
            if target.refusal is None and (depth < least or not wanted):
                self._connection.execute(
                    "UPDATE pages SET depth = min(depth, ?), "
                    "due = CASE WHEN state = 'refused' AND reason IN ('nofollow', 'depth', 'scope') "
                    "THEN 1 ELSE due END, "
                    "state = CASE WHEN state = 'refused' AND reason IN ('nofollow', 'depth', 'scope') "
                    "THEN 'known' ELSE state END, "
                    "reason = CASE WHEN state = 'refused' AND reason IN ('nofollow', 'depth', 'scope') "
                    "THEN NULL ELSE reason END WHERE page = ?",
                    (depth, page),
                )
                self._known[target.url] = page, min(depth, least), True
            return page
        wanted = target.refusal is None
        cursor = self._connection.execute(
            "INSERT INTO pages (url, host, state, reason, due, depth) VALUES (?, ?, ?, ?, ?, ?)",
            (
                target.url,
                self._host(target.url),
                "known" if wanted else "refused",
                target.refusal,
                wanted,
                depth,
            ),
        )
        assert cursor.lastrowid is not None
        self._remember(target.url, (cursor.lastrowid, depth, wanted))
        return cursor.lastrowid

    def find(self, url: str) -> int | None:
        """The id of a URL, None where it is not known."""
        known = self._known.get(url) or self._look_up(url)
        return None if known is None else known[0]

    def url(self, page: int) -> str:
        """The URL of an id. Raises KeyError where there is none."""
        row = self._connection.execute("SELECT url FROM pages WHERE page = ?", (page,)).fetchone()
        if row is None:
            raise KeyError(page)
        return str(row[0])

    def due(self, limit: int, passed: Collection[int] = ()) -> list[Due]:
        """The next URLs to request, nearest to the start first, without the ids in ``passed``."""
        rows = self._connection.execute(
            "SELECT page, url, depth FROM pages WHERE due ORDER BY depth, page LIMIT ?",
            (limit + len(passed),),
        )
        return [Due(*row) for row in rows if row[0] not in passed][:limit]

    def count_due(self) -> int:
        """How many URLs are due."""
        return int(self._connection.execute("SELECT count(*) FROM pages WHERE due").fetchone()[0])

    def begin_round(self) -> None:
        """Makes all URLs due that may be requested at all."""
        self._connection.execute(
            f"UPDATE pages SET due = 1 WHERE NOT (state = 'refused' AND reason IN ({_quoted(UNREQUESTED)}))"
        )

    def judge_again(self, judge: Callable[[str], str | None]) -> None:
        """Applies another scope to the URLs that no page holds yet: refuses or readmits them."""
        rows = self._connection.execute(
            "SELECT page, url FROM pages WHERE (state = 'refused' AND reason IN ('scope', 'trap', 'type')) "
            "OR state = 'known'"
        ).fetchall()
        for page, url in rows:
            refusal = judge(url)
            self._connection.execute(
                "UPDATE pages SET state = ?, reason = ?, due = ? WHERE page = ?",
                ("known" if refusal is None else "refused", refusal, refusal is None, page),
            )
        self.forget()

    def settle(
        self,
        page: int,
        state: str,
        run: int,
        *,
        reason: str | None = None,
        status: int | None = None,
        target: int | None = None,
    ) -> None:
        """Records what became of a requested URL: its state (docs/store.md) and the run that says so."""
        self._connection.execute(
            "UPDATE pages SET state = ?, reason = ?, due = 0, run = ?, target = ?, "
            "status = coalesce(?, status), "
            "attempts = CASE WHEN ? = 'failed' THEN attempts + 1 ELSE 0 END WHERE page = ?",
            (state, reason, run, target, status, state, page),
        )

    def counts(self) -> dict[str, int]:
        """How many URLs are in each state."""
        rows = self._connection.execute("SELECT state, count(*) FROM pages GROUP BY state ORDER BY state")
        return dict(rows)

    def _look_up(self, url: str) -> tuple[int, int, bool] | None:
        row = self._connection.execute(
            "SELECT page, depth, state = 'refused' AND reason IN ('scope', 'nofollow', 'depth') "
            "FROM pages WHERE url = ?",
            (url,),
        ).fetchone()
        if row is None:
            return None
        known = (row[0], row[1], not row[2])
        self._remember(url, known)
        return known

    def _remember(self, url: str, known: tuple[int, int, bool]) -> None:
        if len(self._known) >= _KNOWN_URLS:
            self._known.clear()
        self._known[url] = known

    def _host(self, url: str) -> int:
        try:
            name = urlsplit(url).netloc.lower()
        except ValueError:
            name = ""
        host = self._hosts.get(name)
        if host is None:
            self._connection.execute("INSERT OR IGNORE INTO hosts (name) VALUES (?)", (name,))
            row = self._connection.execute("SELECT host FROM hosts WHERE name = ?", (name,)).fetchone()
            host = self._hosts[name] = int(row[0])
        return host


def _quoted(names: Iterable[str]) -> str:
    return ", ".join(f"'{name}'" for name in sorted(names))
