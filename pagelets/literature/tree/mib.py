"""Maximum informative blocks: the subtrees of a page that hold most of what is counted.

Kao, Ho & Chen, "WISDOM: Web Intrapage Informative Structure Mining Based on Document Object Model", IEEE
TKDE 17(5), 2005: the information coverage tree, SII, MIB(k, f, ST), and the expansion of what that finds.
"""

from __future__ import annotations

from dataclasses import dataclass
from heapq import heappop, heappush
from typing import TYPE_CHECKING, TypeAlias

import numpy as np
from numpy.typing import NDArray

if TYPE_CHECKING:
    from collections.abc import Collection

    from pagelets.containers import Containers

Floats: TypeAlias = NDArray[np.float64]
Integers: TypeAlias = NDArray[np.int64]


def structure_index(parent: Integers, values: Floats) -> Floats:
    """SII of each of n nodes: how evenly its m children share what they have, from 0 to 1; float64[n].

    It is -sum w log_m w over the children's shares w. Takes the place of each node's parent, the first's its
    own, and what each node has. The paper does not say what it is with fewer than two children: 0 here, so
    that MIB goes on to an only child.
    """
    size = len(parent)
    around, amounts = parent[1:], values[1:]
    count = np.bincount(around, minlength=size)
    total = np.bincount(around, amounts, size)
    share = amounts / np.where(total > 0, total, 1)[around]
    spread = np.bincount(around, -share * np.log(np.where(share > 0, share, 1)), size)
    index: Floats = spread / np.log(np.maximum(count, 2))
    return index


@dataclass(eq=False)
class CoverageTree:
    """ICT, the information coverage tree of a page of b blocks: n nodes that sum up what is below them.

    The nodes are the elements that hold blocks, as in ``containers``, and behind them those blocks that are
    not all that their element holds. ``parent`` int64[n] is the place of each one's parent, the first's its
    own; ``kind`` int64[n] tells tags apart, and is -1 for blocks; ``of_block`` int64[b] is the innermost node
    of each block; ``leaves`` int64 are the blocks that are nodes.
    """

    containers: Containers
    parent: Integers
    kind: Integers
    of_block: Integers
    leaves: Integers

    @classmethod
    def of(cls, containers: Containers) -> CoverageTree:
        """The tree of a page's containers."""
        count = len(containers.nodes)
        children = np.bincount(np.concatenate([containers.of_block, containers.parent[1:]]), minlength=count)
        leaves = np.flatnonzero(children[containers.of_block] > 1)
        of_block = containers.of_block.copy()
        of_block[leaves] = count + np.arange(len(leaves))
        return cls(
            containers,
            np.concatenate([containers.parent, containers.of_block[leaves]]),
            np.concatenate([containers.tag.astype(np.int64), np.full(len(leaves), -1)]),
            of_block,
            leaves,
        )

    def aggregated(self, values: Floats) -> Floats:
        """Sums a value of the blocks (float64[b]) over each node: float64[n]."""
        return np.concatenate([self.containers.sums(values), values[self.leaves]])

    def informative(self, values: Floats, k: int, threshold: float) -> list[int]:
        """Returns MIB(k, f, ST): at most k nodes, none in another, those with most of f first.

        The node that has most is next; its children take its place if its SII is below the threshold.

        Args:
            values: f of each node, float64[n].
            k: the most nodes.
            threshold: ST, the least SII of a node.

        """
        index, most = structure_index(self.parent, values).tolist(), values.tolist()
        order = np.argsort(self.parent[1:], kind="stable") + 1
        starts = np.searchsorted(self.parent[order], np.arange(len(most) + 1)).tolist()
        below = order.tolist()
        queue = [(-most[0], 0)]
        chosen: list[int] = []
        while queue and len(chosen) < k:
            least, node = heappop(queue)
            if least == 0:
                break
            children = below[starts[node] : starts[node + 1]]
            if not children or index[node] >= threshold:
                chosen.append(node)
                continue
            for child in children:
                heappush(queue, (-most[child], child))
        return chosen

    def expanded(self, nodes: Collection[int]) -> NDArray[np.bool_]:
        """Some nodes and their siblings with the same tag: bool[n]."""
        key = self.parent * (len(self.containers.tree.strings) + 1) + self.kind + 1
        marked: NDArray[np.bool_] = np.isin(key, key[list(nodes)])
        marked[0] = 0 in nodes
        return marked

    def inside(self, nodes: NDArray[np.bool_]) -> NDArray[np.bool_]:
        """Marks the blocks that lie in any of some nodes (bool[n]): bool[b]."""
        marked, above = nodes.copy(), self.parent
        while above.any():
            marked |= marked[above]
            above = above[above]
        marked |= nodes[0]
        return marked[self.of_block]
