"""What feeding a search index adds to a crawl: `scrapy crawl archive` with each sink, and with none.

CPU time of the whole process, all threads, and its peak memory; of PostgreSQL's sink the client's part, not
the server's. The share is what the sink adds, of the crawl that feeds it.
"""

from __future__ import annotations

import argparse
import json
import shutil
import statistics
import tempfile
from pathlib import Path

from benchmarks import corpora
from benchmarks.process import Usage, crawl_archive


def main(arguments: list[str] | None = None) -> None:
    """Prints a row for each sink."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks feeding", description=__doc__)
    corpora.add_argument(parser)
    parser.add_argument("--runs", type=int, default=3, help="crawls with each sink, in turn; medians count")
    parser.add_argument("--sinks", default="tantivy,operations", help="the sinks, parted by commas")
    parser.add_argument("--dsn", default="", help="the database of the sink postgresql")
    options = parser.parse_args(arguments)
    paths = ",".join(map(str, corpora.archives(corpora.folder(options)).values()))
    sinks = ["", *options.sinks.split(",")]
    taken: dict[str, list[Usage]] = {sink: [] for sink in sinks}
    documents = 0
    with tempfile.TemporaryDirectory() as work:
        feed = Path(work) / "out.jsonl"
        for _ in range(options.runs):
            for sink in sinks:
                shutil.rmtree(Path(work) / "data", ignore_errors=True)
                given = ["-s", f"SINKS={sink}", "-s", f"POSTGRESQL_DSN={options.dsn}", "-O", str(feed)]
                taken[sink].append(crawl_archive(paths, f"{work}/data", "bench", *given))
        run = json.loads((Path(work) / "data/bench/runs/1.json").read_text())
        documents = run["counts"]["documents/released"]
    medians = {
        sink: statistics.median(usage.cpu_seconds for usage in usages) for sink, usages in taken.items()
    }
    print(f"| sink, {documents:,} documents | CPU s | the sink's share | peak MB |")
    print("|---|---:|---:|---:|")
    for sink, seconds in medians.items():
        share = "" if not sink else f"{1 - medians[''] / seconds:.1%}"
        peak = max(usage.peak_mb for usage in taken[sink])
        print(f"| {sink or 'none'} | {seconds:.1f} | {share} | {peak:.0f} |")
