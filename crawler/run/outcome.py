"""Says how a run ended: in the store, in its run file, and as the command's exit code."""

from __future__ import annotations

import logging
from collections import Counter
from dataclasses import asdict, replace
from typing import TYPE_CHECKING, Final

from scrapy import signals

from crawler.configuration.judgement import stored_judge
from crawler.configuration.plan import told
from crawler.feeds.extension import FAILED
from crawler.run.component import Component
from crawler.run.publishing import publish
from crawler.run.signals import run_closed, run_finished
from crawler.run.unmet import unmet
from search.released import ReleasedDocuments
from settings.errors import ConfigurationError
from settings.hints import as_typed
from store.errors import StoreError
from store.publish import ANALYSED, TABLES
from store.runs import now

if TYPE_CHECKING:
    from scrapy.crawler import Crawler

    from crawler.run.job import Job
    from crawler.spiders.base import PageSpider
    from store.runs import Run

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

FAULTS: Final = "pages/faults/"
"""Begins the names of the stats that count pages on which a step failed."""

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

UNREQUESTED: Final = "pages/unrequested/"
"""What stats of URLs begin with that were refused before any request; their reason follows."""

_OF_SCRAPY: Final = ("elapsed_time_seconds", "downloader/request_count", "downloader/response_bytes")
"""Stats of Scrapy's that the run file has."""
_PUBLISHED: Final = tuple(name for name in TABLES if name not in ANALYSED)
"""The tables that each crawl writes at its end."""


