"""A site in one row and in one report: its crawls, how much they remove, when it is due; its fields."""

from __future__ import annotations

import re
import sqlite3
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Final

from inspection.runs import ListedRun, list_runs
from inspection.structure import PageClass, page_classes
from inspection.templates import ListedTemplate, largest_templates
from store.database import FILE
from store.errors import StoreError
from store.listing import PageList, PageQuery, PageRow
from store.occurrences import TemplateFrequency, template_frequency

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping, Sequence
    from pathlib import Path

    from pagelets.partitions import Partition
    from pagelets.reading.fields import Extraction
    from store.runs import Run
    from store.site import Store


_FED: Final = re.compile("index/(.+)/undelivered")
"""The stats of a run that name the indexes which it has fed."""
TREND: Final = 30
"""Number of runs in a trend."""
REMOVED: Final = "templates/removed_chars_ratio"
_SINCE: Final = {"released": "documents/released", "deleted": "documents/deleted", "failed": "pages/failed"}


_SAID_OF: Final = {
    "none": "the last crawl did not end, or runs; crawl the site again to continue it",
    "empty": "no page could be used; see the crawl's log",
    "interrupted": "the last crawl was cut short; the next one continues it",
    "suspicious": "far less was found than before: nothing was deleted; accept it, or see the crawl's log",
    "undelivered": "an index lacks documents, or is down; the next crawl, or scrapy redeliver, tries again",
}
"""Warnings by the outcome of the last run."""
OUTLIERS: Final = 20
TEMPLATES: Final = 50
RUNS: Final = 20


@dataclass(slots=True, frozen=True)
class Due:
    """A site's schedule: ``following`` is its next time in ISO 8601, ``reason`` why it is due now (None if it
    is not), ``running`` True while a crawl is under way. ``problem`` is the mistake of a site file.
    """

    following: str | None = None
    reason: str | None = None
    running: bool = False
    problem: str | None = None


@dataclass(slots=True, frozen=True)
class SiteSummary:
    """A site.

    ``trend`` are the shares of text removed by its last runs, the oldest first. ``last`` counts what its last
    run released, deleted and failed to fetch. ``undelivered`` counts documents that an index lacks.
    ``due`` is its schedule, None without one; ``warnings`` name mistakes and failures.
    If the store cannot be read, ``problem`` is the error, and all else is empty.
    """

    site: str
    outcome: str | None = None
    started_at: str | None = None
    documents: int = 0
    chars: int = 0
    chars_kept: int = 0
    trend: Sequence[float] = ()
    last: Mapping[str, int] | None = None
    undelivered: int = 0
    due: Due | None = None
    warnings: Sequence[str] = ()
    problem: str | None = None


class Summaries:
    """Summaries of sites, each made anew when its store has changed.

    Args:
        opened: opens a store by name.
        due: returns the schedules of sites by name.

    """

    def __init__(self, opened: Callable[[str], Store], due: Callable[[], Mapping[str, Due]]) -> None:
        self._opened = opened
        self._due = due
        self._known: dict[str, tuple[tuple[int, ...], SiteSummary]] = {}

    def all(self, sites: Sequence[str]) -> list[SiteSummary]:
        """Returns each site in one row."""
        due = self._due()
        return [_with_due(self._of(site), due.get(site)) for site in sites]

    def _of(self, site: str) -> SiteSummary:
        try:
            with self._opened(site) as store:
                store.only_read()
                with store.snapshot():
                    stamp = _stamp(store.folder)
                    if site not in self._known or self._known[site][0] != stamp:
                        self._known[site] = stamp, _summary(store)
                    return self._known[site][1]
        except (StoreError, sqlite3.Error, OSError) as error:
            return SiteSummary(site, problem=str(error))


def _stamp(folder: Path) -> tuple[int, ...]:
    """Returns numbers that differ after a write. Readers touch the log as well: only its size counts."""
    status, log = (folder / FILE).stat(), folder / f"{FILE}-wal"
    return status.st_ino, status.st_mtime_ns, log.stat().st_size if log.exists() else 0


