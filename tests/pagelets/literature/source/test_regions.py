from __future__ import annotations

import numpy as np

from pagelets.literature.source.regions import Regions, main_region


def regions(text: str, gap: int = 0) -> list[tuple[int, int]]:
    found = Regions.of(np.array([letter == "x" for letter in text], bool), gap)
    return list(zip(found.start.tolist(), found.stop.tolist(), strict=True))


def test_a_region_goes_over_no_more_than_a_gap() -> None:
    assert regions("") == regions("..") == []
    assert regions("xx.x..x") == [(0, 2), (3, 4), (6, 7)]
    assert regions("xx.x..x", 1) == [(0, 4), (6, 7)]
    assert regions(".xx.x..x.", 2) == [(1, 8)]


def test_the_main_region_is_around_the_largest_paragraph() -> None:
    high = np.array([letter == "x" for letter in "x.xx...x.x"], bool)
    sizes = np.array([1, 0, 3, 3, 9, 9, 9, 5, 0, 4], float)
    assert main_region(high, sizes, 0).nonzero()[0].tolist() == [2, 3]
    assert main_region(high, sizes, 1).nonzero()[0].tolist() == [0, 1, 2, 3]
    assert main_region(high, sizes, 3).all()
    assert not main_region(np.zeros(3, bool), np.ones(3), 3).any()
