"""A run's figures as Prometheus has them, in a file for the textfile collector of its node exporter."""

from __future__ import annotations

from datetime import datetime
from typing import TYPE_CHECKING, Any, Final

from prometheus_client import CollectorRegistry, Gauge, write_to_textfile

from crawler.monitoring.notices import good, sink_counts
from crawler.run.outcome import EXIT_CODES, FAULTS, FOUND

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from pathlib import Path

    from store.runs import Run

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


def metrics(site: str, run: Run, history: Sequence[Run]) -> CollectorRegistry:
    """Returns the metrics of a ``run`` of a ``site`` that has ended; ``history`` has the runs before it, the
    latest first.

    Names and labels are in docs/monitoring.md.
    """
    made = _Metrics(site)
    made.states("run_outcome", "How the run ended: 1 for its outcome.", "outcome", _ended(run))
    made.value("run_timestamp_seconds", "When the run ended.", _time(run))
    made.value("run_duration_seconds", "How long the run took.", run.duration or 0)
    runs = [run, *history]
    complete = [ended for ended in runs if ended.outcome == "complete"]
    made.value(
        "last_complete_timestamp_seconds", "When a run last ended complete, 0: never.", _last(complete)
    )
    made.value(
        "last_success_timestamp_seconds",
        "When a run last ended complete or limited, 0: never.",
        _last(good(runs)),
    )
    counts = run.counts
    pages = {state: counts.get(stat, 0) for state, stat in _PAGES.items()}
    made.states("pages", "Pages of the run, by what became of them.", "state", pages)
    made.states(
        "page_faults", "Pages that made a step of the run fail, by the step.", "step", _faults(counts)
    )
    documents = {state: counts.get(f"documents/{state}", 0) for state in _DOCUMENTS if _has(counts, state)}
    made.states("documents", "Documents of the site (current), and of the run.", "state", documents)
    made.count(
        "removed_ratio", "Share of the text that was removed.", counts, "templates/removed_chars_ratio"
    )
    made.count("templates", "Templates of the site.", counts, "templates/count")
    redesigned = counts.get("templates/redesigned_pages", 0)
    made.value("redesigned_pages", "Pages that lost most of their templates at once.", redesigned)
    made.count("field_pages", "Pages whose fields were taken.", counts, "fields/pages")
    made.count("missing_field_pages", "Pages that lack a required field.", counts, "fields/missing")
    counted = {stat.removeprefix(FOUND): count for stat, count in counts.items() if stat.startswith(FOUND)}
    made.states("field_found_pages", "Pages that have a field, by the field.", "field", counted)
    sinks = sink_counts(counts)
    for what, about in _SINKS.items():
        made.states(
            f"index_{what}", about, "sink", {sink: counted.get(what, 0) for sink, counted in sinks.items()}
        )
    return made.registry


def write(path: Path, registry: CollectorRegistry) -> None:
    """Writes a file that all may read, in the place of the one before at once. Raises OSError."""
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
        self.registry = CollectorRegistry()
        self._site = site

    def value(self, name: str, help_text: str, value: float) -> None:
        """Adds a gauge with a ``name``, a ``help_text`` and a ``value``."""
        Gauge(f"pagelets_{name}", help_text, ["site"], registry=self.registry).labels(self._site).set(value)

    def count(self, name: str, help_text: str, counts: Mapping[str, Any], stat: str) -> None:
        """Adds a gauge with a ``name`` and a ``help_text`` for a ``stat``, if ``counts`` have it."""
        if stat in counts:
            self.value(name, help_text, counts[stat])

    def states(self, name: str, help_text: str, label: str, values: Mapping[str, float]) -> None:
        """Adds a gauge with a ``name``, a ``help_text`` and a ``label`` for ``values``, if there are any."""
        if not values:
            return
        gauge = Gauge(f"pagelets_{name}", help_text, ["site", label], registry=self.registry)
        for state, value in values.items():
            gauge.labels(self._site, state).set(value)


def _ended(run: Run) -> dict[str, float]:
    return {outcome: float(outcome == (run.outcome or "interrupted")) for outcome in _OUTCOMES}


def _has(counts: Mapping[str, Any], state: str) -> bool:
    """Returns True for a known count: no count of releases means 0, no count of documents is unknown."""
    return state != "current" or f"documents/{state}" in counts


def _faults(counts: Mapping[str, Any]) -> dict[str, float]:
    return {stat.removeprefix(FAULTS): count for stat, count in counts.items() if stat.startswith(FAULTS)}


def _time(run: Run) -> float:
    return 0.0 if run.finished_at is None else datetime.fromisoformat(run.finished_at).timestamp()


def _last(runs: Sequence[Run]) -> float:
    return max(map(_time, runs), default=0.0)
