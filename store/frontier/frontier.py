"""The known URLs of a site, and those that are due."""

from __future__ import annotations

import json
import math
from dataclasses import dataclass
from functools import cache
from typing import TYPE_CHECKING

from pagelets.patterns import host_of
from store.frontier.query_limit import Judge, QueryLimit
from store.frontier.reach import spread
from store.frontier.urls import KnownUrl, Urls
from store.records import Target
from store.states import GONE, READMITTED, REDIRECTED, REFUSED_BY_FORM, REQUESTED, TOO_DEEP, WANTED, WELL
from store.table import Table

if TYPE_CHECKING:
    import sqlite3
    from collections.abc import Callable, Collection, Iterable, Iterator
    from contextlib import AbstractContextManager

    from store.frontier.order import Order
    from store.frontier.outcomes import Outcomes


@dataclass(slots=True, frozen=True)
class Due:
    """A URL to request: its id, the URL itself, and how many links it lies from a start URL."""

    page: int
    url: str
    depth: int


@dataclass(slots=True, frozen=True)
class Known:
    """A URL, its state, and the ``reason`` of that or of having no document: ``target`` is the URL that it
    redirects to.
    """

    page: int
    url: str
    state: str
    reason: str | None
    status: int | None
    attempts: int
    target: str | None


