"""Visual block extraction of VIPS (Section 4.1): the rules by which a subtree of a page is divided or not,
and the boxes of a page's elements, as a browser has noted them (`pagelets.boxes`).
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Final, NamedTuple, TypeAlias

import numpy as np
from numpy.typing import NDArray

from pagelets.boxes import ATTRIBUTE
from pagelets.containers import Containers

if TYPE_CHECKING:
    from pagelets.page import Page
    from pagelets.tree import Tree

Floats: TypeAlias = NDArray[np.float64]

_NUMBERS: Final = 6
_MOST: Final = 1e7

SMALL: Final = 0.1
"""The share of the page's area below which an element or its largest child counts as small."""
_OTHER, _TABLE, _CELL, _PARAGRAPH, _INLINE = range(5)
_KINDS: Final = (
    dict.fromkeys("table tr".split(), _TABLE)
    | dict.fromkeys("td th".split(), _CELL)
    | {"p": _PARAGRAPH}
    | dict.fromkeys(
        """
        a abbr acronym b bdi bdo big cite code del dfn em font i ins kbd label mark q s samp small span strike
        strong sub sup time tt u var
        """.split(),
        _INLINE,
    )
)
"""The rows of the report's table of rules."""
_OF_TEXT: Final = dict.fromkeys(
    "p li dd dt td th h1 h2 h3 h4 h5 h6 blockquote pre address figcaption caption".split(), 1
)


@dataclass(slots=True, frozen=True, eq=False)
class Boxes:
    """The boxes of a page's n elements, in pixels; an element without one has the box of that around it.

    ``left``, ``top``, ``width``, ``height``, ``size`` (of the font) and ``weight`` are float64[n];
    ``colour`` int64[n] numbers the backgrounds that are seen, of an element without one that behind it;
    ``seen`` bool[n] marks the elements that have a box of their own.
    """

    left: Floats
    top: Floats
    width: Floats
    height: Floats
    size: Floats
    weight: Floats
    colour: NDArray[np.int64]
    seen: NDArray[np.bool_]


def boxes_of(tree: Tree) -> Boxes | None:
    """Reads the boxes noted on a page's elements, None without any. An unreadable note counts as missing."""
    noted = tree.attribute(ATTRIBUTE)
    if not noted:
        return None
    numbers: list[list[float]] = []
    colours: list[int] = []
    seen: list[bool] = []
    known: dict[str, int] = {"": 0}
    for node, above in enumerate(tree.parents):
        box = numbers[above] if above >= 0 else [0.0] * _NUMBERS
        colour = colours[above] if above >= 0 else 0
        parts = noted.get(node, "").split()
        seen.append(len(parts) >= _NUMBERS)
        if seen[-1]:
            try:
                box = [min(max(float(part), -_MOST), _MOST) for part in parts[:_NUMBERS]]
            except ValueError:
                parts, seen[-1] = [], False
            if len(parts) > _NUMBERS:
                colour = known.setdefault(parts[_NUMBERS], len(known))
        numbers.append(box)
        colours.append(colour)
    left, top, width, height, size, weight = np.nan_to_num(np.array(numbers)).T
    return Boxes(left, top, width, height, size, weight, np.array(colours, np.int64), np.array(seen))


class Part(NamedTuple):
    """Visual blocks between two separators, and the horizontal rules (``hr``) among them, by node."""

    units: list[int]
    rules: list[int]


