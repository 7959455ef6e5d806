"""A site in one row: its last crawl, how much there is, how much of it is removed."""

from __future__ import annotations

import sqlite3
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from store.database import FILE
from store.errors import StoreError
from store.listing import PageList

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence
    from pathlib import Path

    from store.site import Store

TREND: Final = 30
"""Number of runs in a trend."""
REMOVED: Final = "templates/removed_chars_ratio"
_SINCE: Final = {"released": "documents/released", "deleted": "documents/deleted", "failed": "pages/failed"}


@dataclass(slots=True, frozen=True)
class SiteSummary:
    """A site.

    ``trend`` are the shares of text removed by its last runs, the oldest first. ``last`` counts what its last
    run released, deleted and failed to fetch. ``undelivered`` counts documents that an index lacks.
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
    problem: str | None = None


class Summaries:
    """Summaries of sites, each made anew when its store has changed; takes what opens a store by name."""

    def __init__(self, opened: Callable[[str], Store]) -> None:
        self._opened = opened
        self._known: dict[str, tuple[tuple[int, ...], SiteSummary]] = {}

    def of(self, site: str) -> SiteSummary:
        """Returns a site in one row."""
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
    told, log = (folder / FILE).stat(), folder / f"{FILE}-wal"
    return told.st_ino, told.st_mtime_ns, log.stat().st_size if log.exists() else 0


def _summary(store: Store) -> SiteSummary:
    runs = store.runs.all()[:TREND]
    last = runs[0] if runs else None
    kept = PageList(store.connection).kept()
    return SiteSummary(
        store.name,
        None if last is None else last.outcome or "none",
        None if last is None else last.started_at,
        store.documents.count(),
        kept.chars,
        kept.chars_kept,
        [float(run.counts[REMOVED]) for run in reversed(runs) if REMOVED in run.counts],
        None if last is None else {name: int(last.counts.get(stat, 0)) for name, stat in _SINCE.items()},
        store.deliveries.undelivered(),
    )
