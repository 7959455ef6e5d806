"""The release on several cores against one: time, CPU and memory, and that the documents are the same.

Crawls a generated site, or an archive, once for each number of worker processes. The time is that from the
end of the review to the last document, detection included; CPU and proportional memory (PSS) are read from
/proc while the crawl runs.
"""

from __future__ import annotations

import argparse
import json
import sys
import tempfile
from pathlib import Path
from typing import Any

from benchmarks.growth import GeneratedSite
from benchmarks.process import Watched, archive_command, watch
from pagelets.methods import DEFAULT


def crawl(archive: str, folder: Path, processes: int, more: list[str]) -> tuple[Watched, dict[str, Any]]:
    """Crawls an archive with so many workers; returns what it has used, and its stats."""
    feed = ["-O", f"{folder}/documents.jsonl", "-s", f"RELEASE_PROCESSES={processes}", *more]
    command = archive_command(archive, folder, "site", *feed)
    watched = watch(command, folder / "site" / "tables")
    run = json.loads(next((folder / "site" / "runs").glob("*.json")).read_text())
    return watched, run["counts"]


def documents(feed: Path) -> list[list[tuple[str, Any]]]:
    """The documents of a feed in their order, fields in theirs, without the moment they were fetched at."""
    with feed.open(encoding="utf-8") as lines:
        return [[item for item in json.loads(line).items() if item[0] != "fetched_at"] for line in lines]


def main(arguments: list[str] | None = None) -> None:
    """Prints a row for each number of processes."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks release", description=__doc__)
    parser.add_argument("--pages", type=int, default=5000, help="size of the generated site")
    parser.add_argument("--archive", help="archives to crawl in its place, parted by commas")
    parser.add_argument("--processes", default="1,2", help="numbers of worker processes, parted by commas")
    parser.add_argument("--method", default=DEFAULT)
    options = parser.parse_args(arguments)
    print("| processes | release s | CPU s: crawl | workers | peak PSS MB: crawl | worker | documents |")
    print("|---:|---:|---:|---:|---:|---:|---:|")
    with tempfile.TemporaryDirectory() as work:
        archive = options.archive
        if archive is None:
            archive = f"{work}/site.warc.gz"
            GeneratedSite(options.pages).write(Path(archive))
        first: list[Any] | None = None
        for processes in map(int, options.processes.split(",")):
            folder = Path(work) / str(processes)
            folder.mkdir()
            used, counts = crawl(archive, folder, processes, ["-a", f"method={options.method}"])
            found = documents(folder / "documents.jsonl")
            first = found if first is None else first
            print(
                f"| {counts['release/processes']} | {counts['release/seconds']:.1f} "
                f"| {used.own_cpu - (used.before or 0):.1f} | {sum(used.worker_cpu.values()):.1f} "
                f"| {used.own_peak:.0f} | {used.worker_peak:.0f} "
                f"| {len(found)}{'' if found == first else ', others than with one process'} |",
                flush=True,
            )
            if found != first:
                sys.exit(1)
