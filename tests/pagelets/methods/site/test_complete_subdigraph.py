from __future__ import annotations

from itertools import permutations

import pytest

from pagelets.methods.site.complete_subdigraph import complete_subdigraph, link_graph

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
