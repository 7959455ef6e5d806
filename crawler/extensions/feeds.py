"""Scrapy's feeds, which tell when they lose a document."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from scrapy.extensions.feedexport import FeedExporter, ItemFilter

from crawler.items import Deletion
from crawler.operations import FORMAT

if TYPE_CHECKING:
    from scrapy import Spider
    from scrapy.extensions.feedexport import FeedSlot

FAILED = "feedexport/failed_count"


class Feeds(FeedExporter):
    """Scrapy's feed exports; what fails while a document is written, or the end of a feed, is counted too.

    Scrapy counts a feed that cannot be stored, and passes over one that cannot be written, such as on a full
    disk: the run would call its documents delivered. Stats: ``feedexport/failed_count/…``.

    Feeds hold documents; deletions go to those of the format ``operations`` alone.
    """

    def _load_filter(self, feed_options: dict[str, Any]) -> ItemFilter:
        return _Filter(super()._load_filter(feed_options), feed_options)

    def item_scraped(self, item: Any, spider: Spider) -> None:
        """Writes a document to the feeds."""
        try:
            super().item_scraped(item, spider)
        except Exception as error:
            self._count(error)
            raise

    async def _close_slot(self, slot: FeedSlot, spider: Spider) -> None:
        try:
            await super()._close_slot(slot, spider)
        except Exception as error:
            self._count(error)
            raise

    def _count(self, error: Exception) -> None:
        self.crawler.stats.inc_value(f"{FAILED}/{type(error).__name__}")


class _Filter(ItemFilter):
    """What a feed's own filter accepts, without deletions where the feed is one of documents."""

    def __init__(self, own: ItemFilter, feed_options: dict[str, Any]) -> None:
        super().__init__(None)
        self._own = own
        self._takes_deletions = feed_options.get("format") == FORMAT

    def accepts(self, item: Any) -> bool:
        if isinstance(item, Deletion):
            return self._takes_deletions
        return self._own.accepts(item)
