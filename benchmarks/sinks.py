"""How fast search indexes take documents, change and answer.

Documents of about 3 KB, of words with Zipf's frequencies, go into each index by its sink, in batches as a
crawl delivers them. Times are those of the sink: the making of documents is left out. CPU time is that of all
threads of this process, and of all PostgreSQL processes of this machine where the index is in PostgreSQL.
"""

from __future__ import annotations

import argparse
import random
import statistics
import tempfile
import time
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

import numpy as np
from scrapy.utils.misc import load_object

from search.backends import BACKENDS
from search.query import Query
from search.sink import Operation, Place, document_id

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator

    from pagelets.document import Document
    from search.sink import Sink

SITE: Final = "benchmark"
VOCABULARY: Final = 50_000
WORDS_A_DOCUMENT: Final = 480
CHANGED: Final = 0.1
DELETED: Final = 0.05
QUERIES: Final = 200
_LETTERS: Final = "etaoinshrdlucmfwypvbgkjqxz"


class Texts:
    """Texts of words that are the more frequent the shorter they tend to be; the same for the same seed."""

    def __init__(self, seed: int) -> None:
        rng = random.Random(seed)
        weights = range(len(_LETTERS), 0, -1)
        words = (
            "".join(rng.choices(_LETTERS, weights, k=max(2, min(14, round(rng.gauss(4 + rank / 12_500, 2))))))
            for rank in range(VOCABULARY)
        )
        self._words = np.array(list(words), dtype=object)
        shares = 1 / np.arange(1, VOCABULARY + 1)
        self._until = np.cumsum(shares / shares.sum())

    def text(self, number: int, count: int = WORDS_A_DOCUMENT) -> str:
        """A text of so many words, in lines of twelve, some words of which begin with a capital."""
        drawn = np.random.default_rng(number).random(count)
        words = self._words[np.minimum(np.searchsorted(self._until, drawn), VOCABULARY - 1)]
        lines = (" ".join(words[start : start + 12]).capitalize() for start in range(0, count, 12))
        return ".\n".join(lines) + "."

    def operation(self, number: int, version: int = 0) -> Operation:
        """What an index is told of a document, or of a later version of it."""
        url = f"https://benchmark.example/section-{number % 97}/page-{number}.html"
        text = self.text(number + version * 10_000_019)
        document: Document = {
            "url": url,
            "site": SITE,
            "title": self.text(number + 5_000_011, 6).replace("\n", " "),
            "text": text,
            "language": "en",
            "author": None,
            "published": f"20{10 + number % 15}-{1 + number % 12:02}-{1 + number % 28:02}",
            "canonical_url": url,
            "fetched_at": "2025-06-01T00:00:00Z",
            "content_hash": document_id(text),
        }
        return Operation(document_id(url), url, document, units_before=1 if version else 0)


@dataclass
class Spent:
    """Seconds of the wall and of the CPU that an index took, without what its documents took to make."""

    wall: float = 0.0
    cpu: float = 0.0
    server: float = 0.0


@dataclass
class Measured:
    """What an index came to."""

    name: str
    documents: int
    fill: Spent = field(default_factory=Spent)
    size: int = 0
    upsert: Spent = field(default_factory=Spent)
    delete: Spent = field(default_factory=Spent)
    rebuild: Spent = field(default_factory=Spent)
    queries: list[float] = field(default_factory=list)


def measured(name: str, sink: Sink, texts: Texts, count: int, batch: int) -> Measured:
    """Fills an index, changes it, searches it, fills it anew."""
    result = Measured(name, count)

    def write(operations: Iterator[Operation]) -> Spent:
        return _spent(sink, operations, batch)

    sink.open()
    result.fill = write(texts.operation(number) for number in range(count))
    result.size = _size(sink)
    result.queries = _query_times(sink, texts)
    sink.open()
    every = round(1 / CHANGED)
    result.upsert = write(texts.operation(number, 1) for number in range(0, count, every))
    sink.open()
    every = round(1 / DELETED)
    gone = (texts.operation(number) for number in range(1, count, every))
    result.delete = write(Operation(one.id, one.url, None, "gone", 1) for one in gone)
    sink.open()
    with sink.rebuild():
        pass
    assert not list(sink.held())
    result.rebuild = _rebuilt(sink, texts, count, batch)
    held = sum(1 for _ in sink.held())
    assert held == count, f"{held} of {count} documents are held"
    sink.close()
    return result


def _spent(sink: Sink, operations: Iterator[Operation], size: int) -> Spent:
    """What batches take, and the merging that follows, which `close` waits for."""
    spent, measure = Spent(), _Clock()
    for batch in _batches(operations, size, measure):
        started = time.monotonic()
        refused = sink.write(batch)
        spent.wall += time.monotonic() - started
        assert not refused, refused
    started = time.monotonic()
    sink.close()
    spent.wall += time.monotonic() - started
    return measure.into(spent)


