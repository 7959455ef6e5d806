"""Scrapy's feeds, which tell when they lose a document."""

from __future__ import annotations

import logging
import sys
from pathlib import Path
from typing import Any, Final

from scrapy import Spider, signals
from scrapy.crawler import Crawler
from scrapy.exceptions import NotConfigured
from scrapy.extensions.feedexport import ItemFilter
from w3lib.url import file_uri_to_path

from crawler.feeds.operations import FORMAT
from crawler.fetching.internals import FeedHooks
from crawler.items import Deletion, HeldPage, Settled
from crawler.run.session import session_of
from settings.errors import ConfigurationError

logger = logging.getLogger(__name__)

FAILED = "feedexport/failed_count"
_WHOLE: Final = {"json": "JSON", "parquet": "Parquet", "xml": "XML"}
"""Formats of which a file holds what was written at once."""


class Feeds(FeedHooks):
    """Scrapy's feed exports; what fails while a document is written, or the end of a feed, is counted too.

    Scrapy counts a feed that cannot be stored, and passes over one that cannot be written, such as on a full
    disk: the run would call its documents delivered. Stats: ``feedexport/failed_count/…``.

    Feeds hold documents; deletions go to those of the format ``operations`` alone.
    """

    def __init__(self, crawler: Crawler) -> None:
        try:
            super().__init__(crawler)
        except NotConfigured as error:
            if not crawler.settings["FEEDS"]:
                raise
            # Scrapy leaves out all feeds then, and the run would call its documents delivered.
            what = "a feed cannot be written: see the line before; mend it, or leave it out"
            raise ConfigurationError(f"FEEDS: {what}") from error
        if sys.__stdout__ is None and any(uri == "-" or uri.startswith("stdout:") for uri in self.feeds):
            raise ConfigurationError("FEEDS: the standard output is closed; name a file")
        assert crawler.spider is not None
        for uri, options in self.feeds.items():
            # Scrapy would log it when the spider opens, and open no feed.
            try:
                address = self.address_of(uri, crawler.spider)
            except Exception as error:
                what = f"{uri!r}: {type(error).__name__}: {error}"
                raise ConfigurationError(f"FEEDS: {what}; mend its parameters, %(…)s") from error
            file = Path(file_uri_to_path(address) if address.startswith("file:") else address)
            appended = options["format"] in _WHOLE and not options.get("overwrite")
            if appended and file.is_file() and file.stat().st_size:
                # Readers would find the documents of one run alone, or an error.
                raise ConfigurationError(
                    f"FEEDS: {file} is there, and nothing can be added to {_WHOLE[options['format']]}; "
                    "give -O in place of -o, overwrite, a name with %(time)s, or JSON lines"
                )
        crawler.signals.connect(self.item_dropped, signal=signals.item_dropped)

    def filter_of(self, own: ItemFilter, feed_options: dict[str, Any]) -> ItemFilter:
        """The filter that a feed's options ask for, without deletions where the feed is one of documents."""
        return _Filter(own, feed_options)

    def item_scraped(self, item: Any, spider: Spider) -> None:
        """Writes a document to the feeds."""
        try:
            super().item_scraped(item, spider)
        except Exception as error:
            logged = f"{FAILED}/{type(error).__name__}" in self.crawler.stats.get_stats()
            self.not_closed(error)
            if logged:
                # Where a disk is full or a pipe closed, the same comes of each document.
                return
            if isinstance(error, UnicodeEncodeError):
                why = f"its encoding lacks {error.object[error.start]!r}, give utf-8"
            elif isinstance(error, OSError):
                why = error.strerror or str(error)
            else:
                raise
            lost = "a feed cannot be written: %s; the next run sends its documents again"
            logger.error(lost, why)  # noqa: TRY400 - of one line

    def item_dropped(self, item: Any, exception: BaseException, spider: Spider) -> None:
        """Deletes the document of an ``item`` that a pipeline of the ``spider`` has dropped with an
        ``exception``: feeds may have an earlier version.
        """
        if not isinstance(item, HeldPage) or isinstance(exception, Settled):
            return
        session = session_of(self.crawler)
        unsure = session.history and (session.plan.fresh or not session.history[0].finished)
        if unsure or session.store.documents.sent(item.page_id)[0] is not None:
            self.item_scraped(Deletion(session.store.frontier.url(item.page_id), "dropped"), spider)

    def not_closed(self, error: Exception) -> None:
        """Counts a feed whose end could not be written."""
        self.crawler.stats.inc_value(f"{FAILED}/{type(error).__name__}")


class _Filter(ItemFilter):
    """The items that a feed's own filter accepts, without deletions if it is a feed of documents."""

    def __init__(self, own: ItemFilter, feed_options: dict[str, Any]) -> None:
        super().__init__(None)
        self._own = own
        self._takes_deletions = feed_options.get("format") == FORMAT

    def accepts(self, item: Any) -> bool:
        return self._takes_deletions if isinstance(item, Deletion) else self._own.accepts(item)
