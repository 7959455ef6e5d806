"""A crawl at work on a site: its lock, its store, its number in the history, and what is in flight."""

from __future__ import annotations

import contextlib
import json
import os
import platform
import shutil
from functools import cache
from importlib.metadata import version
from typing import TYPE_CHECKING, Any, TypeVar

from crawler.configuration.plan import methods_of
from crawler.frontier.revisit import revisits
from crawler.run.recorded import RecordedStats
from crawler.run.signals import HISTORY
from crawler.run.state import RunState
from pagelets.methods import version_of
from pagelets.reading import WALK_VERSION
from settings.places import data_dir, sites_dir
from store.errors import StoreError, StoreUnusable
from store.lock import SiteLock
from store.meta import ACCEPTED, MOVED_TO, Key
from store.runs import seconds
from store.site import Store, beside, replace_store, restore_store

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from scrapy.settings import BaseSettings

    from crawler.configuration.plan import Plan
    from store.decisions import Decision
    from store.runs import Run

_T = TypeVar("_T")


class Job:
    """One run of a spider on one site.

    ``state`` is what the run is at, ``recorded`` says which stats its run file has. ``begun`` is the run as
    it was at its start, ``history`` the site's runs before it, the latest first, at most
    `crawler.run.signals.HISTORY`, ``first_round`` tells that no good run is among all of them. ``before``
    holds what the site's own store knows of its hosts (`Store.meta`), where the run builds a new one.

    Opening takes the site's lock and raises SiteBusy, StoreVersion or StoreUnusable.

    With ``fresh`` the run works on a store of its own, which takes the place of the site's when the run ends
    ``complete`` or ``limited``, or would but for an index that is down; one that ends otherwise leaves the
    site's store as it was. The store of a sample stays beside it until the site is crawled again. A first run
    that stored no page leaves no store (``discarded``), unless the site has a file.
    """

    def __init__(self, plan: Plan, settings: BaseSettings, spider: str) -> None:
        self.plan = plan
        self.home = data_dir(settings) / plan.site
        self.folder = self.home
        self.discarded = False
        self._has_file = (sites_dir(settings) / f"{plan.site}.toml").exists()
        self.state = RunState()
        self.recorded = RecordedStats()
        try:
            self.home.parent.mkdir(parents=True, exist_ok=True)
            self.lock = SiteLock(self.home.with_name(f"{plan.site}.lock"))
        except OSError as error:
            raise StoreUnusable(
                f"{self.home.parent}: {error.strerror}; give a folder that can be written: -s DATA_DIR=..."
            ) from error
        try:
            restore_store(self.home)
            decided = (self._of_home(_decisions) if plan.fresh or plan.sample else None) or []
            self.before = (self._of_home(_hosts) if plan.fresh else None) or {}
            shutil.rmtree(beside(self.home, "sample"), ignore_errors=True)
            if plan.fresh or plan.sample:
                self.folder = beside(self.home, "sample" if plan.sample else "fresh")
                shutil.rmtree(self.folder, ignore_errors=True)
            self._made = not self.folder.exists()
            self.store = Store.open(self.folder, create=True)
            try:
                runs = self._of_home(_runs) or [] if plan.fresh else self.store.runs.all()
                self.history, self.first_round = runs[:HISTORY], not any(run.good for run in runs)
                self.run = self._begin(settings, spider, decided)
                self.begun = self.store.runs.all()[0]
            except BaseException:
                self.store.close()
                raise
        except BaseException:
            self.lock.release()
            raise

    def _of_home(self, read: Callable[[Store], _T]) -> _T | None:
        """What the site's own store says, where this run works on another one; None where it cannot."""
        try:
            with Store.open(self.home) as store:
                return read(store)
        except StoreError:
            # A store that cannot be used is a reason to build a new one.
            return None

    def _begin(self, settings: BaseSettings, spider: str, decided: list[Decision]) -> int:
        last = self.store.runs.last()
        parameters = {
            "spider": spider,
            "url": self.plan.urls,
            "path": [str(path) for path in self.plan.paths],
            "max_pages": settings.getint("MAX_PAGES"),
            "k": settings.getint("PAGELET_K"),
            "partition": settings["PARTITION"],
            "detection": settings["DETECTION"],
            "min_pages": settings.getint("TEMPLATE_MIN_PAGES"),
            "min_share": settings.getfloat("TEMPLATE_MIN_SHARE"),
            "method": settings["METHOD"],
            "block_share": settings.getfloat("REPEATED_BLOCK_SHARE"),
            "overrides": settings.getlist("OVERRIDES"),
            "accept": self.plan.accept,
            "accepted_hosts": list(self.plan.hosts),
        }
        versions = dict(_versions())
        versions["reading"] = str(WALK_VERSION)
        versions["methods"] = ", ".join(map(version_of, methods_of(settings)))
        # The round began after this run: a run that did not finish is continued.
        self.round_after = self.store.runs.last_finished()
        if last is None or last.finished:
            # Left behind by a run that was killed at its very end.
            self.store.flat_pages.clear()
        self.store.faults.listener = lambda fault: self.state.fail(fault.step, fault.error)
        with self.store.transaction():
            self.store.faults.clear()
            run = self.store.runs.begin(parameters, versions)
            self.store.decisions.take(decided)
            self.store.decisions.apply(
                settings.getlist("PINNED_TEMPLATES"), settings.getlist("REJECTED_TEMPLATES")
            )
            if last is not None and last.finished:
                # An archive is read whole: no page of it waits.
                waits = revisits(settings) and not self.plan.paths
                self.store.frontier.begin_round(seconds() if waits else None)
        return run

    def adopt_deliveries(self) -> None:
        """Takes over what the site's store knows of its search indexes, before a fresh one takes its place.

        From here on neither is sure of what they hold, whichever of the two it is that stays.
        """
        with contextlib.ExitStack() as opened:
            try:
                store = opened.enter_context(Store.open(self.home))
                with store.transaction():
                    store.deliveries.doubt()
            except StoreError:
                return
            with self.store.transaction():
                self.store.deliveries.adopt(store.deliveries.all())

    def take_decisions(self) -> None:
        """Lets what people have decided since the run began hold for it. Raises StoreUnusable."""
        others = self._of_home(_waiting) if self.folder != self.home else None
        with self.store.transaction():
            self.store.decisions.take(others or ())

    def undo(self) -> None:
        """Undoes the round: what it has fetched and found is let go. Raises StoreUnusable."""
        with self.store.transaction():
            self.store.previous.restore(self.round_after)

    def settle(self, page: int, state: str, **details: Any) -> None:
        """Records what became of a URL, and that it is no longer in flight. Raises StoreUnusable."""
        with self.store.transaction():
            self.store.frontier.settle(page, state, self.run, **details)
        self.state.settle(page, state, details.get("reason") or state)

    def finish(self, outcome: str, counts: dict[str, Any], *, replaces: bool) -> Run:
        """Records how the run ended, in the store and as runs/RUN.json, and lets others crawl the site.

        Returns the run as it is recorded. ``replaces`` tells whether a fresh store takes the place of the
        site's. Raises StoreUnusable or OSError where that cannot be written.
        """
        try:
            self.take_decisions()
            with self.store.transaction():
                self.store.runs.finish(self.run, outcome, counts)
            self.state.close(outcome)
            run = self.store.runs.get(self.run)
            assert run is not None
            self._write_run_file(run)
            if run.finished:
                self.store.flat_pages.clear()
            self.discarded = outcome == "empty" and self._is_of_no_use()
            self.store.close()
            if self.discarded:
                shutil.rmtree(self.folder, ignore_errors=True)
            elif self.plan.fresh and not self.plan.sample and replaces:
                replace_store(self.folder, self.home)
        finally:
            self.close()
        return run

    def _is_of_no_use(self) -> bool:
        """True if nobody misses the store: this run has made it and has stored no page, and no file of the
        site asks for the record of its runs.
        """
        asked_for = self._has_file and not self.plan.sample
        return self._made and not asked_for and not self.store.bodies.pages()

    def _write_run_file(self, run: Run) -> None:
        folder = self.folder / "runs"
        folder.mkdir(exist_ok=True)
        partial = folder / f".{self.run}.json.{os.getpid()}"
        values = {name: getattr(run, name) for name in run.__slots__}
        partial.write_text(json.dumps(values, indent=1, default=str) + "\n", encoding="utf-8")
        partial.replace(folder / f"{self.run}.json")

    def close(self) -> None:
        """Closes the store and releases the lock. Safe to call twice."""
        self.store.close()
        self.lock.release(remove=self.discarded and not self.home.exists())


def _decisions(store: Store) -> list[Decision]:
    return [*store.decisions.all(), *store.decisions.waiting()]


def _waiting(store: Store) -> list[Decision]:
    return store.decisions.waiting()


def _runs(store: Store) -> list[Run]:
    return store.runs.all()


def _hosts(store: Store) -> dict[Key[list[str]], list[str]]:
    return {key: store.meta(key) or [] for key in (MOVED_TO, ACCEPTED)}


@cache
def _versions() -> Mapping[str, str]:
    """The versions of Python and of the libraries that decide on documents: looked up once."""
    versions = {name: version(name) for name in ("scrapy", "lxml", "duckdb", "numpy")}
    return {**versions, "python": platform.python_version()}
