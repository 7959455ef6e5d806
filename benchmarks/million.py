"""Costs of the steps of a crawl that go over the whole site, on a site of a million pages.

    python -m benchmarks million --pages 1000000

Fills a store directly (`benchmarks.filled`) and runs each call on it in a process of its own. Printed: the
time, and by how much the call raised the peak of the process's resident memory. What a call changes is
undone.
"""

from __future__ import annotations

import argparse
import asyncio
import sys
import tempfile
import time
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, Final

from benchmarks.filled import HOST, SINK, fill, url
from benchmarks.process import apart, memory
from pagelets.archives.archive import Archive
from pagelets.detection import find_templates
from pagelets.detection.blocks import find_repeated_blocks
from pagelets.judging.parameters import Detection
from pagelets.judging.title import site_names
from release.machine import budgets
from search.delivery import Delivery
from search.sink import Operation, Place, Sink
from store.evidence import EVIDENCE
from store.facts import facts_of
from store.frontier import Target
from store.publish import ANALYSED, TABLES
from store.site import Store

_THRESHOLD: Final = 0.9


class Nowhere(Sink):
    """A sink that takes everything and holds nothing."""

    def open(self) -> str:
        """Says that it is always another index: it is filled."""
        return f"index {time.monotonic()}"

    def write(self, operations: Iterable[Operation]) -> dict[str, Any]:
        """Takes all of them."""
        return {}

    def held(self) -> Iterator[Any]:
        """Nothing."""
        return iter(())

    @contextmanager
    def rebuild(self) -> Iterator[None]:
        """Takes what is written next."""
        yield


def _consume(rows: Iterable[Any]) -> int:
    return sum(1 for _ in rows)


def _rebuild(store: Store) -> None:
    delivery = Delivery(SINK, Nowhere(Place("site", Path())), store, new_store=False)
    document: Any = {"text": "", "url": ""}
    asyncio.run(delivery.rebuild(lambda *_: document))


def _detected(what: Callable[[Any], object]) -> Callable[[Store], None]:
    def run(store: Store) -> None:
        with store.evidence(store.tables, memory=budgets()[0]) as con:
            what(con)

    return run


def _refusal(url: str, _: int) -> str | None:
    return "rule" if url.endswith("7.html") else None


def _lead_to(store: Store) -> None:
    pages = store.documents.count()
    listed = [store.frontier.add(Target(url(page, pages), None), 0) for page in range(1, pages + 1)]
    store.frontier.lead_to(listed, only=True)


CALLS: Final[dict[str, Callable[[Store], object]]] = {
    "publish": lambda store: store.publish(names=tuple(name for name in TABLES if name not in ANALYSED)),
    "detection local": _detected(lambda con: find_templates(con, "local", 3, 0.1)),
    "detection global": _detected(lambda con: find_templates(con, "global", 3, 0.1)),
    "repeated blocks": _detected(find_repeated_blocks),
    "titles": lambda store: site_names(store.documents.titles(), 3),
    "evidence": lambda store: facts_of(store, Detection()),
    "marks_changed": lambda store: store.duplicates.marks_changed(_THRESHOLD),
    "marks_changed, left out": lambda store: store.duplicates.marks_changed(_THRESHOLD, leave_out=True),
    "to_release": lambda store: list(store.documents.to_release(2)),
    "current": lambda store: _consume(store.documents.current()),
    "obsolete": lambda store: store.documents.obsolete(2),
    "deliveries.waiting": lambda store: _consume(store.deliveries.waiting(SINK)),
    "deliveries.wanted": lambda store: _consume(store.deliveries.wanted(SINK)),
    "deliveries.counts": lambda store: store.deliveries.counts(SINK),
    "Delivery.rebuild": _rebuild,
    "rounds.now": lambda store: store.rounds.now(),
    "rounds.moved": lambda store: store.rounds.moved(),
    "frontier.begin_round": lambda store: store.frontier.begin_round(),
    "frontier.judge_again": lambda store: store.frontier.judge_again(_refusal),
    "frontier.extend": lambda store: store.frontier.extend([1], 0, 1, _refusal),
    "frontier.add, lead_to": _lead_to,
    "bodies.pages": lambda store: _consume(store.bodies.pages()),
}
OWN_TRANSACTIONS: Final = (
    "publish",
    "detection local",
    "detection global",
    "repeated blocks",
    "Delivery.rebuild",
)


def measure(run: Callable[[], object]) -> tuple[float, float]:
    """Seconds, and MB by which a call has raised the peak of this process's resident memory."""
    Path("/proc/self/clear_refs").write_text("5")
    before = memory("VmRSS")
    started = time.monotonic()
    run()
    return time.monotonic() - started, memory("VmHWM") - before


def call(folder: Path, name: str) -> tuple[float, float]:
    """Measures one call on a store."""
    if name == "Archive.open":
        return measure(lambda: _consume(Archive.open([folder / "site.warc"]).urls()))
    with Store.open(folder) as store:
        if name in OWN_TRANSACTIONS:
            return measure(lambda: CALLS[name](store))
        store.connection.execute("BEGIN IMMEDIATE")
        measured = measure(lambda: CALLS[name](store))
        store.connection.execute("ROLLBACK")
        return measured


def write_archive(path: Path, pages: int) -> None:
    """Writes a WARC file of so many small pages."""
    http = b"HTTP/1.1 200 OK\r\nContent-Type: text/html\r\n\r\n<p>"
    with path.open("wb") as file:
        for page in range(1, pages + 1):
            head = (
                f"WARC/1.1\r\nWARC-Type: response\r\nWARC-Target-URI: {url(page, pages)}\r\n"
                "WARC-Date: 2026-01-01T00:00:00Z\r\nContent-Type: application/http; msgtype=response\r\n"
                f"Content-Length: {len(http)}\r\n\r\n"
            )
            file.write(head.encode() + http + b"\r\n\r\n")


def main(arguments: list[str] | None = None) -> None:
    """Prints a row for each call on a store with so many pages."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks million", description=__doc__)
    parser.add_argument("--pages", type=int, default=100_000, help="pages of the filled store")
    pages = parser.parse_args(arguments).pages
    with tempfile.TemporaryDirectory() as work:
        folder = Path(work) / "site"
        started = time.monotonic()
        fill(folder, pages)
        write_archive(folder / "site.warc", pages)
        with Store.open(folder) as store:
            store.publish(names=EVIDENCE)
        print(f"filled in {time.monotonic() - started:.0f} s", file=sys.stderr)
        print(f"| {HOST} of {pages:,} pages | s | MB |\n|---|---:|---:|")
        for name in [*CALLS, "Archive.open"]:
            try:
                seconds, grown = apart(call, folder, name)
            except Exception as error:
                print(f"| {name} | failed: {error} | |", flush=True)
            else:
                print(f"| {name} | {seconds:.1f} | {grown:.0f} |", flush=True)
