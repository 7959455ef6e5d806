"""Says how a run ended: in the store, in its run file, and as the command's exit code."""

from __future__ import annotations

import logging
import sqlite3
from collections.abc import Awaitable, Callable
from dataclasses import asdict, replace
from functools import partial
from typing import Final, Self

from scrapy import signals
from scrapy.crawler import Crawler
from scrapy.settings import BaseSettings

from crawler.configuration.judgement import stored_judge
from crawler.configuration.plan import told
from crawler.feeds.extension import FAILED
from crawler.fetching.browser.middleware import is_on
from crawler.run.ending import keep_file, note_taught
from crawler.run.rule_coverage import unused_rules
from crawler.run.session import CrawlSession, session_of
from crawler.run.signals import run_closed, run_finished
from pagelets.patterns import host_of
from search.released import ReleasedDocuments
from settings.errors import ConfigurationError
from settings.places import as_typed
from store.database import FILE, unusable
from store.errors import StoreError
from store.meta import FILED_FIELDS
from store.runs import Run, now

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
FOUND: Final = "fields/found/"
"""The same of the stats that count pages which have a field."""

_LIMITS = frozenset(
    f"closespider_{limit}"
    for limit in "timeout timeout_no_item itemcount pagecount pagecount_no_item errorcount".split()
)

UNREQUESTED: Final = "pages/unrequested/"
"""What stats of URLs begin with that were refused before any request; their reason follows."""

WITHOUT_DOCUMENT: Final = "pages/without_document/"
"""The same of stats of pages that are to have no document."""


