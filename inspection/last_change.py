"""A page's document before and after its last change, by the files of changes that crawls keep."""

from __future__ import annotations

import mmap
from dataclasses import dataclass
from difflib import SequenceMatcher
from typing import TYPE_CHECKING, Any, Final

import orjson

from store.changes import CHANGES, PUT, WENT

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
        return _without(found, "the page has no document any more")
    if len(changes) == 1:
        return _without(found, "it has not changed since it came")
    folder, url = store.folder / CHANGES, store.frontier.url(page)
    after = _sent(folder, number, url)
    earlier = sorted((one for one in _runs(folder) if one < number), reverse=True)
    versions = ((one, version) for one in earlier if (version := _sent(folder, one, url)) is not None)
    before_run, before = next(versions, (None, None))
    if after is None or before is None:
        return _without(
            found,
            "the version before is kept no more: the folder 'changes' of the store has the last 30 runs, "
            "unless DOCUMENTS_FILE=0",
        )
    names = sorted({*before, *after} - _NOT_COMPARED)
    texts = [str(one.get("text") or "").split("\n")[:MOST_LINES] for one in (before, after)]
    return LastChange(
        kind,
        number,
        found.started_at,
        before_run,
        [
            ChangedField(name, before.get(name), after.get(name))
            for name in names
            if before.get(name) != after.get(name)
        ],
        list(_difference(*texts)),
    )


def _without(found: LastChange, problem: str) -> LastChange:
    return LastChange(found.kind, found.run, found.started_at, problem=problem)


def _runs(folder: Path) -> list[int]:
    """The runs whose files of changes are there."""
    return [int(path.stem) for path in folder.glob("*.jsonl") if path.stem.isdecimal()]


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
