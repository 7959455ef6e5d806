"""What the parts of a crawl share that Scrapy makes."""

from __future__ import annotations

from typing import TYPE_CHECKING, Self, cast

if TYPE_CHECKING:
    from scrapy.crawler import Crawler

    from crawler.spiders.base import PageSpider


class Component:
    """A pipeline or extension in the crawl of a `PageSpider`."""

    def __init__(self, crawler: Crawler) -> None:
        self._crawler = crawler

    @classmethod
    def from_crawler(cls, crawler: Crawler) -> Self:
        """Made by Scrapy."""
        return cls(crawler)

    @property
    def _spider(self) -> PageSpider:
        return cast("PageSpider", self._crawler.spider)
