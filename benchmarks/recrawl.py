"""Costs of a recrawl, and a check that exactly the changes go out of it.

Serves a generated site, and crawls it with the real command and the default settings, but for throttling: for
the first time; again, unchanged; again, with 3 % of the pages changed, 1 % new and 1 % gone; and as it is
then, into a new store. Each crawl writes a feed of operations.
"""

from __future__ import annotations

import argparse
import hashlib
import json
import random
import sys
import tempfile
import threading
from pathlib import Path
from typing import Any, Final, NamedTuple

from benchmarks.growth import HOST, url
from benchmarks.large_crawl import LargeSite
from benchmarks.loss import documents
from benchmarks.process import SCRAPY, crawl_arguments, run
from benchmarks.serving import Handler, Server

PAGES: Final = 2000
CHANGED, NEW, GONE = 0.03, 0.01, 0.01
"""Shares of the pages that differ between the editions."""
SITE: Final = "recrawl"


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
    server: PageServer

    def do_GET(self) -> None:
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


class PageServer(Server):
    """Serves pages with ETags, and counts the requests, bodies and bytes since `begin`."""

    handler = _Handler

    def begin(self, pages: dict[str, str]) -> None:
        """Serves the HTML of these pages, by path."""
        bodies = {path: html.encode() for path, html in pages.items()}
        self.pages = {
            path: (body, f'"{hashlib.blake2b(body, digest_size=8).hexdigest()}"')
            for path, body in bodies.items()
        }
        self.counts = dict.fromkeys(("requests", "bodies", "bytes"), 0)
        self.counting = threading.Lock()


class MeasuredCrawl(NamedTuple):
    """The requests of a crawl, its cost, and its documents."""

    counts: dict[str, int]
    cpu_seconds: float
    indexed: list[str]
    deleted: list[str]


def crawled(server: PageServer, pages: dict[str, str], folder: Path) -> MeasuredCrawl:
    """Serves ``pages`` from a ``server``, and crawls them into the store below a ``folder``."""
    feed = folder.with_suffix(".jsonl")
    feed.unlink(missing_ok=True)
    settings = {"AUTOTHROTTLE_ENABLED": 0, "CONCURRENT_REQUESTS_PER_DOMAIN": 16}
    asked = ("-a", f"url={server.url}/", "-O", f"{feed}:operations")
    server.begin(pages)
    spent = run([*SCRAPY, *crawl_arguments("site", SITE, folder, *asked, **settings)])
    lines = feed.read_text().split("\n")[:-1] if feed.exists() else []
    paths: dict[str, list[str]] = {"index": [], "delete": []}
    for operation in map(json.loads, lines):
        paths[operation["op"]].append(operation["url"].removeprefix(server.url))
    return MeasuredCrawl(server.counts, spent, sorted(paths["index"]), sorted(paths["delete"]))


def hashes(folder: Path) -> dict[str, Any]:
    """The content hashes of a store's current documents by URL."""
    return {url: document["content_hash"] for url, document in documents(folder / SITE).items()}


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
    options = parser.parse_args(arguments)
    before, after = (ChangingSite(options.pages, edition).pages() for edition in (1, 2))
    differing = {path for path, text in after.items() if before.get(path) != text}
    server = PageServer()
    with tempfile.TemporaryDirectory() as folder, server.running():
        kept, fresh = Path(folder, "data"), Path(folder, "fresh")
        print("| crawl | requests | bodies | MB | CPU s | of the first | documents | deletes | right |")
        print("|---|---:|---:|---:|---:|---:|---:|---:|---|", flush=True)
        rows = []
        first = None
        for name, pages, data, indexed, deleted in (
            ("first", before, kept, set(before), set[str]()),
            ("unchanged", before, kept, set[str](), set[str]()),
            ("3 % changed, 1 % new, 1 % gone", after, kept, differing, before.keys() - after.keys()),
            ("first, of the site as it is then", after, fresh, set(after), set[str]()),
        ):
            crawl = crawled(server, pages, data)
            first = first or crawl
            rows.append(_row(name, crawl, first, indexed, deleted))
            print(rows[-1], flush=True)
            _print_wrong(crawl, indexed, deleted)
        same = hashes(kept) == hashes(fresh)
    print(f"\nThe store holds the documents of a first crawl: {'yes' if same else 'NO'}")
    sys.exit(0 if same and all(row.endswith("yes |") for row in rows) else 1)


def _print_wrong(crawl: MeasuredCrawl, indexed: set[str], deleted: set[str]) -> None:
    for what, actual, wanted in (("index", crawl.indexed, indexed), ("delete", crawl.deleted, deleted)):
        for path in sorted(wanted - set(actual)):
            print(f"  {what} lacks {path}")
        for path in sorted(set(actual) - wanted):
            print(f"  {what} is too much: {path}")
