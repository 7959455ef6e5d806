"""VIPS: a page is cut into the blocks that a reader sees, by the boxes, fonts and colours of its elements.

Cai, Yu, Wen & Ma, "VIPS: a Vision-based Page Segmentation Algorithm", Microsoft Research, MSR-TR-2003-79.
No text of the report was at hand: its rules are taken from descriptions and implementations that quote it.
Visual separators (Section 4.2) are the empty lines between visual blocks, each of some weight.
"""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from dataclasses import dataclass, field
from itertools import pairwise, repeat
from operator import itemgetter
from typing import TYPE_CHECKING, Final

from pagelets.literature.partitions.visual_blocks import Boxes, Part, VisualBlocks

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from pagelets.page import Page

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

COHERENCE: Final = 6.0
"""PDoC, the permitted degree of coherence, from 1 to 10: the higher, the smaller the blocks."""
_WHOLE: Final = 10
_MOST_CUTS: Final = 20
"""Cuts within each other in one round, so that its time is bounded."""


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


@dataclass(slots=True, eq=False)
class Seen:
    """A block of the content structure: a visual block (``unit``), or several that were merged.

    ``weight`` is the weight of the separators between its ``children``; ``unseen`` are the elements without a
    box that were met when the block was divided.
    """

    unit: int = -1
    weight: int = 0
    coherence: float = _WHOLE
    children: list[Seen] = field(default_factory=list)
    unseen: list[int] = field(default_factory=list)


def seen_slices(page: Page, boxes: Boxes, coherence: float = COHERENCE) -> list[tuple[int, int]]:
    """Finds the blocks that a reader sees, as slices of the blocks of a page.

    The topmost blocks of the `content_structure` whose degree of coherence exceeds the permitted one. Blocks
    of the page that follow each other in the document and lie in the same of these are a slice: a block whose
    text is scattered over the document becomes several. An element that is not seen is a slice of its own.

    Args:
        page: the page.
        boxes: the boxes that a browser noted on its elements.
        coherence: the permitted degree of coherence.

    """
    if not page.blocks:
        return []
    blocks = VisualBlocks(page, boxes)
    by_unit: dict[int, int] = {}
    left = [content_structure(blocks, boxes, coherence)]
    while left:
        one = left.pop()
        if one.children and one.coherence <= coherence:
            by_unit.update((unit, unit) for unit in one.unseen)
            left.extend(one.children)
        else:
            units = list(_units(one))
            by_unit.update(dict.fromkeys(units, units[0]))
    return slices_of(blocks.labels(by_unit))


def slices_of(labels: Sequence[int]) -> list[tuple[int, int]]:
    """The slices of equal labels that follow each other; there is at least one label."""
    bounds = [place for place in range(1, len(labels)) if labels[place] != labels[place - 1]]
    return list(pairwise([0, *bounds, len(labels)]))


def content_structure(blocks: VisualBlocks, boxes: Boxes, coherence: float) -> Seen:
    """Builds the content structure of a page (Section 4.3).

    From the report: in a round, visual blocks are found in a block, and separators between them. The blocks
    beside the lightest separators are merged into a new one, until the heaviest are met. The degree of
    coherence of a new block follows from the heaviest separator in its region. Each visual block whose degree
    does not exceed the permitted one goes through a round of its own.

    Chosen here: blocks are parted at the heaviest separators first, which gives the same tree. Separators are
    looked for anew in each part, as some begin and end there, at most 20 times within each other. Of
    horizontal and vertical ones that weigh the same, horizontal ones come first. Blocks that overlap are
    merged. A degree is 10 less the heaviest weight, and at most that of any block inside; a visual block that
    was divided gets the degree of what it was divided into. Takes n log n time for n elements and texts, as
    each is in two rounds at most.

    Args:
        blocks: the units of the page.
        boxes: the boxes of its elements.
        coherence: the permitted degree of coherence.

    Returns:
        The topmost block.
    """
    separators = Separators(blocks, boxes)
    top = Seen()
    met: list[Seen] = []
    left = [(top, Part([0], []), 0)]
    while left:
        one, part, cuts = left.pop()
        met.append(one)
        if len(part.units) == 1:
            one.unit = part.units[0]
            while len(part.units) == 1 and _fails(blocks, part.units[0], coherence):
                part, unseen = blocks.within(part.units[0])
                cuts = 0
                one.unseen += unseen
            if len(part.units) <= 1:
                one.coherence = min([blocks.coherence[unit] for unit in part.units], default=_WHOLE)
                continue
        axes = (DOWN, ACROSS) if cuts < _MOST_CUTS else ()
        found = [separators.heaviest(axis, *part) for axis in axes]
        weight, parts = max(found, key=itemgetter(0), default=(-1, []))
        if weight < 0:
            parts = [Part([unit], []) for unit in part.units]
        one.weight = max(weight, 0)
        one.children = [Seen() for _ in parts]
        left += zip(one.children, parts, repeat(cuts + 1), strict=False)
    for one in reversed(met):
        if one.children:
            one.coherence = min(_WHOLE - one.weight, min(child.coherence for child in one.children))
    return top


def _fails(blocks: VisualBlocks, unit: int, coherence: float) -> bool:
    # Rule 3: the page itself is divided.
    return (unit == 0 or blocks.coherence[unit] <= coherence) and blocks.is_divisible(unit)


def _units(one: Seen) -> Iterator[int]:
    """The visual blocks inside a block, or itself."""
    left = [one]
    while left:
        part = left.pop()
        if part.unit >= 0:
            yield part.unit
        else:
            left.extend(part.children)
