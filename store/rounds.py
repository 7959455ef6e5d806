"""The result of a round of crawling, compared with the site before it.

A round is a crawl with those that continue it.
"""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Callable, Iterable
from dataclasses import dataclass

from store.meta import LINKS_CHANGED, ROUND_TEXT, Meta
from store.states import (
    ALIVE,
    BEFORE,
    CURRENT,
    ELSEWHERE,
    FAILED,
    FOUND,
    GONE,
    REACHED,
    REDIRECTED,
    UNFETCHED,
    WELL,
)
from store.table import Table


@dataclass(slots=True, frozen=True)
class Extent:
    """The extent of a site: documents, and characters of distinct fragments."""

    pages: int
    text: int


def links_changed(connection: sqlite3.Connection) -> None:
    """Notes that links have changed otherwise than by a page that was fetched: until a good round has
    followed them anew, what they lead to is not known.
    """
    Meta(connection).set(LINKS_CHANGED, 1)


class Rounds(Table):
    """Counts what a round has found; writes belong to the caller's transaction."""

    def __init__(self, connection: sqlite3.Connection) -> None:
        super().__init__(connection)
        self._meta = Meta(connection)

    def before(self) -> Extent:
        """Returns the extent of the last good round, without pages that people have excluded since.

        The text is 0 if no round has counted it.
        """
        return Extent(self._count(f"pages WHERE {BEFORE}"), self._meta.get(ROUND_TEXT) or 0)

    def pages_before(self, belongs: Callable[[str], bool]) -> int:
        """Counts the pages of the last good round whose URL still ``belongs`` to the site."""
        return sum(map(belongs, self._each(str, f"SELECT url FROM pages WHERE {BEFORE}")))

    def now(self) -> Extent:
        """Returns the present extent: pages that were found well and that a new crawl would come to."""
        text = self._number(
            "SELECT coalesce(sum(chars), 0) FROM fragments WHERE fragment IN (SELECT fragment FROM pagelets "
            f"WHERE page IN (SELECT page FROM pages WHERE {ALIVE} AND {WELL} AND {REACHED}))",
        )
        return Extent(self._count(f"pages WHERE {FOUND}"), text)

    def stayed(self) -> int:
        """Counts the pages delivered by the last good round that are there, at their own address."""
        return self._count(f"pages WHERE {BEFORE} AND {FOUND}")

    def moved(self) -> list[tuple[int, str, int, str]]:
        """Lists the pages delivered by the last good round that are at another address now: they redirect
        there, permanently or temporarily, or name it as canonical. Of each the id and the URL, then those of
        the page that is there.
        """
        return self._execute(
            "WITH RECURSIVE ways (page, other) AS ("
            f"SELECT page, {ELSEWHERE} FROM pages WHERE {BEFORE} AND {ELSEWHERE} IS NOT NULL "
            f"UNION SELECT ways.page, {ELSEWHERE} FROM ways JOIN pages ON pages.page = other "
            f"WHERE {ELSEWHERE} IS NOT NULL) "
            "SELECT ways.page, (SELECT url FROM pages WHERE page = ways.page), other, url "
            f"FROM ways JOIN pages ON pages.page = other WHERE other != ways.page AND {FOUND} "
            "ORDER BY ways.page"
        ).fetchall()

    def templates_on(self, page: int) -> int:
        """Counts the site's known templates on a page."""
        templates = "pagelets JOIN fragments USING (fragment) JOIN templates USING (sketch) WHERE page = ?"
        return self._count(f"(SELECT DISTINCT sketch FROM {templates})", page)

    def accept(self, extent: Extent) -> None:
        """Takes this extent for what the next round is compared with."""
        self._meta.set(ROUND_TEXT, extent.text)
        self._meta.forget(LINKS_CHANGED)

    def asked(self, round_after: int) -> bool:
        """Returns True if the round has asked for any page of the last good round, or of a site without one.

        Where pages wait for their interval, all that is due may be dead links and redirects.
        """
        of_them = f"({BEFORE} OR NOT EXISTS (SELECT 1 FROM pages WHERE {BEFORE}))"
        return self._any(f"pages WHERE run > ? AND {of_them}", round_after)

    def forget_text(self) -> None:
        """Lets the text of the last good round go: people have changed what belongs to the site."""
        self._meta.forget(ROUND_TEXT)
        links_changed(self._connection)

    def scale_text(self, before: int) -> None:
        """Tells the text of the last good round as pages are derived now; takes what they had before then."""
        text = self._meta.get(ROUND_TEXT)
        if text is not None and before:
            self._meta.set(ROUND_TEXT, round(text * self.now().text / before))

    def answers(self, round_after: int) -> list[str]:
        """Describes the outcomes of the first URLs that the round has asked for."""
        return self._described("run > ?", round_after)

    def answer(self, page: int) -> str:
        """Describes what a URL has come to last."""
        return self._described("page = ?", page)[0]

    def lost(self, pages: Iterable[int], round_after: int) -> list[str]:
        """Describes the outcomes of the first of these pages that the round has asked for in vain."""
        lost = f"run > ? AND ({GONE} OR {FAILED} OR {UNFETCHED}) AND page IN (SELECT value FROM json_each(?))"
        return self._described(lost, round_after, json.dumps([*pages]))

    def _described(self, condition: str, *values: object) -> list[str]:
        rows = self._execute(
            "SELECT url, state, reason, (SELECT url FROM pages AS other WHERE other.page = pages.target "
            f"AND pages.{REDIRECTED}) FROM pages WHERE {condition} ORDER BY depth, page LIMIT 3",
            values,
        )
        return [
            f"{url} {state}{f' to {target}' if target else ''}{f' ({reason})' if reason else ''}"
            for url, state, reason, target in rows
        ]

    def seen(self, round_after: int) -> int:
        """Counts the pages with a document that the round has fetched or found unchanged."""
        return self._count(f"pages WHERE {CURRENT} AND seen_run > ?", round_after)

    def unseen(self, round_after: int) -> int:
        """Counts the pages with a document that the round has not met, or could not fetch."""
        return self._count(f"pages WHERE {CURRENT} AND coalesce(seen_run, 0) <= ?", round_after)

    def changed(self, round_after: int) -> bool:
        """Returns True if anything that links or evidence depend on has changed, in the round or before."""
        return self._meta.get(LINKS_CHANGED) is not None or self._any(
            f"pages WHERE fetched_run > ?1 OR run > ?1 AND NOT {WELL}", round_after
        )
