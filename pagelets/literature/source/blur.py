"""Gaussian blur of a row of values."""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import NDArray


def blurred(
    values: NDArray[np.float64], deviation: float, radius: int, beyond: Literal["constant", "edge"]
) -> NDArray[np.float64]:
    """Blurs values by a Gaussian.

    Args:
        values: float64[n].
        deviation: the Gaussian's standard deviation, above 0.
        radius: how many values to each side count.
        beyond: zeros stand beyond the ends (``constant``), or the values at the ends (``edge``).

    Returns:
        float64[n].

    """
    weights = np.exp(-0.5 / (deviation * deviation) * np.arange(-radius, radius + 1) ** 2)
    weights /= weights.sum()
    count, padded = len(values), np.pad(values, radius, mode=beyond)
    # From the outermost pair inwards: the sums of equal values are equal, whatever processor adds them.
    smoothed: NDArray[np.float64] = values * weights[radius]
    for place in range(radius):
        pair = padded[place : place + count] + padded[2 * radius - place : 2 * radius - place + count]
        smoothed += pair * weights[place]
    return smoothed
