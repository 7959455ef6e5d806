"""Holds the items of HTML responses until their site is known."""

from __future__ import annotations

import logging
import tempfile
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING, Any, Self
from urllib.parse import quote

from itemadapter import ItemAdapter
from scrapy import signals
from scrapy.exceptions import DontCloseSpider
from scrapy.http import HtmlResponse, Request, Response
from scrapy.utils.asyncio import run_in_thread
from scrapy.utils.defer import deferred_from_coro, maybe_deferred_to_future
from scrapy.utils.job import job_dir

from pagelets.extraction import now
from pagelets.integrations.scrapy.configuration import Configuration, Fields
from pagelets.integrations.scrapy.release import Release, fill
from pagelets.integrations.scrapy.sites import KnownSites, site_of
from pagelets.integrations.scrapy.waiting import FetchedPage, Waiting
from pagelets.reading.source import encoding_of_response

if TYPE_CHECKING:
    from collections.abc import AsyncIterator

    from scrapy.crawler import Crawler
    from twisted.internet.defer import Deferred

logger = logging.getLogger(__name__)


class HoldItems:
    """Takes items from the output of callbacks, with the page of their response, and has them released when
    the spider is idle. What ends a crawl earlier calls `release_all`.

    Items without a response with HTML go on at once, as those do that lack no field. A page counts for its
    site if its callback yields anything.

    Stats: ``pagelets/pages``, ``pagelets/items_held``, ``pagelets/items_at_once``, ``pagelets/items_filled``,
    ``pagelets/items_failed``, ``pagelets/sites``, ``pagelets/seconds``.
    """

    def __init__(self, crawler: Crawler, configuration: Configuration) -> None:
        self._crawler = crawler
        self._configuration = configuration
        self._fields = Fields(configuration.fields)
        self._known = KnownSites(configuration.site)
        self._waiting: Waiting | None = None
        self._release: Release | None = None
        self._releasing: Deferred[None] | None = None
        self._has_failed = False

    @classmethod
    def from_crawler(cls, crawler: Crawler) -> Self:
        """Reads the settings, and listens for the spider."""
        held = cls(crawler, Configuration.of(crawler.settings))
        crawler.signals.connect(held.spider_opened, signal=signals.spider_opened)
        crawler.signals.connect(held.spider_idle, signal=signals.spider_idle)
        crawler.signals.connect(held.spider_closed, signal=signals.spider_closed)
        return held

    def spider_opened(self) -> None:
        """Opens the folder in which items of a crawl that was killed may wait."""
        if not self._configuration.waits or (folder := self._lasting_folder()) is None:
            return
        try:
            waiting = self._open(folder)
        except OSError as error:
            logger.warning("Items cannot wait in %s: %s; give PAGELETS_FOLDER another", folder, error)
            return
        if len(waiting):
            logger.info("%d items of an earlier crawl wait in %s", len(waiting), folder)

    def _lasting_folder(self) -> Path | None:
        """Returns the folder for a spider's items; None if no settings name one."""
        job = job_dir(self._crawler.settings)
        given = self._configuration.folder or (job and Path(job) / "pagelets")
        return Path(given) / quote(self._crawler.spidercls.name, safe="") if given else None

    def _open(self, folder: Path) -> Waiting:
        waiting = self._waiting = Waiting(folder)
        self._release = Release(self._crawler, waiting, self._fields, self._configuration.site)
        return waiting

    def _to_wait(self) -> Waiting:
        """Returns where items wait. Raises OSError if there is no place."""
        if self._waiting is not None:
            return self._waiting
        parent = Path(tempfile.mkdtemp(prefix="pagelets-"))
        logger.info(
            "Items wait in %s until the spider is idle or closes; if the process is killed, the next crawl "
            "with PAGELETS_FOLDER=%s releases them",
            parent,
            parent,
        )
        return self._open(parent / quote(self._crawler.spidercls.name, safe=""))

    async def process_spider_output(
        self, response: Response, result: AsyncIterator[Any]
    ) -> AsyncIterator[Any]:
        """Yields what does not wait."""
        if not isinstance(response, HtmlResponse):
            async for output in result:
                yield output
            return
        page: FetchedPage | None = None
        number: int | None = None
        async for output in result:
            if page is None:
                page = _fetched(response)
                number = self._count(page)
            is_item = not isinstance(output, Request) and ItemAdapter.is_item(output)
            wanted = self._fields.of(output) if is_item else {}
            if wanted and self._hold(number, output):
                continue
            if wanted:
                await self._fill_at_once(page, output, wanted)
            yield output

    def _count(self, page: FetchedPage) -> int | None:
        """Writes a page, which counts for its site; returns its number, None if it was not written."""
        self._crawler.stats.inc_value("pagelets/pages")
        if self._configuration.waits:
            try:
                return self._to_wait().put_page(site_of(page.url), page)
            except Exception as error:
                self._tell(error)
        return None

    def _hold(self, page: int | None, item: Any) -> bool:
        """Has an item of a page wait; returns False if it cannot."""
        if self._waiting is None or page is None:
            return False
        try:
            self._waiting.put_item(page, item)
        except Exception as error:
            self._tell(error)
            return False
        self._crawler.stats.inc_value("pagelets/items_held")
        return True

    async def _fill_at_once(self, page: FetchedPage, item: Any, wanted: dict[str, str]) -> None:
        """Gives an item its fields by what is known so far."""
        self._crawler.stats.inc_value("pagelets/items_at_once")
        document = None
        try:
            document = await run_in_thread(self._known.document, page, sorted(set(wanted.values())))
        except Exception as error:
            self._tell(error)
        fill(self._crawler, self._fields, item, wanted, document)

    def _tell(self, error: Exception) -> None:
        """Tells of the first failure; what fails later is counted."""
        if not self._has_failed:
            self._has_failed = True
            logger.warning("An item goes on before all pages of its site are known: %s", error)

    def spider_idle(self) -> None:
        """Keeps the spider open while items wait, and releases them."""
        if self._releasing is None and self._waiting is not None and len(self._waiting):
            self._releasing = deferred_from_coro(self._release_now())
        if self._releasing is not None:
            raise DontCloseSpider

    async def _release_now(self) -> None:
        assert self._release is not None
        try:
            await self._release.run()
        except Exception:
            assert self._waiting is not None
            logger.exception("Not all items were released; they wait in %s", self._waiting.folder)
            self._waiting.give_up()
        finally:
            self._releasing = None
            # Without this the engine checks for the end at its next heartbeat, up to 5 seconds later.
            with suppress(AttributeError):
                self._crawler.engine._slot.nextcall.schedule()  # type: ignore[union-attr]

    async def release_all(self) -> None:
        """Releases what waits, at the latest moment that the pipelines are open."""
        if self._releasing is not None:
            await maybe_deferred_to_future(self._releasing)
        if self._waiting is not None and len(self._waiting):
            # Pipelines may download files; a closing engine must not run out of requests a second time.
            with suppress(AttributeError):
                self._crawler.engine._slot.add_request(Request("data:,"))  # type: ignore[union-attr]
            await self._release_now()

    def spider_closed(self, reason: str) -> None:
        """Closes the files; the pages of a job that goes on are kept, as they count for its next pages."""
        self._known.close()
        if self._waiting is None:
            return
        self._waiting.close(keeps_pages=bool(job_dir(self._crawler.settings)) and reason != "finished")
        if len(self._waiting):
            logger.error("%d items still wait in %s", len(self._waiting), self._waiting.folder)


def _fetched(response: HtmlResponse) -> FetchedPage:
    request = response.request
    content_type = (response.headers.get(b"Content-Type") or b"").decode("latin-1")
    return FetchedPage(
        response.url,
        response.status,
        dict(response.headers.items()),
        response.body,
        encoding_of_response(response._declared_encoding(), response.body, content_type, response.url),
        now(),
        list(response.flags),
        "GET" if request is None else request.method,
    )
