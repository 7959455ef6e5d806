"""Formats of a crawl's log lines."""

from __future__ import annotations

import logging
from typing import Any

from scrapy import Spider
from scrapy.http import Response
from scrapy.logformatter import LogFormatter, LogFormatterResult
from twisted.python.failure import Failure


class QuietItems(LogFormatter):
    """Names a released or held page by its URL: a whole Document does not belong in a log line."""

    def scraped(self, item: Any, response: Response | Failure | None, spider: Spider) -> LogFormatterResult:
        """Returns a line at level DEBUG for an ``item`` of a ``response`` to a ``spider``."""
        return _line(logging.DEBUG, "Released %(url)s", url=_name(item))

    def dropped(
        self, item: Any, exception: BaseException, response: Response | Failure | None, spider: Spider
    ) -> LogFormatterResult:
        """Returns a line at level DEBUG, as a held page is not lost. Takes the ``item``, the ``exception``
        that dropped it, its ``response`` and the ``spider``.
        """
        # As text: a frame that holds its own exception keeps the whole page until the collector comes.
        return _line(logging.DEBUG, "%(exception)s %(url)s", exception=str(exception), url=_name(item))

    def item_error(
        self, item: Any, exception: BaseException, response: Response | Failure | None, spider: Spider
    ) -> LogFormatterResult:
        """Returns a line at level ERROR for the ``exception`` that an ``item`` of a ``response`` raised in a
        pipeline of a ``spider``.
        """
        what = "Error processing %(url)s: %(exception)s"
        return _line(logging.ERROR, what, exception=exception, url=_name(item))


def _line(level: int, msg: str, **args: Any) -> LogFormatterResult:
    return {"level": level, "msg": msg, "args": args}


def _name(item: Any) -> str:
    if isinstance(item, dict):
        return str(item.get("url", "a document"))
    page = getattr(item, "page", None)
    return str(page.url) if page is not None else f"page {getattr(item, 'page_id', '?')}"
