"""Costs of a recrawl, and a check that exactly the changes go out of it.

Serves a generated site from a process of its own, and crawls it with the real command and the default
settings, but for throttling: for the first time; again, unchanged; again, with 3 % of the pages changed, 1 %
new and 1 % gone; and as it is then, into a new store. Each crawl writes a feed of operations.
"""

from __future__ import annotations

import argparse
import hashlib
import json
import random
import subprocess
import sys
import tempfile
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, Final, NamedTuple
from urllib.request import urlopen

from benchmarks.growth import HOST, url
from benchmarks.large_crawl import LargeSite
from benchmarks.loss import documents
from benchmarks.process import PROJECT, SCRAPY, crawl_arguments, run
from benchmarks.serving import Handler, Server

PAGES: Final = 2000
CHANGED, NEW, GONE = 0.03, 0.01, 0.01
"""Shares of the pages that differ between the editions."""
SITE: Final = "recrawl"
_CONTROL: Final = "/-/"
"""Paths of the server below which the benchmark speaks to it."""


class ChangingSite(LargeSite):
    """A large site with a home page that lists its pages.

    ``edition`` 1 is as it was first, 2 as it is after the changes.
    """

    def __init__(self, size: int, edition: int) -> None:
        super().__init__(size + round(size * NEW))
        changed = round(size * CHANGED)
        chosen = random.Random(1).sample(range(size), changed + round(size * GONE))
        self._edited, self._numbers = set[int](), list(range(size))
        if edition == 2:
            self._edited = set(chosen[:changed])
            self._numbers = [number for number in range(self.size) if number not in chosen[changed:]]

    def pages(self) -> dict[str, str]:
        """The HTML of each page by path."""
        links = "".join(f'<li><a href="{url(number)}">Page {number}</a></li>' for number in self._numbers)
        pages = {"/": self.framed("Home", f"<h1>{len(self._numbers)} pages</h1><ul>{links}</ul>")}
        for number in self._numbers:
            pages[url(number)] = self.page(number, 2 if number in self._edited else 1)
        return {path.removeprefix(HOST): html.replace(HOST, "") for path, html in pages.items()}


class _Handler(Handler):
    server: EditionServer

    def do_GET(self) -> None:
        if self.path.startswith(_CONTROL):
            self.send(200, self.server.control(self.path.removeprefix(_CONTROL)).encode())
            return
        body, tag = self.server.pages.get(self.path, (None, ""))
        confirmed = body is not None and self.headers["If-None-Match"] == tag
        with self.server.counting:
            self.server.counts["requests"] += 1
            self.server.counts["bodies"] += body is not None and not confirmed
            self.server.counts["bytes"] += 0 if body is None or confirmed else len(body)
        if body is None:
            self.send(404, b"<p>Not found</p>")
        else:
            self.send(*((304, b"") if confirmed else (200, body)), ETag=tag)


class EditionServer(Server):
    """Serves an edition of the site with ETags, and counts the requests, bodies and bytes of its pages."""

    handler = _Handler

    def __init__(self, size: int) -> None:
        super().__init__()
        self.size = size
        self.counting = threading.Lock()
        self.counts = dict.fromkeys(("requests", "bodies", "bytes"), 0)

    def begin(self, edition: int) -> None:
        """Serves an edition."""
        self.pages = {
            path: (html.encode(), f'"{hashlib.blake2b(html.encode(), digest_size=8).hexdigest()}"')
            for path, html in ChangingSite(self.size, edition).pages().items()
        }

    def control(self, command: str) -> str:
        """Does what the benchmark asks for: ``counts``, from nothing again, or an edition by its number."""
        if command != "counts":
            self.begin(int(command))
            return ""
        with self.counting:
            counts, self.counts = self.counts, dict.fromkeys(self.counts, 0)
        return json.dumps(counts)