class Frontier(Table):
    """Every known URL of a site, and which of them are due: the tables PAGES and HOSTS. Writes belong to the
    caller's transaction. A URL is *due* until the run has settled it (`store.frontier.outcomes`, which alone
    writes PAGES, too). `begin_round` makes all URLs due again.
    """

    def __init__(self, connection: sqlite3.Connection, outcomes: Outcomes) -> None:
        super().__init__(connection)
        self._outcomes = outcomes
        self._host = cache(self._stored_host)
        self._urls = Urls(connection)
        # Hosts with URLs that have become due since they were last asked for, None where it may be any.
        self._arrivals: set[int] | None = None
        self.queries = QueryLimit(connection, self._urls.write)
        self.asked_only = False
        self.order: Order | None = None
        """Where set, URLs are due in this order."""
        self.nearer: list[int] = []
        """Pages that this transaction has found nearer to the start than was thought."""

    def forget(self) -> None:
        """Drops what is remembered of the tables: they have changed, or a transaction rolled back."""
        self._host.cache_clear()
        self._urls.forget()
        self._arrivals = None
        self.queries.forget()

    def together(self, urls: Iterable[str]) -> AbstractContextManager[None]:
        """Has `add` look up many URLs at once, and write the new ones at once. Nothing else may read or write
        the table PAGES inside.
        """
        return self._urls.together(urls)

    def reorder(self) -> None:
        """Has what is due be asked for anew: the ``order`` is another."""
        self._arrivals = None

    def come_nearer(self, fragment: int, depth: int) -> None:
        """Notes that what the links of a fragment lead to lies no farther from the start than this."""
        rows = self._execute(
            f"UPDATE pages SET depth = ?1, state = iif(state = 'refused' AND {TOO_DEEP}, 'known', state), "
            f"due = iif({TOO_DEEP}, ?3, due), reason = iif({TOO_DEEP}, NULL, reason), "
            f"linked = iif({TOO_DEEP}, 1, linked) "
            "WHERE page IN (SELECT target FROM fragment_links WHERE fragment = ?2 AND NOT nofollow) "
            f"AND (depth > ?1 OR {TOO_DEEP}) RETURNING page, host, due",
            (depth, fragment, not self.asked_only),
        ).fetchall()
        self._urls.forget()
        for page, host, due in rows:
            self.nearer.append(page)
            if due:
                self._arrive(host)

    def add(self, target: Target, depth: int) -> int:
        """Makes a URL known, due unless it is refused or has to be asked for; returns its id.

        A URL that is known already gets the smaller depth; one that was refused on sight becomes due where
        another link leads to it that may be followed. Where the path of a URL has no place left for another
        query it is refused as a trap, unless the URL is a start URL.
        """
        known = self._urls.find(target.url)
        if known is not None:
            page, least, wanted = known
            readmitted = target.refusal is None and not wanted and self._has_place(target, depth)
            if depth < least or readmitted:
                self._urls.write()
            if depth < least:
                self._execute("UPDATE pages SET depth = min(depth, ?) WHERE page = ?", (depth, page))
                self.nearer.append(page)
            if readmitted:
                self._execute(
                    "UPDATE pages SET state = iif(state = 'refused', 'known', state), "
                    f"reason = iif({GONE} AND {WANTED}, reason, NULL), due = ?, linked = 1 "
                    f"WHERE page = ? AND {READMITTED}",
                    (not self.asked_only, page),
                )
                if not self.asked_only:
                    self._arrive(self._host(host_of(target.url)))
            if depth < least or readmitted:
                self._urls.remember(target.url, KnownUrl(page, min(depth, least), wanted or readmitted))
            return page
        refusal = target.refusal
        if refusal is None and not self._has_place(target, depth):
            refusal = "trap"
        wanted = refusal is None
        due = wanted and not self.asked_only
        host = self._host(host_of(target.url))
        if due:
            self._arrive(host)
        page = self._urls.add(target.url, host, "known" if wanted else "refused", refusal, due, depth)
        self._urls.remember(target.url, KnownUrl(page, depth, wanted))
        return page

    def ask_only(self) -> None:
        """Lets no URL be due from now on that nobody asks for (`ask`), whatever leads to it."""
        self.asked_only = True
        self._execute("UPDATE pages SET due = 0 WHERE due")
        self.forget()

    def ask(self, pages: Iterable[int], round_after: int) -> int:
        """Makes those of some URLs due that may be requested, and that no run after ``round_after`` has
        settled; returns how many they are.
        """
        update = (
            f"UPDATE pages SET due = 1 WHERE page = ? AND {WANTED} AND coalesce(run, 0) <= ? RETURNING host"
        )
        asked = 0
        for page in pages:
            for host in self._each(int, update, page, round_after):
                asked += 1
                self._arrive(host)
        return asked

    def readmit(self, pages: Iterable[int]) -> None:
        """Has URLs requested again that were refused, as a page does which links to them."""
        for page in pages:
            known = self._get(Due, "SELECT page, url, depth FROM pages WHERE page = ?", page)
            self.add(Target(known.url, None), known.depth)

    def is_well(self, page: int) -> bool:
        """Returns True if a page was found well when it was last asked for."""
        return self._any(f"pages WHERE page = ? AND {WELL}", page)

    def _has_place(self, target: Target, depth: int) -> bool:
        return self.queries.take(target.url) or depth == 0

    def find(self, url: str) -> int | None:
        """Returns the id of a URL, None for an unknown one."""
        known = self._urls.find(url)
        return None if known is None else known.page

    def url(self, page: int) -> str:
        """Returns the URL of an id. Raises KeyError for an unknown one."""
        return self._get(str, "SELECT url FROM pages WHERE page = ?", page)

    def depth(self, page: int) -> int:
        """Returns how far a URL lies from the start by now, also while it is asked for."""
        return self._get(int, "SELECT depth FROM pages WHERE page = ?", page)

    def urls(self, *, without: str = "") -> Iterator[str]:
        """All URLs that are known, without those that are refused for a reason where one is given."""
        return self._each(str, "SELECT url FROM pages WHERE coalesce(reason, '-') != ?", without)

    def get(self, page: int) -> Known:
        """Returns the state of a URL. Raises KeyError for an unknown id."""
        return self._get(
            Known,
            "SELECT page, url, state, coalesce(reason, excluded), status, attempts, "
            f"(SELECT url FROM pages AS other WHERE other.page = pages.target AND pages.{REDIRECTED}) "
            "FROM pages WHERE page = ?",
            page,
        )

    def redirects(self, page: int, after: int = -1) -> list[int]:
        """A page and those that it redirects to, one after the other, as runs after this one have found."""
        pages: list[int] = []
        target: int | None = page
        while target is not None and target not in pages:
            pages.append(target)
            found = f"pages WHERE page = ? AND {REDIRECTED} AND run > ? AND target IS NOT NULL"
            target = self._first(int, f"SELECT target FROM {found}", target, after)
        return pages

    def alike(self, url: str, limit: int) -> list[str]:
        """Known URLs of the same host, those whose length is nearest first."""
        known = self._each(
            str,
            "SELECT url FROM pages JOIN hosts USING (host) WHERE name = ? "
            "ORDER BY abs(length(url) - ?), url LIMIT ?",
            *(host_of(url), len(url), limit),
        )
        return list(known)

    def due(self, hosts: Iterable[int], limit: int, passed: Collection[int] = ()) -> list[Due]:
        """Returns at most ``limit`` URLs of ``hosts`` to request next, without the ids ``passed``."""
        if (order := self.order) is not None:
            ordered = sorted(row for host in hosts for row in order.due(host, limit, passed))
            return [Due(page, url, depth) for _, depth, page, url in ordered[:limit]]
        due_urls: list[Due] = []
        for host in hosts:
            select = "SELECT page, url, depth FROM pages WHERE due AND host = ? ORDER BY depth, page LIMIT ?"
            rows = self._each(Due, select, host, limit + len(passed))
            due_urls += [due for due in rows if due.page not in passed]
        return sorted(due_urls, key=lambda due: (due.depth, due.page))[:limit]

    def hosts_due(self) -> dict[int, str]:
        """The hosts that have URLs to request, and their names."""
        # From each host of the index to the next: what lies between them is not read.
        rows = self._execute(
            "WITH RECURSIVE found (host) AS (SELECT min(host) FROM pages WHERE due UNION ALL "
            "SELECT (SELECT min(host) FROM pages WHERE due AND host > found.host) FROM found "
            "WHERE found.host IS NOT NULL) SELECT host, name FROM found JOIN hosts USING (host) ORDER BY host"
        )
        return dict(rows)

    def arrivals(self) -> dict[int, str] | None:
        """The hosts of which URLs have become due since the last call, and their names; None where it may be
        any host, and what was due may be so no more.
        """
        arrivals, self._arrivals = self._arrivals, set()
        return None if arrivals is None else {host: self._host_of(host) for host in arrivals}

    def count_out_of_scope(self, host: str) -> int:
        """Counts the URLs of a host that links lead to and that are out of scope."""
        return self._count(
            "pages JOIN hosts USING (host) WHERE name = ? AND state = 'refused' AND reason = 'scope'", host
        )

    def count_due(self) -> int:
        """Returns the number of due URLs."""
        return self._count("pages WHERE due")

    def begin_round(
        self, now: int | None = None, longest: Callable[[str], float] = lambda _: math.inf
    ) -> None:
        """Makes all URLs due that may be requested at all.

        With a time, in seconds since the epoch, a page that was found well waits until its interval is over,
        or the ``longest`` one that its URL may have now, unless a sitemap says that it has changed since, or
        the clock has been set back; nine tenths of it will do, or a page of one day would be due in every
        second night. A page that is gone, and that no page links to, is not asked for again.
        """
        waits = ""
        if now is not None:
            self._connection.create_function("longest", 1, longest)
            # An AND computes both sides, an iif only the one that it takes.
            waits = (
                f"AND NOT iif({WELL} AND coalesce(checked_at, 0) <= :now "
                "AND coalesce(checked_at + interval * 9 / 10, 0) > :now "
                "AND coalesce(modified, 0) <= checked_at, checked_at + longest(url) * 9 / 10 > :now, 0)"
            )
        self._execute(f"UPDATE pages SET due = {REQUESTED} {waits}", {"now": now})
        self.forget()

    def modify(self, page: int, modified: int, round_after: int) -> None:
        """Notes that a sitemap gives ``modified`` as the time of a page's last change; the ``page`` is due if
        it was last seen before that, unless a run after ``round_after`` has settled it.
        """
        rows = self._execute(
            f"UPDATE pages SET modified = ?1, due = due OR ({WELL} AND {WANTED} "
            "AND checked_at < ?1 AND coalesce(run, 0) <= ?3) WHERE page = ?2 RETURNING host, due",
            (modified, page, round_after),
        ).fetchall()
        for host, due in rows:
            if due:
                self._arrive(host)

    def lead_to(self, pages: Iterable[int], *, only: bool = False) -> None:
        """Notes that these pages are the site, whatever links to them: what is gone and not among them is
        asked for no more, and with ``only`` nothing else is in this round.
        """
        among, listed = "page IN (SELECT value FROM json_each(?))", (json.dumps([*pages]),)
        self._execute(f"UPDATE pages SET linked = 1 WHERE NOT linked AND {among}", listed)
        # What was no HTML may be some in this archive, and costs no request.
        self._execute(
            f"UPDATE pages SET state = 'known', reason = NULL, due = 1 WHERE {REFUSED_BY_FORM} AND {among}",
            listed,
        )
        self._execute(f"UPDATE pages SET linked = 0, due = 0 WHERE linked AND {GONE} AND NOT {among}", listed)
        if only:
            self._execute(f"UPDATE pages SET due = 0 WHERE due AND NOT {among}", listed)
        self.forget()

    def all_due(self, round_after: int) -> int:
        """Makes those URLs due that wait for their interval; returns how many they are."""
        cursor = self._execute(
            f"UPDATE pages SET due = 1 WHERE NOT due AND {WELL} AND coalesce(run, 0) <= ? AND {WANTED}",
            (round_after,),
        )
        self.forget()
        return cursor.rowcount

    def judge_again(self, judge: Judge) -> list[int]:
        """Applies another scope, as `QueryLimit.judge_again`. Where URLs need not be asked for, no page is
        left out for its class any more.
        """
        lifted = self.queries.judge_again(judge)
        if self.asked_only:
            self.ask_only()
        else:
            self._outcomes.take_in()
        self.forget()
        return lifted

    def extend(self, starts: Collection[int], depth_limit: int, round_after: int, judge: Judge) -> int:
        """Notes the URLs that links lead to as a new crawl would find them; takes ``starts``, ``depth_limit``
        and ``round_after`` as `spread`. Free places of paths go to URLs that were refused for want of one,
        and that ``judge`` accepts. Returns the number of URLs that are due by that.
        """
        due = spread(self._connection, starts, depth_limit, round_after) + self.queries.fill(judge)
        self.forget()
        return due

    def counts(self) -> dict[str, int]:
        """Counts the URLs in each state."""
        rows = self._execute("SELECT state, count(*) FROM pages GROUP BY state ORDER BY state")
        return dict(rows)

    def _arrive(self, host: int) -> None:
        if self._arrivals is not None:
            self._arrivals.add(host)

    def _host_of(self, host: int) -> str:
        return self._first(str, "SELECT name FROM hosts WHERE host = ?", host) or ""

    def _stored_host(self, name: str) -> int:
        self._execute("INSERT OR IGNORE INTO hosts (name) VALUES (?)", (name,))
        return self._number("SELECT host FROM hosts WHERE name = ?", name)
