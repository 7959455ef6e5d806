"""How much memory detection may take."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from release.memory import budgets, free_memory

if TYPE_CHECKING:
    from pathlib import Path

MB = 1 << 20


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
