"""The sitemaps of a site in one round of a crawl."""

from __future__ import annotations

import asyncio
import logging
from collections import Counter
from collections.abc import AsyncIterator, Callable, Iterable, Iterator
from dataclasses import dataclass, field
from typing import Any, Final

from scrapy.http import Request, Response, TextResponse
from scrapy.settings import BaseSettings
from twisted.python.failure import Failure

from crawler.fetching.failures import what_became
from crawler.fetching.sitemap import INDEX, KINDS, MOST_ENTRIES, Entry, Sitemap, absolute, sitemaps_of_robots
from crawler.fetching.stopping import CrawlEnds
from crawler.run.session import CrawlSession
from store.frontier import Target

logger = logging.getLogger(__name__)

MOST_SITEMAPS: Final = 1000
MOST_ENTRIES_OF_ALL: Final = 10_000_000
MOST_BYTES_OF_ALL: Final = 1 << 30
DEEPEST: Final = 5
"""How many indexes may lie in each other. The protocol allows one."""
LEFT_OUT: Final = "sitemaps/left_out/"
"""The stats ``sitemaps/left_out/REASON/HOST``."""
OTHERS: Final = "other hosts"

_LISTED: Final = "pages/from_sitemaps"
_MOST_HOSTS: Final = 20
"""Hosts that are counted by their names."""
_MOST_KEPT_HOSTS: Final = 1000
"""Hosts that are kept of what a sitemap leaves out."""
_LONGEST_HOST: Final = 253


@dataclass(slots=True)
class _Reading:
    """One reading of a sitemap: the pages of the site that it lists, what was counted of it in which stat,
    and the hosts out of scope that it names; ``any_host`` tells that these are too many to keep.
    """

    pages: list[int] = field(default_factory=list)
    counts: Counter[str] = field(default_factory=Counter)
    hosts: set[str] = field(default_factory=set)
    any_host: bool = False

    def keep(self, host: str) -> None:
        """Notes a host that is out of scope."""
        if len(self.hosts) < _MOST_KEPT_HOSTS:
            self.hosts.add(host)
        elif host not in self.hosts:
            self.any_host = True


