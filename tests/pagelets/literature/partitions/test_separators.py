from __future__ import annotations

from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pagelets.literature.partitions.vips import ACROSS, DOWN, Separators
from pagelets.literature.partitions.visual_blocks import VisualBlocks, boxes_of
from pagelets.reading import read
from tests.pagelets.literature.partitions.test_vips import lines
from tests.pagelets.reading.test_reading import URL


def by_the_report(blocks: list[tuple[int, int]]) -> list[tuple[int, int]]:
    """A list begins with one separator, which each block splits, narrows or removes; without its border."""
    found = [(-1, 10_000)]
    for start, end in blocks:
        parts = [part for one, other in found for part in ((one, min(other, start)), (max(one, end), other))]
        found = sorted({(one, other) for one, other in parts if one < other})
    return [(one, other) for one, other in found if one > -1 and other < 10_000]


@given(st.lists(st.tuples(st.integers(0, 40), st.integers(0, 9)), min_size=1, max_size=12))
def test_separators_are_those_that_the_steps_of_the_report_leave(noted: list[tuple[int, int]]) -> None:
    sides = [(4 * start, 4 * (start + length) + 2) for start, length in noted]
    page = read(lines(*[(f"{one} {one} {two - one} {two - one} 1 400", "a") for one, two in sides]), URL)
    boxes = boxes_of(page.tree)
    assert boxes is not None
    blocks = VisualBlocks(page, boxes)
    separators = Separators(blocks, boxes)
    for axis in (DOWN, ACROSS):
        starts, ends = blocks.starts[axis], blocks.ends[axis]
        left = [[unit for unit in range(blocks.n) if not blocks.is_divisible(unit)]]
        found = []
        while left:
            weight, parts = separators.heaviest(axis, left.pop(), [])
            if weight >= 0:
                left += [part.units for part in parts]
                found += [
                    (max(ends[unit] for unit in one.units), min(starts[unit] for unit in other.units))
                    for one, other in pairwise(parts)
                ]
        assert sorted(found) == by_the_report(sides)


@pytest.mark.parametrize(
    ("below", "weight"),
    [
        ("0 10 9 9 10 400", 0),
        ("0 19 9 9 10 400", 0),
        ("0 30 9 9 10 400", 1),
        ("0 30 9 9 10 400 red", 5),
        ("0 30 9 9 20 400", 3),
        ("0 30 9 9 10 700", 2),
        ("0 500 9 9 10 400", 9),
        ("0 9 9 9 10 400", 0),  # sides are rounded
        ("0 8 9 9 10 400", -1),
    ],
)
def test_a_separator_weighs_what_differs_on_its_sides(below: str, weight: int) -> None:
    page = read(lines(("0 0 9 10 10 400", "a"), (below, "b")), URL)
    boxes = boxes_of(page.tree)
    assert boxes is not None
    blocks = VisualBlocks(page, boxes)
    units = [unit for unit in range(blocks.n) if not blocks.is_divisible(unit)]
    assert Separators(blocks, boxes).heaviest(DOWN, units, [])[0] == weight
