"""Clean fields for items of any Scrapy project: ``ADDONS = {"pagelets.integrations.scrapy.Addon": 500}``."""

from __future__ import annotations

import logging
import sys
from typing import TYPE_CHECKING, Any, Self

from scrapy.settings import BaseSettings, get_settings_priority
from scrapy.utils.misc import load_object

from pagelets.integrations.scrapy.configuration import Configuration, read
from pagelets.integrations.scrapy.holding import HoldItems

if TYPE_CHECKING:
    from scrapy.crawler import Crawler

logger = logging.getLogger(__name__)


class Addon:
    """Gives items that came from HTML responses the clean text of their page.

    Items wait on disk until the spider is idle or closes, are judged by all pages of their site, and go on
    through the pipelines and feeds of the project. Commands that run a spider of Scrapy's own (``shell``,
    ``fetch``, ``bench``) are left alone.

    Settings: ``PAGELETS_ENABLED`` (True); ``PAGELETS_FIELDS``, the fields that items get, as a list of fields
    of documents or a dict from the items' names to these; ``PAGELETS_WAIT`` (True), False judges each page by
    what is known so far; ``PAGELETS_SITE``, arguments of `pagelets.Site`; ``PAGELETS_FOLDER``, where items
    wait. Stats begin with ``pagelets/``.
    """

    def __init__(self, crawler: Crawler) -> None:
        self._crawler = crawler

    @classmethod
    def from_crawler(cls, crawler: Crawler) -> Self:
        """Remembers whose settings are updated."""
        return cls(crawler)

    def update_settings(self, settings: BaseSettings) -> None:
        """Adds the spider middleware that holds items, and has the item processor release them at the end.

        A wrong setting ends the process before anything is requested.
        """
        if self._crawler.spidercls.__module__.partition(".")[0] == "scrapy":
            return
        try:
            if not read("PAGELETS_ENABLED", settings.getbool, True):
                return
            Configuration.of(settings)
        except ValueError as error:
            logger.error("%s", error)  # noqa: TRY400 - the sentence says it all
            if settings.getbool("FORCE_CRAWLER_PROCESS"):
                # That runner takes an exit for success.
                raise
            sys.exit(2)
        # Next to the engine: it sees items as the spider middlewares of the project have made them.
        given = settings.get_component_priority_dict_with_base("SPIDER_MIDDLEWARES").values()
        nearest = min([0, *(order - 1 for order in given if order is not None)])
        settings.setdefault_in_component_priority_dict("SPIDER_MIDDLEWARES", HoldItems, nearest)
        processor = load_object(settings["ITEM_PROCESSOR"])
        priority = max(settings.getpriority("ITEM_PROCESSOR") or 0, get_settings_priority("addon"))
        settings.set("ITEM_PROCESSOR", _releasing(processor, self._crawler), priority)


def _releasing(processor: type[Any], crawler: Crawler) -> type[Any]:
    """Returns an item processor that releases what waits before its pipelines close."""

    class ReleasingItemProcessor(processor):  # type: ignore[misc]
        """The item processor of the project; a crawl that ends in any way loses no item that waits."""

        async def close_spider_async(self) -> None:
            """Releases the items that wait, then closes the pipelines."""
            try:
                if (held := crawler.get_spider_middleware(HoldItems)) is not None:
                    await held.release_all()
            finally:
                await super().close_spider_async()

    ReleasingItemProcessor.__qualname__ = ReleasingItemProcessor.__name__
    return ReleasingItemProcessor
