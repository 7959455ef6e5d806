"""The processor cores, and the memory for detection, that this process may use."""

from __future__ import annotations

import contextlib
import math
import os
from collections.abc import Iterator
from pathlib import Path
from typing import Final

GROUPS: Final = Path("/sys/fs/cgroup")
OWN_GROUP: Final = Path("/proc/self/cgroup")
_MACHINE: Final = Path("/proc/meminfo")
_MB: Final = 1 << 20
_FIRST: Final = 72
"""MB for the first try, which is enough for a site of a million pages: with more it is hardly faster."""
_AGAIN: Final = (2, 256, 2048)
"""The part of what is free that another try may take, and the bounds of that in MB."""


def cores(groups: Path = GROUPS, own_group: Path = OWN_GROUP) -> int:
    """The cores that the process is bound to, at most as many as its container gets time of (cgroup v2),
    rounded up; 1 at least.
    """
    bound = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
    return max(1, min([bound, *map(math.ceil, _quotas(groups, own_group))]))


def _quotas(groups: Path, own_group: Path) -> Iterator[float]:
    """The shares of cores that the control group of this process, and each that it is in, may use."""
    for group in control_groups(groups, own_group):
        with contextlib.suppress(OSError, ValueError, ZeroDivisionError):
            quota, period = (group / "cpu.max").read_text().split()
            yield int(quota) / int(period)


def control_groups(groups: Path = GROUPS, own_group: Path = OWN_GROUP) -> Iterator[Path]:
    """The folders of the control group (v2) of this process, and of each that it is in."""
    with contextlib.suppress(OSError, ValueError):
        names = [line[3:] for line in own_group.read_text().splitlines() if line.startswith("0::")]
        group = groups.joinpath(*names[:1] and Path(names[0]).parts[1:])
        yield from (folder for folder in [group, *group.parents] if folder.is_relative_to(groups))


def budgets(asked: int = 0, free: int | None = None) -> list[int]:
    """Returns the MB that detection may take at first, and on a second try. Data that does not fit goes to
    the disk meanwhile: the first is enough for most sites.

    Args:
        asked: the setting ``DETECTION_MEMORY``: other than 0 it is the only try.
        free: the free bytes, None to ask `free_memory`.

    """
    if asked:
        return [asked]
    free = free_memory() if free is None else free
    part, least, most = _AGAIN
    return [_FIRST, max(least, min(free // part // _MB, most))]


def free_memory(groups: Path = GROUPS, own_group: Path = OWN_GROUP, machine: Path = _MACHINE) -> int:
    """Returns the bytes that this process can still have: the free ones of the ``machine``, at most as many
    as its container has left (cgroup v2: the folder of ``groups``, and the file that names the
    ``own_group``). 1 GiB if neither can be read.
    """
    return min([*_of_machine(machine), *_of_groups(groups, own_group)], default=1024 * _MB)


def _of_machine(machine: Path) -> Iterator[int]:
    with contextlib.suppress(OSError, ValueError):
        for line in machine.read_text().splitlines():
            if line.startswith("MemAvailable:"):
                yield int(line.split()[1]) * 1024


def _of_groups(groups: Path, own_group: Path) -> Iterator[int]:
    for group in control_groups(groups, own_group):
        with contextlib.suppress(OSError, ValueError, KeyError):
            most = int((group / "memory.max").read_text())
            used = int((group / "memory.current").read_text())
            stat = dict(line.split() for line in (group / "memory.stat").read_text().splitlines())
            # What is kept of files goes where memory is asked for.
            yield max(0, most - used + int(stat["inactive_file"]))
