"""Says how a run ended: in the store, in its run file, and as the command's exit code."""

from __future__ import annotations

import logging
from typing import TYPE_CHECKING, Any, Self, cast

from scrapy import signals

from crawler.extensions.feeds import FAILED
from store.errors import StoreError

if TYPE_CHECKING:
    from scrapy import Spider
    from scrapy.crawler import Crawler

    from crawler.pagespider import PageSpider

logger = logging.getLogger(__name__)

EXIT_CODES = {
    "complete": 0,
    "limited": 0,
    "usage": 2,
    "empty": 3,
    "interrupted": 4,
    "suspicious": 5,
    "busy": 6,
    "undelivered": 7,
}
"""Outcome -> exit code of `scrapy crawl`; no outcome counts as interrupted."""

_LIMITS = frozenset(
    {
        "closespider_timeout",
        "closespider_timeout_no_item",
        "closespider_itemcount",
        "closespider_pagecount",
        "closespider_pagecount_no_item",
        "closespider_errorcount",
    }
)


class RunOutcome:
    """Records a run's outcome when its feeds are closed, and that its documents are delivered.

    Stats: ``pages/…`` by state, ``documents/delivered``, ``run/outcome``.
    """

    def __init__(self, crawler: Crawler) -> None:
        self._crawler = crawler
        self._reason = "unknown"
        crawler.signals.connect(self.spider_closed, signal=signals.spider_closed)
        crawler.signals.connect(self.engine_stopped, signal=signals.engine_stopped)

    @classmethod
    def from_crawler(cls, crawler: Crawler) -> Self:
        """Listens for the end of the crawl."""
        return cls(crawler)

    def spider_closed(self, spider: Spider, reason: str) -> None:
        """Keeps why the spider was closed."""
        self._spider = cast("PageSpider", spider)
        self._reason = reason

    def engine_stopped(self) -> None:
        """Records the outcome: by now all feeds are closed."""
        spider = getattr(self, "_spider", None)
        if spider is None or spider.job.outcome is not None:
            return
        try:
            self._finish(spider)
        except (StoreError, OSError) as error:
            # Without an outcome the run counts as interrupted.
            if not spider.job.broken:
                logger.critical("%s", error)
        finally:
            spider.job.close()

    def _finish(self, spider: PageSpider) -> None:
        job, stats = spider.job, self._crawler.stats
        delivered = not any(key.startswith(FAILED) for key in stats.get_stats())
        if delivered:
            with job.store.transaction():
                stats.set_value("documents/delivered", job.store.documents.deliver(job.run))
        outcome = self._outcome(spider) if delivered and not job.refused else "undelivered"
        for state, count in job.store.frontier.counts().items():
            stats.set_value(f"pages/state/{state}", count)
        stats.set_value("templates/count", job.store.templates.count())
        stats.set_value("run/outcome", outcome)
        if outcome == "empty":
            logger.error("No page could be used: %s", "; ".join(job.answers))
        try:
            job.store.publish()
        except OSError as error:
            # The run ended as it ended: what was published before stays, and can be published again.
            logger.warning("%s; the tables were not published: scrapy publish %s", error, job.plan.site)
        job.finish(outcome, _counts(stats.get_stats()))

    def _outcome(self, spider: PageSpider) -> str:
        job = spider.job
        if job.broken:
            return "interrupted"
        if self._reason in _LIMITS:
            return "limited"
        if self._reason != "finished":
            return "interrupted"
        limit = self._crawler.settings.getint("MAX_PAGES")
        if job.suspicion:
            return "suspicious"
        # A run may find that the one before, which was killed, had fetched everything.
        seen = job.store.pages.seen_since(job.round_after)
        if not seen and job.store.rounds.asked(job.round_after):
            return "empty"
        if job.store.frontier.count_due():
            return "limited" if limit and job.held + job.confirmed >= limit else "interrupted"
        return "complete"


def _counts(stats: dict[str, Any]) -> dict[str, Any]:
    ours = ("pages/", "pagelets/", "templates/", "documents/", "index/")
    return {
        key: value
        for key, value in sorted(stats.items())
        if key.startswith(ours)
        or key in ("elapsed_time_seconds", "downloader/request_count", "downloader/response_bytes")
    }
