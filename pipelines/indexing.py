"""Hands what is released to the search indexes and to the file of all documents."""

from __future__ import annotations

from typing import Any, Self

from itemadapter import ItemAdapter
from scrapy.crawler import Crawler

from crawler.items import Deletion
from crawler.run.session import CrawlSession, session_of
from pagelets.judging.engine import Judge
from store.errors import StoreUnusable


class IndexingPipeline:
    """Hands each Document and each `Deletion` to the sinks of the site, in batches that other threads send,
    and to its file of documents (`crawler.run.documents_file`). All items pass, Documents with the fields
    that were asked for.

    Delivery is noted in the store (`search.delivery`); a sink that is down holds no crawl up. What
    is left is sent when the crawl ends (`crawler.run.outcome`). A crawl of a sample feeds no index;
    one with ``fresh`` feeds them at its end alone, when its store takes the place of the site's.

    Settings: ``DOCUMENTS_FILE``, ``SINKS``, ``SINK_BACKENDS``, ``SINK_TIMEOUT``,
    and those of each sink (docs/search-index.md).
    """

    def __init__(self, session: CrawlSession) -> None:
        self._session = session
        self._file = session.documents_file
        self._needed = session.needed_fields
        self._fields_of = Judge(session.config).fields_of

    @classmethod
    def from_crawler(cls, crawler: Crawler) -> Self:
        """Takes the crawl's session, which has the deliveries and the file."""
        return cls(session_of(crawler))

    async def process_item(self, item: Any) -> Any:
        """Sends an item to the sinks; waits while a sink has more to do than it may."""
        session = self._session
        if session.state.broken or not (session.delivers or self._file):
            return item
        if isinstance(item, Deletion):
            await self._send(item.url, None, item.reason)
            # The file finds by itself what a fresh store lacks.
            if self._file and not session.plan.fresh:
                self._file.delete(item.url, item.reason)
            return item
        adapter = ItemAdapter(item)
        url = adapter.get("url")
        if not isinstance(url, str):
            return item
        if session.delivers:
            # A copy: what other pipelines do to the item comes too late for a batch that is gathered.
            await self._send(url, dict(item) if isinstance(item, dict) else adapter.asdict(), None)
        fields = self._fields_of(url)
        for name in [name for name in adapter if name in self._needed and name not in fields]:
            del adapter[name]
        if self._file:
            self._file.put(url, item if isinstance(item, dict) else adapter.asdict())
        return item

    async def _send(self, url: str, document: Any, reason: str | None) -> None:
        try:
            for delivery in self._session.deliveries if self._session.delivers else ():
                await delivery.take(url, document, reason)
        except StoreUnusable as error:
            self._session.stop(error)
