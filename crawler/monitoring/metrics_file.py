"""Writes the figures of each run as Prometheus has them, in a file for the textfile collector of its node
exporter.
"""

from __future__ import annotations

import logging
import re
from collections.abc import Mapping, Sequence
from datetime import datetime
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final, Self

from scrapy.crawler import Crawler
from scrapy.exceptions import NotConfigured

from crawler.run.outcome import EXIT_CODES, FAULTS, FOUND
from crawler.run.session import session_of
from crawler.run.signals import run_finished
from settings.places import PROJECT
from store.runs import Run

if TYPE_CHECKING:
    from prometheus_client import CollectorRegistry


logger = logging.getLogger(__name__)

_SINK: Final = re.compile(r"index/(.+)/(indexed|deleted|refused|undelivered|down)\Z")
_OUTCOMES: Final = tuple(outcome for outcome in EXIT_CODES if outcome not in ("usage", "busy"))
_PAGES: Final = {"fetched": "pages/held", "unchanged": "pages/not_modified", "failed": "pages/failed"}
_DOCUMENTS: Final = ("current", "released", "deleted", "delivered", "failed")
_SINKS: Final = {
    "indexed": "Documents that a search index has taken in the run.",
    "deleted": "Documents that a search index has let go in the run.",
    "refused": "Documents that a search index has refused in the run.",
    "undelivered": "Documents that a search index lacks, or should have let go.",
    "down": "1 where a search index could not be reached at the end of the run.",
}
_COUNTED: Final = (
    ("removed_ratio", "Share of the text that was removed.", "templates/removed_chars_ratio"),
    ("templates", "Templates of the site.", "templates/count"),
    ("redesigned_pages", "Pages that lost most of their templates at once.", "templates/redesigned_pages"),
    ("field_pages", "Pages whose fields were taken.", "fields/pages"),
    ("missing_field_pages", "Pages that lack a required field.", "fields/missing"),
)
"""Gauges that are there where the run has their stats."""


class Metrics:
    """Writes ``METRICS_DIR/pagelets_SITE.prom`` at the end of each run, but for samples.

    Where it cannot be written the log says so, and the run ends as it has ended.

    Setting: ``METRICS_DIR`` (default none): the folder that the node exporter reads, relative to the project.
    """

    def __init__(self, site: str, folder: Path) -> None:
        self._site = site
        self._path = folder / f"pagelets_{site}.prom"

    @classmethod
    def from_crawler(cls, crawler: Crawler) -> Self:
        """Switches itself off without a folder."""
        folder = str(crawler.settings.get("METRICS_DIR") or "")
        if not folder:
            raise NotConfigured
        writer = cls(session_of(crawler).plan.site, PROJECT / folder)
        crawler.signals.connect(writer.run_finished, signal=run_finished)
        return writer

    def run_finished(self, run: Run, history: Sequence[Run]) -> None:
        """Writes the file."""
        try:
            write(self._path, metrics(self._site, run, history))
        except OSError as error:
            mend = "the metrics of this run were not written: see METRICS_DIR"
            logger.warning("%s: %s; %s", self._path, error.strerror, mend)


