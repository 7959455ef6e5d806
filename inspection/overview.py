"""A site in one row: its last crawl, how much there is, how much of it is removed."""

from __future__ import annotations

import sqlite3
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from store.errors import StoreError
from store.listing import PageList

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from store.site import Store

TREND: Final = 30
"""Runs whose share of removed text is told."""
REMOVED: Final = "templates/removed_chars_ratio"
_SINCE: Final = {"released": "documents/released", "deleted": "documents/deleted", "failed": "pages/failed"}


@dataclass(slots=True, frozen=True)
class SiteSummary:
    """A site.

    ``trend`` are the shares of text removed by its last runs, the oldest first. ``last`` counts what its last
    run released, deleted and failed to fetch. ``undelivered`` counts documents that an index lacks.
    ``problem`` says why its store cannot be read; all else is empty then.
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


def site_summary(site: str, opened: Callable[[str], Store]) -> SiteSummary:
    """Returns a site in one row.

    Args:
        site: its name.
        opened: opens a store by name.

    """
    try:
        with opened(site) as store:
            store.only_read()
            with store.snapshot():
                return _summary(store)
    except (StoreError, sqlite3.Error, OSError) as error:
        return SiteSummary(site, problem=str(error))


def _summary(store: Store) -> SiteSummary:
    runs = store.runs.all()[:TREND]
    last = runs[0] if runs else None
    chars, kept = PageList(store.connection).characters()
    return SiteSummary(
        store.name,
        None if last is None else last.outcome or "none",
        None if last is None else last.started_at,
        store.documents.count(),
        chars,
        kept,
        [float(run.counts[REMOVED]) for run in reversed(runs) if REMOVED in run.counts],
        None if last is None else {name: int(last.counts.get(stat, 0)) for name, stat in _SINCE.items()},
        store.deliveries.undelivered(),
    )
