"""Connected components of graphs."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import NDArray


def connected(count: int, node: NDArray[np.integer], other: NDArray[np.integer]) -> NDArray[np.int32]:
    """Labels the nodes of a graph by their components, which are numbered by their smallest nodes.

    In each round the smallest node of a component is hooked to the smallest one that it has an edge to, and
    all nodes move up to the end of their chain: there are few rounds (Liu & Tarjan, "Simple Concurrent
    Labeling Algorithms for Connected Components", SOSA 2019).

    Args:
        count: the number of nodes.
        node: the node at one end of each edge.
        other: the node at the other.

    Returns:
        int32[count], the number of each node's component, without holes.

    """
    above = np.arange(count, dtype=np.int32)
    while True:
        node, other = above[node], above[other]
        apart = node != other
        if not apart.any():
            break
        node, other = node[apart], other[apart]
        np.minimum.at(above, np.maximum(node, other), np.minimum(node, other))
        while not np.array_equal(further := above[above], above):
            above = further
    smallest = above == np.arange(count)
    return (np.cumsum(smallest, dtype=np.int32) - 1)[above]
