"""Reads a site from WARC files or folders, through the same engine as a crawl."""

from __future__ import annotations

from array import array
from collections.abc import Mapping
from itertools import chain
from typing import Any

from scrapy.http import Request
from scrapy.settings import BaseSettings

from crawler.configuration.plan import Plan, plan_archive
from crawler.spiders.base import PageSpider
from pagelets.archives.archive import Archive
from pagelets.archives.records import ArchiveError
from settings.canonical import canonical_or_same
from settings.errors import ConfigurationError
from store.frontier import Due, Target
from store.meta import MISSED_ROUND

_KNOWN_TARGETS = 1 << 16

HANDLER = "crawler.archives.handler.ArchiveDownloadHandler"


class ArchiveSpider(PageSpider):
    """Answers every request from an archive; nothing goes to the network.

    The archive is the whole site: what it lacks is missed, like a page of a site that no link leads to. A
    page of which it has a revisit alone is as it was.

    Arguments: ``path`` (WARC files or folders of HTML files, parted by commas), ``base`` (the address of a
    folder), ``site`` (default: the first path's name without ``.warc.gz``), ``partial`` (it is a part of the
    site: nothing is deleted), and those of `crawler.configuration.checks.ARGUMENTS`. Every page of
    the archive is a start URL, by its own spelling.
    """

    name = "archive"
    archive: Archive

    @classmethod
    def plan_of(cls, arguments: Mapping[str, str], settings: BaseSettings) -> Plan:
        """Checks all arguments."""
        cls.check_order(arguments)
        return plan_archive(arguments, settings, cls.own_arguments)

    @classmethod
    def update_settings(cls, settings: BaseSettings) -> None:
        """Robots, throttling, retries and the network are off."""
        super().update_settings(settings)
        offline = {
            "DOWNLOAD_HANDLERS": {"http": HANDLER, "https": HANDLER},
            "ROBOTSTXT_OBEY": False,
            "AUTOTHROTTLE_ENABLED": False,
            "DOWNLOAD_DELAY": 0,
            "RETRY_ENABLED": False,
            "HTTPCACHE_ENABLED": False,
            "CRAWL_DELAY_ENABLED": False,
            # What a page asks of search engines concerns who fetches it from its site.
            "NOINDEX_ENABLED": False,
            "COOKIES_ENABLED": False,
            "CONCURRENT_REQUESTS_PER_DOMAIN": 16,
            "URLLENGTH_LIMIT": 0,
        }
        settings.update(offline, priority="spider")

    def open(self, plan: Plan) -> None:
        """Indexes the archive first: an unreadable one is reported before a store is touched."""
        self._targets: dict[str, Target] = {}
        self.partial = plan.partial
        try:
            self.archive = Archive.open(plan.paths, plan.base)
        except ArchiveError as error:
            raise ConfigurationError(str(error)) from error
        for skipped in self.archive.skipped:
            self.logger.warning("%s at byte %d: %s; skipped", skipped.path, skipped.offset, skipped.reason)
        try:
            self.archive_opened()
            super().open(plan)
        except BaseException:
            self.archive.close()
            raise

    def archive_opened(self) -> None:
        """Hears that the archive is open, before a store is touched. May raise ConfigurationError."""

    def begin(self) -> None:
        """Makes every page of the archive known; of a part of a site nothing else is asked for."""
        store = self.session.store
        # Earlier versions did not review what they read from archives: there is nothing to compare with.
        self.session.compared = store.meta(MISSED_ROUND) is not None
        urls = chain(self.archive.urls(), sorted(self.archive.unchanged))
        pages = array("q", (store.frontier.add(Target(url, None), 0) for url in urls))
        store.frontier.lead_to(pages, only=self.partial)

    def target(self, url: str) -> Target:
        """Returns the target of a link: a page of the archive by its own spelling, or out of scope."""
        target = self._targets.get(url)
        if target is None:
            spelling = self.archive.find(url)
            target = Target(canonical_or_same(url), "scope") if spelling is None else Target(spelling, None)
            if len(self._targets) >= _KNOWN_TARGETS:
                self._targets.clear()
            self._targets[url] = target
        return target

    def page_request(self, due: Due, **meta: Any) -> Request | None:
        """The request for a URL by the archive's own spelling of it, which Scrapy would change."""
        if due.url in self.archive.unchanged:
            meta["stored"] = self.session.store.pages.fetch(due.page) is not None
        return super().page_request(due, archive_url=due.url, verbatim_url=True, **meta)

    def closed(self, reason: str) -> None:
        """Closes the archive's files."""
        if self.archive.skipped_count:
            self.crawler.stats.set_value("pages/unreadable_records", self.archive.skipped_count)
        self.archive.close()
