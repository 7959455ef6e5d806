"""Rows of unequal length in flat arrays."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Iterator

    from numpy.typing import NDArray


def bounds_of(lengths: NDArray[np.integer]) -> NDArray[np.int64]:
    """Returns the beginning of each row, and the total at the end: int64[rows + 1]."""
    bounds = np.zeros(len(lengths) + 1, dtype=np.int64)
    np.cumsum(lengths, out=bounds[1:])
    return bounds


def entries_of(starts: NDArray[np.int64], lengths: NDArray[np.integer]) -> NDArray[np.int64]:
    """The index of every entry of the rows that begin at `starts`, row after row: int64[sum of lengths]."""
    bounds = bounds_of(lengths)
    return np.repeat(starts - bounds[:-1], lengths) + np.arange(bounds[-1])


def batches(bounds: NDArray[np.int64], limit: int) -> Iterator[tuple[int, int]]:
    """Cuts rows into ranges (begin, stop) of at most `limit` entries; a longer row is a range of its own."""
    begin = 0
    while begin < len(bounds) - 1:
        stop = max(begin + 1, int(np.searchsorted(bounds, bounds[begin] + limit, side="right")) - 1)
        yield begin, stop
        begin = stop
