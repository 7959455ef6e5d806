"""Releases held pages: when the crawl runs dry, and at any other end."""

from __future__ import annotations

import asyncio
import time
from typing import TYPE_CHECKING, Self, cast

from scrapy import signals
from scrapy.exceptions import DontCloseSpider, DropItem
from scrapy.http import Request
from scrapy.pipelines import ItemPipelineManager
from twisted.python.failure import Failure

from crawler.items import HeldPage
from crawler.plan import detector_of
from pipelines.stripping import StrippingPipeline
from store.errors import StoreError

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Iterator

    from scrapy.crawler import Crawler
    from scrapy.http import Response

    from crawler.pagespider import PageSpider


class ReleasingItemProcessor(ItemPipelineManager):
    """Scrapy's item pipelines, which held pages go through once more when the site's templates are known.

    At the first idle moment templates are detected, off the reactor's thread, and the held pages are yielded
    by the callback of a request, so that Scrapy's own limits and feeds apply. A crawl that ends in any other
    way (a limit, Ctrl-C, memory) releases before its pipelines close.

    Settings: ``DETECTION``, ``TEMPLATE_MIN_PAGES``, ``TEMPLATE_MIN_SHARE``, ``REPEATED_BLOCK_SHARE``,
    ``DUCKDB_MEMORY_LIMIT``, ``DUCKDB_THREADS``. Stats: ``templates/count``, ``templates/seconds``,
    ``pages/duplicates``.
    """

    _crawler: Crawler
    _scheduled = _started = False

    @classmethod
    def from_crawler(cls, crawler: Crawler) -> Self:
        """Builds the pipelines and listens for the idle moment."""
        manager = super().from_crawler(crawler)
        manager._crawler = crawler
        crawler.signals.connect(manager.spider_idle, signal=signals.spider_idle)
        return manager

    @property
    def _spider(self) -> PageSpider:
        return cast("PageSpider", self._crawler.spider)

    def spider_idle(self) -> None:
        """Schedules the release, once."""
        if self._scheduled:
            return
        self._spider.settle_lost()
        if self._crawler.engine.spider_is_idle():
            self._scheduled = True
            self._crawler.engine.crawl(Request("data:,", callback=self._release, dont_filter=True))
        raise DontCloseSpider

    async def _release(self, response: Response) -> AsyncIterator[HeldPage]:
        del response
        async for page in self._held_pages():
            yield page

    async def close_spider_async(self) -> None:
        """Releases what is still held, then closes the pipelines."""
        async for page in self._held_pages():
            await self._process(page)
        await super().close_spider_async()

    async def _held_pages(self) -> AsyncIterator[HeldPage]:
        """The pages to release, once: what a release that failed has left is the next run's."""
        job = self._spider.job
        if self._started or job.broken:
            return
        self._started = True
        try:
            if not job.store.documents.pending():
                # A run that stored nothing has no evidence: documents and templates of earlier runs stay.
                return
            await self._detect()
        except (StoreError, OSError) as error:
            self._spider.stop(error)
            return
        except Exception as error:
            self._spider.logger.exception("No templates were found; the next run releases the pages")
            self._spider.stop(error)
            return
        for page in self._to_release():
            yield page

    def _to_release(self) -> Iterator[HeldPage]:
        job = self._spider.job
        job.phase = "releasing documents"
        for page_id in job.store.documents.to_release(job.run):
            if job.broken:
                return
            yield HeldPage(page_id)

    async def _detect(self) -> None:
        job, stats, settings = self._spider.job, self._crawler.stats, self._crawler.settings
        detector = detector_of(settings)
        job.phase = "detecting templates"
        started = time.monotonic()
        with job.store.transaction():
            job.store.pages.clear_unused()
        found = await asyncio.to_thread(detector.find, job.store)
        detector.save(job.store, found, job.run)
        stats.set_value("templates/seconds", round(time.monotonic() - started, 3))
        stats.set_value("templates/count", job.store.templates.count())
        stats.set_value("pages/duplicates", job.store.documents.duplicates())
        for pipeline in self.middlewares:
            if isinstance(pipeline, StrippingPipeline):
                pipeline.use(detector)

    async def _process(self, page: HeldPage) -> None:
        """As Scrapy's scraper does, which takes no items any more when the crawl is closing."""
        send = self._crawler.signals.send_catch_log_async
        try:
            output = await self.process_item_async(page)
        except DropItem as dropped:
            await send(
                signal=signals.item_dropped, item=page, response=None, spider=self._spider, exception=dropped
            )
        except Exception:
            self._spider.logger.exception("Error processing page %d", page.page_id)
            await send(
                signal=signals.item_error,
                item=page,
                response=None,
                spider=self._spider,
                failure=Failure(),  # type: ignore[no-untyped-call]
            )
        else:
            await send(signal=signals.item_scraped, item=output, response=None, spider=self._spider)
