"""Layers of a network, in plain code: the reference. The order of its sums counts."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final, TypeAlias

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import NDArray

Singles: TypeAlias = "NDArray[np.float32]"
_LANES: Final = 8


def means(table: Singles, numbers: NDArray[np.int32]) -> Singles:
    """Twice the mean of the rows of a table that each of b lists of numbers asks for: float32[b, w].

    Args:
        table: float32[n, w]; its first row is zeros, and does not count.
        numbers: the places of rows, int32[b, k].

    """
    sums = np.zeros((len(numbers), table.shape[1]), np.float32)
    for column in numbers.T:
        sums += table[column]
    found: Singles = sums * (2 / np.maximum((numbers > 0).sum(1), 1)).astype(np.float32)[:, None]
    return found


def normalised(rows: Singles, scale: Singles, shift: Singles, least: float) -> tuple[Singles, Singles]:
    """Brings each of b rows to the mean 0 and the variance 1, then to a scale.

    Args:
        rows: float32[b, w], at least one; w is divisible by 8.
        scale: of each column, float32[w].
        shift: what is added to each column, float32[w].
        least: what is added to the variance.

    Returns:
        The rows, float32[b, w], and the means and the maxima of their columns, float32[2 w].

    """
    centred = rows - _mean(rows)
    level: Singles = centred / np.sqrt(_mean(centred * centred) + np.float32(least)) * scale + shift
    means = level.cumsum(axis=0)[-1] / np.float32(len(level))
    return level, np.concatenate([means, level.max(axis=0)])


def _mean(rows: Singles) -> Singles:
    sums: Singles = rows.reshape(len(rows), -1, _LANES).cumsum(axis=1)[:, -1]
    while sums.shape[1] > 1:
        sums = sums[:, ::2] + sums[:, 1::2]
    return sums / np.float32(rows.shape[1])


def advanced(rows: Singles, itself: Singles, before: Singles, after: Singles, bias: Singles) -> Singles:
    """Adds to each of b rows what was found at it and at others, if the sum is positive: float32[b, w].

    Args:
        rows: float32[b, w].
        itself: what counts for each row, float32[b, w].
        before: what counts for the last rows, float32[c, w].
        after: what counts for the first rows, float32[c, w].
        bias: what counts for all rows, float32[w].

    """
    total = itself + bias
    total[len(rows) - len(before) :] += before
    total[: len(after)] += after
    advanced_rows: Singles = rows + np.maximum(total, np.float32(0))
    return advanced_rows
