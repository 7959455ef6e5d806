from __future__ import annotations

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from pagelets.ranking.graph import CITING, Links, base_set, graph

PAGES = 6


def made(rows: list[tuple[int, int]], owner: list[int], template: list[bool] | None = None) -> Links:
    """Links as pairs of a pagelet and a page."""
    pairs = np.array(rows, np.int64).reshape(-1, 2)
    flags = np.zeros(len(owner), bool) if template is None else np.array(template)
    return Links(PAGES, np.array(owner, np.int64), flags, pairs[:, 0], pairs[:, 1])


def dense(*arguments, **options):
    """The matrix of the edges that `graph` makes of links."""
    edges = graph(*arguments, **options)
    matrix = np.zeros((edges.hubs, edges.pages))
    matrix[edges.hub, edges.page] = edges.weight
    return matrix


def test_pagelets_are_hubs_and_pages_authorities():
    links = made([(0, 1), (0, 1), (1, 2), (2, 0)], owner=[0, 0, 3])
    by_pagelet = dense(links, pagelets=True)
    assert by_pagelet.shape == (3, PAGES)
    assert by_pagelet.nonzero()[0].tolist() == [0, 1, 2]
    assert by_pagelet.nonzero()[1].tolist() == [1, 2, 0]
    by_page = dense(links)
    assert np.argwhere(by_page).tolist() == [[0, 1], [0, 2], [3, 0]]
    assert set(by_page[by_page > 0]) == {1.0}, "a hub has one edge to a page, however often it links there"


def test_edges_of_templates_and_of_a_page_to_itself_are_left_out():
    links = made([(0, 1), (1, 2), (1, 0)], owner=[0, 0], template=[True, False])
    assert np.argwhere(dense(links, templates=False)).tolist() == [[0, 2]]


def test_the_largest_weight_counts():
    links = made([(0, 1), (0, 1), (0, 2)], owner=[0])
    assert dense(links, np.array([2.0, 5.0, 3.0]))[0].tolist() == [0, 5, 3, 0, 0, 0]


@given(st.permutations([(0, 1), (0, 2), (1, 2), (1, 1), (2, 4), (2, 0)]), st.booleans())
def test_the_order_of_links_does_not_matter(rows, pagelets):
    owner = [0, 1, 2]
    expected = dense(made(sorted(rows), owner), pagelets=pagelets)
    assert np.array_equal(dense(made(rows, owner), pagelets=pagelets), expected)


def test_the_base_set_is_the_root_with_what_it_is_linked_with():
    links = made([(0, 1), (1, 0), (2, 3), (3, 4)], owner=[0, 2, 3, 5])
    root = np.array([True, False, False, False, False, False])
    assert np.flatnonzero(base_set(links, root)).tolist() == [0, 1, 2]


def test_of_pages_that_link_to_one_a_number_is_taken():
    many = CITING + 10
    links = Links(
        many + 1, np.arange(many + 1), np.zeros(many + 1, bool), np.arange(many), np.full(many, many)
    )
    root = np.zeros(many + 1, bool)
    root[many] = True
    assert base_set(links, root).sum() == CITING + 1
