"""How many processor cores this process may use."""

from __future__ import annotations

import contextlib
import math
import os
from pathlib import Path
from typing import Final

_GROUPS: Final = Path("/sys/fs/cgroup")
_OWN_GROUP: Final = Path("/proc/self/cgroup")


def cores(groups: Path = _GROUPS, own_group: Path = _OWN_GROUP) -> int:
    """The cores that the process is bound to, at most as many as its container gets time of (cgroup v2),
    rounded up; 1 at least.
    """
    bound = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
    return max(1, min([bound, *map(math.ceil, _quotas(groups, own_group))]))


def _quotas(groups: Path, own_group: Path) -> list[float]:
    """The shares of cores that the control group of this process, and each that it is in, may use."""
    found = []
    with contextlib.suppress(OSError, ValueError):
        names = [line[3:] for line in own_group.read_text().splitlines() if line.startswith("0::")]
        group = groups.joinpath(*names[:1] and Path(names[0]).parts[1:])
        for folder in [group, *group.parents]:
            if not folder.is_relative_to(groups):
                break
            with contextlib.suppress(OSError, ValueError, ZeroDivisionError):
                quota, period = (folder / "cpu.max").read_text().split()
                found.append(int(quota) / int(period))
    return found
