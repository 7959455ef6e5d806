"""A crawl of a large generated site from an archive, to the end of its delivery, and what it takes.

    python -m benchmarks large_crawl --pages 100000

Each page has 35 blocks and 31 links; 30 % of its text is its own. Printed: CPU time a page of fetching and of
the release, detection and all processes included, each also of its first and its last tenth; the peak of
memory (PSS) of the crawl and of a worker.
"""

from __future__ import annotations

import argparse
import random
import sqlite3
import tempfile
import time
from contextlib import closing, suppress
from pathlib import Path
from typing import Final

from benchmarks.growth import PAGES_A_SECTION, GeneratedSite, crawl, groups, url, words
from benchmarks.process import Watched
from store.database import FILE

_DONE: Final = {
    "fetch": "SELECT count(*), max(page) FROM (SELECT max(page) AS page FROM bodies)",
    "release": "SELECT 1, CAST(value AS INTEGER) FROM meta WHERE key = 'document_version'",
}


class LargeSite(GeneratedSite):
    """Menu and footer on all pages, related links a section, three paragraphs of each page."""

    def __init__(self, size: int) -> None:
        super().__init__(size)
        rng = random.Random(2)
        self.menu, self.footer = (groups(rng, count, range(size), 6) for count in (4, 2))

    def page(self, number: int, version: int = 1) -> str:
        """The HTML of a page in one of its versions."""
        first = number // PAGES_A_SECTION * PAGES_A_SECTION
        section = range(first, min(first + PAGES_A_SECTION, self.size))
        related = groups(random.Random(first), 4, section, 6)
        rng = random.Random(number * 7919 + version)
        paragraphs = "".join(f"<p>{words(rng, 25)}</p>" for _ in range(3))
        title, heading = f"{words(rng, 4)} - Large", f"<h1>{words(rng, 5)}</h1>"
        following = f'<p><a href="{url((number + 1) % self.size)}">next</a></p>'
        return self.framed(title, f"{heading}{paragraphs}{following}", f"<aside>{related}</aside>")


def _progress(store: Path) -> dict[str, int]:
    progress = {}
    with (
        suppress(sqlite3.Error),
        closing(sqlite3.connect(f"file:{store / FILE}?mode=ro", uri=True)) as connection,
    ):
        for phase, select in _DONE.items():
            row = connection.execute(select).fetchone()
            if row is not None and row[1]:
                progress[phase] = row[1]
    return progress


def tenths(done: list[tuple[int, float]], pages: int) -> tuple[float, float]:
    """CPU ms a page of the first and the last tenth."""

    def spent(upto: float) -> tuple[int, float]:
        return next((point for point in done if point[0] >= upto), done[-1])

    costs = []
    for start, stop in ((done[0][0], 0.1 * pages), (0.9 * pages, pages)):
        (first, before), (last, after) = spent(start), spent(stop)
        costs.append((after - before) / max(1, last - first) * 1e3)
    return costs[0], costs[1]


def main(arguments: list[str] | None = None) -> None:
    """Prints a row for each phase, and the peaks."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks large_crawl", description=__doc__)
    parser.add_argument("--pages", type=int, default=10_000, help="size of the generated site")
    options = parser.parse_args(arguments)
    with tempfile.TemporaryDirectory() as folder:
        work = Path(folder)
        archive = work / "large.warc.gz"
        LargeSite(options.pages).write(archive)
        done = {phase: list[tuple[int, float]]() for phase in _DONE}

        def note(watched: Watched) -> None:
            for phase, pages in _progress(work / "growth").items():
                done[phase].append((pages, watched.cpu))

        started = time.monotonic()
        watched, run = crawl(archive, work, note=note)
        seconds = time.monotonic() - started
    fetch, pages = watched.before or 0.0, options.pages
    spent = {"fetch": fetch, "release": watched.cpu - fetch}
    print("| pages | phase | CPU ms a page | first tenth | last tenth |\n|---:|---|---:|---:|---:|")
    for phase, cpu in spent.items():
        first, last = tenths(done[phase], pages)
        print(f"| {pages:,} | {phase} | {cpu / pages * 1e3:.2f} | {first:.2f} | {last:.2f} |")
    counts = run["counts"]
    print(
        f"\n{run['outcome']}, {counts['documents/delivered']} documents delivered in {seconds:.0f} s; "
        f"peak PSS {watched.own_peak:.0f} MB, of a worker {watched.worker_peak:.0f} MB; detection "
        f"{counts['templates/seconds']} s, {counts['templates/count']} templates"
    )