def metrics(site: str, run: Run, history: Sequence[Run]) -> CollectorRegistry:
    """Returns the metrics of a ``run`` of a ``site`` that has ended; ``history`` has the runs before it, the
    latest first.

    Names and labels are in docs/monitoring.md.
    """
    made, runs = _Metrics(site), [run, *history]
    counts = {"templates/redesigned_pages": 0, **run.counts}
    ended = {outcome: float(outcome == (run.outcome or "interrupted")) for outcome in _OUTCOMES}
    made.states("run_outcome", "How the run ended: 1 for its outcome.", "outcome", ended)
    complete, success = _last([one for one in runs if one.outcome == "complete"]), _last(good(runs))
    for name, about, value in (
        ("run_timestamp_seconds", "When the run ended.", _time(run)),
        ("run_duration_seconds", "How long the run took.", run.duration or 0),
        ("last_complete_timestamp_seconds", "When a run last ended complete, 0: never.", complete),
        ("last_success_timestamp_seconds", "When a run last ended complete or limited, 0: never.", success),
    ):
        made.value(name, about, value)
    pages = {state: counts.get(stat, 0) for state, stat in _PAGES.items()}
    made.states("pages", "Pages of the run, by what became of them.", "state", pages)
    about = "Pages that made a step of the run fail, by the step."
    made.states("page_faults", about, "step", _beginning(FAULTS, counts))
    documents = {state: counts.get(f"documents/{state}", 0) for state in _DOCUMENTS}
    if "documents/current" not in counts:
        # No count of releases means 0, no count of documents is unknown.
        del documents["current"]
    made.states("documents", "Documents of the site (current), and of the run.", "state", documents)
    for name, about, stat in _COUNTED:
        if stat in counts:
            made.value(name, about, counts[stat])
    found = _beginning(FOUND, counts)
    made.states("field_found_pages", "Pages that have a field, by the field.", "field", found)
    sinks = sink_counts(counts)
    for what, about in _SINKS.items():
        of_sinks = {sink: counted.get(what, 0) for sink, counted in sinks.items()}
        made.states(f"index_{what}", about, "sink", of_sinks)
    return made.registry


def sink_counts(counts: Mapping[str, Any]) -> dict[str, dict[str, int]]:
    """Counts documents by sink of a run: indexed, deleted, refused, undelivered, down."""
    by_sink: dict[str, dict[str, int]] = {}
    for name, count in counts.items():
        match = _SINK.match(name)
        if match is not None:
            by_sink.setdefault(match[1], {})[match[2]] = int(count)
    return by_sink


def good(runs: Sequence[Run]) -> list[Run]:
    """The runs that ended as they should."""
    return [run for run in runs if run.outcome is not None and EXIT_CODES[run.outcome] == 0]


def write(path: Path, registry: CollectorRegistry) -> None:
    """Writes a file that all may read, in the place of the one before at once. Raises OSError."""
    from prometheus_client import write_to_textfile

    # The collector reads files that end in .prom, and it may read at any time.
    partial = path.with_name(f"{path.name}.partial")
    try:
        write_to_textfile(str(partial), registry)
        partial.chmod(0o644)
        partial.replace(path)
    finally:
        partial.unlink(missing_ok=True)


class _Metrics:
    """Gauges with the label ``site``."""

    def __init__(self, site: str) -> None:
        # The library takes longer to import than a small crawl to start.
        from prometheus_client import CollectorRegistry, Gauge

        self.registry = CollectorRegistry()
        self._gauge = partial(Gauge, registry=self.registry)
        self._site = site

    def value(self, name: str, help_text: str, value: float) -> None:
        """Adds a gauge with a ``name``, a ``help_text`` and a ``value``."""
        self._gauge(f"pagelets_{name}", help_text, ["site"]).labels(self._site).set(value)

    def states(self, name: str, help_text: str, label: str, values: Mapping[str, float]) -> None:
        """Adds a gauge with a ``name``, a ``help_text`` and a ``label`` for ``values``, if there are any."""
        if not values:
            return
        gauge = self._gauge(f"pagelets_{name}", help_text, ["site", label])
        for state, value in values.items():
            gauge.labels(self._site, state).set(value)


def _beginning(prefix: str, counts: Mapping[str, Any]) -> dict[str, float]:
    return {stat.removeprefix(prefix): count for stat, count in counts.items() if stat.startswith(prefix)}


def _time(run: Run) -> float:
    return 0.0 if run.finished_at is None else datetime.fromisoformat(run.finished_at).timestamp()


def _last(runs: Sequence[Run]) -> float:
    return max(map(_time, runs), default=0.0)
