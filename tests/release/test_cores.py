from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from release import cores as module
from release.cores import cores

if TYPE_CHECKING:
    from pathlib import Path


@pytest.fixture(autouse=True)
def eight_cores(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module.os, "sched_getaffinity", lambda process: set(range(8)), raising=False)


def groups(folder: Path, **quotas: str) -> tuple[Path, Path]:
    """Control groups with these quotas, by the depth of each, and the file that names the innermost one."""
    group = folder / "cgroup"
    for depth, name in enumerate(("top", "middle", "own")):
        group = group if not depth else group / name
        group.mkdir()
        if name in quotas:
            (group / "cpu.max").write_text(quotas[name])
    own = folder / "own"
    own.write_text("12:cpu:/other\n0::/middle/own\n")
    return folder / "cgroup", own


@pytest.mark.parametrize(
    ("quotas", "expected"),
    [
        ({}, 8),
        ({"own": "max 100000\n"}, 8),
        ({"own": "300000 100000\n"}, 3),
        ({"own": "150000 100000\n"}, 2),
        ({"own": "20000 100000\n"}, 1),
        ({"own": "1600000 100000\n"}, 8),
        ({"own": "max 100000\n", "middle": "200000 100000\n", "top": "500000 100000\n"}, 2),
        ({"own": "no number\n", "top": "400000 100000\n"}, 4),
        ({"own": "100000 0\n"}, 8),
    ],
)
def test_the_least_quota_of_the_groups_counts(tmp_path: Path, quotas: dict[str, str], expected: int) -> None:
    assert cores(*groups(tmp_path, **quotas)) == expected


def test_without_groups_there_are_the_cores_alone(tmp_path: Path) -> None:
    assert cores(tmp_path, tmp_path / "none") == 8
    assert cores() >= 1
