from __future__ import annotations

import numpy as np
import pytest

from pagelets.content.table import Table, running, share, shifted


def table(wanted: set[str] | None = None) -> Table:
    found = Table(2, wanted)
    found.add(["a", "b"], np.array([1, 2]), np.array([True, False]))
    found.add(["c", "d"], np.array([[3.0, 4.0], [5.0, 6.0]]))
    return found


def test_columns_stand_in_the_order_they_came_or_are_asked_for() -> None:
    assert table().names == ["a", "b", "c", "d"]
    assert table().matrix().tolist() == [[1, 1, 3, 4], [2, 0, 5, 6]]
    assert table().matrix(["d", "a"]).tolist() == [[4, 1], [6, 2]]
    assert table().matrix([]).shape == (2, 0)


def test_only_what_is_wanted_is_kept() -> None:
    assert table({"d", "a", "z"}).names == ["a", "d"]
    assert table({"d", "a"}).matrix(["d", "a"]).tolist() == [[4, 1], [6, 2]]
    with pytest.raises(KeyError, match="b"):
        table({"a"}).matrix(["a", "b"])


def test_rows_so_many_places_on() -> None:
    found = shifted(np.array([[1.0], [2.0], [3.0]]), (-1, 2))
    assert np.array_equal(found, [[np.nan, 3], [1, np.nan], [2, np.nan]], equal_nan=True)
    assert np.isnan(shifted(np.array([[1.0]]), (-3, 3))).all()


def test_sums_and_shares() -> None:
    assert running(np.array([[1.0, 2.0], [3.0, 4.0]])).tolist() == [[0, 0], [1, 2], [4, 6]]
    assert share(np.array([1.0, 0.0]), np.array([2.0, 0.0])).tolist() == [0.5, 0]
