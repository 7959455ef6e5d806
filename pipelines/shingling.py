"""Sketches a page's pagelets, records the page, and holds it until the site's templates are known."""

from __future__ import annotations

import logging
from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING, Any, Self, cast

from scrapy import signals
from scrapy.crawler import Crawler
from scrapy.http import Response

from crawler.items import PageItem, Settled
from crawler.run.session import CrawlSession, session_of
from crawler.run.work import Stopped
from pagelets.page import Link, Page
from pagelets.record import PageRecord, record_of
from store.errors import StoreError, StoreUnusable
from store.frontier import Target
from store.records import FetchedPage, derived_page
from store.rederivation import rederive, take_again
from store.runs import seconds

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from crawler.spiders.base import PageSpider

logger = logging.getLogger(__name__)


class Held(Settled):
    """A page is in the store, and will be released when the templates are known. Nothing is lost."""


class NotHeld(Settled):
    """The store takes no more: the crawl ends, and the next run fetches the page again."""


class ShinglingPipeline:
    """Fingerprints and sketches the pagelets of a `PageItem`, commits the page, and drops the item as `Held`.

    Other items pass. A fragment that the store has already is neither sketched nor stored again. A store
    whose sketches were made with other parameters is derived again from its bodies before the first page.

    Settings: ``PARTITION``, ``PAGELET_K``. Stats:
    ``pages/held``, ``pages/read_beside``, ``pagelets/count``, ``pagelets/new_fragments``.

    Takes the crawl's session, what says where a link of a page leads that lies so deep, and what marks the
    links of a stored page as it asks for.
    """

    def __init__(
        self, session: CrawlSession, target: Callable[[Link, int], Target], heed: Callable[[int, Page], None]
    ) -> None:
        self._session = session
        self._config = session.config
        self._target = target
        self._heed = heed

    @classmethod
    def from_crawler(cls, crawler: Crawler) -> Self:
        """Has what is stored looked at when the crawl begins."""
        spider = cast("PageSpider", crawler.spider)
        pipeline = cls(session_of(crawler), spider.link_target, spider.heed)
        crawler.signals.connect(pipeline.spider_opened, signal=signals.spider_opened)
        return pipeline

    def spider_opened(self) -> None:
        """Sees to it that the store's pagelets are derived again, before anything else, where they were made
        with other parameters.
        """
        session, extraction = self._session, self._config.extraction
        store, lacks = session.store, False
        with session.writing():
            lacks = store.derivation.lacks(self._config.derivation)
            if not extraction:
                store.page_fields.clear()
        takes = bool(extraction) and bool(store.page_fields.lacking(extraction.fingerprint))
        if lacks or takes:
            # As the callback of a request: a crawl that is being opened cannot be stopped in good order.
            session.work.begin(partial(self._begin_anew, lacks, takes))

    async def _begin_anew(self, lacks: bool, takes: bool, _: Response) -> None:
        config, store = self._config, self._session.store
        if lacks:
            logger.info(
                "Partitioning the stored pages again: the partition, k, the selectors, the sketches' scheme "
                "or the program's reading of pages has changed"
            )
            await self._redo(
                "partitioning the stored pages again",
                rederive(store, config.derivation, config.selectors, self._derived),
                done="Partitioned %d stored pages again",
                stopped="Not all stored pages are partitioned again; the next run goes on with that",
            )
        if takes and not self._session.state.broken:
            # They were described otherwise, or not at all.
            await self._redo(
                "taking the fields of stored pages",
                take_again(store, config.extraction),
                done="Took the fields of %d stored pages from their bodies",
                stopped="Not all stored pages have the fields as the settings say; the next run goes on",
            )

    async def _redo(self, step: str, pages: Iterator[tuple[int, int]], *, done: str, stopped: str) -> None:
        """Does a step over the stored pages, which yields how many are done, of how many."""

        def run() -> int:
            count = 0
            for count, total in pages:
                self._session.work.tell(count, total)
            return count

        try:
            count = await self._session.work.do(step, run)
        except Stopped:
            logger.warning(stopped)
        except (StoreError, OSError) as error:
            self._session.stop(error)
        else:
            logger.info(done, count)

    def process_item(self, item: Any) -> Any:
        """Records and holds a page; lets everything else pass."""
        if not isinstance(item, PageItem):
            return item
        session, stats = self._session, self._session.stats
        fetched = self._fetched(item)
        for watcher in session.watchers:
            watcher.aside(fetched)
        try:
            session.store.record(fetched, session.run)
        except StoreUnusable as error:
            session.stop(error)
            raise NotHeld from error
        session.state.hold(item.page_id)
        worked_out = item.worked_out
        packed = None if worked_out is None else worked_out.packed
        session.store.flat_pages.keep(item.page_id, item.page, packed)
        for watcher in session.watchers:
            watcher.see(fetched, item.page, item.pagelets)
        stats.inc_value("pages/held")
        if worked_out is not None:
            stats.inc_value("pages/read_beside")
        stats.inc_value("pagelets/count", len(item.pagelets))
        stats.inc_value("pagelets/new_fragments", len(fetched.new))
        raise Held

    def _fetched(self, item: PageItem) -> FetchedPage:
        page, session = item.page, self._session
        session.rule_coverage.see(item.page_id, page)
        record = item.worked_out.record if item.worked_out else record_of(page, item.pagelets)
        return replace(
            self._recorded(item.page_id, item.depth, record),
            status=item.status,
            fetched_at=item.fetched_at,
            body=item.body,
            flags=" ".join(item.flags),
            follow=item.follow,
            excluded=item.excluded,
            canonical=item.canonical,
            checked_at=seconds(),
            interval=session.revisit.next(page.url, None, changed=False) if item.excluded else None,
            extraction=self._config.extraction.fingerprint,
            extracted=page.extracted,
        )

    def _derived(self, page_id: int, depth: int, page: Page) -> FetchedPage:
        self._session.rule_coverage.see(page_id, page)
        self._heed(page_id, page)
        return self._recorded(page_id, depth, record_of(page, self._config.partition(page)))

    def _recorded(self, page_id: int, depth: int, record: PageRecord) -> FetchedPage:
        unknown = self._session.store.pages.unknown
        return derived_page(page_id, depth, record, unknown, lambda link: self._target(link, depth))