class RunOutcome(Component):
    """Records a run's outcome when its feeds are closed, and that its documents are delivered.

    A run that was not stopped sends to the search indexes whatever they lack by now. Stats: ``pages/…`` by
    state, ``pages/faults/STEP``, ``documents/delivered``, ``run/outcome``, and of each sink ``index/SINK/…``.
    """

    def __init__(self, crawler: Crawler) -> None:
        super().__init__(crawler)
        self._reason: str | None = None
        self._spider.job.recorded.register(
            "documents/", "index/", "pages/", "run/", "templates/", f"{FAILED}/", *_OF_SCRAPY
        )
        crawler.signals.connect(self.spider_closed, signal=signals.spider_closed)
        crawler.signals.connect(self.engine_stopped, signal=signals.engine_stopped)

    def spider_closed(self, reason: str) -> None:
        """Keeps why the spider was closed."""
        self._reason = reason

    async def engine_stopped(self) -> None:
        """Records the outcome: by now all feeds are closed."""
        if self._reason is None or self._spider.job.state.outcome is not None:
            return
        spider = self._spider
        try:
            await self._finish(spider)
        except (StoreError, OSError) as error:
            # Without an outcome the run counts as interrupted.
            if not spider.job.state.broken:
                logger.critical("%s", error)
            ended = replace(
                spider.job.begun,
                finished_at=now(),
                outcome=spider.job.state.outcome,
                counts=spider.job.recorded.of(self._crawler.stats.get_stats()),
            )
            await self._tell(spider, ended)
        finally:
            for delivery in spider.deliveries:
                await delivery.close()
            spider.job.close()
            await self._crawler.signals.send_catch_log_async(signal=run_closed, spider=spider)

    async def _finish(self, spider: PageSpider) -> None:
        job, stats = spider.job, self._crawler.stats
        delivered = not any(key.startswith(FAILED) for key in stats.get_stats())
        if delivered:
            with job.store.transaction():
                stats.set_value("documents/delivered", job.store.documents.deliver(job.run))
        outcome = self._outcome(spider) if delivered and not job.state.refused else "undelivered"
        unmet_selectors = spider.met.note(job.store)
        if outcome == "complete" and not spider.partial:
            self._tell_unmet(spider, unmet_selectors)
        if outcome == "suspicious" and self._reason in _LIMITS:
            # Not to be continued, as a run is that was stopped otherwise.
            job.undo()
        good = outcome in ("complete", "limited")
        if good and job.plan.fresh:
            job.adopt_deliveries()
        waiting = await self._feed_indexes(spider) if good or not job.plan.fresh else 0
        if good and waiting:
            outcome = "undelivered"
        for state, count in job.store.frontier.counts().items():
            stats.set_value(f"pages/state/{state}", count)
        for step, count in _faults(job).items():
            stats.set_value(f"{FAULTS}{step}", count)
        for reason, count in job.store.frontier.refused_on_sight(job.run).items():
            stats.set_value(f"{UNREQUESTED}{reason}", count)
        stats.set_value("templates/count", job.store.templates.count())
        stats.set_value("documents/current", job.store.documents.count())
        stats.set_value("run/outcome", outcome)
        if outcome == "empty":
            logger.error("No page could be used: %s", "; ".join(job.state.answers))
        try:
            await spider.work.do("publishing the tables", lambda: self._publish(job))
        except (OSError, StoreError, ConfigurationError) as error:
            # The run ended as it ended: what was published before stays, and can be published again.
            again = as_typed(f"scrapy publish {job.plan.site}")
            logger.warning("%s; the tables were not published: %s", error, again)
        await self._tell(spider, job.finish(outcome, job.recorded.of(stats.get_stats()), replaces=good))

    def _publish(self, job: Job) -> None:
        with job.store.reader() as reader:
            publish(reader, job.plan.site, self._crawler.settings, _PUBLISHED)

    async def _tell(self, spider: PageSpider, run: Run) -> None:
        """Says that a run has ended; one whose end could not be recorded has no outcome."""
        if not spider.job.plan.sample:
            await self._crawler.signals.send_catch_log_async(
                signal=run_finished, spider=spider, run=run, history=spider.job.history
            )

    async def _feed_indexes(self, spider: PageSpider) -> int:
        """Sends what the indexes lack; returns how many documents have not arrived in all of them."""
        job, stats = spider.job, self._crawler.stats
        stopped = job.state.broken or (self._reason != "finished" and self._reason not in _LIMITS)
        settings = self._crawler.settings
        documents = ReleasedDocuments(
            job.store, lambda: stored_judge(job.store, settings, site=job.plan.site)
        )
        behind = 0
        for delivery in spider.deliveries:
            job.state.go_on_with(f"feeding {delivery.name}")
            if not job.state.broken and spider.delivers:
                await delivery.flush()
            if not stopped:
                await delivery.catch_up(documents)
            counts = {
                **asdict(delivery.counts),
                "undelivered": delivery.waiting(),
                "down": int(delivery.down is not None),
            }
            behind += counts["undelivered"]
            for what, count in counts.items():
                stats.set_value(f"index/{delivery.name}/{what}", round(count, 3))
        return behind

    def _tell_unmet(self, spider: PageSpider, selectors: set[str]) -> None:
        """Says what of the settings has met no page."""
        settings, job = self._crawler.settings, spider.job
        found = list(unmet(selectors, job.store, settings, live=not job.plan.paths))
        self._crawler.stats.set_value("run/unmet", len(found))
        for said in told(found, job.plan.site, settings):
            logger.warning("%s", said)

    def _outcome(self, spider: PageSpider) -> str:
        job = spider.job
        if job.state.stopped:
            return "interrupted"
        if self._reason in _LIMITS:
            return "suspicious" if job.state.suspicion else "limited"
        if self._reason != "finished":
            return "interrupted"
        limit = self._crawler.settings.getint("MAX_PAGES")
        if job.state.suspicion:
            return "suspicious"
        # A run may find that the one before, which was killed, had fetched everything.
        seen = job.store.pages.seen_since(job.round_after)
        if job.state.answers or (not seen and job.store.rounds.asked(job.round_after)):
            return "empty"
        if job.store.frontier.count_due():
            return "limited" if limit and job.state.seen >= limit else "interrupted"
        return "complete"


def _faults(job: Job) -> Counter[str]:
    """Returns how many pages failed in each step."""
    found: Counter[str] = Counter()
    for (step, _), count in job.state.faults.items():
        found[step] += count
    return found
