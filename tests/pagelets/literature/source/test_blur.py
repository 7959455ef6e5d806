from __future__ import annotations

import numpy as np
import pytest

from pagelets.literature.source.ccb import blurred


@pytest.mark.parametrize("beyond", ["constant", "edge"])
def test_a_blur_is_the_weighted_mean_of_what_is_around(beyond):
    values = np.random.default_rng(2).random(9)
    weights = np.exp(-0.5 * (np.arange(-4, 5) / 2.5) ** 2)
    padded = np.pad(values, 4, mode=beyond)
    expected = [padded[place : place + 9] @ weights / weights.sum() for place in range(9)]
    assert np.allclose(blurred(values, 2.5, 4, beyond), expected)


def test_what_is_the_same_along_both_ways_stays_so():
    assert np.array_equal(
        blurred(np.eye(1, 9, 4)[0], 1.5, 3, "constant"), blurred(np.eye(1, 9, 4)[0], 1.5, 3, "edge")
    )
    assert len(set(blurred(np.full(9, 0.1), 1.5, 3, "edge"))) == 1
