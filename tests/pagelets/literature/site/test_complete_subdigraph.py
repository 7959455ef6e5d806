from __future__ import annotations

from itertools import permutations
from typing import TYPE_CHECKING

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pagelets.literature.site.complete_subdigraph import SubdigraphSearch, complete_subdigraph, link_graph

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

MAIN, SUBMENU, ARTICLES = ("news", "sport", "weather"), ("world", "science", "health", "arts"), ("a", "b")


def bbc() -> dict[str, set[str]]:
    """Example 4.1: all pages link to those of the main menu; these and those below link to the submenu."""
    links = [
        *permutations(MAIN, 2),
        *permutations(SUBMENU, 2),
        *((page, main) for page in (*SUBMENU, *ARTICLES) for main in MAIN),
        *((article, page) for article in ARTICLES for page in SUBMENU),
        *(("news", page) for page in SUBMENU),
    ]
    return link_graph(links)


def test_pages_of_a_menu_make_a_complete_subdigraph() -> None:
    graph = bbc()
    # The main menu has three pages; the submenu has four, which make five with the page of their section.
    assert complete_subdigraph([*MAIN, *SUBMENU], graph, 3) == ["weather", "news", "sport"]
    found = complete_subdigraph([*SUBMENU, *MAIN], graph, 4)
    assert set(found) == set(SUBMENU)
    assert set(complete_subdigraph([*SUBMENU, *MAIN], graph, 5)) == {*SUBMENU, "news"}


def test_it_stops_at_the_first_link_that_makes_one() -> None:
    # "b" would make one with "c" and "d", but that is four links later.
    graph = link_graph([*permutations("xyz", 2), *permutations("bcd", 2)])
    assert set(complete_subdigraph("xyzbcd", graph, 3)) == set("xyz")
    assert set(complete_subdigraph("bxcydz", graph, 3)) == set("bcd")


def test_where_there_are_no_n_pages_it_is_the_most_there_are() -> None:
    graph = link_graph([("a", "b"), ("b", "a"), ("c", "a"), ("a", "a")])
    assert complete_subdigraph("abc", graph, 4) == ["b", "a"]
    assert complete_subdigraph("c", graph, 4) == ["c"]
    assert complete_subdigraph("", graph, 4) == []
    assert complete_subdigraph("unknown", {}, 4) == ["u"]
    assert complete_subdigraph("a", graph, 1) == ["a"]


def test_links_both_ways_are_needed() -> None:
    ring = link_graph([("a", "b"), ("b", "c"), ("c", "a")])
    assert len(complete_subdigraph("abc", ring, 2)) == 1


@pytest.mark.parametrize(("parts", "n"), [(3, 4), (100, 150)])
def test_a_graph_that_hides_its_sets_is_searched_for_a_while_only(parts: int, n: int) -> None:
    # Pages in parts, each of which links to all of the other parts: a set has one page of each.
    pages = [str(number) for number in range(300)]
    links = [(one, two) for one, two in permutations(pages, 2) if (int(one) - int(two)) % parts]
    assert len(complete_subdigraph(pages, link_graph(links), n)) == parts


def searched(
    graph: Mapping[int, Sequence[int]],
    n: int = 4,
    most: int = 12,
    moved: Mapping[int, int] | None = None,
    key: int = 0,
) -> SubdigraphSearch:
    """A search of a site whose pages link so; what is not in it is no page, some addresses lead to others."""
    search = SubdigraphSearch(n, most)
    run = search.run(key)
    asked = next(run)
    while True:
        ends = {one: (moved or {}).get(one, one) for one in asked}
        answers = {one: (end, graph[end]) if end in graph else None for one, end in ends.items()}
        try:
            asked = run.send(answers)
        except StopIteration:
            return search


def test_links_that_most_pages_have_come_first() -> None:
    menu = [10, 11, 12, 13, 14]
    # The key page names three others before its menu; those have it as well, and do not link to each other.
    graph = {0: [1, 2, 3, *menu], **dict.fromkeys((1, 2, 3, *menu), menu)}
    search = searched(graph)
    assert (search.key, search.tried) == (0, [1, 10, 11, 12, 13])
    assert sorted(search.pages) == [10, 11, 12, 13]


def test_no_more_links_are_followed_than_may_be() -> None:
    search = searched({0: range(1, 100), **{one: [] for one in range(1, 100)}}, most=7)
    assert (search.tried, search.pages) == ([1, 2, 3, 4, 5, 6, 7], [1])


def test_a_page_that_is_not_there_or_was_met_before_counts_for_nothing() -> None:
    menu = [1, 2, 3, 4, 5]
    graph = {0: [9, 0, *menu], **dict.fromkeys((2, 3, 4, 5, 20), menu)}
    # One item of the menu cannot be had, two lead to one page, and one to the key page.
    search = searched(graph, moved={9: 0, 2: 20, 3: 20})
    assert search.tried == [9, 1, 2, 3, 4, 5]
    assert sorted(search.pages) == [4, 5, 20]
    assert searched({}, key=0).key is None
    assert searched({7: [1], 1: []}, moved={0: 7}).key == 7


@given(
    st.dictionaries(st.integers(0, 9), st.lists(st.integers(0, 9), max_size=8), max_size=10),
    st.dictionaries(st.integers(0, 9), st.integers(0, 9), max_size=2),
    st.integers(1, 4),
    st.integers(1, 6),
)
def test_the_pages_found_link_to_each_other(
    graph: dict[int, list[int]], moved: dict[int, int], n: int, most: int
) -> None:
    search = searched(graph, n, most, moved)
    assert len(search.tried) == len(set(search.tried)) <= most
    assert len(search.pages) == len(set(search.pages)) <= n
    assert bool(search.pages) <= (search.key is not None)
    for one, other in permutations(search.pages, 2):
        assert other in {moved.get(link, link) for link in graph[one]} | set(graph[one])
    again = searched(graph, n, most, moved)
    assert (again.tried, again.pages) == (search.tried, search.pages)
