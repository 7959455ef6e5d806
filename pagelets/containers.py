"""The elements around a page's blocks, as arrays: who lies in whom, and which blocks each holds."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, TypeAlias

import numpy as np
from numpy.typing import NDArray

from pagelets.tree import ROOT

if TYPE_CHECKING:
    from collections.abc import Sequence

    from pagelets.page import Page

Integers: TypeAlias = NDArray[np.int64]


@dataclass(slots=True, eq=False)
class Containers:
    """The elements that hold blocks, parents before children; n of them, for b blocks.

    ``nodes`` int64[n] are the elements, ``tags`` their tags; ``parent`` int64[n] the place of each one's
    parent, the first's its own;
    ``depth`` int64[n] its distance from the first; ``of_block`` int64[b] the place of each block's element.
    A container's blocks are the slice ``start[i]:stop[i]`` of the page's, from the first in it to the last:
    where it is inline, as a link around paragraphs, text between them counts as in it too.
    """

    nodes: Integers
    tags: list[str]
    parent: Integers
    depth: Integers
    of_block: Integers
    start: Integers
    stop: Integers

    @classmethod
    def of(cls, page: Page) -> Containers:
        """Reads the containers of a page. Linear in the number of elements around blocks."""
        nodes, parents, depths = [ROOT], [0], [0]
        known = {ROOT: 0}
        of_block, starts = [], [0]
        around = page.tree.parents
        for position, block in enumerate(page.blocks):
            node = block.node
            climbed = []
            while (place := known.get(node)) is None:
                climbed.append(node)
                node = around[node]
            for below in reversed(climbed):
                known[below] = number = len(nodes)
                nodes.append(below)
                parents.append(place)
                depths.append(depths[place] + 1)
                starts.append(position)
                place = number
            of_block.append(place)
        stops = [0] * len(nodes)
        for position, place in enumerate(of_block):
            stops[place] = position + 1
        for place in range(len(nodes) - 1, 0, -1):
            above = parents[place]
            if stops[place] > stops[above]:
                stops[above] = stops[place]
        arrays = (np.array(numbers, np.int64) for numbers in (parents, depths, of_block, starts, stops))
        tags = page.tree.tags
        return cls(np.array(nodes, np.int64), [tags[node] for node in nodes], *arrays)

    def mask(self, nodes: Sequence[int] | NDArray[np.integer]) -> NDArray[np.bool_]:
        """Which blocks lie in any of some elements of the page: bool[b].

        Takes elements by their places in the tree; one that holds no block counts for nothing.
        """
        wanted = np.isin(self.nodes, np.asarray(nodes, np.int64))
        return wanted[self.nearest(wanted)[self.of_block]]

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
