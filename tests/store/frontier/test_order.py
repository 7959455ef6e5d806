from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from hypothesis import given
from hypothesis import strategies as st

from store.frontier.order import Order
from store.site import Store
from tests.store import sites
from tests.store.sites import add

if TYPE_CHECKING:
    from pathlib import Path


def due(store: Store, limit: int = 100, passed: tuple[int, ...] = ()) -> list[str]:
    return [entry.url.rpartition("/")[2] for entry in sites.due(store, limit, passed)]


def test_some_come_first_and_some_last(store: Store) -> None:
    a, b, c, d, e = (add(store, name, depth) for name, depth in zip("abcde", (0, 1, 1, 2, 3), strict=True))
    order = store.frontier.order = Order(store.connection)
    order.replace({d: 0.5, e: 2.0}, [a, b])
    assert due(store) == ["e", "d", "c", "a", "b"]
    assert due(store, 2, (e, d)) == ["c", "a"]
    assert order.rise([b, c])
    assert not order.rise([b, c])
    assert due(store) == ["e", "d", "b", "c", "a"]
    order.raise_to({a: 1.0, e: 0.1, c: 0.0})
    assert due(store) == ["e", "a", "d", "b", "c"]
    # What was settled is due no more, whatever speaks for it.
    with store.transaction():
        store.outcomes.settle(e, "failed", 1)
    assert due(store) == ["a", "d", "b", "c"]
    order.replace({}, [])
    assert due(store) == list("abcd")


def test_later_is_as_if_more_links_led_there(store: Store) -> None:
    distances = {"near": 1, "menu": 1, "far": 2, "farther": 3}
    _, menu, _, farther = (add(store, name, depth) for name, depth in distances.items())
    order = store.frontier.order = Order(store.connection, discount=1)
    order.replace({}, [menu])
    assert due(store) == ["near", "menu", "far", "farther"]
    order = store.frontier.order = Order(store.connection, discount=2)
    order.replace({farther: 0.1}, [menu])
    assert due(store) == ["farther", "near", "far", "menu"]
    assert [one.depth for one in sites.due(store, 100, ())] == [3, 1, 2, 1]
    assert order.rise([menu])
    assert due(store) == ["farther", "near", "menu", "far"]


def test_another_order_of_what_was_read_is_told(store: Store) -> None:
    store.frontier.hosts_due()
    assert store.frontier.arrivals() is None
    assert store.frontier.arrivals() == {}
    store.frontier.reorder()
    assert store.frontier.arrivals() is None


@pytest.fixture(scope="module")
def opened(tmp_path_factory: pytest.TempPathFactory) -> Store:
    path: Path = tmp_path_factory.mktemp("ordered") / "site.example"
    store = Store.open(path, create=True)
    for number in range(60):
        add(store, f"p{number}", number % 4)
    return store


@given(
    first=st.dictionaries(st.integers(1, 60), st.floats(0.01, 2)),
    last=st.sets(st.integers(1, 60)),
    limit=st.integers(1, 70),
)
def test_in_whatever_order_all_that_is_due_comes_once(
    opened: Store, first: dict[int, float], last: set[int], limit: int
) -> None:
    opened.frontier.order = Order(opened.connection)
    opened.frontier.order.replace(first, last)
    taken: list[int] = []
    while batch := sites.due(opened, limit, tuple(taken)):
        taken += [one.page for one in batch]
    assert sorted(taken) == list(range(1, 61))
    assert set(taken[: len(first)]) == set(first)
    others = last - set(first)
    assert set(taken[len(taken) - len(others) :]) == others
