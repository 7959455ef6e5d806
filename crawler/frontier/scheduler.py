"""The store is the frontier: what is to be requested next is asked of it."""

from __future__ import annotations

from collections import defaultdict, deque
from math import inf
from typing import TYPE_CHECKING, Final, Self, cast

from scrapy import Spider, signals
from scrapy.core.scheduler import BaseScheduler
from scrapy.crawler import Crawler
from scrapy.http import Request
from scrapy.utils.asyncio import CallLaterResult, call_later
from scrapy.utils.misc import build_from_crawler, load_object
from twisted.internet.defer import Deferred

from crawler.fetching.internals import ask_scheduler
from crawler.frontier.turns import Slots, Turns
from crawler.run.session import CrawlSession, session_of
from crawler.run.state import Phase
from crawler.run.work import WORK
from store.frontier import Due

if TYPE_CHECKING:
    from scrapy.dupefilters import BaseDupeFilter

    from crawler.spiders.base import PageSpider

BATCH: Final = 256
"""URLs that are read at once of one slot; of many slots together 16 times as many."""


class StoreScheduler(BaseScheduler):
    """Hands out the URLs that the site's store says are due: of each host those nearest to the start first,
    the hosts in turn, as they have free slots (`crawler.frontier.turns`). A slow host delays no other.

    Nothing of the frontier is held in memory but a batch of it, and nothing of it can be lost with the
    process. Requests outside the frontier (sitemaps, retries, the release of held pages) are queued in memory
    and are the first of their host. So are requests of a spider's own callbacks, which Scrapy's duplicate
    filter (``DUPEFILTER_CLASS``) has let pass. While the whole store is worked on
    (`crawler.run.work`) nothing is handed out but the request whose callback does that.

    Setting: ``MAX_PAGES``, the pages that a run stores at most; 0 for no limit. Pages in flight count, so
    that no more than that are ever stored.
    """

    def __init__(self, crawler: Crawler, session: CrawlSession, duplicates: BaseDupeFilter) -> None:
        self._crawler = crawler
        self._session = session
        self._duplicates = duplicates
        self.max_pages = crawler.settings.getint("MAX_PAGES")
        self._requests: defaultdict[str, deque[Request]] = defaultdict(deque)
        self._work: deque[Request] = deque()
        self._hosts: defaultdict[str, set[int]] = defaultdict(set)
        self._batches: dict[str, deque[Due]] = {}
        self._alarm: CallLaterResult | None = None

    @classmethod
    def from_crawler(cls, crawler: Crawler) -> Self:
        """Reads the settings."""
        duplicates = build_from_crawler(load_object(crawler.settings["DUPEFILTER_CLASS"]), crawler)
        return cls(crawler, session_of(crawler), duplicates)

    def open(self, spider: Spider) -> Deferred[None] | None:
        """Takes the spider, which makes the requests for pages."""
        self._spider = cast("PageSpider", spider)
        self._slots = Slots(self._crawler.engine.downloader)
        self._turns = Turns(self._slots)
        hear = self._slots.pauses.hear
        self._crawler.signals.connect(hear, signal=signals.response_downloaded)
        return self._duplicates.open()

    def close(self, reason: str) -> Deferred[None] | None:
        """Waits for no host any more, and closes the duplicate filter."""
        self._silence()
        return self._duplicates.close(reason)

    def has_pending_requests(self) -> bool:
        """Returns True if there is anything left to hand out."""
        if self._requests or self._work:
            return True
        if self._session.state.working or self._ended():
            return False
        self._listen()
        return any(self._batch(key) for key in list(self._hosts))

    def enqueue_request(self, request: Request) -> bool:
        """Takes a request; False where the frontier has dealt with it already (a redirect to a known URL),
        and for a duplicate of a request that may be filtered.
        """
        if "redirect_urls" in request.meta and not self._spider.take_redirect(request):
            return False
        if WORK in request.meta:
            self._work.append(request)
            return True
        if not request.dont_filter and self._duplicates.request_seen(request):
            self._duplicates.log(request, self._spider)
            return False
        key = self._slots.key(request)
        self._requests[key].append(request)
        self._turns.add(key)
        return True

    def next_request(self) -> Request | None:
        """Returns the next request, None if there is no free one at the moment."""
        self._silence()
        if self._work:
            return self._work.popleft()
        if self._session.state.working:
            return None
        self._spider.extend_frontier()
        if self._ended():
            return self._next_aside()
        self._listen()
        while (key := self._turns.choose()) is not None:
            if request := self._take(key):
                self._slots.take(key, request)
                return request
        self._wake_after(self._turns.wait())
        return None

    def _ended(self) -> bool:
        state = self._session.state
        # What is due from the review on, as the round was undone, is for the next run.
        return state.phase != Phase.FETCH or 0 < self.max_pages <= state.seen + len(state.in_flight)

    def _next_aside(self) -> Request | None:
        self._slots.look()
        waits = {key: self._slots.wait(key) for key in self._requests}
        key = min(waits, key=waits.__getitem__, default=None)
        if key is None or not waits[key]:
            return None if key is None else self._pop(key)
        self._wake_after(waits[key])
        return None

    def _pop(self, key: str) -> Request:
        queue = self._requests[key]
        request = queue.popleft()
        if not queue:
            del self._requests[key]
        return request

    def _take(self, key: str) -> Request | None:
        """Returns the next request of a slot; an empty slot is let go."""
        if key in self._requests:
            return self._pop(key)
        while batch := self._batch(key):
            due = batch.popleft()
            self._session.state.hand_out(due.page)
            request = self._spider.page_request(due)
            if request is not None:
                return request
        self._turns.remove(key)
        return None

    def _batch(self, key: str) -> deque[Due] | None:
        """The URLs of a slot that were read last and are left of that, or others; None where none is due."""
        batch = self._batches.get(key)
        if not batch:
            limit = max(4, min(BATCH, 16 * BATCH // (len(self._hosts) or 1)))
            frontier, in_flight = self._session.store.frontier, self._session.state.in_flight
            batch = deque(frontier.due(self._hosts.get(key, ()), limit, in_flight))
            self._batches[key] = batch
        if not batch:
            self._hosts.pop(key, None)
            del self._batches[key]
            return None
        return batch

    def _listen(self) -> None:
        """Takes the hosts of which URLs have become due."""
        frontier = self._session.store.frontier
        hosts = frontier.arrivals()
        if hosts is None:
            hosts = frontier.hosts_due()
            self._hosts.clear()
            self._batches.clear()
        for host, name in hosts.items():
            key = self._key(name)
            self._hosts[key].add(host)
            if frontier.order is not None:
                # What has been found may come before what was read.
                self._batches.pop(key, None)
            self._turns.add(key)

    def _key(self, host: str) -> str:
        try:
            return self._slots.key(Request(f"http://{host}/"))
        except ValueError:
            return ""

    def _wake_after(self, wait: float) -> None:
        if wait < inf:
            self._alarm = call_later(max(0.0, wait), self._wake)

    def _wake(self) -> None:
        self._alarm = None
        # Scrapy itself asks again when a request ends, and every five seconds.
        ask_scheduler(self._crawler)

    def _silence(self) -> None:
        if self._alarm is not None:
            self._alarm.cancel()
            self._alarm = None
