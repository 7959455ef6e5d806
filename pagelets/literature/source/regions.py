"""Regions of a curve along the lines of a source: lines in a row that reach a value."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import NDArray


class Regions(NamedTuple):
    """The r regions of l lines, in order: the slices ``start[i]:stop[i]``."""

    start: NDArray[np.intp]
    stop: NDArray[np.intp]

    @classmethod
    def of(cls, high: NDArray[np.bool_], gap: int = 0) -> Regions:
        """The regions of lines that are ``high`` (bool[l]); no more than ``gap`` others part those of one."""
        edges = np.flatnonzero(np.diff(high.astype(np.int8), prepend=0, append=0))
        start, stop = edges[::2], edges[1::2]
        apart = start[1:] - stop[:-1] > gap
        return cls(start[np.append(True, apart)[: len(start)]], stop[np.append(apart, True)[: len(stop)]])

    def largest(self, sizes: NDArray[np.float64]) -> slice:
        """The region with the largest sum of sizes (float64[l]), the first of several; none is empty."""
        if not len(self.start):
            return slice(0, 0)
        before = np.append(0, np.cumsum(sizes))
        return self._slice(int(np.argmax(before[self.stop] - before[self.start])))

    def around(self, region: slice) -> slice:
        """Returns the region that holds all of another one; an empty region is returned as it is."""
        if region.start == region.stop:
            return region
        return self._slice(int(self.start.searchsorted(region.start, "right")) - 1)

    def _slice(self, number: int) -> slice:
        return slice(int(self.start[number]), int(self.stop[number]))


def main_region(high: NDArray[np.bool_], sizes: NDArray[np.float64], gap: int) -> NDArray[np.bool_]:
    """The lines around the first paragraph: bool[l].

    That is the region of ``high`` lines (bool[l]) with the largest sum of sizes (float64[l]). Regions that no
    more than ``gap`` lines part from those that were found go with them, and the lines between them.
    """
    lines = np.zeros(len(high), bool)
    lines[Regions.of(high, gap).around(Regions.of(high).largest(sizes))] = True
    return lines
