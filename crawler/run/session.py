"""A crawl at work on a site: what one run owns, and what its components are handed."""

from __future__ import annotations

import asyncio
import contextlib
import logging
import platform
import shutil
import sqlite3
from dataclasses import replace
from functools import cache, cached_property
from importlib.metadata import version
from typing import TYPE_CHECKING, Any, Protocol, TypeVar

from scrapy.crawler import Crawler
from scrapy.exceptions import NotConfigured
from scrapy.settings import BaseSettings

from crawler.configuration.judge_config import OF_RUN, config_of
from crawler.configuration.plan import Plan
from crawler.frontier.moves import Moves
from crawler.frontier.revisit import Revisit, revisits
from crawler.run.documents_file import KEPT, DocumentsFile, filed_urls, forget_oldest
from crawler.run.rule_coverage import RuleCoverage
from crawler.run.signals import HISTORY
from crawler.run.state import RecordedStats, RunState
from crawler.run.work import Work
from pagelets.judging.by_url import UrlOverrides, without_extract
from pagelets.page import Page
from pagelets.partition import Pagelet
from pagelets.reading import WALK_VERSION
from release.documents import Release, ReleaseParameters
from search.delivery import deliveries_of
from settings.places import data_dir, site_path
from store.changes import CHANGES
from store.database import FILE, unusable
from store.decisions import Known
from store.doubt import doubt
from store.errors import StoreError, StoreUnusable
from store.lock import SiteLock
from store.meta import ACCEPTED, CLASSES_TAKEN_IN, MOVED_TO, SCOPE
from store.records import FetchedPage
from store.runs import Run, seconds, write_file
from store.site import Store, beside, last_file, replace_store, restore_store

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence

    from scrapy.statscollectors import StatsCollector

    from crawler.fetching.readers import Readers

_T = TypeVar("_T")

logger = logging.getLogger(__name__)


class PageWatcher(Protocol):
    """Takes note of each page that is recorded."""

    def aside(self, fetched: FetchedPage) -> None:
        """Sees a page that is about to be recorded, and may change where its links lead."""

    def see(self, fetched: FetchedPage, page: Page, pagelets: Sequence[Pagelet]) -> None:
        """Sees a ``fetched`` page that was recorded, as ``page`` and its ``pagelets``."""


