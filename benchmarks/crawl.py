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
from functools import partial
from pathlib import Path

from benchmarks import corpora
from benchmarks.growth import GeneratedSite
from benchmarks.process import SCRAPY, crawl_arguments, run


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
    with tempfile.TemporaryDirectory() as scratch:
        work = Path(scratch)
        feed = ("-O", f"{work / 'out.jsonl'}")
        plain = [*SCRAPY, "runspider", "benchmarks/plain_spider.py", "-s", "LOG_LEVEL=ERROR", *feed]
        ours = [*SCRAPY, *crawl_arguments("archive", "bench", work / "data", "-a", "fresh=1", *feed)]
        single = work / "single.warc.gz"
        GeneratedSite(1).write(single)
        all_cores = sorted(os.sched_getaffinity(0))

        def cpu(command: list[str], path: str) -> float:
            start = run([*command, "-a", f"path={single}"])
            return run([*command, "-a", f"path={path}"]) - start

        def wall(cores: int, path: str) -> float:
            os.sched_setaffinity(0, all_cores[:cores])
            began = time.monotonic()
            run([*ours, "-a", f"path={path}"])
            return time.monotonic() - began

        if options.cores:
            print("| pages of | count | one core, pages/s | two cores, pages/s | ratio |")
            measures, row = (partial(wall, 1), partial(wall, 2)), "| {:.1f} | {:.1f} | {:.2f} |"
        else:
            print("| pages of | count | plain Scrapy, pages/s | ours, pages/s | share |")
            measures, row = (partial(cpu, plain), partial(cpu, ours)), "| {:.0f} | {:.0f} | {:.0%} |"
        print("|---|---:|---:|---:|---:|")
        for name, path in sets.items():
            seconds = [[measure(path) for measure in measures] for _ in range(options.runs)]
            pages = (work / "out.jsonl").read_bytes().count(b"\n")
            rates = [pages / statistics.median(taken) for taken in zip(*seconds, strict=True)]
            print(f"| {name} | {pages:,} {row.format(*rates, rates[1] / rates[0])}")
