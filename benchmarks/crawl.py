"""Pages a second of `scrapy crawl archive`, against the same crawl with Scrapy's own components.

Both crawls read the same archives through the same handler in a process of their own, with a feed; ours
partitions, sketches, stores, detects, releases and renders every page besides; it feeds no index. CPU time is
without the start of the process, which is what the same crawl of a single page takes.
"""

from __future__ import annotations

import argparse
import statistics
import tempfile
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
    options = parser.parse_args(arguments)
    folder = corpora.folder(options)
    sets = {
        "sites": ",".join(str(path) for path in corpora.archives(folder).values()),
        "wcxb": str(folder / "wcxb" / "dev.warc.gz"),
    }
    print("| pages of | count | plain Scrapy, pages/s | ours, pages/s | share |")
    print("|---|---:|---:|---:|---:|")
    with tempfile.TemporaryDirectory() as work:
        quiet = ["-s", "LOG_LEVEL=ERROR", "-O", f"{work}/out.jsonl"]
        single = f"{work}/single.warc.gz"
        GeneratedSite(1).write(Path(single))
        commands = {
            "plain": [*SCRAPY, "runspider", "benchmarks/plain_spider.py"],
            "ours": [
                *(*SCRAPY, "crawl", "archive", "-a", "site=bench", "-a", "fresh=1"),
                *("-s", f"DATA_DIR={work}/data", "-s", "SINKS="),
            ],
        }
        for name, path in sets.items():
            seconds: dict[str, list[float]] = {kind: [] for kind in commands}
            for _ in range(options.runs):
                for kind, command in commands.items():
                    start = run([*command, "-a", f"path={single}", *quiet])
                    seconds[kind].append(run([*command, "-a", f"path={path}", *quiet]) - start)
            with Path(f"{work}/out.jsonl").open() as lines:
                pages = sum(1 for _ in lines)
            rates = [pages / statistics.median(taken) for taken in seconds.values()]
            print(f"| {name} | {pages:,} | {rates[0]:.0f} | {rates[1]:.0f} | {rates[1] / rates[0]:.0%} |")
