"""How many URLs of a path are requested that differ in their query alone."""

from __future__ import annotations

from itertools import permutations
from typing import TYPE_CHECKING

import pytest

from tests.store.sites import Pagelet, add, begin, due, record, rows, state, url

if TYPE_CHECKING:
    from store.site import Store


@pytest.fixture
def limited(store: Store) -> Store:
    store.frontier.queries.limit = 2
    return store


def wanted(store: Store) -> list[str]:
    return sorted(entry.url.rpartition("/")[2] for entry in due(store))


def everything(address: str, depth: int) -> str | None:
    return None


def test_the_limit_holds_for_what_the_store_has_whatever_comes_first(store: Store) -> None:
    """In any order of arrival, in one run or in several, a path has as many places."""
    store.frontier.queries.limit = 2
    for number, order in enumerate(permutations(("?n=1", "?n=2", "?n=3", "?n=2"))):
        for name in order:
            # Another run remembers nothing.
            store.frontier.forget()
            add(store, f"{number}{name}", 1)
        refused = [name for name in set(order) if state(store, f"{number}{name}") == ("refused", "trap")]
        assert refused == [list(dict.fromkeys(order))[2]]
    for name in ("other?n=1", "0", "0/?n=1", "00?n=1"):
        add(store, name, 1)
        assert state(store, name) == ("known", None)


def test_a_start_url_has_a_place_and_takes_one(limited: Store) -> None:
    for name in ("a?1", "a?2", "a?3"):
        add(limited, name, 0)
    assert wanted(limited) == ["a?1", "a?2", "a?3"]
    add(limited, "a?4", 1)
    assert state(limited, "a?4") == ("refused", "trap")


def test_what_is_no_longer_requested_leaves_its_place_to_the_nearest(limited: Store) -> None:
    run = begin(limited)
    for name, depth in (("a?1", 1), ("a?2", 1), ("a?5", 3), ("a?4", 2), ("a?3", 2), ("a?6", 2)):
        add(limited, name, depth)
    for name in ("a?1", "a?2"):
        record(limited, name, [Pagelet(name)], run)
    execute = limited.connection.execute

    def fill() -> int:
        with limited.transaction():
            return limited.frontier.queries.fill(everything)

    assert fill() == 0
    execute("UPDATE pages SET state = 'gone' WHERE url = ?", (url("a?1"),))
    # It is still asked for, as a link leads to it.
    assert fill() == 0
    execute("UPDATE pages SET linked = 0 WHERE url IN (?, ?)", (url("a?1"), url("a?3")))
    assert fill() == 1
    assert wanted(limited) == ["a?4"]
    assert fill() == 0


def test_a_link_takes_a_place_that_is_free_again(limited: Store) -> None:
    run = begin(limited)
    for name in ("a?1", "a?2", "a?3"):
        add(limited, name, 1)
    record(limited, "a?1", [Pagelet("one")], run)
    limited.connection.execute("UPDATE pages SET state = 'gone', linked = 0 WHERE url = ?", (url("a?1"),))
    limited.frontier.forget()
    for name in ("a?3", "a?4"):
        add(limited, name, 1)
    assert wanted(limited) == ["a?2", "a?3"]
    assert state(limited, "a?4") == ("refused", "trap")


@pytest.mark.parametrize(
    ("limit", "left"),
    [(1, ["a?3"]), (2, ["a?2", "a?3"]), (3, ["a?0", "a?2", "a?3"]), (0, ["a?0", "a?1", "a?2", "a?3", "a?4"])],
)
def test_another_limit(limited: Store, limit: int, left: list[str]) -> None:
    for name, depth in (("a?3", 1), ("a?2", 2), ("a?1", 2), ("a?0", 2), ("a?4", 5)):
        add(limited, name, depth)
    assert wanted(limited) == ["a?2", "a?3"]
    limited.frontier.queries.limit = limit
    with limited.transaction():
        limited.frontier.judge_again(everything)
    assert wanted(limited) == left


def test_places_are_counted_off_the_index_of_urls(limited: Store) -> None:
    asked: list[str] = []
    limited.connection.set_trace_callback(asked.append)
    for number in range(4):
        add(limited, f"a?{number}", 1)
    limited.connection.set_trace_callback(None)
    (counted,) = [query for query in asked if query.startswith("SELECT count")]
    plan = [row[3] for row in rows(limited, f"EXPLAIN QUERY PLAN {counted}")]
    assert len(plan) == 1
    assert plan[0].startswith("SEARCH pages USING INDEX sqlite_autoindex_pages_1 (url>? AND url<?)")
