"""Judges the pages of items that wait, and lets these go on through the pipelines and feeds."""

from __future__ import annotations

import logging
import time
from itertools import islice
from typing import TYPE_CHECKING, Any, Final, NamedTuple

from scrapy import signals
from scrapy.exceptions import DropItem
from scrapy.http import HtmlResponse, Request
from scrapy.utils.asyncio import run_in_thread
from scrapy.utils.defer import deferred_from_coro, maybe_deferred_to_future
from scrapy.utils.log import logformatter_adapter
from twisted.internet.defer import DeferredList
from twisted.python.failure import Failure

from pagelets.integrations.scrapy.sites import JudgedSite, Part, parts

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping

    from scrapy.crawler import Crawler

    from pagelets.integrations.scrapy.configuration import Fields
    from pagelets.integrations.scrapy.waiting import FetchedPage, Waiting

logger = logging.getLogger(__name__)
_scraper = logging.getLogger("scrapy.core.scraper")
"""Lines about items have the same logger as in Scrapy."""

_TOGETHER: Final = 32
"""Pages that are added to a site before the reactor has its turn."""
_TELL: Final = 10.0
"""Seconds between two lines of the log on how far the release is."""


class _Ready(NamedTuple):
    """An item, the response that it came from, and its fields with those of the document; the latter is None
    if the page could not be judged.
    """

    number: int
    item: Any
    response: HtmlResponse
    wanted: Mapping[str, str]
    document: Mapping[str, Any] | None


