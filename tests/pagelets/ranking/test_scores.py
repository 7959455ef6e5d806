from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from pagelets.ranking.graph import Edges, hits, pagerank, salsa

GRAPHS = st.lists(st.tuples(st.integers(0, 7), st.integers(0, 7)), max_size=30).map(
    lambda pairs: np.array([[(row, column) in pairs for column in range(8)] for row in range(8)], float)
)


def sparse_of(dense) -> Edges:
    matrix = np.array(dense, float)
    hub, page = np.nonzero(matrix)
    return Edges(*matrix.shape, hub, page, matrix[hub, page])


def test_hits_of_a_star_and_a_pair():
    # Two hubs cite page 2, one of them cites page 3 as well: the authority of 2 over 3 is the golden ratio.
    links = sparse_of([[0, 0, 1, 1], [0, 0, 1, 0], [0, 0, 0, 0], [0, 0, 0, 0]])
    authorities = hits(links)
    hubs = links.of_pages(authorities)
    assert authorities[2] / authorities[3] == pytest.approx((1 + 5**0.5) / 2)
    assert authorities[:2].tolist() == [0, 0]
    assert hubs[0] / hubs[1] == pytest.approx((1 + 5**0.5) / 2)
    assert np.linalg.norm(authorities) == pytest.approx(1)


@given(GRAPHS)
def test_hits_converges_to_an_eigenvector_with_the_largest_eigenvalue(dense):
    authorities = hits(sparse_of(dense))
    square = dense.T @ dense
    largest = np.linalg.eigvalsh(square).max()
    assert np.allclose(square @ authorities, largest * authorities, atol=1e-5 * max(largest, 1))


@given(GRAPHS)
def test_pagerank_is_the_solution_of_its_equation(dense):
    leaving = dense.sum(axis=1, keepdims=True)
    step = np.where(leaving > 0, dense / np.where(leaving > 0, leaving, 1), 1 / 8)
    expected = np.linalg.solve(np.eye(8) - 0.85 * step.T, np.full(8, 0.15 / 8))
    ranks = pagerank(sparse_of(dense))
    assert ranks.sum() == pytest.approx(1)
    assert np.allclose(ranks, expected, atol=1e-7)


@given(GRAPHS)
def test_salsa_is_where_its_walk_stays(dense):
    scores = salsa(sparse_of(dense))
    assert scores.sum() == pytest.approx(1 if dense.any() else 0)
    # A step back along a link, and one forth, by the shares of each page's and each hub's links.
    back = dense / np.where(dense.sum(axis=0) > 0, dense.sum(axis=0), 1)
    forth = dense / np.where(dense.sum(axis=1) > 0, dense.sum(axis=1), 1)[:, None]
    assert np.allclose(forth.T @ (back @ scores), scores)
    assert np.array_equal(scores > 0, dense.any(axis=0))


def test_no_page_and_no_link():
    for score in (hits, pagerank, salsa):
        assert len(score(sparse_of(np.zeros((0, 0))))) == 0
        assert np.isfinite(score(sparse_of(np.zeros((3, 3))))).all()
