"""A scratch copy of a store, judged in another way; the store itself is only read."""

from __future__ import annotations

import contextlib
import shutil
import sqlite3
import tempfile
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from pagelets.record import record_of
from release.documents import Release, ReleaseParameters
from settings.errors import ConfigurationError
from store.database import FILE, connect
from store.errors import NotLearned
from store.frontier import Target
from store.judging import StoredJudge
from store.learning import learn
from store.meta import JUDGEMENT, UNSEEN_SINCE
from store.part import copy_part
from store.records import derived_page
from store.rederivation import rederive, take_again
from store.site import Store

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Iterator, Mapping, Sequence

    from pagelets.judging.config import JudgeConfig
    from pagelets.page import Link, Page
    from store.records import FetchedPage

    Tell = Callable[[str, int, int], None]
    """Called with the current step, how much of it is done, and how much there is."""

_STEP: Final = 4096
"""Pages of the database that are copied between two moments at which Ctrl-C is heard."""
_ROOM: Final = 2
"""What is judged in another way may take as much room as the copy itself."""


@dataclass(slots=True, frozen=True)
class Trial:
    """Another way of judging a site.

    ``asked`` is what is to be other than now, ``config`` how pages are judged then. It is remembered what
    documents of runs up to ``remembers_until`` kept. ``form_of`` gives the one form of a URL. ``same`` tells
    that templates are found and pages judged as they were.
    """

    asked: Mapping[str, Any]
    config: JudgeConfig
    remembers_until: int
    form_of: Callable[[str], str]
    same: bool


@dataclass(slots=True, frozen=True)
class Tried:
    """A site as its store has it, and as a trial makes it: both can be judged side by side."""

    store: Store
    judge: StoredJudge
    tried: Store
    tried_judge: StoredJudge


@contextlib.contextmanager
def tried(
    store: Store,
    judge_in: Callable[[Store], StoredJudge],
    trial: Trial,
    tell: Tell,
    pages: Collection[int] | None = None,
) -> Iterator[Tried]:
    """Makes a scratch copy of a store with a trial made on it, which is removed at the end.

    Args:
        store: the store.
        judge_in: makes a judge of a store's pages by the present rules.
        trial: the new rules.
        tell: called with the progress.
        pages: if given, these pages alone are the site, before the trial as well.

    Raises:
        ConfigurationError: the disk has no room for the copy. Exceptions of ``judge_in`` and
            `store.site.Store.transaction` pass.

    """
    store.derivation.check()
    with tempfile.TemporaryDirectory(prefix="pagelets-try-") as folder:
        # Both have the name of the site. The first has no file of pages as they were read: those of the
        # second are read with other selectors.
        before, after = (Path(folder) / part / store.name for part in ("before", "after"))
        if pages is None:
            _copy(store, after, tell)
        else:
            copy_part(store.folder, after, pages)
        with contextlib.ExitStack() as opened:
            copy = opened.enter_context(Store.open(after))
            if pages is not None:
                _find_evidence(copy, judge_in(copy).config, tell)
            original = opened.enter_context(Store(before, connect(after)))
            opened.enter_context(original.snapshot())
            judge = judge_in(original)
            _change(copy, trial, tell)
            then = StoredJudge(copy, trial.config, remembers_until=trial.remembers_until)
            yield Tried(original, judge, copy, then)


@contextlib.contextmanager
def learned(
    store: Store, judge_in: Callable[[Store], StoredJudge], url: str, methods: Sequence[str], tell: Tell
) -> Iterator[StoredJudge]:
    """Returns a judge of the page at a ``url`` by its own method and by ``methods``. Those that
    have yet to learn of the site do so on a scratch copy, which is removed at the end.

    Takes ``store``, ``judge_in`` and ``tell`` as `tried` does, and raises as it does.
    """
    judge = judge_in(store)
    try:
        for name in methods:
            judge.check(name)
    except NotLearned:
        pass
    else:
        with store.snapshot():
            yield judge
        return
    with tempfile.TemporaryDirectory(prefix="pagelets-learn-") as folder:
        place = Path(folder) / "copy" / store.name
        _copy(store, place, tell)
        with Store.open(place) as copy:
            judge = judge_in(copy)
            method = judge.named(url)
            registry = judge.config.registry
            report = partial(tell, "pages learned of")
            learn(copy, judge.subject, [*methods, method], report, registry=registry)
            yield judge


def _copy(store: Store, folder: Path, tell: Tell) -> None:
    size, free = (store.folder / FILE).stat().st_size, shutil.disk_usage(folder.parents[1]).free
    if free < _ROOM * size:
        raise ConfigurationError(
            f"{tempfile.gettempdir()} has {free >> 20} MB free, and trying takes up to {_ROOM * size >> 20} "
            "MB there; name a folder with more room in the environment variable TMPDIR"
        )
    folder.mkdir(parents=True)
    with contextlib.closing(sqlite3.connect(folder / FILE)) as target, store.snapshot():
        # Of a store that a crawl writes to, what is copied is what it was at this moment.
        store.runs.last()
        store.connection.backup(
            target, pages=_STEP, progress=lambda _, left, total: tell("parts copied", total - left, total)
        )


def _change(copy: Store, trial: Trial, tell: Tell) -> None:
    """Does what the release of a crawl does which finds the pages as they were."""
    config = trial.config
    with copy.transaction():
        lacks = copy.derivation.lacks(config.derivation)
    if lacks:
        derive = partial(_derived, copy, trial)
        for done, total in rederive(copy, config.derivation, config.selectors, derive):
            tell("pages partitioned", done, total)
    for done, total in take_again(copy, config.extraction) if config.extraction else ():
        tell("pages whose fields are taken", done, total)
    _find_evidence(copy, config, tell)
    with copy.transaction():
        copy.set_meta(JUDGEMENT, config.fingerprint)
        if not trial.same:
            copy.set_meta(UNSEEN_SINCE, -1)


def _find_evidence(copy: Store, config: JudgeConfig, tell: Tell) -> None:
    run = copy.runs.last()
    assert run is not None, "a store is made by its first run"
    release = Release(copy, run, 0, ReleaseParameters(config))
    release.evidence(tell=partial(tell, "pages learned of"))


def _derived(copy: Store, trial: Trial, page_id: int, depth: int, page: Page) -> FetchedPage:
    """Derives a page of a scratch copy. Where its links lead is known there already."""

    def target(link: Link) -> Target:
        try:
            return Target(trial.form_of(link.url), "scope")
        except ValueError:
            return Target(link.url, "scope")

    record = record_of(page, trial.config.partition(page))
    return derived_page(page_id, depth, record, copy.pages.unknown, target)