def _rebuilt(sink: Sink, texts: Texts, count: int, size: int) -> Spent:
    spent, measure = Spent(), _Clock()
    began = time.monotonic()
    with sink.rebuild():
        for batch in _batches((texts.operation(number) for number in range(count)), size, measure):
            sink.write(batch)
    spent.wall = time.monotonic() - began - measure.making_wall
    return measure.into(spent)


class _Clock:
    """The CPU time from its making, without that of the making of documents, which is this thread's."""

    def __init__(self) -> None:
        self._cpu, self._server = time.process_time(), _server_cpu()
        self.making = self.making_wall = 0.0

    def into(self, spent: Spent) -> Spent:
        spent.cpu = time.process_time() - self._cpu - self.making
        spent.server = _server_cpu() - self._server
        return spent


def _batches(operations: Iterator[Operation], size: int, clock: _Clock) -> Iterator[list[Operation]]:
    while True:
        cpu, wall = time.thread_time(), time.monotonic()
        batch = [one for _, one in zip(range(size), operations, strict=False)]
        clock.making += time.thread_time() - cpu
        clock.making_wall += time.monotonic() - wall
        if not batch:
            return
        yield batch


def _query_times(sink: Sink, texts: Texts) -> list[float]:
    """Seconds of queries of one to four words, some phrases, with the snippets of ten hits each."""
    search: Callable[[Query], Any] | None = getattr(sink, "search", None)
    times = []
    for number in range(QUERIES if search else 0):
        words = texts.text(number, 40).replace(".", " ").split()[10 : 11 + number % 4]
        text = f'"{" ".join(words[:2])}"' if number % 5 == 4 else " ".join(words)
        started = time.perf_counter()
        assert search is not None
        search(Query.parse(text))
        times.append(time.perf_counter() - started)
    return times


def _size(sink: Sink) -> int:
    """Bytes of an index on the disk; 0 where they cannot be told."""
    if dsn := sink.given.get("dsn"):
        import psycopg

        with psycopg.connect(str(dsn)) as connection:
            row = connection.execute(
                "SELECT pg_total_relation_size(%s::regclass)", (sink.given["table"],)
            ).fetchone()
            return int(row[0]) if row else 0
    return sum(path.stat().st_size for path in sink.place.folder.rglob("*") if path.is_file())


def _server_cpu() -> float:
    """Seconds of CPU that PostgreSQL's processes on this machine took, with those that have ended."""
    total = 0
    for stat in Path("/proc").glob("[0-9]*/stat"):
        try:
            name, _, rest = stat.read_text().rpartition(")")
        except OSError:
            continue
        if name.endswith("(postgres"):
            total += sum(map(int, rest.split()[11:15]))
    return total / 100


def _print(results: Iterable[Measured]) -> None:
    print(
        "| index | documents/s | documents/s of CPU | in one rebuild, of CPU | index, MB | MB / 1,000 |",
        end="",
    )
    print(" upsert 10 %, s | delete 5 %, s | query, median ms | 95th |")
    print("|---|---:|---:|---:|---:|---:|---:|---:|---:|---:|")
    for one in results:
        queries = sorted(one.queries) or [0.0]
        cpu = f"{one.documents / one.fill.cpu:,.0f}"
        if one.fill.server > 1 and one.name == "postgresql":
            cpu += f" (with the server {one.documents / (one.fill.cpu + one.fill.server):,.0f})"
        print(
            f"| {one.name} | {one.documents / one.fill.wall:,.0f} | {cpu} "
            f"| {one.documents / one.rebuild.cpu:,.0f} | {one.size / 1e6:.0f} "
            f"| {one.size / 1e3 / one.documents:.2f} | {one.upsert.wall:.1f} | {one.delete.wall:.1f} "
            f"| {statistics.median(queries) * 1e3:.1f} | {queries[len(queries) * 95 // 100] * 1e3:.1f} |",
            flush=True,
        )


def main(arguments: list[str] | None = None) -> None:
    """Prints a row for each index."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks sinks", description=__doc__)
    parser.add_argument("--documents", type=int, default=100_000)
    parser.add_argument(
        "--batch",
        type=int,
        default=5000,
        help="documents a batch (default: as a crawl has them)",
    )
    parser.add_argument("--sinks", default="tantivy,postgresql")
    parser.add_argument("--dsn", help="of a PostgreSQL database to write to; without it, it is left out")
    parser.add_argument("--seed", type=int, default=1)
    options = parser.parse_args(arguments)
    texts = Texts(options.seed)
    results = []
    for name in options.sinks.split(","):
        if name == "postgresql" and not options.dsn:
            continue
        given = {"dsn": options.dsn, "table": "pagelets_benchmark"} if name == "postgresql" else {}
        with tempfile.TemporaryDirectory() as folder:
            sink: Sink = load_object(BACKENDS[name])(Place(SITE, Path(folder), given))
            results.append(measured(name, sink, texts, options.documents, options.batch))
    _print(results)
