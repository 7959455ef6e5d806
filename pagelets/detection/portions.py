"""Portions of a large site for one query each, so that none takes much more memory than another, and rows of
unequal length in flat arrays.

DuckDB writes to the disk what does not fit into its memory, but a query that joins and groups has to have
some of each at once: where all of them are large it runs out of memory all the same.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Iterator

    from numpy.typing import DTypeLike, NDArray

EVERY: Final = (-(2**63) + 1, 2**63 - 1)
"""A range with every id."""
BATCH_ROWS: Final = 100_000
"""About so many rows are taken out of DuckDB at once."""


def bounds_of(lengths: NDArray[np.integer]) -> NDArray[np.int64]:
    """Returns the beginning of each row, and the total at the end: int64[rows + 1]."""
    bounds = np.zeros(len(lengths) + 1, dtype=np.int64)
    np.cumsum(lengths, out=bounds[1:])
    return bounds


def entries_of(starts: NDArray[np.int64], lengths: NDArray[np.integer]) -> NDArray[np.int64]:
    """The index of every entry of the rows that begin at `starts`, row after row: int64[sum of lengths]."""
    bounds = bounds_of(lengths)
    return np.repeat(starts - bounds[:-1], lengths) + np.arange(bounds[-1])


def arranged(places: NDArray[np.integer], values: NDArray[Any], dtype: DTypeLike = np.int64) -> NDArray[Any]:
    """Returns the ``values``, as ``dtype``, each at its place; the ``places`` have no holes."""
    array = np.empty(len(places), dtype)
    array[places] = values
    return array


def batches(bounds: NDArray[np.int64], limit: int) -> Iterator[tuple[int, int]]:
    """Cuts rows into ranges (begin, stop) of at most `limit` entries; a longer row is a range of its own."""
    begin = 0
    while begin < len(bounds) - 1:
        stop = max(begin + 1, int(np.searchsorted(bounds, bounds[begin] + limit, side="right")) - 1)
        yield begin, stop
        begin = stop


def ranges_of(ids: NDArray[np.int64], parts: int) -> list[tuple[int, int]]:
    """Cuts ids into ranges, first and last, of about as many of them each; without ids one range of all.

    Parquet written in the order of its ids skips what is in none of a range.
    """
    cut = np.array_split(np.sort(ids), max(1, min(parts, len(ids))))
    return [(int(part[0]), int(part[-1])) for part in cut if len(part)] or [EVERY]
