"""The history of a site's crawls: the table RUNS."""

from __future__ import annotations

import json
import os
import time
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, Final

from store.table import Table

_COLUMNS: Final = "run, started_at, finished_at, outcome, parameters, versions, counts"

GOOD: Final = frozenset({"complete", "limited", "undelivered"})
"""Outcomes of runs whose pages are the site's; of an undelivered one only documents are missing elsewhere."""

FINISHED: Final = GOOD | {"empty", "suspicious"}


def now() -> str:
    """The time, ISO 8601 in UTC, to the second."""
    return datetime.now(UTC).isoformat(timespec="seconds")


def seconds() -> int:
    """The time in whole seconds since the epoch."""
    return int(time.time())


@dataclass(slots=True, frozen=True)
class Run:
    """A crawl: ``outcome`` is None while it runs, and stays None if its process was killed."""

    run: int
    started_at: str
    finished_at: str | None
    outcome: str | None
    parameters: dict[str, Any]
    versions: dict[str, Any]
    counts: dict[str, Any]

    @property
    def finished(self) -> bool:
        """True if the URLs that it left unsettled are no longer waited for."""
        return self.outcome in FINISHED

    @property
    def program(self) -> tuple[Any, ...]:
        """The parts of the program that documents depend on and nobody sets: its reading of pages, and its
        versions of the methods.
        """
        # Programs of stores of version 5 named the model of the site's method, where it has one.
        known = " ".join([self.parameters.get("method", ""), self.versions.get("model", "")]).strip()
        return self.versions.get("reading"), self.versions.get("methods", known)

    @property
    def methods(self) -> list[Any]:
        """The methods that were asked for: that of the site, then those of overrides, each once."""
        others = (override.get("method") for override in self.parameters.get("overrides", ()))
        return list(dict.fromkeys([self.parameters.get("method"), *filter(None, others)]))

    @property
    def good(self) -> bool:
        """True if its findings count as the site."""
        return self.outcome in GOOD

    @property
    def duration(self) -> int | None:
        """The seconds that it took, None before its end."""
        if self.finished_at is None:
            return None
        took = datetime.fromisoformat(self.finished_at) - datetime.fromisoformat(self.started_at)
        return round(took.total_seconds())

    def since(self, before: Run | None) -> dict[str, float]:
        """Returns the differences of the numbers from the run before, without zeros; empty for the first."""
        if before is None:
            return {}
        names = sorted(set(self.counts) | set(before.counts))
        pairs = {name: (self.counts.get(name, 0), before.counts.get(name, 0)) for name in names}
        return {
            name: round(now - then, 4)
            for name, (now, then) in pairs.items()
            if isinstance(now, int | float) and isinstance(then, int | float) and now != then
        }


def write_file(run: Run, folder: Path) -> None:
    """Writes the file of a run in a folder, which it makes. Raises OSError."""
    folder.mkdir(exist_ok=True)
    partial = folder / f".{run.run}.json.{os.getpid()}"
    values = {name: getattr(run, name) for name in run.__slots__}
    try:
        partial.write_text(json.dumps(values, indent=1, default=str) + "\n", encoding="utf-8")
        partial.replace(folder / f"{run.run}.json")
    finally:
        partial.unlink(missing_ok=True)


class RunTable(Table):
    """Reads and writes the table RUNS; each call is a transaction of its own unless one is open."""

    def begin(self, parameters: dict[str, Any], versions: dict[str, Any], after: int = 0) -> int:
        """Notes the start of a crawl; returns its number.

        Args:
            parameters: what the crawl was asked for.
            versions: of the program's parts.
            after: the last run of the store whose place this one takes.

        """
        cursor = self._execute(
            "INSERT INTO runs (run, started_at, parameters, versions) "
            "SELECT max(?, coalesce(max(run), 0)) + 1, ?, ?, ? FROM runs",
            (after, now(), json.dumps(parameters, sort_keys=True), json.dumps(versions, sort_keys=True)),
        )
        assert cursor.lastrowid is not None
        return cursor.lastrowid

    def finish(self, run: int, outcome: str, counts: dict[str, Any]) -> None:
        """Notes the ``outcome`` and the ``counts`` of a ``run`` that has ended."""
        self._execute(
            "UPDATE runs SET finished_at = ?, outcome = ?, counts = ? WHERE run = ?",
            (now(), outcome, json.dumps(counts, sort_keys=True, default=str), run),
        )

    def all(self) -> list[Run]:
        """All runs, the latest first."""
        return list(self._each(_run, f"SELECT {_COLUMNS} FROM runs ORDER BY run DESC"))

    def get(self, run: int) -> Run | None:
        """A run by its number."""
        return self._first(_run, f"SELECT {_COLUMNS} FROM runs WHERE run = ?", run)

    def last_finished(self) -> int:
        """The number of the latest run that finished, 0 where none did: the round began after it."""
        runs = self._execute("SELECT run, outcome FROM runs ORDER BY run DESC")
        return next((run for run, outcome in runs if outcome in FINISHED), 0)

    def last(self) -> Run | None:
        """Returns the latest run, or None."""
        return self._first(_run, f"SELECT {_COLUMNS} FROM runs ORDER BY run DESC LIMIT 1")


def _run(run: int, started_at: str, finished_at: str | None, outcome: str | None, *objects: str) -> Run:
    return Run(run, started_at, finished_at, outcome, *map(json.loads, objects))