class RunOutcome:
    """Records a run's outcome when its feeds are closed, and that its documents are delivered: before that,
    these are in the file of all documents.

    A run that was not stopped sends to the search indexes whatever they lack by now. Stats: ``pages/…`` by
    state, ``pages/duplicates``, ``pages/faults/STEP``, ``documents/delivered``, ``run/outcome``, and of each
    sink ``index/SINK/…``.
    """

    def __init__(
        self, session: CrawlSession, settings: BaseSettings, tell: Callable[..., Awaitable[object]]
    ) -> None:
        self._session = session
        self._settings = settings
        self._tell = tell
        self._reason: str | None = None
        session.recorded.register(f"{FAILED}/")

    @classmethod
    def from_crawler(cls, crawler: Crawler) -> Self:
        """Connects to the signals of the end."""
        tell = partial(crawler.signals.send_catch_log_async, spider=crawler.spider)
        outcome = cls(session_of(crawler), crawler.settings, tell)
        crawler.signals.connect(outcome.spider_closed, signal=signals.spider_closed)
        crawler.signals.connect(outcome.engine_stopped, signal=signals.engine_stopped)
        return outcome

    def spider_closed(self, reason: str) -> None:
        """Keeps why the spider was closed."""
        self._reason = reason

    async def engine_stopped(self) -> None:
        """Records the outcome: by now all feeds are closed."""
        session = self._session
        if self._reason is None or session.state.outcome is not None:
            return
        try:
            await self._finish()
        except (StoreError, OSError, sqlite3.Error) as error:
            # Without an outcome the run counts as interrupted.
            if not session.state.broken:
                of_the_store = isinstance(error, sqlite3.Error)
                logger.critical("%s", unusable(session.folder / FILE, error) if of_the_store else error)
            counts = session.recorded.of(session.stats.get_stats())
            ended = replace(session.begun, finished_at=now(), outcome=session.state.outcome, counts=counts)
            await self._tell_of(ended)
        finally:
            for delivery in session.deliveries:
                await delivery.close()
            session.close()
            await self._tell(signal=run_closed)

    async def _finish(self) -> None:
        session, stats = self._session, self._session.stats
        filed = await keep_file(session, self._settings)
        delivered = filed and not any(key.startswith(FAILED) for key in stats.get_stats())
        if delivered:
            self._deliver()
        outcome = self._outcome()
        if outcome in ("complete", "limited") and (session.state.refused or not delivered):
            outcome = "undelivered"
        unmet_selectors = session.rule_coverage.note(session.store)
        if outcome == "complete" and not session.partial:
            self._tell_unmet(unmet_selectors)
        if outcome == "complete":
            self._tell_lost_starts()
        if outcome == "complete" and session.first_round:
            self._tell_outside()
            self._tell_twice()
        if outcome in ("complete", "limited", "suspicious"):
            self._tell_scripted()
        if outcome == "suspicious" and self._reason in _LIMITS:
            # Not to be continued, as a run is that was stopped otherwise.
            session.undo()
        good = outcome in ("complete", "limited")
        if good and session.plan.fresh:
            session.adopt_deliveries()
        if good:
            note_taught(session, self._settings)
        waiting = await self._feed_indexes(outcome) if good or not session.plan.fresh else 0
        if good and waiting:
            outcome = "undelivered"
        for state, count in session.store.frontier.counts().items():
            stats.set_value(f"pages/state/{state}", count)
        for reason, count in session.store.outcomes.refused_on_sight(session.run).items():
            stats.set_value(f"{UNREQUESTED}{reason}", count)
        for reason, count in session.store.outcomes.without_document().items():
            stats.set_value(f"{WITHOUT_DOCUMENT}{reason}", count)
        _count_fields(session)
        stats.set_value("templates/count", session.store.templates.count())
        stats.set_value("pages/duplicates", session.store.documents.duplicates())
        stats.set_value("documents/current", session.store.documents.count())
        stats.set_value("run/outcome", outcome)
        if outcome == "empty":
            answers = "; ".join(session.state.answers) or "the archive has no pages"
            logger.error("No page could be used: %s", answers)
        try:
            if self._settings["PUBLISH_TABLES"]:
                await session.work.do("publishing the tables", self._publish)
        except (OSError, StoreError, ConfigurationError) as error:
            # The run ended as it ended: what was published before stays, and can be published again.
            again = as_typed(f"scrapy publish {session.plan.site}")
            logger.warning("%s; the tables were not published: %s", error, again)
        for (step, _), count in session.state.faults.items():
            stats.inc_value(f"{FAULTS}{step}", count)
        await self._tell_of(session.finish(outcome, session.recorded.of(stats.get_stats()), replaces=good))

    def _deliver(self) -> None:
        """Notes that the documents of the run have arrived, and which fields those of the file have."""
        session = self._session
        with session.store.transaction():
            delivered = session.store.documents.deliver(session.run)
            if session.documents_file is None:
                session.store.forget_meta(FILED_FIELDS)
            else:
                session.store.set_meta(FILED_FIELDS, session.documents_file.fields)
        session.stats.set_value("documents/delivered", delivered)

    def _publish(self) -> None:
        from crawler.run.publishing import OF_CRAWLS, publish

        session = self._session
        failed: list[tuple[int, Exception]] = []
        with session.store.reader() as reader:
            site, tell = session.plan.site, lambda *fault: failed.append(fault)
            publish(reader, site, self._settings, OF_CRAWLS, failed=tell)
        session.note_faults("publishing", failed)

    async def _tell_of(self, run: Run) -> None:
        """Says that a run has ended; one whose end could not be recorded has no outcome."""
        if not self._session.plan.sample:
            await self._tell(signal=run_finished, run=run, history=self._session.history)

    async def _feed_indexes(self, outcome: str) -> int:
        """Sends what the indexes lack; returns how many documents have not arrived in all of them, and at
        least 1 for each index that is down.
        """
        session, stats = self._session, self._session.stats
        stopped = session.state.broken or (self._reason != "finished" and self._reason not in _LIMITS)
        # A store that was lost and an outage in the same night must not empty an index.
        nothing = outcome != "complete" and not session.store.documents.any()
        documents = ReleasedDocuments(
            session.store, lambda: stored_judge(session.store, self._settings, site=session.plan.site)
        )
        behind = 0
        for delivery in session.deliveries:
            session.state.go_on_with(f"feeding {delivery.name}")
            if not session.state.broken and session.delivers:
                await delivery.flush()
            if not (stopped or nothing):
                await delivery.catch_up(documents)
            waiting, down = delivery.waiting(), int(delivery.down is not None)
            counts = {**asdict(delivery.counts), "undelivered": waiting, "down": down}
            # Of one that could not be reached nobody knows whether it has what it was given.
            behind += waiting or down
            for what, count in counts.items():
                stats.set_value(f"index/{delivery.name}/{what}", round(count, 3))
        return behind

    def _tell_unmet(self, selectors: set[str]) -> None:
        """Says what of the settings has met no page."""
        settings, session = self._settings, self._session
        unmet = list(unused_rules(selectors, session.store, settings, live=not session.plan.paths))
        session.stats.set_value("run/unmet", len(unmet))
        for line in told(unmet, session.plan.site, settings):
            logger.warning("%s", line)

    def _tell_lost_starts(self) -> None:
        """Names start URLs, or what they redirect to, that give no page: others make the run complete."""
        session, frontier = self._session, self._session.store.frontier
        starts = (page for start in session.moves.first for page in frontier.redirects(start))
        if lost := session.store.rounds.lost(starts, session.round_after):
            logger.warning("Start URLs without a page: %s", "; ".join(lost))

    def _tell_outside(self) -> None:
        """Says where most links lead to a start URL's host with or without ``www.``, as sites answer at both,
        or past the folder of a start URL that is a page in it.
        """
        frontier, pages, places = self._session.store.frontier, self._session.state.held, dict[str, str]()
        for url in self._session.plan.urls:
            host = host_of(url)
            bare = host.removeprefix("www.")
            twin = bare if bare != host else f"www.{host}"
            places[twin] = twin
            if not (url.endswith("/") or self._session.partial):
                places[host] = f"{host}, outside of the folder of {url}"
        for host, place in places.items():
            if (links := frontier.count_out_of_scope(host)) > pages:
                told = "%d links lead to %s, which is not crawled; if the site is there, give that as url"
                logger.warning(told, links, place)

    def _tell_twice(self) -> None:
        """Says how many pages have a document at http and one at https."""
        if twice := self._session.store.outcomes.answered_twice():
            logger.warning(
                "%d pages have a document at http:// and one at https://, with the same text; if all are at "
                "https://, a rule of the site file leaves the others out: "
                'rules = [{ policy = "deny", type = "begins", pattern = "http://" }]',
                twice,
            )

    def _tell_scripted(self) -> None:
        """Says where most pages of the site show nothing, as no script of theirs is run."""
        session = self._session
        scripted, pages = session.state.scripted, max(session.state.held, session.store.documents.count())
        if scripted * 2 > pages and not (is_on(self._settings) or session.plan.paths):
            logger.warning(
                "%d of %d pages have no text, or little, unless their scripts are run; if that is the site, "
                "give its file javascript = true, or the crawl -s RENDER_JAVASCRIPT=1: docs/javascript.md",
                scripted,
                pages,
            )

    def _outcome(self) -> str:
        session = self._session
        if session.state.stopped:
            return "interrupted"
        if self._reason in _LIMITS:
            return "suspicious" if session.state.suspicion else "limited"
        if self._reason != "finished":
            return "interrupted"
        limit = self._settings.getint("MAX_PAGES")
        if session.state.suspicion:
            return "suspicious"
        # A run may find that the one before, which was killed, had fetched everything.
        seen = session.store.pages.seen_since(session.round_after)
        # An archive may have no page at all: then no URL is known.
        none_known = session.plan.paths and not session.store.frontier.counts()
        if session.state.answers or (
            not seen and (none_known or session.store.rounds.asked(session.round_after))
        ):
            return "empty"
        if session.store.frontier.count_due():
            return "limited" if limit and session.state.seen >= limit else "interrupted"
        return "complete"


def _count_fields(session: CrawlSession) -> None:
    """Counts on how many pages the fields of the site were found, if it has any."""
    if not session.config.extraction:
        return
    counts, stats = session.store.page_fields.counts(), session.stats
    stats.set_value("fields/pages", counts.pages)
    stats.set_value("fields/missing", counts.missing)
    for name in session.config.extraction.fields:
        stats.set_value(f"{FOUND}{name}", counts.found[name])
