"""Ends what waits in the downloader when a crawl is to end."""

from __future__ import annotations

import asyncio
from collections.abc import Iterable
from typing import Any, Final

from scrapy import Request, Spider
from scrapy.crawler import Crawler
from scrapy.exceptions import IgnoreRequest
from scrapy.http import Response
from scrapy.utils.asyncio import AsyncioLoopingCall, create_looping_call
from twisted.internet import defer
from twisted.internet.defer import Deferred
from twisted.internet.task import LoopingCall
from twisted.python.failure import Failure

from crawler.fetching.internals import DownloaderParts, is_closing

_LOOK: Final = 0.1
"""Seconds between two looks at whether the crawl is to end. Scrapy sends no signal before it waits."""

_CANCELLED: Final = (asyncio.CancelledError, defer.CancelledError)


class CrawlEnds(IgnoreRequest):
    """The crawl ended before a request had its answer. Raised by `StoppableDownloader`; the URL stays due."""


class StoppableDownloader(DownloaderParts):
    """Scrapy's downloader, which lets nothing that waits delay the end of a crawl.

    Whatever ends the crawl, requests that wait for a delay (``Crawl-delay``, ``DOWNLOAD_DELAY``,
    AutoThrottle) are dropped, and no request begins any more. Ctrl-C and SIGTERM also end the requests that
    are under way: a download, a look-up of a name, a robots.txt that others wait for, a page in the browser.
    All of them end with CrawlEnds.
    """

    def __init__(self, crawler: Crawler) -> None:
        super().__init__(crawler)
        self._fetches: dict[Request, Deferred[Response | Request]] = {}
        self._watch: AsyncioLoopingCall | LoopingCall | None = None

    def fetch(self, request: Request, spider: Spider | None = None) -> Deferred[Response | Request]:
        """Downloads a request; fails with CrawlEnds where the crawl ends before that is done."""
        if is_closing(self.crawler):
            return defer.fail(CrawlEnds())
        if self._watch is None:
            self._watch = create_looping_call(self._look)
            self._watch.start(_LOOK)
        fetch: Deferred[Response | Request] = super().fetch(request)
        self._fetches[request] = fetch
        return fetch.addBoth(self._ended, request)

    def close(self) -> None:
        """Looks no more, as the crawl has ended."""
        if self._watch is not None and self._watch.running:
            self._watch.stop()
        super().close()

    def _ended(self, result: Any, request: Request) -> Any:
        del self._fetches[request]
        if isinstance(result, Failure) and isinstance(result.value, _CANCELLED):
            raise CrawlEnds from None
        return result

    def _look(self) -> None:
        if not is_closing(self.crawler):
            return
        assert self._watch is not None
        self._watch.stop()
        self._cancel(self.take_queued())
        if not self.crawler.crawling:
            self.abort_transfers()
            self._cancel(list(self._fetches))

    def _cancel(self, requests: Iterable[Request]) -> None:
        for request in requests:
            if request in self._fetches:
                self._fetches[request].cancel()