class VisualBlocks:
    """The elements of a page that may become visual blocks, called units, and the rules that divide them.

    Units below n are the page's containers, those from n on its b blocks where they stand between other
    elements. A block of a page is a run of text nodes and virtual text nodes of the report, so a container
    without further ones within has text children alone. ``starts`` and ``ends`` are the sides of each unit in
    pixels, for each axis; ``coherence`` is its degree of coherence as long as it is whole; ``first`` and
    ``last`` are its first and last block; ``colour`` numbers its background, ``tag`` its tag (0 for text);
    ``size`` and ``weight`` are of the font of each block.

    From the report: the twelve rules, the kinds of elements that each is for, and the ranges of the degree
    of coherence. Rule 10 does what rule 12 does, as both keep a cell whole. Chosen here: `SMALL` for all
    tags; degrees of 8 for elements of text and 7 for others, less up to 2 by size; at least 6 in rule 7; the
    box of a text between other elements reaches from the one before it to the one behind it.
    """

    def __init__(self, page: Page, boxes: Boxes) -> None:
        containers = self._containers = Containers.of(page)
        self.n = len(containers.nodes)
        blocks, nodes = len(page.blocks), containers.nodes
        of_block = containers.of_block
        self._children = self._in_order()
        self._rules: dict[int, list[int]] = {}
        for rule in page.tree.of_tag("hr"):
            if boxes.seen[rule]:
                self._rules.setdefault(self._place(page.tree.parents[rule]), []).append(rule)
        top, left = boxes.top[nodes], boxes.left[nodes]
        sides = self._sides(
            np.array([[top, top + np.maximum(boxes.height[nodes], 0)],
                      [left, left + np.maximum(boxes.width[nodes], 0)]]),
        )  # fmt: skip
        self.starts: list[list[float]] = sides[:, 0].tolist()
        self.ends: list[list[float]] = sides[:, 1].tolist()
        self.first = [*containers.start.tolist(), *range(blocks)]
        self.last = [*(containers.stop - 1).tolist(), *range(blocks)]
        self.size, self.weight, mixed = _fonts(page, boxes)
        self._valid = self._seen(boxes)
        colour = boxes.colour[nodes]
        self.colour: list[int] = np.concatenate([colour, colour[of_block]]).tolist()
        self.tag: list[int] = [*(containers.tag + 1).tolist(), *[0] * blocks]
        area = (sides[0, 1] - sides[0, 0]) * (sides[1, 1] - sides[1, 0])
        self._apply_rules(area / max(float(area.max()), 1.0), colour, mixed)

    def within(self, root: int) -> tuple[Part, list[int]]:
        """Returns the visual blocks of a unit that is to be divided, in order, and what is not seen."""
        part, unseen = Part([], list(self._rules.get(root, ()))), []
        left = self._children[root][::-1]
        while left:
            unit = left.pop()
            if not self._valid[unit]:
                unseen.append(unit)
            elif unit >= self.n or self._kept[unit] or (self._coloured[unit] and self._parents[unit] != root):
                part.units.append(unit)
            else:
                part.rules.extend(self._rules.get(unit, ()))
                left.extend(self._children[unit][::-1])
        return part, unseen

    def is_divisible(self, unit: int) -> bool:
        """Returns True if a unit holds more than one block or another container."""
        return unit < self.n and (len(self._children[unit]) > 1 or self._children[unit][0] < self.n)

    def are_alike(self, unit: int, other: int) -> bool:
        """Returns True if two units have the same tag, or are both of text alone."""
        alone = not self.is_divisible(unit) and not self.is_divisible(other)
        return alone or self.tag[unit] == self.tag[other]

    def labels(self, by_unit: dict[int, int]) -> list[int]:
        """Returns the label of the innermost labelled unit around each block, -1 without one."""
        labels = [by_unit.get(0, -1)]
        for unit in range(1, self.n):
            labels.append(by_unit.get(unit, labels[self._parents[unit]]))
        holders = self._containers.of_block.tolist()
        return [by_unit.get(self.n + block, labels[holder]) for block, holder in enumerate(holders)]

    def _in_order(self) -> list[list[int]]:
        """The children of each container, in document order."""
        self._parents: list[int] = self._containers.parent.tolist()
        children: list[list[int]] = [[] for _ in range(self.n)]
        met = bytearray(self.n)
        met[0] = 1
        for block, holder in enumerate(self._containers.of_block.tolist()):
            children[holder].append(self.n + block)
            unit = holder
            while not met[unit]:
                met[unit] = 1
                children[self._parents[unit]].append(unit)
                unit = self._parents[unit]
        return children

    def _place(self, node: int) -> int:
        """The container that an element is, or the nearest before it."""
        return max(int(self._containers.nodes.searchsorted(node, "right")) - 1, 0)

    def _sides(self, of_containers: Floats) -> Floats:
        """The sides of all units (two axes, start and end), given those of containers."""
        sides = np.concatenate([of_containers, of_containers[:, :, self._containers.of_block]], axis=2)
        top, bottom = sides[0]
        for children in self._children:
            if len(children) > 1:
                above = -np.inf
                for unit in children:
                    if unit >= self.n:
                        top[unit] = min(max(top[unit], above), bottom[unit])
                    else:
                        above = bottom[unit]
                below = np.inf
                for unit in children[::-1]:
                    if unit >= self.n:
                        bottom[unit] = max(min(bottom[unit], below), top[unit])
                    else:
                        below = top[unit]
        return sides

    def _seen(self, boxes: Boxes) -> list[bool]:
        """Marks the units that the report calls valid: texts that are seen, and what holds one."""
        loose: list[bool] = boxes.seen[self._containers.nodes][self._containers.of_block].tolist()
        valid = [False] * self.n
        for block, holder in enumerate(self._containers.of_block.tolist()):
            valid[holder] |= loose[block]
        for unit in range(self.n - 1, 0, -1):
            valid[self._parents[unit]] |= valid[unit]
        return valid + loose

    def _apply_rules(self, size: Floats, colour: NDArray[np.int64], mixed: NDArray[np.bool_]) -> None:
        """Decides on each container, by the first rule that applies to its kind.

        Args:
            size: the share of each unit in the page's area.
            colour: the background of each container.
            mixed: marks the blocks in several fonts.
        """
        containers, n = self._containers, self.n
        valid = np.array(self._valid)
        inner = np.flatnonzero(valid[1:n]) + 1
        around = containers.parent[inner]
        blocks = np.flatnonzero(valid[n:])
        holders = containers.of_block[blocks]
        elements, texts = np.bincount(around, minlength=n), np.bincount(holders, minlength=n)
        largest = np.zeros(n)
        np.maximum.at(largest, around, size[inner])
        np.maximum.at(largest, holders, size[n + blocks])
        kind = containers.numbered(_KINDS)
        table, cell, line = kind == _TABLE, kind == _CELL, kind == _INLINE
        broken = np.bincount(around, ~line[inner], n) > 0
        ruled = np.isin(np.arange(n), list(self._rules))
        other = colour[inner] != colour[around]
        outlined = np.bincount(around, other, n) > 0
        of_text = containers.numbered(_OF_TEXT) == 1
        by_tag = np.where(of_text, 8.0, 7.0)
        by_size = by_tag - 2 * np.minimum(size[:n] / SMALL, 1)
        fonts = np.bincount(holders, mixed[blocks], n) > 0
        rules = [  # those of the report by number: applies, divides, degree of coherence
            (2, (elements == 1) & (texts == 0), True, by_tag),
            (4, elements == 0, False, np.where(fonts, 9.0, 10.0)),
            (5, broken & (line | (kind == _PARAGRAPH)), True, by_tag),
            (6, ruled & ~table & ~cell, True, by_tag),
            (7, outlined & table, True, by_tag),
            (8, (texts > 0) & (size[:n] < SMALL) & ~table, False, by_tag),
            (9, largest < SMALL, False, by_size),
            (11, ~table & ~cell, True, by_tag),
            (12, np.ones(n, bool), False, by_size),
        ]
        number = np.select([applies for _, applies, _, _ in rules], [one for one, _, _, _ in rules])
        degree = np.select([applies for _, applies, _, _ in rules], [one for _, _, _, one in rules])
        self._kept: list[bool] = (~np.isin(number, [one for one, _, divides, _ in rules if divides])).tolist()
        coloured = np.zeros(n, bool)
        coloured[inner] = other & (number[around] == 7)
        degree[coloured] = np.maximum(by_size[coloured], 6)
        self._coloured: list[bool] = coloured.tolist()
        self.coherence: list[float] = [*degree.tolist(), *np.where(mixed, 9.0, 10.0).tolist()]


def _fonts(page: Page, boxes: Boxes) -> tuple[list[float], list[float], NDArray[np.bool_]]:
    """The size and weight of the font in which each block begins, and whether it has others."""
    sizes, weights = boxes.size.tolist(), boxes.weight.tolist()
    begun: list[tuple[float, float]] = []
    mixed = np.zeros(len(page.blocks), bool)
    for position, block in enumerate(page.blocks):
        fonts = [(sizes[holder], weights[holder]) for text, holder in block.runs if text.strip()]
        begun.append(fonts[0] if fonts else (sizes[block.node], weights[block.node]))
        mixed[position] = any(font != begun[-1] for font in fonts)
    return [size for size, _ in begun], [weight for _, weight in begun], mixed