class CrawlSession:
    """One run of a spider on one site. It owns the run's store, state, work, release and deliveries.

    Made once per crawl, by `crawler.spiders.base.PageSpider.from_crawler`; components get it from
    `session_of`. ``config`` are the rules of judging, ``state`` is the run's state, ``recorded`` chooses the
    stats of its run file. ``begun`` is the run as it was at its start, ``history`` the site's runs before it,
    the latest first, at most `crawler.run.signals.HISTORY`, ``first_round`` is True without a good run among
    all of them. ``compared`` is True if the site's state before the run is known well enough to see a loss.
    ``deliveries`` are one into each search index of the site, ``delivers`` is True if they get what is
    released at once. ``documents_file`` keeps all documents in a file, if asked for. ``watchers`` see each
    page that is recorded, ``readers`` read pages for the spider; ``before_release`` is called, beside the
    reactor's thread, when the round is to be trusted. A spider that follows links sets ``reach``, which
    notes, inside a transaction, which pages they lead to, and returns how many are due again by that, and
    ``belongs``, which returns whether a known URL is in scope; one that searches sets ``nothing_found``,
    which returns why nothing goes out of its run, or None where something does.

    With ``fresh`` the run works on a store of its own, which takes the place of the site's when the run ends
    ``complete`` or ``limited``, or would but for an index that is down; one that ends otherwise leaves the
    site's store as it was. The store of a sample stays beside it until the site is crawled again. A first run
    that stored no page leaves no store (``discarded``), unless the site has a file.

    Args:
        crawler: has the settings and, later, stats and engine.
        plan: what is asked for, checked.
        spider: the name of the spider.
        partial: the run is to see a part of the site alone: the rest is as it was, and nothing is deleted.

    Raises SiteBusy, StoreVersion, StoreUnusable or ConfigurationError.
    """

    def __init__(self, crawler: Crawler, plan: Plan, spider: str, *, partial: bool = False) -> None:
        settings = crawler.settings
        self._crawler = crawler
        self.plan, self.partial = plan, partial
        self.home = self.folder = data_dir(settings) / plan.site
        self.discarded = False
        self.compared = True
        self.state = RunState()
        self.recorded = RecordedStats()
        self.watchers: list[PageWatcher] = []
        self.before_release: list[Callable[[], None]] = []
        self.readers: Readers | None = None
        self.reach: Callable[[], int] = int
        self.belongs: Callable[[str], bool] = lambda _: True
        self.nothing_found: Callable[[], str | None] = lambda: None
        self.rule_coverage = RuleCoverage(settings)
        self.config = config_of(settings, plan.site)
        self.revisit = Revisit.from_settings(settings, UrlOverrides(self.config.overrides).of)
        self._has_file = site_path(plan.site, settings).exists()
        self.lock = self._locked()
        try:
            self._open(settings, spider)
        except BaseException:
            self.lock.release()
            raise
        # What a fresh crawl finds is in the indexes when its store takes the place of the site's.
        self.delivers = bool(self.deliveries) and not plan.fresh
        self.work = Work(crawler, self.store, self.state)

    def _locked(self) -> SiteLock:
        try:
            self.home.parent.mkdir(parents=True, exist_ok=True)
            return SiteLock(self.home.with_name(f"{self.plan.site}.lock"))
        except OSError as error:
            raise StoreUnusable(
                f"{self.home.parent}: {error.strerror}; give a folder that can be written: -s DATA_DIR=..."
            ) from error

    def _open(self, settings: BaseSettings, spider: str) -> None:
        plan = self.plan
        restore_store(self.home)
        hosts = {}
        decided = self.of_home(lambda of: of.decisions.known()) if plan.fresh or plan.sample else None
        if plan.fresh:
            hosts = self.of_home(lambda of: {key: of.meta(key) or [] for key in (MOVED_TO, ACCEPTED)}) or {}
        for kind in ("sample", "fresh"):
            shutil.rmtree(beside(self.home, kind), ignore_errors=True)
        if plan.fresh or plan.sample:
            self.folder = beside(self.home, "sample" if plan.sample else "fresh")
        self._made = not self.folder.exists()
        self.store = Store.open(self.folder, create=True)
        try:
            runs = self.of_home(lambda of: of.runs.all()) or [] if plan.fresh else self.store.runs.all()
            self.history, self.first_round = runs[:HISTORY], not any(run.good for run in runs)
            self.run = self._begin(settings, spider, decided)
            self.begun = self.store.runs.all()[0]
            indexed = plan.site, self.store, settings, self.config.columns
            self.deliveries = [] if plan.sample else deliveries_of(*indexed)
            self.documents_file = self._documents_file(settings)
        except BaseException as error:
            self.store.close()
            if isinstance(error, sqlite3.Error):
                raise unusable(self.folder / FILE, error) from error
            raise
        self.moves = Moves(plan, self.store, hosts)

    def _documents_file(self, settings: BaseSettings) -> DocumentsFile | None:
        if self.plan.sample or not settings.getbool("DOCUMENTS_FILE"):
            return None
        return DocumentsFile(self.folder, self.home, self.run, self.config, self.store.frontier.find)

    @property
    def stats(self) -> StatsCollector:
        """The crawl's stats; Scrapy makes them after the spider and its session."""
        return self._crawler.stats

    @property
    def ends(self) -> bool:
        """True if the crawl is to stop, such as after Ctrl-C."""
        return not self._crawler.crawling

    @property
    def needed_fields(self) -> frozenset[str]:
        """The Document fields that the indexes and the file of documents need of what is released."""
        needed = {name for delivery in self.deliveries if self.delivers for name in delivery.sink.fields}
        return frozenset(needed if self.documents_file is None else {*needed, "url"})

    @cached_property
    def release(self) -> Release:
        """The release of the run, as the settings ask for it."""
        settings = self._crawler.settings
        parameters = ReleaseParameters(
            replace(self.config, more_fields=self.needed_fields),
            memory=settings.getint("DETECTION_MEMORY"),
            next_visit=self.revisit.next,
            processes=settings.getint("RELEASE_PROCESSES"),
        )
        return Release(self.store, self.begun, self.round_after, parameters)

    def of_home(self, read: Callable[[Store], _T]) -> _T | None:
        """Reads from the site's own store while this run works on another one; None if that fails."""
        try:
            with Store.open(self.home) as store:
                return read(store)
        except (StoreError, sqlite3.Error):
            return None

    def _begin(self, settings: BaseSettings, spider: str, decided: Known | None) -> int:
        last = self.store.runs.last()
        parameters = {
            "spider": spider,
            "url": self.plan.urls,
            "path": [str(path) for path in self.plan.paths],
            "max_pages": settings["MAX_PAGES"],
            "k": settings["PAGELET_K"],
            "partition": settings["PARTITION"],
            **{name: settings[setting] for name, setting in OF_RUN.items()},
            "overrides": without_extract(settings.getlist("OVERRIDES")),
            "accept": self.plan.accept,
            "accepted_hosts": list(self.plan.hosts),
        }
        methods = ", ".join(map(self.config.registry.version_of, self.config.methods))
        versions = {**_versions(), "reading": str(WALK_VERSION), "methods": methods}
        # The round began after this run: a run that did not finish is continued.
        self.round_after = self.store.runs.last_finished()
        if last is None or last.finished:
            # Left behind by a run that was killed at its very end.
            self.store.flat_pages.clear()
        self.store.faults.listener = lambda fault: self.state.faults.update([(fault.step, fault.error)])
        with self.store.transaction():
            self.store.faults.clear()
            known = self.history[0].run if self.history else 0
            # Whoever reads the files of runs and changes has seen their numbers.
            seen = max(known, last_file(self.folder if self.plan.sample else self.home))
            run = self.store.runs.begin(parameters, versions, seen)
            if seen > known and known and not self.plan.fresh:
                restored = "%s knows no run after %d, as one restored from a backup: all goes out once more"
                logger.warning(restored, self.home / FILE, known)
                doubt(self.store, filed_urls(self.home))
                self.store.deliveries.forget()
            self.store.decisions.take(*decided or ())
            self.store.decisions.apply(
                settings.getlist("PINNED_TEMPLATES"), settings.getlist("REJECTED_TEMPLATES")
            )
            duplicates = self.config.duplicates
            if not (duplicates.compared and duplicates.left_out):
                self.store.outcomes.leave_in_duplicates()
            if last is not None and last.finished:
                # An archive is read whole: no page of it waits.
                waits = revisits(settings) and not self.plan.paths
                self.store.frontier.begin_round(seconds() if waits else None, self.revisit.longest)
        return run

    def adopt_deliveries(self) -> None:
        """Takes over what the site's store knows of its search indexes, before a fresh one takes its place.

        From here on neither is sure of what they hold: the old one, if it stays, deletes what is new to it.
        """
        with contextlib.ExitStack() as opened:
            try:
                store = opened.enter_context(Store.open(self.home))
                with store.transaction():
                    store.deliveries.doubt()
                # Later, the error of a damaged table would count as one of the fresh store.
                sum(1 for *_, held in store.deliveries.all() for _ in held)
            except (StoreError, sqlite3.Error):
                return
            with self.store.transaction():
                self.store.deliveries.adopt(store.deliveries.all())
            with contextlib.suppress(StoreError), store.transaction():
                for sink, *_ in store.deliveries.all():
                    store.deliveries.begin(sink, self.store.deliveries.most_units(sink))

    def take_decisions(self) -> None:
        """Lets what people have decided since the run began hold for it. Raises StoreUnusable."""
        others = self.of_home(lambda of: of.decisions.waiting()) if self.folder != self.home else None
        with self.store.transaction():
            self.store.decisions.take(others or ())

    def undo(self) -> None:
        """Undoes the round: what it has fetched and found is let go. Raises StoreUnusable."""
        with self.store.transaction():
            self.store.previous.restore(self.round_after)
            # The next crawl of the site takes them in again.
            if self.store.meta(CLASSES_TAKEN_IN) == self.round_after and self.store.outcomes.take_back():
                self.store.set_meta(SCOPE, "")
            # What led to the URLs that it met first is undone too: a login page is not asked for again.
            self.reach()

    @contextlib.contextmanager
    def writing(self) -> Iterator[None]:
        """A transaction of the store; if the store takes no more, the crawl is `RunState.broken`."""
        try:
            with self.store.transaction():
                yield
        except StoreUnusable as error:
            self.stop(error)

    def stop(self, error: Exception) -> None:
        """Ends the crawl because the store takes no more: what it has stays, the rest is for the next run."""
        if not self.state.break_off():
            return
        logger.critical("%s", error)
        closing = self._crawler.engine.close_spider_async(reason="store_unusable")
        self._closing = asyncio.ensure_future(closing)

    def settle(self, page: int, state: str, **details: Any) -> None:
        """Records the new state of a URL, takes it out of flight, and counts it."""
        try:
            with self.store.transaction():
                self.store.outcomes.settle(page, state, self.run, **details)
        except StoreUnusable as error:
            self.stop(error)
        else:
            self.state.settle(page, state, details.get("reason") or state)
            self.stats.inc_value(f"pages/{state}")

    def note_faults(self, step: str, failed: Iterable[tuple[int, Exception]]) -> None:
        """Notes the errors that a ``step`` has ``failed`` with on pages. Raises StoreUnusable."""
        with self.store.transaction():
            for page, error in failed:
                self.store.faults.note(page, step, error)

    def settle_lost(self) -> None:
        """Settles, when nothing is under way any more, what some component has let fall without a word."""
        for page in sorted(self.state.in_flight):
            logger.error("Lost on its way: %s", self.store.frontier.url(page))
            self.settle(page, "failed", reason="lost")

    def finish(self, outcome: str, counts: dict[str, Any], *, replaces: bool) -> Run:
        """Records how the run ended, in the store and as runs/RUN.json, and lets others crawl the site.

        Args:
            outcome: the outcome of the run.
            counts: its stats.
            replaces: whether a fresh store takes the place of the site's.

        Returns:
            The run as it is recorded.

        Raises:
            StoreUnusable, OSError: it cannot be written.

        """
        try:
            self.take_decisions()
            with self.store.transaction():
                self.store.runs.finish(self.run, outcome, counts)
                run = self.store.runs.get(self.run)
                assert run is not None
                # Where it finds no room, the store has no outcome either.
                write_file(run, self.folder / "runs")
            if run.finished:
                self.store.flat_pages.clear()
            self.discarded = outcome == "empty" and self._is_of_no_use()
            self.store.close()
            if self.discarded:
                shutil.rmtree(self.folder, ignore_errors=True)
            elif self.plan.fresh and replaces:
                replace_store(self.folder, self.home)
                forget_oldest(self.home / CHANGES, ".jsonl", KEPT)
            self.state.close(outcome)
        finally:
            self.close()
        return run

    def _is_of_no_use(self) -> bool:
        """True if nobody misses the store: this run has made it and has stored no page, and no file of the
        site asks for the record of its runs.
        """
        asked_for = self._has_file and not self.plan.sample
        return self._made and not asked_for and not self.store.bodies.pages()

    def close(self) -> None:
        """Closes the store and releases the lock. Safe to call twice."""
        if self.readers is not None:
            self.readers.close()
        if self.documents_file is not None:
            self.documents_file.close()
        self.store.close()
        self.lock.release(remove=self.discarded and not self.home.exists())


@cache
def _versions() -> Mapping[str, str]:
    """The versions of Python and of the libraries that decide on documents: looked up once."""
    versions = {name: version(name) for name in ("scrapy", "lxml", "duckdb", "numpy")}
    return {**versions, "python": platform.python_version()}


def session_of(crawler: Crawler) -> CrawlSession:
    """The session of a crawl, for the `from_crawler` of its components: Scrapy makes the spider before them.

    Raises NotConfigured for a spider of another project's class.
    """
    session = getattr(crawler.spider, "session", None)
    if not isinstance(session, CrawlSession):
        raise NotConfigured("the crawl of a spider that is no crawler.spiders.base.PageSpider")
    return session
