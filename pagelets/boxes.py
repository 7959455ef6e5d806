"""Where a browser has put the elements of a page, and how they look: what rendering notes in its HTML."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Final, TypeAlias

import numpy as np
from numpy.typing import NDArray

if TYPE_CHECKING:
    from pagelets.tree import Tree

Floats: TypeAlias = NDArray[np.float64]

ATTRIBUTE: Final = "data-pagelets-box"
"""What the browser notes of an element: left, top, width, height, font size in pixels, font weight, parted by
spaces, and its background colour where it has one.
"""

MEASURE: Final = f"""() => {{
  const found = [];
  for (const element of document.querySelectorAll("body, body *")) {{
    const box = element.getBoundingClientRect();
    if (!box.width || !box.height) continue;
    const style = getComputedStyle(element);
    const numbers = [box.left + scrollX, box.top + scrollY, box.width, box.height];
    const colour = style.backgroundColor.replace(/ /g, "");
    found.push([element, [
      ...numbers.map(Math.round), Math.round(parseFloat(style.fontSize)), style.fontWeight,
      ...(/,0\\)$/.test(colour) && colour.startsWith("rgba") ? [] : [colour]),
    ].join(" ")]);
  }}
  for (const [element, noted] of found) element.setAttribute("{ATTRIBUTE}", noted);
}}"""
"""The script by which a browser notes it, a function without arguments."""

_NUMBERS: Final = 6
_MOST: Final = 1e7


@dataclass(slots=True, frozen=True, eq=False)
class Boxes:
    """The boxes of a page's n elements, in pixels; an element without one has the box of that around it.

    ``left``, ``top``, ``width``, ``height``, ``size`` (of the font) and ``weight`` are float64[n];
    ``colour`` int64[n] numbers the backgrounds that are seen, of an element without one that behind it.
    """

    left: Floats
    top: Floats
    width: Floats
    height: Floats
    size: Floats
    weight: Floats
    colour: NDArray[np.int64]

    @property
    def area(self) -> Floats:
        """The pixels of each element: float64[n]."""
        return self.width * self.height


def boxes_of(tree: Tree) -> Boxes | None:
    """What is noted of a page's elements, None where nothing is. What cannot be read counts as not noted."""
    noted = tree.attribute(ATTRIBUTE)
    if not noted:
        return None
    numbers: list[list[float]] = []
    colours: list[int] = []
    known: dict[str, int] = {"": 0}
    for node, above in enumerate(tree.parents):
        own = numbers[above] if above >= 0 else [0.0] * _NUMBERS
        colour = colours[above] if above >= 0 else 0
        parts = noted.get(node, "").split()
        if len(parts) >= _NUMBERS:
            try:
                own = [min(max(float(part), -_MOST), _MOST) for part in parts[:_NUMBERS]]
            except ValueError:
                parts = []
            if len(parts) > _NUMBERS:
                colour = known.setdefault(parts[_NUMBERS], len(known))
        numbers.append(own)
        colours.append(colour)
    rows = np.nan_to_num(np.array(numbers)).T
    left, top, width, height, size, weight = rows
    return Boxes(left, top, width, height, size, weight, np.array(colours, np.int64))
