"""The release on several cores against one: time, CPU and memory, and that the documents are the same.

Crawls a generated site, or an archive, once for each number of worker processes. The time is that from the
end of the review to the last document, detection included; CPU and proportional memory (PSS) are read from
/proc while the crawl runs.
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
import tempfile
import time
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Final

from benchmarks.growth import GeneratedSite
from benchmarks.process import PROJECT, archive_command
from pagelets.methods import DEFAULT

_LOOK: Final = 0.1
_TICKS: Final = os.sysconf("SC_CLK_TCK")


@dataclass
class Watched:
    """What a crawl and its workers have used: CPU seconds since its pages were fetched, peak PSS in MB."""

    own_cpu: float = 0.0
    before: float | None = None
    own_peak: float = 0.0
    worker_cpu: dict[int, float] = field(default_factory=dict)
    worker_peak: float = 0.0

    def look(self, crawl: int, tables: Path) -> None:
        """Reads what the processes have used so far; tables are published when the pages are fetched."""
        self.own_cpu, peak = cpu_seconds(crawl), pss(crawl)
        self.own_peak = max(self.own_peak, peak)
        if self.before is None and tables.exists():
            self.before = self.own_cpu
        for worker in descendants(crawl):
            self.worker_cpu[worker] = cpu_seconds(worker) or self.worker_cpu.get(worker, 0.0)
            self.worker_peak = max(self.worker_peak, pss(worker))


def cpu_seconds(process: int) -> float:
    """User and system time of a process so far, without its children; 0 of one that is no more."""
    try:
        fields = Path(f"/proc/{process}/stat").read_text().rpartition(")")[2].split()
    except OSError:
        return 0.0
    return (int(fields[11]) + int(fields[12])) / _TICKS


def pss(process: int) -> float:
    """The proportional memory of a process in MB; 0 of one that is no more."""
    try:
        lines = Path(f"/proc/{process}/smaps_rollup").read_text().splitlines()
    except OSError:
        return 0.0
    return next((int(line.split()[1]) / 1024 for line in lines if line.startswith("Pss:")), 0.0)


def descendants(process: int) -> list[int]:
    """The processes that a process has started, and those that these have, which run still."""
    try:
        children = Path(f"/proc/{process}/task/{process}/children").read_text().split()
    except OSError:
        return []
    return [one for child in map(int, children) for one in (child, *descendants(child))]


def crawl(archive: str, folder: Path, processes: int, more: list[str]) -> tuple[Watched, dict[str, Any]]:
    """Crawls an archive with so many workers; returns what it has used, and its stats."""
    feed = ["-O", f"{folder}/documents.jsonl", "-s", f"RELEASE_PROCESSES={processes}", *more]
    command = archive_command(archive, folder, "site", *feed)
    watched = Watched()
    with subprocess.Popen(command, cwd=PROJECT) as running:
        while running.poll() is None:
            watched.look(running.pid, folder / "site" / "tables")
            time.sleep(_LOOK)
    if running.returncode:
        sys.exit(f"{' '.join(command)}: exit {running.returncode}")
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


if __name__ == "__main__":
    main()
