"""Settles what an exception in a callback or a pipeline has stopped on its way."""

from __future__ import annotations

from typing import Any, Self

from scrapy import signals
from scrapy.crawler import Crawler
from scrapy.http import Response
from twisted.python.failure import Failure

from crawler.items import HeldPage, PageItem, Settled
from crawler.run.session import CrawlSession, session_of
from store.documents import ObsoletePage


class SettleErrors:
    """Sees to it that one page's exception hurts no other page, and that nothing is lost by it.

    A fetched page that a callback or a pipeline fails on is settled as ``failed``, one that a pipeline drops
    as ``refused``: the run is complete without it, and the next one asks for it again. A document that a
    pipeline fails on counts as not delivered: the run ends ``undelivered``, and the next one releases it.
    """

    def __init__(self, session: CrawlSession) -> None:
        self._session = session

    @classmethod
    def from_crawler(cls, crawler: Crawler) -> Self:
        """Listens for what fails, and what is dropped."""
        listener = cls(session_of(crawler))
        crawler.signals.connect(listener.spider_error, signal=signals.spider_error)
        crawler.signals.connect(listener.item_error, signal=signals.item_error)
        crawler.signals.connect(listener.item_dropped, signal=signals.item_dropped)
        return listener

    def spider_error(self, failure: Failure, response: Response | Failure | None) -> None:
        """Settles the page whose callback or errback has failed."""
        request = getattr(response, "request", None)
        if request is not None and "page" in request.meta:
            self._fail(request.meta["page"], "callback", failure)

    def item_error(self, item: Any, failure: Failure) -> None:
        """Settles the page, or withdraws the document, that a pipeline has failed on."""
        if isinstance(item, PageItem):
            self._fail(item.page_id, "pipeline", failure)
        elif isinstance(item, HeldPage | ObsoletePage):
            session = self._session
            with session.writing():
                session.store.documents.withdraw(item.page_id, session.run)
            # A pipeline before ours may have failed on it: there is nothing to withdraw yet.
            session.state.refused = True
            session.stats.inc_value("documents/failed")

    def item_dropped(self, item: Any, exception: BaseException) -> None:
        """Settles a fetched page that a pipeline does not want; a document that one has dropped goes to no
        search index.
        """
        if self._session.state.broken or isinstance(exception, Settled):
            return
        if isinstance(item, PageItem):
            self._settle(item.page_id, "refused", f"dropped: {type(exception).__name__}")
        elif isinstance(item, HeldPage):
            with self._session.writing():
                self._session.store.documents.keep_back(item.page_id)
            self._session.stats.inc_value("documents/dropped")

    def _fail(self, page: int, step: str, failure: Failure) -> None:
        error = failure.value
        assert error is not None
        self._settle(page, "failed", f"{step}: {type(error).__name__}")
        with self._session.writing():
            self._session.store.faults.note(page, step, error)

    def _settle(self, page: int, state: str, reason: str) -> None:
        # A page that is recorded, or settled by its errback, is in flight no more.
        if page in self._session.state.in_flight:
            self._session.settle(page, state, reason=reason)
