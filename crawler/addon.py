"""Wires this project into the crawls of its own spiders; those of all others stay as Scrapy has them."""

from __future__ import annotations

from typing import Self

from scrapy.crawler import Crawler
from scrapy.settings import BaseSettings

from crawler.configuration.components import add


class PageletsAddon:
    """Switches this project on for the crawls of `crawler.spiders.base.PageSpider` and its subclasses. Those
    of others, and with them ``scrapy shell``, ``fetch``, ``view``, ``parse`` and ``bench``, are left alone.
    """

    def __init__(self, crawler: Crawler) -> None:
        self._crawler = crawler

    @classmethod
    def from_crawler(cls, crawler: Crawler) -> Self:
        """Remembers whose spider it is."""
        return cls(crawler)

    def update_settings(self, settings: BaseSettings) -> None:
        """Adds the components and sets the defaults, for a spider of this project's."""
        # A command that crawls nothing loads the add-on, too.
        from crawler.spiders.base import PageSpider

        if issubclass(self._crawler.spidercls, PageSpider):
            add(settings)
