"""The number of processor cores that this process may use."""

from __future__ import annotations

import contextlib
import math
import os
from collections.abc import Iterator
from pathlib import Path
from typing import Final

GROUPS: Final = Path("/sys/fs/cgroup")
OWN_GROUP: Final = Path("/proc/self/cgroup")


def cores(groups: Path = GROUPS, own_group: Path = OWN_GROUP) -> int:
    """The cores that the process is bound to, at most as many as its container gets time of (cgroup v2),
    rounded up; 1 at least.
    """
    bound = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
    return max(1, min([bound, *map(math.ceil, _quotas(groups, own_group))]))


def _quotas(groups: Path, own_group: Path) -> list[float]:
    """The shares of cores that the control group of this process, and each that it is in, may use."""
    quotas = []
    for group in control_groups(groups, own_group):
        with contextlib.suppress(OSError, ValueError, ZeroDivisionError):
            quota, period = (group / "cpu.max").read_text().split()
            quotas.append(int(quota) / int(period))
    return quotas


def control_groups(groups: Path = GROUPS, own_group: Path = OWN_GROUP) -> Iterator[Path]:
    """The folders of the control group (v2) of this process, and of each that it is in."""
    with contextlib.suppress(OSError, ValueError):
        names = [line[3:] for line in own_group.read_text().splitlines() if line.startswith("0::")]
        group = groups.joinpath(*names[:1] and Path(names[0]).parts[1:])
        yield from (folder for folder in [group, *group.parents] if folder.is_relative_to(groups))
