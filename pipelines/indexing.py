"""Feeds the search indexes with what is released."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from itemadapter import ItemAdapter

from crawler.items import Deletion
from crawler.run.component import Component
from store.errors import StoreUnusable

if TYPE_CHECKING:
    from crawler.spiders.base import PageSpider


class IndexingPipeline(Component):
    """Hands each Document and each `Deletion` to the sinks of the site, in batches that other threads send;
    all items pass, Documents with the fields that were asked for.

    Delivery is noted in the store (`search.delivery`); a sink that is down holds no crawl up. What
    is left is sent when the crawl ends (`crawler.run.outcome`). A crawl of a sample feeds no index;
    one with ``fresh`` feeds them at its end alone, when its store takes the place of the site's.

    Settings: ``SINKS``, ``SINK_BACKENDS``, ``SINK_TIMEOUT``,
    and those of each sink (docs/search-index.md).
    """

    async def process_item(self, item: Any) -> Any:
        """Sends an item to the sinks; waits while a sink has more to do than it may."""
        spider = self._spider
        if not spider.delivers or spider.job.state.broken:
            return item
        if isinstance(item, Deletion):
            await self._send(spider, item.url, None, item.reason)
            return item
        adapter = ItemAdapter(item)
        url = adapter.get("url")
        if not isinstance(url, str):
            return item
        # A copy: what other pipelines do to the item comes too late for a batch that is gathered.
        await self._send(spider, url, dict(item) if isinstance(item, dict) else adapter.asdict(), None)
        fields = spider.fields_of(url)
        for name in [name for name in adapter if name in spider.sink_fields and name not in fields]:
            del adapter[name]
        return item

    async def _send(self, spider: PageSpider, url: str, document: Any, reason: str | None) -> None:
        try:
            for delivery in spider.deliveries:
                await delivery.take(url, document, reason)
        except StoreUnusable as error:
            spider.stop(error)
