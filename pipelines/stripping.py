"""Drops template pagelets and boilerplate blocks: a held page becomes a Document."""

from __future__ import annotations

from typing import Any, Self

from scrapy.crawler import Crawler

from crawler.items import Deletion, HeldPage, Settled
from crawler.run.session import CrawlSession, session_of
from pagelets.document import Document
from release.judging import ReleaseOutcome
from store.documents import ObsoletePage
from store.errors import StoreUnusable


class Unchanged(Settled):
    """A page of an earlier run has the same text under the new templates: it need not go out again."""


class LeftOut(Settled):
    """The text of another page, its original, is nearly the same, and the settings leave it out."""


class Faulty(Settled):
    """A page cannot be judged or rendered: it is flagged, and keeps the document that it has."""


class NotReleased(Settled):
    """The store takes no more: the crawl ends, and the next run releases the page."""


class StrippingPipeline:
    """Judges a `HeldPage` with the whole page and the site's evidence, and makes its Document.

    An `ObsoletePage` becomes a `Deletion`; other items pass. A page is dropped as `Unchanged` if its text and
    its original are as delivered before.

    Settings: ``METHOD``, ``KEEP_SELECTORS``, ``DROP_SELECTORS``, ``NOSNIPPET_ENABLED``, ``DOCUMENT_FIELDS``,
    ``EXPLAIN_ENABLED``, ``DUPLICATES``,
    ``RELEASE_PROCESSES``. Stats: ``documents/released``, ``documents/upgraded``, ``documents/unchanged``,
    ``documents/left_out``, ``documents/deleted``, ``documents/kept_whole``,
    ``templates/removed_chars_ratio``, ``pagelets/template``.
    """

    def __init__(self, session: CrawlSession) -> None:
        self._session = session
        self._chars = self._chars_kept = 0

    @classmethod
    def from_crawler(cls, crawler: Crawler) -> Self:
        """Takes the crawl's session, which has its release."""
        return cls(session_of(crawler))

    def process_item(self, item: Any) -> Any:
        """Makes a held page's Document, or an obsolete page's Deletion; lets everything else pass."""
        try:
            if isinstance(item, ObsoletePage):
                return self._delete(item)
            return self._document(item) if isinstance(item, HeldPage) else item
        except StoreUnusable as error:
            self._session.stop(error)
            raise NotReleased from error

    def _document(self, item: HeldPage) -> Document:
        stats = self._session.stats
        released = self._session.release.document(item.page_id, item.ready)
        if released is None:
            raise Faulty
        outcome, judged, document = released
        if outcome is not ReleaseOutcome.SENT:
            stats.inc_value(f"documents/{outcome.value}")
        if document is None:
            raise LeftOut if outcome is ReleaseOutcome.LEFT_OUT else Unchanged
        self._count(judged.counts)
        return document

    def _delete(self, page: ObsoletePage) -> Deletion:
        self._session.release.delete(page)
        self._session.stats.inc_value("documents/deleted")
        return Deletion(page.url, page.reason)

    def _count(self, counts: dict[str, int]) -> None:
        stats = self._session.stats
        stats.inc_value("documents/released")
        stats.inc_value("documents/kept_whole", counts["kept_whole"])
        stats.inc_value("pagelets/template", counts["pagelets_template"])
        self._chars += counts["chars"]
        self._chars_kept += counts["chars_kept"]
        if self._chars:
            stats.set_value("templates/removed_chars_ratio", round(1 - self._chars_kept / self._chars, 4))
