"""Visual separators of VIPS (Section 4.2): the empty lines between visual blocks, and how much they weigh."""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from typing import TYPE_CHECKING, Final, NamedTuple

if TYPE_CHECKING:
    from pagelets.literature.partitions.boxes import Boxes
    from pagelets.literature.partitions.visual_blocks import VisualBlocks

DOWN, ACROSS = 0, 1
"""The axes along which blocks are parted: by horizontal separators, by vertical ones."""

_ROUNDED: Final = 1.0
"""Pixels by which neighbours may overlap, as browsers round the sides of boxes."""

HEAVIEST: Final = 9

_RULE: Final = 4
_COLOUR: Final = 4
_FONT: Final = 1
_LARGER: Final = 1
_ALIKE: Final = 1
_ACROSS: Final = 4


class Part(NamedTuple):
    """Visual blocks between two separators, and the horizontal rules (``hr``) among them, by node."""

    units: list[int]
    rules: list[int]


class Separators:
    """Finds the heaviest separators between visual blocks.

    From the report: a list begins with one separator, which each block splits, narrows or removes, and those
    at the border do not count. What is left are the gaps in the blocks' projection on the axis, found here by
    sorting. Its five rules of weight are distance, an ``hr`` in between, another background, and for
    horizontal separators another font, the more so if the larger is below, and blocks that are alike.

    Chosen here: blocks that touch have a separator of no width. Distance counts in whole lines of the smaller
    font, between columns in quarters of a line. A rule weighs 4, another background 4, another font 1, a
    larger one below 1 more, blocks of the same tag or of text alone 1 less; at most 9 in all. The two blocks
    that reach the farthest toward a separator are compared, for all others beside it.
    """

    def __init__(self, blocks: VisualBlocks, boxes: Boxes) -> None:
        self._blocks = blocks
        self._centres = (boxes.top + boxes.height / 2).tolist(), (boxes.left + boxes.width / 2).tolist()

    def heaviest(self, axis: int, units: list[int], rules: list[int]) -> tuple[int, list[Part]]:
        """Parts visual blocks at their heaviest separators along an axis.

        Args:
            axis: `DOWN` or `ACROSS`.
            units: the visual blocks.
            rules: the horizontal rules among them.

        Returns:
            The weight of these separators, -1 if there is no separator, and what lies between them.
        """
        starts, ends = self._blocks.starts[axis], self._blocks.ends[axis]
        units = sorted(units, key=starts.__getitem__)
        rules = sorted(rules, key=self._centres[axis].__getitem__)
        centres = [self._centres[axis][rule] for rule in rules]
        found: list[tuple[int, int, int, int]] = []
        above = units[0]
        for place, below in enumerate(units):
            if starts[below] >= ends[above] - _ROUNDED and place:
                start = bisect_left(centres, ends[above])
                stop = max(bisect_right(centres, starts[below]), start)
                found.append((self._weight(axis, above, below, stop > start), place, start, stop))
            if ends[below] >= ends[above]:
                above = below
        heaviest = max((weight for weight, *_ in found), default=-1)
        parts, last, behind = [], 0, 0
        for weight, place, start, stop in [*found, (heaviest, len(units), len(rules), len(rules))]:
            if weight == heaviest:
                parts.append(Part(units[last:place], rules[behind:start]))
                last, behind = place, max(stop, behind)
        return heaviest, parts

    def _weight(self, axis: int, above: int, below: int, ruled: bool) -> int:
        blocks = self._blocks
        one, other = blocks.last[above], blocks.first[below]
        sizes = blocks.size[one], blocks.size[other]
        lines = max(blocks.starts[axis][below] - blocks.ends[axis][above], 0) / max(min(sizes), 1)
        weight = int(lines * (_ACROSS if axis == ACROSS else 1))
        weight += _RULE * ruled + _COLOUR * (blocks.colour[above] != blocks.colour[below])
        if axis == DOWN:
            weight += _FONT * (sizes[0] != sizes[1] or blocks.weight[one] != blocks.weight[other])
            weight += _LARGER * (sizes[1] > sizes[0])
            weight -= _ALIKE * blocks.are_alike(above, below)
        return min(max(weight, 0), HEAVIEST)
