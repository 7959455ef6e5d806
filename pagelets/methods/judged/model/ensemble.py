"""Gradient-boosted trees as arrays of nodes: as their file has them, and as they are followed."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

import numpy as np

from pagelets import loops
from pagelets.loops.trees import STEP, Trees, ranks

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

NODE: Final = np.dtype(
    [
        ("feature", "<i4"),
        ("threshold", "<f4"),
        ("missing_left", "?"),
        ("left", "<i4"),
        ("right", "<i4"),
        ("value", "<f4"),
    ]
)
"""A node of a tree: whether the value of ``feature`` is at most ``threshold`` (a missing value goes left
where ``missing_left``) leads to ``left`` or to ``right``; a leaf leads to itself. ``value`` is the mean log
odds of what came by in training.
"""

_FAR: Final = 1 << 16
"""No node leads so far, or asks for half as many features."""


class Ensemble:
    """Trees whose ``nodes`` are in one array, those of a tree after its root, a left child right after its
    parent, a right one further on.

    `trees` are the same in 8 bytes a node, as they are followed. Raises ValueError where a node leads out of
    its tree or back, or asks for a feature that there is not.
    """

    def __init__(self, nodes: NDArray[np.void], roots: Sequence[int], features: int) -> None:
        place = np.arange(len(nodes))
        leaf = nodes["left"] == place
        bounds = np.array([*roots, len(nodes)])
        if bounds[0] or (np.diff(bounds) <= 0).any():
            raise ValueError("the roots of its trees are not in order")
        end = np.repeat(bounds[1:], np.diff(bounds))
        on = nodes["right"] - place
        forward = (nodes["left"] == place + 1) & (on > 1) & (on < np.minimum(end - place, _FAR))
        if not np.where(leaf, on == 0, forward).all():
            raise ValueError("a node leads out of its tree")
        most = min(features, _FAR // 2)
        if len(nodes) and not 0 <= nodes["feature"].min() <= nodes["feature"].max() < most:
            raise ValueError("a node asks for a feature that there is not")
        self.nodes, self.roots = nodes, [*roots]
        steps = np.zeros(len(nodes), STEP)
        steps["asked"] = np.where(leaf, 0, nodes["feature"] << 1 | nodes["missing_left"])
        steps["right"] = on
        steps["most"] = np.where(leaf, 0, ranks(nodes["threshold"]) + nodes["missing_left"])
        self.trees = Trees(steps, np.array(nodes["value"]), np.array(roots, np.int64), features)

    def odds(self, matrix: NDArray[np.float32], first: int, last: int) -> NDArray[np.float64]:
        """Returns the sums of leaves that rows fall to, of the trees from ``first`` to before ``last``.

        Args:
            matrix: the features of each row, float32[n, features].
            first: the number of the first tree.
            last: the number of the tree behind the last one.

        Returns:
            float64[n], added up in 32 bits, tree by tree.

        """
        return loops.fall(matrix, self.trees, first, last)

    def by_group(self, groups: NDArray[np.int64], number: int) -> list[Trees]:
        """Returns the trees with other values for each group of features: of a node, the sum of the steps
        from mean to mean on the way to it that ask for a feature of the group.

        Args:
            groups: the group of each feature, int64[features].
            number: the number of groups.

        """
        feature, left, right, value = (self.nodes[name] for name in ("feature", "left", "right", "value"))
        sums, at = np.zeros((number, len(self.nodes))), np.array(self.roots)
        while len(at := at[left[at] != at]):
            for following in (left[at], right[at]):
                sums[:, following] = sums[:, at]
                sums[groups[feature[at]], following] += value[following] - value[at]
            at = np.concatenate([left[at], right[at]])
        return [self.trees._replace(values=part) for part in sums.astype(np.float32)]
