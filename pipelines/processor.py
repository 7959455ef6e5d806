"""Releases held pages: when the crawl runs dry, and at any other end."""

from __future__ import annotations

import asyncio
import logging
import time
from collections.abc import AsyncGenerator, AsyncIterator, Callable, Sequence
from contextlib import aclosing
from functools import partial
from typing import Any, Self

from scrapy import signals
from scrapy.crawler import Crawler
from scrapy.exceptions import DontCloseSpider, DropItem
from scrapy.http import Request, Response
from scrapy.pipelines import ItemPipelineManager
from twisted.python.failure import Failure

from crawler.items import HeldPage
from crawler.run.review import Review
from crawler.run.session import session_of
from crawler.run.state import Phase
from crawler.run.work import Stopped
from release.documents import Judged
from store.documents import ObsoletePage
from store.errors import StoreError

logger = logging.getLogger(__name__)


class ReleasingItemProcessor(ItemPipelineManager):
    """Scrapy's item pipelines, which held pages go through once more when the site's templates are known.

    At the first idle moment templates are detected, off the reactor's thread, and the held pages are yielded
    by the callback of a request, so that Scrapy's own limits and feeds apply. A crawl that ends in any other
    way (a limit, Ctrl-C, memory) releases before its pipelines close.

    Settings: ``DETECTION``, ``TEMPLATE_MIN_PAGES``, ``TEMPLATE_MIN_SHARE``, ``TEMPLATE_NEAR_DUPLICATES``,
    ``REPEATED_BLOCK_SHARE``.
    Stats: ``templates/count``, ``templates/seconds``, ``documents/untouched``, ``release/processes``,
    ``release/seconds``.
    """

    _crawler: Crawler

    def __init__(self, *middlewares: Any, crawler: Crawler) -> None:
        super().__init__(*middlewares, crawler=crawler)
        self._crawler = crawler
        self._session = session_of(crawler)
        self._review = Review(self._session, crawler.settings)
        self._tell = partial(crawler.signals.send_catch_log_async, response=None, spider=crawler.spider)
        self._max_pages = crawler.settings.getint("MAX_PAGES")
        self._began: float | None = None
        self._stages: AsyncGenerator[AsyncGenerator[Judged | ObsoletePage]] | None = None

    @classmethod
    def from_crawler(cls, crawler: Crawler) -> Self:
        """Builds the pipelines and listens for the idle moment."""
        manager = super().from_crawler(crawler)
        crawler.signals.connect(manager.spider_idle, signal=signals.spider_idle)
        return manager

    def spider_idle(self) -> None:
        """Schedules what comes next: the release, and what has to wait until its pages have gone out."""
        if self._session.state.interrupted:
            return
        if self._session.state.phase != Phase.FETCH:
            if self._stages is None:
                return
            self._schedule(self._next_stage)
        elif not self._session.state.working:
            self._session.settle_lost()
            if self._crawler.engine.spider_is_idle():
                self._schedule(self._release_held)
        raise DontCloseSpider

    def _schedule(self, callback: Callable[[Response], Any]) -> None:
        self._crawler.engine.crawl(Request("data:,", callback=callback, dont_filter=True))

    async def _goes_on(self) -> bool:
        """Returns True if the crawl has found more to fetch than links have led to so far."""
        work = self._session.work
        try:
            again = await work.do("following links anew", self._review.more_to_fetch)
        except Stopped:
            return True
        except Exception as error:
            self._break_off(error)
            return False
        return again and (not self._max_pages or self._session.state.seen < self._max_pages)

    async def _release_held(self, _: Response) -> AsyncIterator[HeldPage | ObsoletePage]:
        if not self._session.state.broken and await self._goes_on():
            return
        if await self._begin(early=False):
            async for item in self._next_stage():
                yield item

    async def _next_stage(self, *_: Response) -> AsyncIterator[HeldPage | ObsoletePage]:
        """Yields the items that go out once all earlier ones are through the pipelines."""
        assert self._stages is not None
        try:
            stage = await anext(self._stages, None)
            if stage is None:
                self._stages = None
                for url in await self._session.work.do("comparing stores", self._review.no_more):
                    yield ObsoletePage(0, url, "gone")
                return
            self._session.stats.max_value("release/processes", self._session.release.processes)
            async with aclosing(stage):
                async for item in stage:
                    if self._session.state.broken:
                        return
                    yield HeldPage(*item) if isinstance(item, tuple) else item
        except Stopped:
            return
        except Exception as error:
            # Else the run would count as released, without its other stages.
            self._break_off(error)

    def _break_off(self, error: Exception) -> None:
        """Ends the crawl; what a release that failed has left is the next run's."""
        if not isinstance(error, (StoreError, OSError)):
            logger.exception("The release has failed; the next run goes on with it")
        self._session.stop(error)

    async def close_spider_async(self) -> None:
        """Releases what is still held, then closes the pipelines. A run that ends early deletes nothing."""
        if await self._begin(early=True):
            async for page in self._next_stage():
                await self._process(page)
                # A pipeline that waits for nothing would keep everyone waiting: Ctrl-C, too.
                await asyncio.sleep(0)
        self._session.release.close()
        await super().close_spider_async()
        if self._began is not None:
            self._session.stats.set_value("release/seconds", round(time.monotonic() - self._began, 3))

    async def _begin(self, *, early: bool) -> bool:
        """Reviews the round and finds its templates, once; returns whether there is anything to release.

        What a release that failed or was stopped has left is the next run's.
        """
        session, work = self._session, self._session.work
        if session.state.phase != Phase.FETCH or session.state.stopped:
            return False
        session.state.review()
        if session.readers is not None:
            # The processes that judge pages take their memory and their cores.
            session.readers.close()
        self._session.release.prepare(session.state.held)
        try:
            return await work.do("reviewing the round", lambda: self._prepare(early=early))
        except Stopped:
            logger.warning("Stopped before all was known: the next run releases the pages")
        except Exception as error:
            self._break_off(error)
        return False

    def _prepare(self, *, early: bool) -> bool:
        if not self._review.passes(early=early):
            return False
        session = self._session
        for call in session.before_release:
            call()
        session.take_decisions()
        if not session.release.is_due():
            return False
        self._review.doubt_home()
        session.state.release()
        self._began = time.monotonic()
        pages = self._detect()
        self._stages = session.release.stages(pages, session.work.do, self._review.deletions_pass)
        return True

    def _detect(self) -> Sequence[int]:
        """Finds the site's evidence; returns the pages that are to be judged by it."""
        session, stats, started = self._session, self._session.stats, time.monotonic()
        session.release.evidence(begin=session.state.go_on_with, tell=session.work.tell)
        session.state.go_on_with("choosing the pages to judge")
        stats.set_value("templates/seconds", round(time.monotonic() - started, 3))
        stats.set_value("templates/count", session.store.templates.count())
        pages, untouched = session.release.pages_to_judge()
        stats.set_value("documents/untouched", untouched)
        return pages

    async def _process(self, page: HeldPage | ObsoletePage) -> None:
        """As Scrapy's scraper does, which takes no items any more when the crawl is closing."""
        try:
            output = await self.process_item_async(page)
        except DropItem as dropped:
            await self._tell(signal=signals.item_dropped, item=page, exception=dropped)
        except Exception:
            logger.exception("Error processing page %d", page.page_id)
            failure = Failure()  # type: ignore[no-untyped-call]
            await self._tell(signal=signals.item_error, item=page, failure=failure)
        else:
            await self._tell(signal=signals.item_scraped, item=output)
