"""Releases held pages: when the crawl runs dry, and at any other end."""

from __future__ import annotations

import asyncio
import time
from collections import deque
from contextlib import aclosing
from dataclasses import replace
from functools import cached_property
from typing import TYPE_CHECKING, Any, Final, Self, cast

from scrapy import signals
from scrapy.exceptions import DontCloseSpider, DropItem
from scrapy.http import Request
from scrapy.pipelines import ItemPipelineManager
from twisted.python.failure import Failure

from crawler.configuration.detectors import detector_of, judgement_before
from crawler.run.review import Review
from crawler.run.state import Phase
from crawler.run.work import Stopped
from pipelines.stripping import StrippingPipeline
from store.errors import StoreError
from store.judging import JUDGEMENT, UNSEEN

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Callable, Iterator, Sequence

    from scrapy.crawler import Crawler
    from scrapy.http import Response

    from crawler.items import HeldPage
    from crawler.spiders.base import PageSpider
    from store.detection import Detector
    from store.documents import ObsoletePage

JUDGED_WITH: Final = "judged_with"
"""The key of `Store.meta` that tells what the documents were judged with."""

DETECTED_OVER: Final = "detected_over"
"""The key of `Store.meta` that tells which pages the templates were found on."""

_TURNS: Final = 8
"""So often pages are judged anew because others stand for them now; chains of near-duplicates are shorter."""