def _summary(store: Store) -> SiteSummary:
    runs = store.runs.all()[:TREND]
    last = runs[0] if runs else None
    kept = PageList(store.connection).kept()
    # An index that the site has fed no more lacks all that is new since.
    counts = next((run.counts for run in runs if run.counts), {})
    sinks = [match[1] for match in map(_FED.fullmatch, counts) if match]
    return SiteSummary(
        store.name,
        None if last is None else last.outcome or "none",
        None if last is None else last.started_at,
        store.documents.count(),
        kept.chars,
        kept.chars_kept,
        [float(run.counts[REMOVED]) for run in reversed(runs) if REMOVED in run.counts],
        None if last is None else {name: int(last.counts.get(stat, 0)) for name, stat in _SINCE.items()},
        sum(store.deliveries.counts(sink)[1] for sink in sinks),
        warnings=list(_warnings(last)),
    )


def _with_due(found: SiteSummary, due: Due | None) -> SiteSummary:
    problems = [due.problem] if due is not None and due.problem is not None else []
    return replace(found, due=due, warnings=[*found.warnings, *problems])


def _warnings(run: Run | None) -> Iterator[str]:
    if run is None:
        return
    if said := _SAID_OF.get(run.outcome or "none"):
        yield said
    counts = run.counts
    faults = sum(count for name, count in counts.items() if name.startswith("pages/faults/"))
    for count, said in (
        (faults, "pages made a step fail: they have a flag that begins with fault:"),
        (counts.get("fields/missing", 0), "pages lack a required field"),
        (counts.get("run/unmet", 0), "keys of the site file match nothing"),
        (counts.get("templates/redesigned_pages", 0), "pages lost most of their templates: a new design"),
        (counts.get("documents/failed", 0), "documents failed in a pipeline"),
    ):
        if count:
            yield f"{int(count)} {said}"


@dataclass(slots=True, frozen=True)
class CoveredField:
    """A field of a site, and the number of ``pages`` that have a value of it."""

    name: str
    type: str
    many: bool
    pages: int


@dataclass(slots=True, frozen=True)
class FieldCoverage:
    """The fields of a site, those of the fewest pages first. The last crawl took values from ``pages`` pages;
    ``missing`` of these lack a required field.
    """

    pages: int
    missing: int
    fields: Sequence[CoveredField]


def field_coverage(store: Store, extraction: Extraction) -> FieldCoverage:
    """Returns the fields of a site with the number of pages that have each.

    Args:
        store: the store.
        extraction: takes the fields.

    """
    fields = extraction.fields
    if not fields:
        return FieldCoverage(0, 0, ())
    counts = store.page_fields.counts()
    rows = (CoveredField(name, one.type, one.many, counts.found[name]) for name, one in fields.items())
    return FieldCoverage(counts.pages, counts.missing, sorted(rows, key=lambda one: (one.pages, one.name)))


@dataclass(slots=True, frozen=True)
class SiteReport:
    """A site: ``shares`` are documents by the tenth of text that they keep; ``least`` and ``most`` the pages
    that keep the smallest and the largest share; ``templates`` those that remove most text, and
    ``template_pages`` counts the pages that contain one.
    """

    site: str
    documents: int
    chars: int
    chars_kept: int
    states: Mapping[str, int]
    flags: Mapping[str, int]
    shares: Sequence[int]
    least: Sequence[PageRow]
    most: Sequence[PageRow]
    classes: Sequence[PageClass]
    template_pages: TemplateFrequency
    templates: Sequence[ListedTemplate]
    runs: Sequence[ListedRun]


def site_report(store: Store, partition: Partition) -> SiteReport:
    """Returns the report of a site.

    Args:
        store: the store.
        partition: the partition that its pagelets were made with.

    Raises:
        StoreHalfDerived: its pages are being derived again.

    """
    pages = PageList(store.connection)
    kept = pages.kept()
    # Pages without a document keep no share.
    judged = PageQuery(least=0.0, sort="share")
    return SiteReport(
        store.name,
        store.documents.count(),
        kept.chars,
        kept.chars_kept,
        store.frontier.counts(),
        pages.flags(),
        kept.shares,
        pages.rows(judged, 0, OUTLIERS),
        pages.rows(replace(judged, falling=True), 0, OUTLIERS),
        page_classes(store),
        template_frequency(store.connection),
        largest_templates(store, partition, 0, TEMPLATES)[1],
        list_runs(store, RUNS),
    )
