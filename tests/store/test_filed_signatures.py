from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from pagelets.duplicates import BANDS, ROWS, VALUES
from store.errors import NotEnoughMemory
from store.filed_signatures import FiledSignatures, banding
from store.near_duplicates import AT_ONCE, first_alike

if TYPE_CHECKING:
    from pathlib import Path


def random_signatures(count: int, seed: int, differing: int) -> np.ndarray:
    """Of every four the last is like the one before it, but for up to so many values."""
    random = np.random.default_rng(seed)
    values = random.integers(0, 1 << 32, (count, VALUES), dtype=np.uint32)
    for place in range(3, count, 4):
        changed = random.choice(VALUES, random.integers(0, differing + 1), replace=False)
        values[place] = values[place - 1]
        values[place, changed] += 1
    return values


def firsts(folder: Path, values: np.ndarray, threshold: float, *, leave_out: bool = False) -> list[int]:
    with FiledSignatures(folder, threshold, [72]) as signatures:
        for part in np.array_split(values, 3):
            signatures.add(part.astype("<u4").tobytes())
        assert len(signatures) == len(values)
        return first_alike(signatures, threshold, leave_out=leave_out).tolist()


def expected(values: np.ndarray, threshold: float) -> list[int]:
    """Pair by pair: bands miss no pair of these thresholds and values."""
    return [int(np.argmax((values == one).mean(axis=1) >= threshold)) for one in values]


def test_bands_are_those_of_a_store_where_the_threshold_is() -> None:
    assert banding(0.9) == (BANDS, ROWS)
    for threshold in (0.5, 0.6, 0.7, 0.8, 0.95, 1.0):
        bands, rows = banding(threshold)
        assert bands * rows <= VALUES
        assert 1 - (1 - threshold**rows) ** bands > 0.97


@pytest.mark.parametrize(("threshold", "differing"), [(0.9, 12), (0.8, 20), (1.0, 2)])
def test_the_first_that_is_similar_is_found(tmp_path: Path, threshold: float, differing: int) -> None:
    values = random_signatures(400, 1, differing)
    found = firsts(tmp_path, values, threshold)
    assert found == expected(values, threshold)
    assert 10 < sum(first != place for place, first in enumerate(found)) <= 100
    assert list(tmp_path.iterdir()) == []


@given(st.lists(st.lists(st.integers(0, 2), min_size=8, max_size=8), max_size=30), st.booleans())
@settings(deadline=None, max_examples=30)
def test_crowds_of_a_band_are_compared_with_each_other(
    tmp_path_factory: pytest.TempPathFactory, kinds: list[list[int]], leave_out: bool
) -> None:
    # Each number is that of a band's values, so that many pages share some, and few are alike.
    values = np.array(kinds, np.uint32).reshape(-1, 8).repeat(ROWS, axis=1)
    folder = tmp_path_factory.mktemp("filed")
    right: list[int] = []
    for place, one in enumerate(values):
        similar = [other for other in range(place) if (values[other] == one).mean() >= 0.75]
        right.append(next((other for other in similar if not leave_out or right[other] == other), place))
    assert firsts(folder, values, 0.75, leave_out=leave_out) == right


def test_more_pages_than_are_read_at_once(tmp_path: Path) -> None:
    values = random_signatures(AT_ONCE + 50, 2, 0)
    values[AT_ONCE + 12] = values[5]
    found = firsts(tmp_path, values, 0.9)
    assert found[AT_ONCE + 12] == 5
    assert sum(first != place for place, first in enumerate(found)) == len(values) // 4 + 1


def test_too_little_memory_is_told(tmp_path: Path) -> None:
    with FiledSignatures(tmp_path, 0.9, [1]) as signatures:
        signatures.add(random_signatures(30_000, 3, 0).tobytes())
        with pytest.raises(NotEnoughMemory, match=r"30000 pages take more than 1 MB.*DETECTION_MEMORY=2"):
            signatures.sharing()
