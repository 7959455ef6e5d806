"""Judging in another way: on a scratch copy of a store, which is only read; or a page alone, at once."""

from __future__ import annotations

import contextlib
import shutil
import sqlite3
import tempfile
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

import numpy as np

from inspection.pages import FoundPage, with_body
from pagelets.judging.engine import Judge, JudgedPage
from pagelets.judging.facts import RecordedPage
from pagelets.patterns import one_escape
from pagelets.reading import read
from pagelets.record import record_of
from release.documents import Release, ReleaseParameters
from settings.errors import ConfigurationError
from store.database import FILE, connect
from store.errors import NotLearned
from store.facts import facts_of
from store.frontier import Target
from store.judging import StoredJudge
from store.learning import learn
from store.meta import JUDGEMENT, ONE_ESCAPE, UNSEEN_SINCE
from store.part import copy_part
from store.records import FetchedPage, derived_page
from store.rederivation import rederive, take_again
from store.site import Store

if TYPE_CHECKING:
    from inspection.pages import JudgeIn
    from pagelets.judging.config import JudgeConfig
    from pagelets.judging.page_facts import PageFacts
    from pagelets.page import Link, Page
    from pagelets.partition import Pagelet

Tell = Callable[[str, int, int], None]
"""Called with the current step, how much of it is done, and how much there is."""
_STEP: Final = 4096
"""Pages of the database that are copied between two moments at which Ctrl-C is heard."""
_ROOM: Final = 2
"""What is judged in another way may take as much room as the copy itself."""
_ESTIMATED: Final = -1
"""The id of a template that detection has not found."""
_ROUNDING: Final = 1e-6
"""Shares of blocks are kept in 32 bits."""


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
    store: Store, judge_in: JudgeIn, trial: Trial, tell: Tell, pages: Collection[int] | None = None
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
    store: Store, judge_in: JudgeIn, url: str, methods: Sequence[str], tell: Tell
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
    escaped = one_escape if copy.meta(ONE_ESCAPE) else str

    def target(link: Link) -> Target:
        try:
            return Target(trial.form_of(escaped(link.url)), "scope")
        except ValueError:
            return Target(link.url, "scope")

    record = record_of(page, trial.config.partition(page))
    return derived_page(page_id, depth, record, copy.pages.unknown, target)


def judged_alone(
    store: Store, judge: StoredJudge, trial: Trial, found_page: FoundPage
) -> tuple[JudgedPage, JudgedPage, list[str]]:
    """Judges a page by the rules of a trial, and by what its site is known for now.

    Args:
        store: the store.
        judge: judges its pages by the present rules.
        trial: the new rules.
        found_page: the page, which has a document.

    Returns:
        The page as it is judged, and as the trial judges it; in words what of the latter only a trial on many
        pages finds out.

    Raises:
        ConfigurationError: the page has no body.
        NotLearned: a method has yet to learn of the site.

    """
    number = found_page.known.page
    with with_body(found_page.known.url):
        before = judge.judge(number)
        body = store.bodies.get(number)
    now, then = judge.config, trial.config
    page = read(body.source(), before.page.url, then.selectors, extraction=then.extraction)
    if trial.same:
        # It may have other fields.
        return before, replace(before, page=page), []
    record = record_of(page, then.partition(page))
    sketches = {one.fingerprint: one.sketch.key for one in record.fragments(record.fingerprints)}
    host = store.pages.host(number)
    known = RecordedPage(number, host, [sketches[one] for one in record.fingerprints], record.keys)
    tried = Judge(then, facts_of(store, then.detection, then.registry))
    subject = tried.subject(page, known, body.text)
    assert subject.evidence is not None
    subject.evidence = _with_templates(subject.evidence, page, subject.pagelets, now, then)
    return before, tried.judge(subject, host, before.origin), list(_approximated(now, then))


def _takes_all_known(now: JudgeConfig, then: JudgeConfig) -> bool:
    """True if each template of the trial is one that the site has now."""
    had, asked = now.detection, then.detection
    return (
        now.partition == then.partition
        and asked.min_pages >= had.min_pages
        and asked.min_share >= had.min_share
    )


def _with_templates(
    evidence: PageFacts, page: Page, pagelets: Sequence[Pagelet], now: JudgeConfig, then: JudgeConfig
) -> PageFacts:
    """Returns the facts of a page with the templates of a trial.

    Those that the site has are taken by the support that they have. Another pagelet is taken to stand on as
    many pages as that of its texts that stands on fewest.
    """
    if now.partition == then.partition and now.detection == then.detection:
        return evidence
    templates, pages = [*evidence.templates], [*evidence.pagelet_pages]
    shares = [*evidence.pagelet_shares]
    has_text = np.array([bool(block.text) for block in page.blocks], bool)
    for place, pagelet in enumerate(pagelets):
        if evidence.decided and evidence.decided[place] is not None:
            continue
        if not templates[place] and not _takes_all_known(now, then):
            own = np.flatnonzero(has_text[pagelet.start : pagelet.stop]) + pagelet.start
            if len(own):
                rarest = own[evidence.blocks.pages[own].argmin()]
                templates[place] = _ESTIMATED
                pages[place] = int(evidence.blocks.pages[rarest])
                shares[place] = float(evidence.blocks.shares[rarest])
        if pages[place] < then.detection.min_pages or shares[place] < then.detection.min_share - _ROUNDING:
            templates[place], pages[place], shares[place] = 0, 0, 0.0
    return replace(evidence, templates=templates, pagelet_pages=pages, pagelet_shares=shares)


def _approximated(now: JudgeConfig, then: JudgeConfig) -> Iterator[str]:
    if not _takes_all_known(now, then):
        yield "templates that the site lacks now are estimated, by how many pages have each text of a pagelet"
    if now.detection.algorithm != then.detection.algorithm:
        yield "templates are those of the present detection: another one is told by many pages alone"
    if now.selectors != then.selectors:
        yield "how many pages repeat a text is counted without the selector"
