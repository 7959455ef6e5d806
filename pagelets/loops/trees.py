"""Decision trees, and how rows fall through them, in plain code: the reference."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final, NamedTuple

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import NDArray

STEP: Final = np.dtype([("asked", "<u2"), ("right", "<u2"), ("most", "<u4")])
"""A node of a tree in 8 bytes. ``asked`` is twice the place of a feature, and one more where a missing value
goes left. A row goes to the next node if the rank of its value (`ranks`) and that one add up, modulo 2**32,
to at most ``most``; else ``right`` nodes on. A leaf, with zeros, leads to itself.
"""


class Trees(NamedTuple):
    """The ``steps`` of trees over so many ``features``, the ``values`` of their leaves (float32, one for each
    node), and the places of the ``roots`` (int64[t]).
    """

    steps: NDArray[np.void]
    values: NDArray[np.float32]
    roots: NDArray[np.int64]
    features: int


_ROWS_AT_ONCE: Final = 1024


def ranks(values: NDArray[np.float32]) -> NDArray[np.uint32]:
    """Returns numbers above 0 in the order of some values; the largest is of a missing one."""
    # There is one zero alone.
    bits = (values + np.float32(0)).view(np.uint32)
    ordered = np.where(bits >> 31, ~bits, bits | np.uint32(1 << 31))
    return np.where(np.isnan(values), np.uint32(0xFFFFFFFF), ordered)


def fall(matrix: NDArray[np.float32], trees: Trees, first: int, last: int) -> NDArray[np.float64]:
    """Returns the sums of the leaves that rows fall to: float64[n].

    Args:
        matrix: the features of each row, float32[n, features].
        trees: the trees.
        first: the number of the first one that counts.
        last: the number of the one behind the last. They are added up in their order, in 32 bits.

    """
    roots = trees.roots[first:last]
    sums = np.zeros(len(matrix), np.float32)
    for start in range(0, len(matrix) if len(roots) else 0, _ROWS_AT_ONCE):
        rows = ranks(matrix[start : start + _ROWS_AT_ONCE])
        row, place = np.repeat(np.arange(len(rows)), len(roots)), np.tile(roots, len(rows))
        falling = np.arange(len(place))
        while len(falling):
            step = trees.steps[place[falling]]
            rank = rows[row[falling], step["asked"] >> 1] + (step["asked"] & 1)
            on = np.where(rank.astype(np.uint32) <= step["most"], 1, step["right"])
            falling = falling[on > 0]
            place[falling] += on[on > 0]
        leaves = trees.values[place].reshape(len(rows), len(roots))
        # A running sum adds up one after the other, which a plain sum does not.
        sums[start : start + _ROWS_AT_ONCE] = np.cumsum(leaves, axis=1, dtype=np.float32)[:, -1]
    return sums.astype(np.float64)
