"""Commands in processes of their own, and what they cost."""

from __future__ import annotations

import os
import subprocess
import sys
import time
from collections.abc import Callable
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass, field
from multiprocessing import get_context
from pathlib import Path
from typing import Final, TypeVar

T = TypeVar("T")

PROJECT = Path(__file__).resolve().parent.parent
SCRAPY = (sys.executable, "-m", "scrapy")
_LOOK: Final = 0.1
_TICKS: Final = os.sysconf("SC_CLK_TCK")


def run(command: list[str]) -> float:
    """Runs a command; ends the program where it fails.

    Returns its CPU seconds, user and system, with those of the processes that it started and waited for.
    """
    process = subprocess.Popen(command, cwd=PROJECT)
    _, status, usage = os.wait4(process.pid, 0)
    process.returncode = os.waitstatus_to_exitcode(status)
    if process.returncode:
        sys.exit(f"{' '.join(command)}: exit {process.returncode}")
    return usage.ru_utime + usage.ru_stime


def crawl_arguments(spider: str, site: str, data: Path, *more: str, **settings: object) -> list[str]:
    """Returns the arguments of ``scrapy`` that crawl a ``site`` with a ``spider`` into the folder ``data``,
    quietly, and ``more``; unless the ``settings`` name one, it feeds no index.
    """
    given = {"DATA_DIR": data, "LOG_LEVEL": "ERROR", "PROGRESS_ENABLED": 0, "SINKS": "", **settings}
    options = (part for name, value in given.items() for part in ("-s", f"{name}={value}"))
    return ["crawl", spider, "-a", f"site={site}", *options, *more]


@dataclass
class Watched:
    """The CPU seconds of a command and its workers, those before ``since`` exists apart, and the highest
    proportional memory (PSS) that was seen of each, in MB.
    """

    own_cpu: float = 0.0
    before: float | None = None
    own_peak: float = 0.0
    worker_cpu: dict[int, float] = field(default_factory=dict)
    worker_peak: float = 0.0

    @property
    def cpu(self) -> float:
        """The CPU seconds of the command and its workers."""
        return self.own_cpu + sum(self.worker_cpu.values())

    def look(self, command: int, since: Path) -> None:
        """Reads what the processes have used so far."""
        self.own_cpu = cpu_seconds(command)
        self.own_peak = max(self.own_peak, memory("Pss", f"{command}/smaps_rollup"))
        if self.before is None and since.exists():
            self.before = self.own_cpu
        for worker in descendants(command):
            self.worker_cpu[worker] = cpu_seconds(worker) or self.worker_cpu.get(worker, 0.0)
            self.worker_peak = max(self.worker_peak, memory("Pss", f"{worker}/smaps_rollup"))


def cpu_seconds(process: int) -> float:
    """User and system time of a process so far, without its children; 0 of one that is no more."""
    try:
        fields = Path(f"/proc/{process}/stat").read_text().rpartition(")")[2].split()
    except OSError:
        return 0.0
    return (int(fields[11]) + int(fields[12])) / _TICKS


def memory(field: str, file: str = "self/status") -> float:
    """A figure of a process's memory in MB, 0 of one that is no more: of this process ``VmRSS`` (now) or
    ``VmHWM`` (the peak), of any the proportional memory (``Pss`` in its ``smaps_rollup``).
    """
    try:
        lines = Path("/proc", file).read_text().splitlines()
    except OSError:
        return 0.0
    return next((int(line.split()[1]) / 1024 for line in lines if line.startswith(f"{field}:")), 0.0)


def apart(function: Callable[..., T], *arguments: object) -> T:
    """Returns what a ``function`` of a module returns for ``arguments`` in a process of its own."""
    with ProcessPoolExecutor(1, get_context("spawn")) as processes:
        return processes.submit(function, *arguments).result()


def descendants(process: int) -> list[int]:
    """The processes that a process has started, and those that these have, which run still."""
    try:
        # Java's threads have children each.
        tasks = [task.read_text() for task in Path(f"/proc/{process}/task").glob("*/children")]
    except OSError:
        return []
    children = " ".join(tasks).split()
    return [descendant for child in map(int, children) for descendant in (child, *descendants(child))]


def watch(command: list[str], since: Path, note: Callable[[Watched], None] | None = None) -> Watched:
    """Runs a ``command`` in the project's folder and looks at it ten times a second, ``since`` as `Watched`;
    then calls ``note``. Ends the program where the command fails.
    """
    watched = Watched()
    with subprocess.Popen(command, cwd=PROJECT) as running:
        while running.poll() is None:
            watched.look(running.pid, since)
            if note is not None:
                note(watched)
            time.sleep(_LOOK)
    if running.returncode:
        sys.exit(f"{' '.join(command)}: exit {running.returncode}")
    return watched
