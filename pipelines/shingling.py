"""Sketches a page's pagelets, records the page, and holds it until the site's templates are known."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

from scrapy import signals
from scrapy.http import Request

from crawler.configuration.partition import derivation, partition_of
from crawler.configuration.selectors import selectors_of
from crawler.items import PageItem, Settled
from crawler.run.component import Component
from crawler.run.work import WORK, Stopped
from pagelets.record import record_of
from store.errors import StoreUnusable
from store.records import STORED, derived_page
from store.rederivation import rederive
from store.runs import seconds

if TYPE_CHECKING:
    from scrapy.crawler import Crawler
    from scrapy.http import Response

    from crawler.run.job import Job
    from pagelets.page import Page
    from store.records import FetchedPage


class Held(Settled):
    """A page is in the store, and will be released when the templates are known. Nothing is lost."""


class NotHeld(Settled):
    """The store takes no more: the crawl ends, and the next run fetches the page again."""


class ShinglingPipeline(Component):
    """Fingerprints and sketches the pagelets of a `PageItem`, commits the page, and drops the item as `Held`.

    Other items pass. A fragment that the store has already is neither sketched nor stored again. A store
    whose sketches were made with other parameters is derived again from its bodies before the first page.

    Settings: ``PARTITION``, ``PAGELET_K``. Stats:
    ``pages/held``, ``pagelets/count``, ``pagelets/new_fragments``.
    """

    def __init__(self, crawler: Crawler) -> None:
        super().__init__(crawler)
        self._partition = partition_of(crawler.settings)
        self._selectors = selectors_of(crawler.settings)
        self._wanted = derivation(crawler.settings)
        self._spider.job.recorded.register("pages/", "pagelets/")
        crawler.signals.connect(self.spider_opened, signal=signals.spider_opened)

    @property
    def _job(self) -> Job:
        return self._spider.job

    def spider_opened(self) -> None:
        """Sees to it that the store's pagelets are derived again, before anything else, where they were made
        with other parameters.
        """
        try:
            with self._job.store.transaction():
                if not self._job.store.derivation.lacks(self._wanted):
                    return
        except StoreUnusable as error:
            self._spider.stop(error)
            return
        self._job.state.await_work()
        # As the callback of a request: a crawl that is being opened cannot be stopped in good order.
        self._crawler.engine.crawl(
            Request("data:,", callback=self._derive_again, meta={WORK: True}, dont_filter=True)
        )

    async def _derive_again(self, response: Response) -> None:
        del response
        spider, work, store = self._spider, self._spider.work, self._job.store
        spider.logger.info(
            "Partitioning the stored pages again: the partition, k, the selectors, the sketches' scheme or "
            "the program's reading of pages has changed"
        )

        def derive() -> int:
            done = 0
            for done, total in rederive(store, self._wanted, self._selectors, self._derived):
                work.tell(done, total)
            return done

        try:
            done = await work.do("partitioning the stored pages again", derive)
        except Stopped:
            spider.logger.warning(
                "Not all stored pages are partitioned again; the next run goes on with that"
            )
        else:
            spider.logger.info("Partitioned %d stored pages again", done)

    def process_item(self, item: Any) -> Any:
        """Records and holds a page; lets everything else pass."""
        if not isinstance(item, PageItem):
            return item
        stats = self._crawler.stats
        fetched, focus = self._fetched(item), self._spider.focus
        if focus is not None:
            focus.aside(fetched)
        try:
            self._job.store.record(fetched, self._job.run)
        except StoreUnusable as error:
            self._spider.stop(error)
            raise NotHeld from error
        self._job.state.hold(item.page_id)
        self._job.store.flat_pages.keep(item.page_id, item.page)
        if focus is not None:
            focus.see(fetched, item.page, item.pagelets)
        stats.inc_value("pages/held")
        stats.inc_value("pagelets/count", len(item.pagelets))
        stats.inc_value("pagelets/new_fragments", len(fetched.new))
        raise Held

    def _fetched(self, item: PageItem) -> FetchedPage:
        page = item.page
        self._spider.met.see(item.page_id, page)
        record, depth, spider = record_of(page, item.pagelets), item.depth, self._spider
        return replace(
            derived_page(
                item.page_id,
                depth,
                record,
                self._job.store.pages.unknown,
                lambda link: spider.link_target(link, depth),
            ),
            status=item.status,
            fetched_at=item.fetched_at,
            body=item.body,
            flags=" ".join(item.flags),
            follow=item.follow,
            excluded=item.excluded,
            canonical=item.canonical,
            checked_at=seconds(),
            interval=spider.revisit.next(page.url, None, changed=False) if item.excluded else None,
        )

    def _derived(self, page_id: int, depth: int, page: Page) -> FetchedPage:
        item = PageItem(
            page_id=page_id,
            depth=depth,
            status=0,
            fetched_at="",
            body=STORED,
            page=page,
            pagelets=self._partition(page),
            follow=(),
            flags=(),
        )
        return self._fetched(item)
