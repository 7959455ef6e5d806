from __future__ import annotations

import numpy as np
import pytest

from pagelets.methods.judged.table import Columns, Table, running


def table(*wanted: str) -> Table:
    found = Table(2, Columns(wanted) if wanted else None)
    found.add(("a",), np.array([1, 2]))
    found.add(("b",), np.array([True, False]))
    found.add(("c", "d"), np.array([[3.0, 4.0], [5.0, 6.0]]))
    return found


def test_columns_stand_in_the_order_they_came_or_are_asked_for() -> None:
    assert table().names == ["a", "b", "c", "d"]
    assert table().matrix().tolist() == [[1, 1, 3, 4], [2, 0, 5, 6]]
    assert table().matrix().dtype == table("d").matrix().dtype == np.float32
    assert table("d", "a").matrix().tolist() == [[4, 1], [6, 2]]
    assert Table(2, Columns([])).matrix().shape == (2, 0)


def test_only_what_is_wanted_is_kept() -> None:
    assert table("d", "a").names == ["a", "d"]
    assert table("d").wants("c", "d")
    assert not table("d").wants("a", "b")
    with pytest.raises(KeyError, match="z"):
        table("a", "z").matrix()
    with pytest.raises(ValueError, match="twice"):
        Columns(["a", "a"])


def test_a_column_of_the_same_name_takes_no_other_s_place() -> None:
    twice = Table(2, Columns(["a"]))
    for value in (1, 2):
        twice.add(("a",), np.full(2, value))
    with pytest.raises(ValueError, match="added twice"):
        twice.matrix()


def test_rows_may_be_told_by_their_places_in_layers_or_once_for_all() -> None:
    values, layers = np.array([[1.0, 2.0], [3.0, 4.0]]), np.array([[0, 1, 1], [1, 0, 0]])
    for wanted in (None, Columns(["a1", "b0", "c"])):
        found = Table(3, wanted)
        found.add(("a0", "b0", "a1", "b1"), values, layers)
        found.add(("c",), np.array([[5.0]]))
        every = dict(
            zip(found.names if wanted is None else wanted.names, found.matrix().T.tolist(), strict=True)
        )
        assert every["a1"] == [3, 1, 1]
        assert every["b0"] == [2, 4, 4]
        assert every["c"] == [5, 5, 5]


def test_sums() -> None:
    assert running(np.array([[1.0, 2.0], [3.0, 4.0]])).tolist() == [[0, 0], [1, 2], [4, 6]]
