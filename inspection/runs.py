"""A site's crawls: what each came to, and what is other between two of them."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from settings.errors import ConfigurationError
from store.changes import CAME, CHANGED, KEPT, WENT

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from store.runs import Run
    from store.site import Store


@dataclass(slots=True, frozen=True)
class ListedRun:
    """A crawl as `store.runs.Run` has it, with its ``seconds`` and the difference of each of its counts from
    the crawl before.
    """

    run: int
    started_at: str
    finished_at: str | None
    outcome: str | None
    parameters: Mapping[str, Any]
    versions: Mapping[str, Any]
    counts: Mapping[str, Any]
    seconds: int | None
    changes: Mapping[str, float]


@dataclass(slots=True, frozen=True)
class ComparedRuns:
    """Two crawls of a site: the parameters and versions that are other, each with both values; the difference
    of each count; the URLs of the documents that came, changed and went after the first, up to the second.
    """

    site: str
    first: int
    second: int
    parameters: Mapping[str, tuple[Any, Any]]
    counts: Mapping[str, float]
    came: Sequence[str]
    changed: Sequence[str]
    went: Sequence[str]


def list_runs(store: Store, last: int = 0) -> list[ListedRun]:
    """The crawls of a store, the latest first: the last so many, or all."""
    runs = store.runs.all()
    pairs = list(zip(runs, [*runs[1:], None], strict=True))[: last or None]
    return [
        ListedRun(
            run.run,
            run.started_at,
            run.finished_at,
            run.outcome,
            run.parameters,
            run.versions,
            run.counts,
            run.duration,
            run.changes(before),
        )
        for run, before in pairs
    ]


def compare_runs(store: Store, run: int, other: int) -> ComparedRuns:
    """Compares the crawls ``run`` and ``other`` of a ``store``, in the order that they ran. Raises
    ConfigurationError for an unknown one, or one so old that its documents are not known.
    """
    first, second = _run(store, min(run, other)), _run(store, max(run, other))
    last = store.runs.last()
    if last is not None and first.run < last.run - KEPT:
        raise ConfigurationError(f"run {first.run} is too old: documents of the last {KEPT} runs are told")
    changes = store.changes.between(first.run, second.run)
    return ComparedRuns(
        store.name,
        first.run,
        second.run,
        {**_others(first.parameters, second.parameters), **_others(first.versions, second.versions)},
        second.changes(first),
        *([change.url for change in changes if change.kind == kind] for kind in (CAME, CHANGED, WENT)),
    )


def _run(store: Store, number: int) -> Run:
    run = store.runs.get(number)
    if run is None:
        known = [stored.run for stored in store.runs.all()]
        mend = f"there are {known[-1]} to {known[0]}" if known else "there are none"
        raise ConfigurationError(f"unknown run {number} of site {store.name!r}; {mend}")
    return run


def _others(first: Mapping[str, Any], second: Mapping[str, Any]) -> dict[str, tuple[Any, Any]]:
    names = sorted({*first, *second})
    return {
        name: (first.get(name), second.get(name)) for name in names if first.get(name) != second.get(name)
    }
