from __future__ import annotations

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from pagelets.components import connected

NODES = 12


@given(st.lists(st.tuples(*[st.integers(0, NODES - 1)] * 2), max_size=2 * NODES))
def test_components_are_what_edges_reach_numbered_by_their_smallest_nodes(edges: list[tuple[int, int]]):
    labels = list(range(NODES))
    for one, other in edges:
        kept, gone = sorted((labels[one], labels[other]))
        labels = [kept if label == gone else label for label in labels]
    pairs = np.array(edges, np.int64).reshape(-1, 2)
    numbers = {label: number for number, label in enumerate(sorted(set(labels)))}
    assert connected(NODES, pairs[:, 0], pairs[:, 1]).tolist() == [numbers[label] for label in labels]


def test_a_long_chain_in_any_order_is_one_component():
    nodes = np.random.default_rng(3).permutation(10_000)
    assert not connected(len(nodes), nodes[:-1], nodes[1:]).any()