class ReleasingItemProcessor(ItemPipelineManager):
    """Scrapy's item pipelines, which held pages go through once more when the site's templates are known.

    At the first idle moment templates are detected, off the reactor's thread, and the held pages are yielded
    by the callback of a request, so that Scrapy's own limits and feeds apply. A crawl that ends in any other
    way (a limit, Ctrl-C, memory) releases before its pipelines close.

    Settings: ``DETECTION``, ``TEMPLATE_MIN_PAGES``, ``TEMPLATE_MIN_SHARE``, ``REPEATED_BLOCK_SHARE``,
    Stats: ``templates/count``, ``templates/seconds``,
    ``pages/duplicates``, ``release/seconds``.
    """

    _crawler: Crawler

    def __init__(self, *middlewares: Any, crawler: Crawler | None = None) -> None:
        super().__init__(*middlewares, crawler=crawler)
        self._began: float | None = None
        self._later: deque[Callable[[Response], Any]] = deque()
        self._turns = 0
        self._waiting: list[int] = []

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

    @cached_property
    def _review(self) -> Review:
        return Review(self._spider, self._crawler.settings, self._crawler.stats)

    @cached_property
    def _stripping(self) -> StrippingPipeline:
        return next(pipeline for pipeline in self.middlewares if isinstance(pipeline, StrippingPipeline))

    @property
    def _judged_with(self) -> str:
        return f"{detector_of(self._crawler.settings)} {self._spider.job.store.decisions.digest()}"

    def spider_idle(self) -> None:
        """Schedules what comes next: the release, and what has to wait until its pages have gone out."""
        if self._spider.job.state.interrupted:
            return
        if self._spider.job.state.phase != Phase.FETCH:
            if not self._later:
                return
            self._schedule(self._later.popleft())
        elif not self._spider.job.state.working:
            self._spider.settle_lost()
            if self._crawler.engine.spider_is_idle():
                self._schedule(self._release)
        raise DontCloseSpider

    def _schedule(self, callback: Callable[[Response], Any]) -> None:
        self._crawler.engine.crawl(Request("data:,", callback=callback, dont_filter=True))

    async def _goes_on(self) -> bool:
        """Whether the crawl has found more to fetch than links have led to so far."""
        work = self._spider.work
        try:
            return await work.do("following links anew", self._review.more_to_fetch) and self._has_room()
        except Stopped:
            return True
        except StoreError as error:
            self._spider.stop(error)
            return False

    def _has_room(self) -> bool:
        job, limit = self._spider.job, self._crawler.settings.getint("MAX_PAGES")
        return not limit or job.state.seen < limit

    async def _release(self, response: Response) -> AsyncIterator[HeldPage]:
        del response
        if not self._spider.job.state.broken and await self._goes_on():
            return
        if not await self._begin(early=False):
            return
        self._later.extend([self._release_marked, self._delete])
        async for page in self._held(self._waiting):
            yield page

    async def _release_marked(self, response: Response) -> AsyncIterator[HeldPage]:
        """Which page stands for another may change though the other is not judged again itself."""
        del response
        try:
            changed = await self._spider.work.do("comparing documents", self._stripping.marks_changed)
        except Stopped:
            return
        self._turns += 1
        if changed and self._turns < _TURNS:
            # A page that is left out now, or no more, may have stood for others.
            self._later.appendleft(self._release_marked)
        async for page in self._held(changed):
            yield page

    def _delete(self, response: Response) -> Iterator[ObsoletePage]:
        del response
        job = self._spider.job
        obsolete = job.store.documents.obsolete(job.run)
        if self._review.deletions_pass(len(obsolete)):
            for page in obsolete:
                if not job.state.broken:
                    yield page

    async def close_spider_async(self) -> None:
        """Releases what is still held, then closes the pipelines. A run that ends early deletes nothing."""
        if await self._begin(early=True):
            async for page in self._held(self._waiting):
                await self._process(page)
                # A pipeline that waits for nothing would keep everyone waiting: Ctrl-C, too.
                await asyncio.sleep(0)
        await super().close_spider_async()
        if self._began is not None:
            self._crawler.stats.set_value("release/seconds", round(time.monotonic() - self._began, 3))

    async def _begin(self, *, early: bool) -> bool:
        """Reviews the round and finds its templates, once; returns whether there is anything to release.

        What a release that failed or was stopped has left is the next run's.
        """
        job, work = self._spider.job, self._spider.work
        if job.state.phase != Phase.FETCH or job.state.stopped:
            return False
        job.state.review()
        self._stripping.prepare(job.state.held)
        try:
            return await work.do("reviewing the round", lambda: self._prepare(early=early))
        except Stopped:
            self._spider.logger.warning("Stopped before all was known: the next run releases the pages")
        except (StoreError, OSError) as error:
            self._spider.stop(error)
        except Exception as error:
            self._spider.logger.exception("No templates were found; the next run releases the pages")
            self._spider.stop(error)
        return False

    def _prepare(self, *, early: bool) -> bool:
        if not self._review.passes(early=early):
            return False
        self._spider.job.take_decisions()
        if not self._has_work():
            return False
        self._spider.job.state.release()
        self._began = time.monotonic()
        self._detect(clear=not early)
        self._waiting = self._stripping.reached(
            self._spider.job.store.documents.to_release(self._spider.job.run)
        )
        return True

    def _has_work(self) -> bool:
        """Whether any document is to go out, be deleted, or be judged in another way.

        A run without has no new evidence: documents and templates of earlier runs stay.
        """
        store = self._spider.job.store
        waiting = store.documents.pending() or store.documents.obsolete()
        same_pages = store.meta(DETECTED_OVER) == store.documents.evidence_pages()
        return bool(waiting) or not same_pages or store.meta(JUDGED_WITH) != self._judged_with

    def _judged_alike(self, detector: Detector) -> tuple[bool, bool]:
        """Whether all is as it was when documents were last judged, and whether what judges them is."""
        meta, decided = self._spider.job.store.meta, self._spider.job.store.decisions.digest()
        before = replace(detector, judgement=judgement_before(self._crawler.settings))
        with_these = [f"{one} {decided}" for one in (detector, before)]
        return (
            meta(JUDGED_WITH) in with_these,
            meta(JUDGEMENT) in (detector.judgement, before.judgement),
        )

    async def _held(self, pages: Sequence[int]) -> AsyncIterator[HeldPage]:
        job = self._spider.job
        async with aclosing(self._stripping.held(pages)) as held:
            async for page in held:
                if job.state.broken:
                    return
                yield page

    def _detect(self, *, clear: bool) -> None:
        job, stats, settings = self._spider.job, self._crawler.stats, self._crawler.settings
        detector = detector_of(settings)
        job.state.go_on_with("detecting templates")
        started = time.monotonic()
        if clear:
            # A round that goes on may still be undone: what its pages held before is kept until then.
            with job.store.transaction():
                job.store.pages.clear_unused()
        pages = job.store.documents.evidence_pages()
        detector.save(job.store, detector.find(job.store), job.run)
        job.state.go_on_with("learning of the site")
        self._stripping.learn(detector, self._spider.work.tell)
        stats.set_value("templates/seconds", round(time.monotonic() - started, 3))
        stats.set_value("templates/count", job.store.templates.count())
        stats.set_value("pages/duplicates", job.store.documents.duplicates())
        same, same_judgement = self._judged_alike(detector)
        with job.store.transaction():
            job.store.set_meta(JUDGED_WITH, self._judged_with)
            job.store.set_meta(JUDGEMENT, detector.judgement)
            job.store.set_meta(DETECTED_OVER, pages)
            job.store.set_meta(UNSEEN, str(job.round_after if same else -1))
        self._stripping.use(detector, same=same_judgement)

    async def _process(self, page: HeldPage | ObsoletePage) -> None:
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
