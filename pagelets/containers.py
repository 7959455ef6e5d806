"""The elements around a page's blocks, as arrays: who lies in whom, and which blocks each holds."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, TypeAlias

import numpy as np
from numpy.typing import NDArray

if TYPE_CHECKING:
    from lxml.html import HtmlElement

    from pagelets.page import Page

Integers: TypeAlias = NDArray[np.int64]


@dataclass(slots=True, eq=False)
class Containers:
    """The elements that hold blocks, parents before children; n of them, for b blocks.

    ``elements`` are the elements; ``parent`` int64[n] the place of each one's parent, the first's its own;
    ``depth`` int64[n] its distance from the first; ``of_block`` int64[b] the place of each block's element.
    A container's blocks are the slice ``start[i]:stop[i]`` of the page's, from the first in it to the last:
    where it is inline, as a link around paragraphs, text between them counts as in it too.
    """

    elements: list[HtmlElement]
    parent: Integers
    depth: Integers
    of_block: Integers
    start: Integers
    stop: Integers

    @classmethod
    def of(cls, page: Page) -> Containers:
        """Reads the containers of a page. Linear in the number of elements around blocks."""
        elements, parents, depths = [page.root], [0], [0]
        known = {page.root: 0}
        of_block, starts = [], [0]
        for position, block in enumerate(page.blocks):
            element: HtmlElement | None = block.element
            climbed = []
            while (place := known.get(element)) is None:
                climbed.append(element)
                assert element is not None
                element = element.getparent()
            for below in reversed(climbed):
                known[below] = number = len(elements)
                elements.append(below)
                parents.append(place)
                depths.append(depths[place] + 1)
                starts.append(position)
                place = number
            of_block.append(place)
        stops = [0] * len(elements)
        for position, place in enumerate(of_block):
            stops[place] = position + 1
        for place in range(len(elements) - 1, 0, -1):
            above = parents[place]
            if stops[place] > stops[above]:
                stops[above] = stops[place]
        arrays = (np.array(numbers, np.int64) for numbers in (parents, depths, of_block, starts, stops))
        return cls(elements, *arrays)

    def nearest(self, wanted: NDArray[np.bool_]) -> Integers:
        """For each container the place of itself or the nearest one around it that is ``wanted`` (bool[n]).

        The first container stands in where none is.
        """
        found = np.where(wanted, np.arange(len(wanted)), self.parent)
        found[0] = 0
        for _ in range(int(self.depth.max(initial=0)).bit_length()):
            # Where the container found is not wanted yet, what it has found itself is nearer to the root.
            found = found[found]
        return found
