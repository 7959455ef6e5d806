"""Pages a second of `scrapy crawl archive`, against the same crawl with Scrapy's own components.

Both crawls read the same archives through the same handler in a process of their own, with a feed; ours
partitions, sketches, stores, detects, releases and renders every page besides; it feeds no index. CPU time is
without the start of the process, which is what the same crawl of a single page takes. With ``--cores``: pages
a second of wall clock, bound to one core and to two.
"""

from __future__ import annotations

import argparse
import os
import statistics
import tempfile
import time
from pathlib import Path

from benchmarks import corpora
from benchmarks.growth import GeneratedSite
from benchmarks.process import SCRAPY, run


def main(arguments: list[str] | None = None) -> None:
    """Prints a row for each corpus."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks crawl", description=__doc__)
    corpora.add_argument(parser)
    parser.add_argument(
        "--runs", type=int, default=3, help="runs of each crawl, in turn; medians are printed"
    )
    parser.add_argument("--cores", action="store_true", help="compare one core with two")
    options = parser.parse_args(arguments)
    folder = corpora.folder(options)
    sets = {
        "sites": ",".join(str(path) for path in corpora.archives(folder).values()),
        "wcxb": str(folder / "wcxb" / "dev.warc.gz"),
    }
    with tempfile.TemporaryDirectory() as work:
        quiet = ["-s", "LOG_LEVEL=ERROR", "-O", f"{work}/out.jsonl"]
        ours = [
            *(*SCRAPY, "crawl", "archive", "-a", "site=bench", "-a", "fresh=1"),
            *("-s", f"DATA_DIR={work}/data", "-s", "SINKS="),
        ]
        if options.cores:
            _cores(sets, [*ours, *quiet], options.runs, Path(f"{work}/out.jsonl"))
        else:
            _against_plain(sets, ours, quiet, options.runs, work)


def _against_plain(sets: dict[str, str], ours: list[str], quiet: list[str], runs: int, work: str) -> None:
    print("| pages of | count | plain Scrapy, pages/s | ours, pages/s | share |")
    print("|---|---:|---:|---:|---:|")
    single = f"{work}/single.warc.gz"
    GeneratedSite(1).write(Path(single))
    commands = {"plain": [*SCRAPY, "runspider", "benchmarks/plain_spider.py"], "ours": ours}
    for name, path in sets.items():
        seconds: dict[str, list[float]] = {kind: [] for kind in commands}
        for _ in range(runs):
            for kind, command in commands.items():
                start = run([*command, "-a", f"path={single}", *quiet])
                seconds[kind].append(run([*command, "-a", f"path={path}", *quiet]) - start)
        pages = _lines(Path(f"{work}/out.jsonl"))
        rates = [pages / statistics.median(taken) for taken in seconds.values()]
        print(f"| {name} | {pages:,} | {rates[0]:.0f} | {rates[1]:.0f} | {rates[1] / rates[0]:.0%} |")


def _cores(sets: dict[str, str], command: list[str], runs: int, documents: Path) -> None:
    print("| pages of | count | one core, pages/s | two cores, pages/s | ratio |")
    print("|---|---:|---:|---:|---:|")
    all_cores = sorted(os.sched_getaffinity(0))
    for name, path in sets.items():
        seconds: dict[int, list[float]] = {1: [], 2: []}
        for _ in range(runs):
            for count, taken in seconds.items():
                os.sched_setaffinity(0, all_cores[:count])
                began = time.monotonic()
                run([*command, "-a", f"path={path}"])
                taken.append(time.monotonic() - began)
        pages = _lines(documents)
        rates = [pages / statistics.median(taken) for taken in seconds.values()]
        print(f"| {name} | {pages:,} | {rates[0]:.1f} | {rates[1]:.1f} | {rates[1] / rates[0]:.2f} |")


def _lines(file: Path) -> int:
    with file.open("rb") as lines:
        return sum(1 for _ in lines)
