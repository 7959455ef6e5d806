"""The boxes of a page's elements, as a browser has noted them (`pagelets.boxes`)."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Final, TypeAlias

import numpy as np
from numpy.typing import NDArray

from pagelets.boxes import ATTRIBUTE

if TYPE_CHECKING:
    from pagelets.tree import Tree

Floats: TypeAlias = NDArray[np.float64]

_NUMBERS: Final = 6
_MOST: Final = 1e7


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
    rows = np.nan_to_num(np.array(numbers)).T
    left, top, width, height, size, weight = rows
    return Boxes(left, top, width, height, size, weight, np.array(colours, np.int64), np.array(seen))
