"""Pages a second of `scrapy crawl archive`, against the same crawl with Scrapy's own components.

Both crawls read the same archives through the same handler in a process of their own, with a feed; ours
partitions, sketches, stores, detects, releases and renders every page besides. CPU time without the start of
the process.
"""

from __future__ import annotations

import argparse
import os
import statistics
import subprocess
import sys
import tempfile
from pathlib import Path

from benchmarks import corpora

PROJECT = Path(__file__).resolve().parent.parent


def cpu_seconds(command: list[str]) -> float:
    """User and system seconds of a command; ends the program where it fails."""
    process = subprocess.Popen(command, cwd=PROJECT)
    _, status, usage = os.wait4(process.pid, 0)
    process.returncode = os.waitstatus_to_exitcode(status)
    if process.returncode:
        sys.exit(f"{' '.join(command)}: exit {process.returncode}")
    return usage.ru_utime + usage.ru_stime


def main(arguments: list[str] | None = None) -> None:
    """Prints a row for each corpus."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks crawl", description=__doc__)
    corpora.add_argument(parser)
    parser.add_argument("--runs", type=int, default=3, help="runs of each crawl, in turn; medians are printed")
    options = parser.parse_args(arguments)
    folder = corpora.folder(options)
    sets = {
        "sites": ",".join(str(path) for path in corpora.archives(folder).values()),
        "wcxb": str(folder / "wcxb" / "dev.warc.gz"),
    }
    print("| pages of | count | plain Scrapy, pages/s | ours, pages/s | share |")
    print("|---|---:|---:|---:|---:|")
    with tempfile.TemporaryDirectory() as work:
        scrapy = [sys.executable, "-m", "scrapy"]
        quiet = ["-s", "LOG_LEVEL=ERROR", "-O", f"{work}/out.jsonl"]
        start = statistics.median(cpu_seconds([*scrapy, "version"]) for _ in range(options.runs))
        for name, path in sets.items():
            plain, ours = [], []
            for run in range(options.runs):
                plain.append(
                    cpu_seconds([*scrapy, "runspider", "benchmarks/plain_spider.py", "-a", f"path={path}", *quiet])
                )
                data = ["-a", "site=bench", "-s", f"DATA_DIR={work}/{name}-{run}"]
                ours.append(cpu_seconds([*scrapy, "crawl", "archive", "-a", f"path={path}", *data, *quiet]))
            with Path(f"{work}/out.jsonl").open() as lines:
                pages = sum(1 for _ in lines)
            rates = [pages / (statistics.median(seconds) - start) for seconds in (plain, ours)]
            print(f"| {name} | {pages:,} | {rates[0]:.0f} | {rates[1]:.0f} | {rates[1] / rates[0]:.0%} |")


if __name__ == "__main__":
    main()
