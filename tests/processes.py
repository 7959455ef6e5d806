"""Processes that others have started: which there are, how far they have come, and that they end."""

from __future__ import annotations

import time
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable


def children(process: int) -> list[int]:
    """The processes that one has started and that run still."""
    threads = Path(f"/proc/{process}/task").glob("*/children")
    return [int(number) for found in threads for number in found.read_text().split()]


def workers_of(process: int) -> list[int]:
    """The processes that judge pages for one (`release.workers`), which another one has started for it."""
    return [worker for child in children(process) for worker in children(child)]


def wait_until(met: Callable[[], object], seconds: float = 60, every: float = 0.01) -> None:
    """Waits until something is so, and fails where it is not in time."""
    until = time.monotonic() + seconds
    while not met():
        assert time.monotonic() < until, f"not within {seconds} seconds"
        time.sleep(every)


def have_ended(processes: Iterable[int], seconds: float = 10) -> bool:
    """Waits for the end of all of them; whether that has come in time."""
    until = time.monotonic() + seconds
    while any(is_alive(process) for process in processes):
        if time.monotonic() > until:
            return False
        time.sleep(0.01)
    return True


def is_alive(process: int) -> bool:
    """Whether a process has not ended: it holds its files and locks until the last of its threads has, which
    may come long after the first.
    """
    return any(map(_runs, Path(f"/proc/{process}/task").glob("*/stat")))


def _runs(thread: Path) -> bool:
    try:
        state = thread.read_text().rpartition(")")[2].split()[0]
    except OSError:
        return False
    return state not in "ZX"
