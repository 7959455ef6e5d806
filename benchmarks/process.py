"""Commands in processes of their own, and what they cost."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path
from typing import NamedTuple

PROJECT = Path(__file__).resolve().parent.parent
SCRAPY = (sys.executable, "-m", "scrapy")


class Usage(NamedTuple):
    """CPU seconds (user and system) and peak resident memory of a process, in MB."""

    cpu_seconds: float
    peak_mb: float


def run(command: list[str]) -> Usage:
    """Runs a command in the project's folder; ends the program where it fails."""
    process = subprocess.Popen(command, cwd=PROJECT)
    _, status, usage = os.wait4(process.pid, 0)
    process.returncode = os.waitstatus_to_exitcode(status)
    if process.returncode:
        sys.exit(f"{' '.join(command)}: exit {process.returncode}")
    return Usage(usage.ru_utime + usage.ru_stime, usage.ru_maxrss / 1024)


def archive_command(archive: str | Path, data: str | Path, site: str, *more: str) -> list[str]:
    """``scrapy crawl archive`` into a folder for stores, with further arguments; unless these say so it feeds
    no index.
    """
    given = ["-a", f"path={archive}", "-a", f"site={site}", "-s", f"DATA_DIR={data}", "-s", "LOG_LEVEL=ERROR"]
    quiet = ["-s", "PROGRESS_ENABLED=0", "-s", "SINKS="]
    return [*SCRAPY, "crawl", "archive", *given, *quiet, *more]


def crawl_archive(archive: str | Path, data: str | Path, site: str, *more: str) -> Usage:
    """Runs `archive_command`."""
    return run(archive_command(archive, data, site, *more))
