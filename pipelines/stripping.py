"""Drops template pagelets and boilerplate blocks: a held page becomes a Document."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Self, cast

from scrapy.exceptions import DropItem

from crawler.items import HeldPage
from pagelets.document import FIELDS
from store.errors import StoreUnusable
from store.judging import Judge

if TYPE_CHECKING:
    from scrapy.crawler import Crawler

    from crawler.pagespider import PageSpider
    from store.detection import Detector


class Unchanged(DropItem):
    """A page of an earlier run has the same text under the new templates: it need not go out again."""

    def __init__(self) -> None:
        super().__init__("Unchanged", log_level="DEBUG")


class NotReleased(DropItem):
    """The store takes no more: the crawl ends, and the next run releases the page."""

    def __init__(self) -> None:
        super().__init__("Not released", log_level="DEBUG")


class StrippingPipeline:
    """Judges a `HeldPage` with the whole page and the site's evidence, and makes its Document.

    Other items pass. A page that this run did not fetch is dropped as `Unchanged` where its text is what was
    delivered before.

    Settings: ``METHOD``, ``DOCUMENT_FIELDS``, ``EXPLAIN_ENABLED``. Stats: ``documents/released``,
    ``documents/unchanged``, ``documents/kept_whole``, ``templates/removed_chars_ratio``,
    ``pagelets/template``.
    """

    def __init__(self, crawler: Crawler) -> None:
        settings = crawler.settings
        self._crawler = crawler
        self._method = settings["METHOD"]
        self._k = settings.getint("PAGELET_K")
        self._fields = list(settings.getlist("DOCUMENT_FIELDS")) or list(FIELDS)
        if settings.getbool("EXPLAIN_ENABLED") and "pagelets" not in self._fields:
            self._fields.append("pagelets")
        self._judge: Judge | None = None
        self._chars = self._chars_kept = 0

    @classmethod
    def from_crawler(cls, crawler: Crawler) -> Self:
        """Reads the settings."""
        return cls(crawler)

    def use(self, detector: Detector) -> None:
        """Takes the evidence of the detection that has just been stored."""
        job = cast("PageSpider", self._crawler.spider).job
        self._judge = Judge(job.store, detector.evidence(job.store), self._method, self._k, job.plan.site)

    def process_item(self, item: Any) -> Any:
        """Makes a held page's Document; lets everything else pass."""
        if not isinstance(item, HeldPage):
            return item
        assert self._judge is not None, "pages are released after the detection"
        job, stats = cast("PageSpider", self._crawler.spider).job, self._crawler.stats
        store = job.store
        judged = self._judge.judge(item.page_id)
        text_hash = judged.content_hash
        before = store.documents.get(item.page_id)
        version = judged.evidence.version
        unchanged = before is not None and not before.pending and before.content_hash == text_hash
        counts = judged.counts()
        try:
            with store.transaction():
                if unchanged:
                    store.documents.confirm(item.page_id, version)
                else:
                    mask = judged.judged.mask
                    store.documents.put(item.page_id, job.run, text_hash, version, mask, counts)
        except StoreUnusable as error:
            cast("PageSpider", self._crawler.spider).stop(error)
            raise NotReleased from error
        if unchanged:
            stats.inc_value("documents/unchanged")
            raise Unchanged
        self._count(counts)
        return judged.document(self._fields)

    def _count(self, counts: dict[str, int]) -> None:
        stats = self._crawler.stats
        stats.inc_value("documents/released")
        stats.inc_value("documents/kept_whole", counts["kept_whole"])
        stats.inc_value("pagelets/template", counts["pagelets_template"])
        self._chars += counts["chars"]
        self._chars_kept += counts["chars_kept"]
        if self._chars:
            stats.set_value("templates/removed_chars_ratio", round(1 - self._chars_kept / self._chars, 4))