@contextmanager
def served(size: int) -> Iterator[str]:
    """Serves the site from another process; gives its address."""
    command = [sys.executable, "-m", "benchmarks", "recrawl", "--pages", str(size), "--serve"]
    with subprocess.Popen(command, cwd=PROJECT, stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout is not None
        try:
            yield process.stdout.readline().strip()
        finally:
            process.terminate()


class MeasuredCrawl(NamedTuple):
    """The requests of a crawl, its cost, and its documents."""

    counts: dict[str, int]
    cpu_seconds: float
    indexed: list[str]
    deleted: list[str]


class Recrawl:
    """Crawls of the site at ``base`` into stores below ``folder``."""

    def __init__(self, base: str, folder: Path) -> None:
        self._base = base
        self._folder = folder

    def crawl(self, data: str) -> MeasuredCrawl:
        """Crawls the site into the store below ``data``."""
        feed = self._folder / "operations.jsonl"
        feed.unlink(missing_ok=True)
        settings = {"AUTOTHROTTLE_ENABLED": 0, "CONCURRENT_REQUESTS_PER_DOMAIN": 16}
        asked = ("-a", f"url={self._base}/", "-O", f"{feed}:operations")
        self.ask("counts")
        spent = run([*SCRAPY, *crawl_arguments("site", SITE, self._folder / data, *asked, **settings)])
        lines = feed.read_text().split("\n")[:-1] if feed.exists() else []
        paths: dict[str, list[str]] = {"index": [], "delete": []}
        for operation in map(json.loads, lines):
            paths[operation["op"]].append(operation["url"].removeprefix(self._base))
        counts = json.loads(self.ask("counts"))
        return MeasuredCrawl(counts, spent, sorted(paths["index"]), sorted(paths["delete"]))

    def documents(self, data: str) -> dict[str, Any]:
        """The content hashes of a store's current documents by URL."""
        stored = documents(self._folder / data / SITE)
        return {url: document["content_hash"] for url, document in stored.items()}

    def ask(self, command: str) -> str:
        """Has the server do a command; see `EditionServer.control`."""
        with urlopen(f"{self._base}{_CONTROL}{command}") as answer:
            text: str = answer.read().decode()
        return text


def _row(name: str, crawl: MeasuredCrawl, first: MeasuredCrawl, indexed: set[str], deleted: set[str]) -> str:
    right = crawl.indexed == sorted(indexed) and crawl.deleted == sorted(deleted)
    counts = crawl.counts
    return (
        f"| {name} | {counts['requests']:,} | {counts['bodies']:,} | {counts['bytes'] / 1e6:.2f} "
        f"| {crawl.cpu_seconds:.1f} | {crawl.cpu_seconds / first.cpu_seconds:.0%} | {len(crawl.indexed):,} "
        f"| {len(crawl.deleted):,} | {'yes' if right else 'NO'} |"
    )


def main(arguments: list[str] | None = None) -> None:
    """Prints a row for each crawl; exit code 1 where anything went out that was not to, or did not."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks recrawl", description=__doc__)
    parser.add_argument("--pages", type=int, default=PAGES)
    parser.add_argument("--serve", action="store_true", help=argparse.SUPPRESS)
    options = parser.parse_args(arguments)
    if options.serve:
        with EditionServer(options.pages) as server:
            server.begin(1)
            print(server.url, flush=True)
            server.serve_forever()
        return
    before, after = (ChangingSite(options.pages, edition).pages() for edition in (1, 2))
    differing = {path for path, text in after.items() if before.get(path) != text}
    with tempfile.TemporaryDirectory() as folder, served(options.pages) as base:
        recrawl = Recrawl(base, Path(folder))
        print("| crawl | requests | bodies | MB | CPU s | of the first | documents | deletes | right |")
        print("|---|---:|---:|---:|---:|---:|---:|---:|---|", flush=True)
        rows = []
        first = recrawl.crawl("data")
        for name, edition, data, indexed, deleted in (
            ("first", 1, None, set(before), set()),
            ("unchanged", 1, "data", set(), set()),
            ("3 % changed, 1 % new, 1 % gone", 2, "data", differing, before.keys() - after.keys()),
            ("first, of the site as it is then", 2, "fresh", set(after), set()),
        ):
            recrawl.ask(str(edition))
            crawl = first if data is None else recrawl.crawl(data)
            rows.append(_row(name, crawl, first, indexed, set(deleted)))
            print(rows[-1], flush=True)
            _print_wrong(crawl, indexed, set(deleted))
        same = recrawl.documents("data") == recrawl.documents("fresh")
    print(f"\nThe store holds the documents of a first crawl: {'yes' if same else 'NO'}")
    sys.exit(0 if same and all(row.endswith("yes |") for row in rows) else 1)


def _print_wrong(crawl: MeasuredCrawl, indexed: set[str], deleted: set[str]) -> None:
    for what, actual, wanted in (("index", crawl.indexed, indexed), ("delete", crawl.deleted, deleted)):
        for path in sorted(wanted - set(actual)):
            print(f"  {what} lacks {path}")
        for path in sorted(set(actual) - wanted):
            print(f"  {what} is too much: {path}")
