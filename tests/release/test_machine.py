from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from release import machine as module
from release.machine import budgets, cores, free_memory

if TYPE_CHECKING:
    from pathlib import Path

MB = 1 << 20


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


@pytest.mark.parametrize(
    ("free", "expected"),
    [(0, [72, 256]), (600, [72, 300]), (64_000, [72, 2048])],
)
def test_little_and_then_a_part_of_what_is_free_within_bounds(free: int, expected: list[int]) -> None:
    assert budgets(free=free * MB) == expected
    assert budgets(64, free * MB) == [64]


def test_the_container_with_the_least_left_counts(tmp_path: Path) -> None:
    machine, own, groups = tmp_path / "meminfo", tmp_path / "own", tmp_path / "groups"
    machine.write_text("MemTotal: 9000 kB\nMemAvailable:    8192 kB\n")
    own.write_text("0::/top/own\n")
    assert free_memory(groups, own, machine) == 8 * MB
    for name, most, used in (("top", str(9 * MB), 6 * MB), ("top/own", "max", MB)):
        group = groups / name
        group.mkdir(parents=True)
        (group / "memory.max").write_text(f"{most}\n")
        (group / "memory.current").write_text(f"{used}\n")
        (group / "memory.stat").write_text(f"anon 5\ninactive_file {MB}\n")
    assert free_memory(groups, own, machine) == 4 * MB
    (groups / "top" / "memory.max").write_text(f"{MB}\n")
    assert free_memory(groups, own, machine) == 0


def test_where_nothing_tells_it_is_a_modest_machine(tmp_path: Path) -> None:
    none = tmp_path / "none"
    assert free_memory(none, none, none) == 1024 * MB
    assert free_memory() >= 0
