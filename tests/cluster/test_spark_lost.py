"""Executors and drivers that are killed while a job runs, as processes of their own."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from pathlib import Path
from typing import TYPE_CHECKING

from tests.cluster.test_spark_archive_job import archive, documents, timeless
from tests.crawls import PROJECT, crawl

if TYPE_CHECKING:
    from collections.abc import Callable

__all__ = ["archive"]

MASTER = "local-cluster[2,1,1024]"


def started(path: Path, out: Path) -> subprocess.Popen[str]:
    command = [sys.executable, "-m", "scrapy", "archive-job", "--master", MASTER, "--site-by", "file"]
    return subprocess.Popen(
        [*command, "-s", "METHOD=templates", str(path), str(out)],
        cwd=PROJECT,
        start_new_session=True,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )


def executors(process: subprocess.Popen[str]) -> list[int]:
    """The processes of Spark's executors below one."""
    below, found = {process.pid}, []
    for folder in sorted(Path("/proc").glob("[0-9]*"), key=lambda one: int(one.name)):
        try:
            parent = int((folder / "stat").read_text().rsplit(")", 1)[1].split()[1])
            command = (folder / "cmdline").read_bytes().split(b"\0")
        except OSError:
            continue
        if parent in below:
            below.add(int(folder.name))
            if b"org.apache.spark.executor.CoarseGrainedExecutorBackend" in command:
                found.append(int(folder.name))
    return found


def when(process: subprocess.Popen[str], ready: Callable[[], bool]) -> bool:
    """Waits until something is so; tells whether the process still runs then."""
    while process.poll() is None:
        if ready():
            return True
        time.sleep(0.02)
    return False


def test_documents_are_the_same_where_executors_are_killed(archive: Path, tmp_path: Path) -> None:
    process, work = started(archive, tmp_path / "out"), tmp_path / "out" / "work"
    killed = 0
    for ready in (
        lambda: (work / "records.partial").exists(),
        lambda: (work / "records").exists(),
        lambda: (work / "known").exists(),
    ):
        if when(process, lambda ready=ready: ready() and bool(executors(process))):
            os.kill(executors(process)[0], signal.SIGKILL)
            killed += 1
    _, said = process.communicate()
    assert (killed, process.returncode) == (3, 0), said
    crawled = crawl(tmp_path / "data", "archive", path=archive, site="site")
    assert timeless(documents(tmp_path / "out")) == timeless(crawled.documents)


def test_a_job_whose_driver_was_killed_goes_on(archive: Path, tmp_path: Path) -> None:
    out = tmp_path / "out"
    process = started(archive, out)
    assert when(process, lambda: (out / "work" / "known").exists())
    os.killpg(process.pid, signal.SIGKILL)
    process.communicate()
    assert not (out / "documents").exists()
    made = (out / "work" / "records").stat().st_mtime_ns
    again = started(archive, out)
    assert when(again, lambda: (out / "work" / "answers").exists())
    assert (out / "work" / "records").stat().st_mtime_ns == made
    _, said = again.communicate()
    assert again.returncode == 0, said
    crawled = crawl(tmp_path / "data", "archive", path=archive, site="site")
    assert timeless(documents(out)) == timeless(crawled.documents)
