"""Trees give the sums that following their nodes gives."""

from __future__ import annotations

from itertools import chain, pairwise
from typing import TYPE_CHECKING

import numpy as np
import pytest

from pagelets import loops
from pagelets.methods.judged.model.ensemble import NODE, Ensemble

if TYPE_CHECKING:
    from collections.abc import Iterator


def grown(random: np.random.Generator, trees: int, features: int) -> tuple[np.ndarray, list[int]]:
    """Random trees: a node has two children with the probability of a half, to a depth of six."""
    nodes: list[tuple] = []

    def add(depth: int) -> int:
        place = len(nodes)
        nodes.append(())
        if depth == 6 or random.random() < 0.3:
            nodes[place] = (0, 0.0, False, place, place, random.normal())
            return place
        test = int(random.integers(features)), float(np.float32(random.normal())), bool(random.integers(2))
        nodes[place] = (*test, add(depth + 1), add(depth + 1), random.normal())
        return place

    roots = [add(0) for _ in range(trees)]
    return np.array(nodes, NODE), roots


def rows_for(nodes: np.ndarray, random: np.random.Generator, rows: int, features: int) -> np.ndarray:
    """Random rows, with missing values and values that are thresholds."""
    matrix = random.normal(size=(rows, features)).astype(np.float32)
    matrix[random.random(matrix.shape) < 0.2] = np.nan
    if rows:
        matrix[0, nodes["feature"]] = nodes["threshold"]
    return matrix


def way(nodes: np.ndarray, root: int, row: np.ndarray) -> Iterator[int]:
    yield (place := root)
    while nodes["left"][place] != place:
        value = row[nodes["feature"][place]]
        left = nodes["missing_left"][place] if np.isnan(value) else value <= nodes["threshold"][place]
        yield (place := nodes["left" if left else "right"][place])


def followed(nodes: np.ndarray, root: int, row: np.ndarray) -> np.float32:
    return nodes["value"][[*way(nodes, root, row)][-1]]


@pytest.mark.parametrize(("first", "last"), [(0, 9), (0, 4), (4, 9)])
def test_trees_are_summed_as_their_nodes_say(first: int, last: int) -> None:
    random = np.random.default_rng(5)
    nodes, roots = grown(random, 9, 300)
    rows = rows_for(nodes, random, 60, 300)
    wanted = []
    for row in rows:
        total = np.float32(0)
        for root in roots[first:last]:
            total += followed(nodes, root, row)
        wanted.append(total)
    assert Ensemble(nodes, roots, 300).odds(rows, first, last).tolist() == [float(total) for total in wanted]


@pytest.mark.parametrize(
    ("change", "said"),
    [
        ({"left": 0}, "leads out of its tree"),
        ({"right": 99}, "leads out of its tree"),
        ({"left": -1}, "leads out of its tree"),
        ({"feature": 3}, "a feature that there is not"),
        ({"feature": -1}, "a feature that there is not"),
    ],
)
def test_nodes_that_lead_nowhere_are_refused(change: dict[str, int], said: str) -> None:
    nodes = np.array(
        [(0, 0.0, True, 1, 2, 0.0), (0, 0.0, False, 1, 1, 1.0), (0, 0.0, False, 2, 2, 2.0)] * 2, NODE
    )
    nodes["left"][3:] += 3
    nodes["right"][3:] += 3
    Ensemble(nodes, [0, 3], 3)
    ((name, value),) = change.items()
    nodes[name][3] = value
    with pytest.raises(ValueError, match=said):
        Ensemble(nodes, [0, 3], 3)
    with pytest.raises(ValueError, match="not in order"):
        Ensemble(nodes, [1, 3], 3)


def test_the_steps_to_a_leaf_are_summed_by_the_group_of_what_they_ask_for() -> None:
    random = np.random.default_rng(6)
    nodes, roots = grown(random, 9, 300)
    rows, groups = rows_for(nodes, random, 60, 300), random.integers(3, size=300)
    wanted = np.zeros((3, len(rows)))
    for number, row in enumerate(rows):
        for start, end in chain.from_iterable(pairwise(way(nodes, root, row)) for root in roots):
            wanted[groups[nodes["feature"][start]], number] += nodes["value"][end] - nodes["value"][start]
    by_group = Ensemble(nodes, roots, 300).by_group(groups, 3)
    assert np.array([loops.fall(rows, trees, 0, 9) for trees in by_group]) == pytest.approx(wanted, abs=1e-5)
