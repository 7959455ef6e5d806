"""The pages of a class, found by `scrapy crawl similar` from some samples, beside a crawl breadth first.

Serves a folder of HTML files, such as the documentation of a Debian package, on this machine. A class is made
of the files that have a mark of their generator, of those that links lead to from the sample: an expression
over the HTML, or with ``--class`` over the path. Samples stand evenly in their sorted list. Requests are
counted; breadth first they are counted over the same links, until as many of the class have come as were
found. CPU time is counted over all processes of the crawl from start to end; with ``--site`` the times of
``scrapy crawl site`` stand above, of one page and of the whole site. With ``--replay`` the search runs over
the files alone, without a crawl.
"""

from __future__ import annotations

import argparse
import json
import re
import tempfile
import threading
import time
from collections.abc import Iterator
from pathlib import Path

from benchmarks.process import SCRAPY, run
from benchmarks.serving import Handler, Server
from pagelets.literature.indesit import (
    LinkedPage,
    PromisingSearch,
    link_collections,
    page_classes,
    page_shape,
)
from pagelets.reading import read

NO_CLASS = 3
"""Exit code of a crawl whose sample is alone."""


class _FileHandler(Handler):
    server: _Files

    def do_GET(self) -> None:
        """Answers with a file."""
        path = self.server.files.get(_file(self.path.lstrip("/")))
        if path is None:
            self.send(404, b"")
        else:
            self.server.asked += 1
            self.send(200, path.read_bytes())


class _Files(Server):
    """Serves the files of a folder, and counts those that were asked for."""

    handler = _FileHandler

    def __init__(self, folder: Path) -> None:
        super().__init__()
        self.base = f"{self.url}/"
        self.files = {path.relative_to(folder).as_posix(): path for path in folder.rglob("*.html")}
        self.asked = 0

    def path(self, url: str) -> str:
        """The path of the file at a URL, empty for one elsewhere."""
        return _file(url.removeprefix(self.base)) if url.startswith(self.base) else ""


def _file(path: str) -> str:
    path = path.partition("#")[0].partition("?")[0]
    return path + "index.html" if not path or path.endswith("/") else path


def main(arguments: list[str] | None = None) -> None:
    """Prints a row for each sample of each class."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks similar", description=__doc__)
    parser.add_argument("--pages", type=Path, required=True, help="folder that is served, the whole site")
    parser.add_argument("--class", dest="patterns", action="append", default=[], help="expression over paths")
    parser.add_argument("--mark", dest="marks", action="append", default=[], help="expression over HTML")
    parser.add_argument("--replay", action="store_true", help="search over the files, without a crawl")
    parser.add_argument("--arg", action="append", default=[], help="argument of the spider, measure=shapes")
    parser.add_argument("--samples", type=int, default=3, help="samples of each class")
    parser.add_argument("--site", action="store_true", help="crawl with site first, for its CPU time")
    options = parser.parse_args(arguments)
    server = _Files(options.pages)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    links = dict(_links(server))
    print("| class | sample | recall | precision | requests ÷ class | breadth first | CPU s | ms a page |")
    print("|---|---|---:|---:|---:|---:|---:|---:|")
    for more in (["-a", "max_pages=1"], []) if options.site else ():
        crawled, cpu = _crawl(server, ["site", "-a", f"url={server.base}{min(links)}", *more])
        print(f"| site, {len(crawled):,} | `{min(links)}` | | | | | {_cost(cpu, server.asked)} |", flush=True)
    for pattern, members in _classes(server, options.patterns, options.marks):
        for number in range(options.samples):
            sample = members[(2 * number + 1) * len(members) // (2 * options.samples)]
            order = _breadth_first(links, sample)
            wanted = set(order) & set(members)
            more = [part for each in options.arg for part in ("-a", each)]
            if options.replay:
                crawled, cpu = _replay(server, sample)
            else:
                crawled, cpu = _crawl(server, ["similar", "-a", f"url={server.base}{sample}", *more])
            good = len(crawled & wanted)
            ranks = [rank for rank, path in enumerate(order, 1) if path in wanted]
            print(
                f"| `{pattern}`, {len(wanted):,} | `{sample}` | {good / len(wanted):.3f} | "
                f"{good / max(len(crawled), 1):.3f} | {server.asked / len(wanted):.2f} | "
                f"{ranks[max(good, 1) - 1] / len(wanted):.2f} | {_cost(cpu, server.asked)} |",
                flush=True,
            )
    server.shutdown()


def _classes(server: _Files, patterns: list[str], marks: list[str]) -> Iterator[tuple[str, list[str]]]:
    """Expressions, each with the paths of its class, sorted."""
    for pattern in patterns:
        yield pattern, sorted(path for path in server.files if re.search(pattern, path))
    for mark in marks:
        has = re.compile(mark.encode())
        yield mark, sorted(path for path, file in server.files.items() if has.search(file.read_bytes()))


def _replay(server: _Files, sample: str) -> tuple[set[str], float]:
    """The paths that a search over the files finds, and its CPU seconds."""
    paths = list(server.files)
    numbers = {path: number for number, path in enumerate(paths)}
    search = PromisingSearch(numbers[sample], url_of=lambda number: server.base + paths[number])
    server.asked, start = 0, time.process_time()

    def answer(number: int) -> LinkedPage:
        page = read(server.files[paths[number]].read_bytes(), server.base + paths[number])
        collections = {
            path: {numbers[to]: text for url, text in links.items() if (to := server.path(url)) in numbers}
            for path, links in link_collections(page).items()
        }
        return LinkedPage(number, collections, page_shape(page), page_classes(page))

    run = search.run()
    asked = next(run)
    try:
        while True:
            server.asked += len(asked)
            asked = run.send({number: answer(number) for number in asked})
    except StopIteration:
        return {paths[page.address] for page in search.found()}, time.process_time() - start


def _links(server: _Files) -> Iterator[tuple[str, list[str]]]:
    for path, file in sorted(server.files.items()):
        targets = [link.url for link in read(file.read_bytes(), server.base + path).links]
        yield path, [target for target in dict.fromkeys(map(server.path, targets)) if target in server.files]


def _breadth_first(links: dict[str, list[str]], start: str) -> list[str]:
    order: dict[str, None] = {start: None}
    row = [start]
    while row:
        row = [to for to in dict.fromkeys(to for path in row for to in links[path]) if to not in order]
        order.update(dict.fromkeys(row))
    return list(order)


def _cost(cpu: float, pages: int) -> str:
    return f"{cpu:.1f} | {1000 * cpu / max(pages, 1):.1f}"


def _crawl(server: _Files, arguments: list[str]) -> tuple[set[str], float]:
    """The paths that a crawl has found, and its CPU seconds."""
    server.asked = 0
    with tempfile.TemporaryDirectory() as work:
        feed = Path(work, "found.jsonl")
        given = ["-a", "site=bench", "-a", "fields=url", "-s", f"DATA_DIR={work}/data", "-O", str(feed)]
        polite = ["-s", "AUTOTHROTTLE_ENABLED=0", "-s", "DOWNLOAD_DELAY=0", "-s", "SINKS="]
        quiet = ["-s", "LOG_LEVEL=ERROR", "-s", "PROGRESS_ENABLED=0"]
        cpu = run([*SCRAPY, "crawl", *arguments, *given, *polite, *quiet], codes=(0, NO_CLASS))
        paths = {_file(json.loads(line)["url"].removeprefix(server.base)) for line in feed.open()}
    return paths, cpu