class Sitemaps:
    """Asks for the sitemaps of a site and makes known what they list of it.

    What is not to be requested is counted by reason and host, and not stored: a site may list strangers
    without end. Where the scope widens (`ask_again`), the sitemaps that name a host which is in scope from
    then on are asked for once more. Sitemaps are bounded in number, entries, bytes and depth; the log says
    what is cut.

    Stats: ``pages/from_sitemaps``, ``sitemaps/left_out/REASON/HOST``, ``sitemaps/cut``.
    """

    def __init__(
        self, session: CrawlSession, target: Callable[[str], Target], settings: BaseSettings
    ) -> None:
        self._session = session
        self._target = target
        self._most_bytes = settings.getint("DOWNLOAD_MAXSIZE")
        self._hosts: set[str] = set()
        self._named: set[str] = set()
        # Those that nobody names: sites of scripts answer with a page of HTML, whatever they are asked for.
        self._guesses: set[str] = set()
        self._unread: set[str] = set()
        self._readings: dict[str, _Reading] = {}
        self._counted_hosts: set[str] = set()
        self._cuts: set[str] = set()
        self._all_named = True
        self._entries_left = MOST_ENTRIES_OF_ALL
        self._bytes_left = MOST_BYTES_OF_ALL

    def ask_host(self, origin: str) -> Iterator[Request]:
        """Asks for the robots.txt and the sitemap of a host, once."""
        if origin in self._hosts:
            return
        self._hosts.add(origin)
        # A robots.txt that forbids everything does not forbid itself (RFC 9309, section 2.2.2).
        robots = f"{origin}/robots.txt"
        self._unread.add(robots)
        yield self._request(robots, self.parse_robots, dont_obey_robotstxt=True)
        guess = f"{origin}/sitemap.xml"
        if guess not in self._named:
            self._guesses.add(guess)
        yield from self.ask(guess)

    def ask(self, url: str, depth: int = 0) -> Iterator[Request]:
        """Asks for a sitemap that lies in so many indexes, once."""
        if url in self._named:
            return
        if why := self._bound(depth):
            self._cut(url, why)
        else:
            self._named.add(url)
            self._unread.add(url)
            yield from self._requests(url, depth)

    def _bound(self, depth: int) -> str:
        """Returns the bound that forbids another sitemap inside of so many indexes, empty if none does."""
        if len(self._named) >= MOST_SITEMAPS:
            return f"more than {MOST_SITEMAPS} sitemaps"
        if depth > DEEPEST:
            return f"more than {DEEPEST} indexes in each other"
        return self._exhausted()

    def _exhausted(self) -> str:
        if self._entries_left > 0 and self._bytes_left > 0:
            return ""
        return f"all sitemaps have more than {MOST_ENTRIES_OF_ALL} entries or {MOST_BYTES_OF_ALL} bytes"

    def ask_again(self, host: str) -> Iterator[Request]:
        """Asks once more for the sitemaps that name a host which has come into scope."""
        for url, reading in list(self._readings.items()):
            if host in reading.hosts or reading.any_host:
                del self._readings[url]
                self._unread.add(url)
                for name, count in reading.counts.items():
                    self._count(name, -count)
                yield from self._requests(url, 0)

    def _requests(self, url: str, depth: int) -> Iterator[Request]:
        try:
            yield self._request(url, self.parse, sitemap_depth=depth)
        except ValueError:
            logger.warning("No URL of a sitemap: %s", url)

    def _request(self, url: str, callback: Any, **meta: Any) -> Request:
        # DEPTH_LIMIT is about pages.
        meta = {"depth_reset": True, **meta, "aside": url}
        return Request(url, callback=callback, errback=self.ignore, meta=meta, dont_filter=True)

    def parse_robots(self, response: Response) -> Iterator[Request]:
        """Follows the sitemaps that a robots.txt names."""
        self._unread.discard(response.meta["aside"])
        if isinstance(response, TextResponse):
            yield from self._follow(sitemaps_of_robots(response.body), response.url, 0)

    def _follow(self, references: Iterable[str], base: str, depth: int) -> Iterator[Request]:
        for reference in references:
            url = absolute(reference, base)
            if url is None:
                self._count(f"{LEFT_OUT}malformed/{OTHERS}", 1)
            else:
                self._guesses.discard(url)
                yield from self.ask(url, depth)
            if self._cuts and self._bound(depth):
                # The log has it already.
                return

    async def parse(self, response: Response) -> AsyncIterator[Request]:
        """Makes known what a sitemap lists; asks for the sitemaps that an index names."""
        name = response.meta["aside"]
        if why := self._exhausted():
            self._cut(name, why)
            return
        most_bytes = min(self._bytes_left, self._most_bytes or self._bytes_left)
        sitemap = Sitemap(response.body, most_bytes, min(self._entries_left, MOST_ENTRIES))
        reading = self._readings[name] = _Reading()
        for entries in sitemap.parts():
            if sitemap.kind == INDEX:
                locations = (entry.location for entry in entries)
                for request in self._follow(locations, response.url, response.meta["sitemap_depth"] + 1):
                    yield request
            elif sitemap.kind in KINDS:
                self._list(entries, response.url, reading)
            # A signal is heard between two parts, other answers are taken, and the scope may widen.
            await asyncio.sleep(0)
            if self._readings.get(name) is not reading or self._session.state.broken or self._session.ends:
                return
        self._end(response, sitemap, reading)

    def _end(self, response: Response, sitemap: Sitemap, reading: _Reading) -> None:
        """Notes that a sitemap was read."""
        name, session = response.meta["aside"], self._session
        if sitemap.kind not in KINDS:
            level = logging.INFO if name in self._guesses else logging.WARNING
            logger.log(level, "Not readable as a sitemap: %s", response.url)
            return
        self._entries_left -= sitemap.count
        self._bytes_left -= sitemap.size
        if sitemap.cut:
            self._cut(response.url, sitemap.cut, unnamed=sitemap.kind == INDEX)
        self._unread.discard(name)
        with self._session.writing():
            session.store.sitemaps.replace(name, reading.pages, session.run, whole=sitemap.whole)

    def _list(self, entries: list[Entry], base: str, reading: _Reading) -> None:
        """Makes the entries known that are to be requested, and counts the others."""
        wanted: list[tuple[Target, int | None]] = []
        left_out: Counter[tuple[str, str]] = Counter()
        for location, modified in entries:
            url = absolute(location, base)
            target = None if url is None else self._target(url)
            if target is None:
                left_out["malformed", OTHERS] += 1
            elif target.refusal is None:
                wanted.append((target, modified))
            else:
                left_out[target.refusal, _host(target.url)] += 1
        if wanted:
            self._add(wanted, reading)
        for (reason, host), count in left_out.items():
            self._leave_out(reason, host, count, reading)

    def _add(self, wanted: list[tuple[Target, int | None]], reading: _Reading) -> None:
        session = self._session
        frontier = session.store.frontier
        with self._session.writing():
            for target, modified in wanted:
                page = frontier.add(target, 1)
                reading.pages.append(page)
                if modified is not None:
                    frontier.modify(page, modified, session.round_after)
        self._count(_LISTED, len(wanted), reading)

    def _leave_out(self, reason: str, host: str, count: int, reading: _Reading) -> None:
        if reason == "scope":
            reading.keep(host)
        if len(self._counted_hosts) < _MOST_HOSTS:
            self._counted_hosts.add(host)
        elif host not in self._counted_hosts:
            host = OTHERS
        self._count(f"{LEFT_OUT}{reason}/{host}", count, reading)

    def _count(self, name: str, count: int, reading: _Reading | None = None) -> None:
        self._session.stats.inc_value(name, count)
        if reading is not None:
            reading.counts[name] += count

    def _cut(self, url: str, why: str, *, unnamed: bool = True) -> None:
        """Says that a sitemap is not read, or not to its end; ``unnamed`` tells that it may be one that names
        others.
        """
        if unnamed:
            self._all_named = False
        self._session.stats.inc_value("sitemaps/cut")
        if why not in self._cuts:
            self._cuts.add(why)
            logger.warning("Sitemap not read to its end: %s: %s", url, why)

    def ignore(self, failure: Failure) -> None:
        """Takes that a sitemap or robots.txt cannot be had: a site without them is a site all the same. The
        log has the first sitemap for each reason, if the site or the user names it.
        """
        url = failure.request.meta["aside"]  # type: ignore[attr-defined]
        state, why, _ = what_became(failure.value)
        named = url in self._named and url not in self._guesses
        if named and why not in self._cuts and not isinstance(failure.value, CrawlEnds):
            self._cuts.add(why)
            logger.warning("Sitemap not read: %s: %s", url, why)
        if state == "gone":
            self._unread.discard(url)
            with self._session.writing():
                self._session.store.sitemaps.remove(url)

    def settle(self) -> None:
        """Lets sitemaps that none names any more list nothing, inside a transaction; unless one that could
        name them was not read, or not to its end.
        """
        sitemaps = self._session.store.sitemaps
        read = sitemaps.urls()
        if self._all_named and not any(url in read or url.endswith("/robots.txt") for url in self._unread):
            sitemaps.keep_only(self._named)


def _host(url: str) -> str:
    """The host of a URL in its one form, without the names and passwords that a hostile one may have."""
    return url.partition("://")[2].partition("/")[0].rpartition("@")[2][:_LONGEST_HOST]