class Release:
    """Lets items go on that wait: the sites one after the other, the items of a site in their order.

    Pages are judged in a thread, so that the reactor goes on hearing signals; as many items as
    ``CONCURRENT_ITEMS`` says are in the pipelines at once.
    """

    def __init__(self, crawler: Crawler, waiting: Waiting, fields: Fields, site: Mapping[str, Any]) -> None:
        self._crawler = crawler
        self._waiting = waiting
        self._fields = fields
        self._site = site
        self._judged = 0
        self._failed = False
        self._seconds = 0.0
        self._most = crawler.settings.getint("CONCURRENT_ITEMS")
        self._most_bytes = crawler.settings.getint("SCRAPER_SLOT_MAX_ACTIVE_SIZE")

    async def run(self) -> None:
        """Lets all items go on that wait now. Those that cannot be read stay where they are."""
        waiting, stats = self._waiting, self._crawler.stats
        count, told = len(waiting), time.monotonic()
        logger.info("Judging the pages of %d items that wait in %s", count, waiting.folder)
        self._judged, judged = len(waiting.sites), self._judged
        for part in parts(waiting, judged):
            stats.inc_value("pagelets/sites")
            items, site = iter(part.items), await self._judged_site(part)
            try:
                while ready := await self._timed(self._take, items, site):
                    await maybe_deferred_to_future(
                        DeferredList([deferred_from_coro(self._go_on(one)) for one in ready])
                    )
                    if time.monotonic() - told > _TELL:
                        told = time.monotonic()
                        logger.info("Released %d of %d items", count - len(waiting), count)
            finally:
                if site is not None:
                    site.close()

    async def _timed(self, function: Callable[..., Any], *arguments: Any) -> Any:
        """Runs a function in a thread, and counts its seconds."""
        began = time.monotonic()
        try:
            return await run_in_thread(function, *arguments)
        finally:
            self._seconds += time.monotonic() - began
            self._crawler.stats.set_value("pagelets/seconds", round(self._seconds, 3))

    async def _judged_site(self, part: Part) -> JudgedSite | None:
        """Returns the site of pages, None if it cannot be judged."""
        pages, site = iter(part.pages), None
        try:
            site = JudgedSite(self._site)
            while some := list(islice(pages, _TOGETHER)):
                await self._timed(site.add, map(self._waiting.page, some))
            await self._timed(site.learn)
        except Exception as error:
            self._tell(error)
            if site is not None:
                site.close()
            return None
        return site

    def _tell(self, error: Exception) -> None:
        """Tells of the first failure in full; what fails later is counted."""
        if not self._failed:
            self._failed = True
            logger.warning("Items go on without clean fields: their pages cannot be judged", exc_info=error)

    def _take(self, items: Iterator[tuple[int, int]], site: JudgedSite | None) -> list[_Ready]:
        """Returns the next items with the documents of their pages; none if there are no more."""
        ready: list[_Ready] = []
        responses: dict[int, tuple[FetchedPage, HtmlResponse]] = {}
        documents: dict[tuple[int, tuple[str, ...]], Mapping[str, Any] | None] = {}
        size = 0
        for number, page in items:
            try:
                item = self._waiting.item(number)
                if page not in responses:
                    fetched = self._waiting.page(page)
                    responses[page] = fetched, _response(fetched)
                    size += len(fetched.body)
            except Exception as error:
                self._waiting.give_up(number)
                logger.error("An item cannot be read: %s", error)  # noqa: TRY400 - its class is gone
                continue
            fetched, response = responses[page]
            wanted = self._fields.of(item)
            asked = tuple(sorted(set(wanted.values())))
            if (page, asked) not in documents:
                documents[page, asked] = self._document(site, fetched, asked)
            ready.append(_Ready(number, item, response, wanted, documents[page, asked]))
            if len(ready) >= self._most or size >= self._most_bytes:
                break
        return ready

    def _document(
        self, site: JudgedSite | None, page: FetchedPage, fields: tuple[str, ...]
    ) -> Mapping[str, Any] | None:
        if site is None or not fields:
            return None
        try:
            return site.document(page, fields)
        except Exception as error:
            self._tell(error)
            return None

    async def _go_on(self, ready: _Ready) -> None:
        """Fills an item, and does with it as Scrapy's scraper does. That waits at the close of a crawl for
        the items that it has taken, and does not see those end that come from no response.
        """
        number, item, response, wanted, document = ready
        crawler, spider = self._crawler, self._crawler.spider
        assert spider is not None
        fill(crawler, self._fields, item, wanted, document)
        told = {"item": item, "response": response, "spider": spider}
        formatter, tell = crawler.logformatter, crawler.signals.send_catch_log_async
        try:
            output = await crawler.engine.scraper.itemproc.process_item_async(item)
        except DropItem as dropped:
            self._log(formatter.dropped(item, dropped, response, spider), item)
            await tell(signal=signals.item_dropped, exception=dropped, **told)
        except Exception as error:
            failure = Failure()  # type: ignore[no-untyped-call]
            self._log(formatter.item_error(item, error, response, spider), item, exc_info=True)
            await tell(signal=signals.item_error, failure=failure, **told)
        else:
            self._log(formatter.scraped(output, response, spider), output)
            await tell(signal=signals.item_scraped, **{**told, "item": output})
        self._waiting.release(number)

    def _log(self, message: Any, item: Any, **options: Any) -> None:
        if message is not None:
            extra = {"spider": self._crawler.spider, "item": item}
            _scraper.log(*logformatter_adapter(message), extra=extra, **options)


def fill(
    crawler: Crawler, fields: Fields, item: Any, wanted: Mapping[str, str], document: Mapping[str, Any] | None
) -> None:
    """Gives an item its fields, and counts it.

    Args:
        crawler: has the stats.
        fields: knows which fields items get.
        item: the item.
        wanted: the fields that it gets.
        document: the document of its page; None if that could not be judged.

    """
    if not wanted:
        return
    filled = document is not None and fields.fill(item, wanted, document)
    crawler.stats.inc_value(f"pagelets/items_{'filled' if filled else 'failed'}")


def _response(page: FetchedPage) -> HtmlResponse:
    """Returns the response that a page was made of."""
    request = Request(page.url, method=page.method, dont_filter=True)
    return HtmlResponse(
        page.url,
        status=page.status,
        headers=page.headers,
        body=page.body,
        flags=page.flags,
        request=request,
        encoding=page.encoding,
    )
