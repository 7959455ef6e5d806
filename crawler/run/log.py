"""Formats of a crawl's log lines."""

from __future__ import annotations

import logging
from typing import TYPE_CHECKING, Any

from scrapy.logformatter import LogFormatter, LogFormatterResult

if TYPE_CHECKING:
    from scrapy import Spider
    from scrapy.http import Response
    from twisted.python.failure import Failure


class QuietItems(LogFormatter):
    """Names a released or held page by its URL: a whole Document does not belong in a log line."""

    def scraped(self, item: Any, response: Response | Failure | None, spider: Spider) -> LogFormatterResult:
        """Returns a line at level DEBUG for an ``item`` of a ``response`` to a ``spider``."""
        del response, spider
        return {"level": logging.DEBUG, "msg": "Released %(url)s", "args": {"url": _name(item)}}

    def dropped(
        self, item: Any, exception: BaseException, response: Response | Failure | None, spider: Spider
    ) -> LogFormatterResult:
        """Returns a line at level DEBUG, as a held page is not lost. Takes the ``item``, the ``exception``
        that dropped it, its ``response`` and the ``spider``.
        """
        del response, spider
        return {
            "level": logging.DEBUG,
            "msg": "%(exception)s %(url)s",
            # As text: a frame that holds its own exception keeps the whole page until the collector comes.
            "args": {"exception": str(exception), "url": _name(item)},
        }

    def item_error(
        self, item: Any, exception: BaseException, response: Response | Failure | None, spider: Spider
    ) -> LogFormatterResult:
        """Returns a line at level ERROR for the ``exception`` that an ``item`` of a ``response`` raised in a
        pipeline of a ``spider``.
        """
        del response, spider
        return {
            "level": logging.ERROR,
            "msg": "Error processing %(url)s: %(exception)s",
            "args": {"exception": exception, "url": _name(item)},
        }


def _name(item: Any) -> str:
    if isinstance(item, dict):
        return str(item.get("url", "a document"))
    page = getattr(item, "page", None)
    return str(page.url) if page is not None else f"page {getattr(item, 'page_id', '?')}"
