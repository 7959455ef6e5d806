"""A site's crawls: what each came to, what is other between two of them, and the last change of a page."""

from __future__ import annotations

import mmap
from dataclasses import dataclass, fields, replace
from difflib import SequenceMatcher
from operator import attrgetter
from typing import TYPE_CHECKING, Any, Final

import orjson

from settings.errors import ConfigurationError
from store.changes import CAME, CHANGED, CHANGES, KEPT, PUT, WENT
from store.runs import Run

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence
    from pathlib import Path

    from store.site import Store

MOST_LINES: Final = 2_000
"""Number of lines of each text that are compared; finding differences takes the square of it."""
AROUND: Final = 2
"""Number of equal lines that are shown before and after a difference."""
_NOT_COMPARED: Final = frozenset(
    "_op url text html markdown sections links passages pagelets stats fetched_at template_version "
    "content_hash fields_hash".split()
)
_parts: Final = attrgetter(*(one.name for one in fields(Run)))


@dataclass(slots=True, frozen=True)
class ListedRun(Run):
    """A crawl with its ``seconds``, and the difference of each of its counts from the crawl before."""

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
    pairs = list(zip(runs, [*runs, None][1:], strict=True))[: last or None]
    return [ListedRun(*(*_parts(run), run.duration, run.since(before))) for run, before in pairs]


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
        second.since(first),
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


@dataclass(slots=True, frozen=True)
class DiffLine:
    """A line that has come (``+``), has gone (``-``), or is the same (a space); ``…`` for lines left out."""

    sign: str
    text: str


@dataclass(slots=True, frozen=True)
class ChangedField:
    """A field of a document with another value."""

    name: str
    before: Any
    after: Any


@dataclass(slots=True, frozen=True)
class LastChange:
    """The last change of a page's document.

    The ``run``, which began at ``started_at``, made it; its ``kind`` is one of `store.changes`.
    ``before_run`` sent the version before. If that is missing, ``problem`` gives the reason, and ``lines`` is
    empty.
    """

    kind: str
    run: int
    started_at: str | None
    before_run: int | None = None
    fields: Sequence[ChangedField] = ()
    lines: Sequence[DiffLine] = ()
    problem: str | None = None


def last_change(store: Store, page: int) -> LastChange | None:
    """Returns the last change of a page's document, None if it was never delivered.

    Args:
        store: the store.
        page: the id of the page.

    Raises:
        OSError: a file of changes cannot be read.

    """
    changes = store.changes.of_page(page)
    if not changes:
        return None
    number, kind = changes[0]
    run = store.runs.get(number)
    found = LastChange(kind, number, None if run is None else run.started_at)
    if kind == WENT:
        return replace(found, problem="the page has no document any more")
    if len(changes) == 1:
        return replace(found, problem="it has not changed since it came")
    folder, url = store.folder / CHANGES, store.frontier.url(page)
    after = _sent(folder, number, url)
    runs = (int(path.stem) for path in folder.glob("*.jsonl") if path.stem.isdecimal())
    earlier = sorted((one for one in runs if one < number), reverse=True)
    versions = ((one, version) for one in earlier if (version := _sent(folder, one, url)) is not None)
    before_run, before = next(versions, (None, None))
    if after is None or before is None:
        gone = (
            "the version before is kept no more: the folder 'changes' of the store has the last 30 runs, "
            "unless DOCUMENTS_FILE=0"
        )
        return replace(found, problem=gone)
    others = _others(before, after).items()
    texts = [str(one.get("text") or "").split("\n")[:MOST_LINES] for one in (before, after)]
    return replace(
        found,
        before_run=before_run,
        fields=[ChangedField(name, *both) for name, both in others if name not in _NOT_COMPARED],
        lines=list(_difference(*texts)),
    )


def _sent(folder: Path, run: int, url: str) -> Mapping[str, Any] | None:
    """The document of a URL as a run has sent it last; None if it sent none, or its file is gone."""
    path = folder / f"{run}.jsonl"
    if not path.exists() or not path.stat().st_size:
        return None
    named = orjson.dumps(url.encode("utf-8", "replace").decode())
    with path.open("rb") as file, mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ) as text:
        for start in (PUT + b'"url":' + named, PUT + b'"url": ' + named):
            place = text.rfind(start)
            end = text.find(b"\n", place) if place >= 0 else -1
            if end >= 0:
                # A run that was killed leaves no such file: its lines are whole.
                document: dict[str, Any] = orjson.loads(text[place:end])
                return document
    return None


def _difference(before: Sequence[str], after: Sequence[str]) -> Iterator[DiffLine]:
    groups = SequenceMatcher(None, before, after, autojunk=False).get_grouped_opcodes(AROUND)
    for number, group in enumerate(groups):
        if number or group[0][1] > 0:
            yield DiffLine("…", "")
        for kind, start, stop, other, last in group:
            if kind == "equal":
                yield from (DiffLine(" ", line) for line in before[start:stop])
                continue
            yield from (DiffLine("-", line) for line in before[start:stop])
            yield from (DiffLine("+", line) for line in after[other:last])
