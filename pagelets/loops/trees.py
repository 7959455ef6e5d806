"""Decision trees, and how rows fall through them, in plain code: the reference."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final, NamedTuple

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import NDArray

STEP: Final = np.dtype([("asked", "<i4"), ("number", "<f4"), ("left", "<i4"), ("right", "<i4")])
"""A node of a tree in 16 bytes. ``asked`` is twice the place of a feature, and one more where a missing value
goes left; ``number`` is the threshold, of a leaf its value. A leaf leads to itself.
"""


class Trees(NamedTuple):
    """The ``steps`` of trees over so many ``features``, and the places of the ``roots`` (int64[t])."""

    steps: NDArray[np.void]
    roots: NDArray[np.int64]
    features: int


_ROWS_AT_ONCE: Final = 1024


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
        rows = matrix[start : start + _ROWS_AT_ONCE]
        row, place = np.repeat(np.arange(len(rows)), len(roots)), np.tile(roots, len(rows))
        falling = np.arange(len(place))
        while len(falling):
            step = trees.steps[place[falling]]
            value = rows[row[falling], step["asked"] >> 1]
            left = (value <= step["number"]) | (np.isnan(value) & (step["asked"] & 1).astype(bool))
            following = np.where(left, step["left"], step["right"])
            moved = following != place[falling]
            falling = falling[moved]
            place[falling] = following[moved]
        leaves = trees.steps["number"][place].reshape(len(rows), len(roots))
        # A running sum adds up one after the other, which a plain sum does not.
        sums[start : start + _ROWS_AT_ONCE] = np.cumsum(leaves, axis=1, dtype=np.float32)[:, -1]
    return sums.astype(np.float64)
