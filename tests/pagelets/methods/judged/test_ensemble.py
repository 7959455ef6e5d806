"""Trees as onnxruntime reads them give what following their nodes gives."""

from __future__ import annotations

import numpy as np
import onnxruntime as ort
import pytest

from pagelets.methods.judged.model.ensemble import INPUT, NODE, _varints, as_onnx


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
        nodes[place] = (*test, add(depth + 1), add(depth + 1), 0.0)
        return place

    roots = [add(0) for _ in range(trees)]
    return np.array(nodes, NODE), roots


def followed(nodes: np.ndarray, root: int, row: np.ndarray) -> float:
    place = root
    while nodes["left"][place] != place:
        value = row[nodes["feature"][place]]
        left = nodes["missing_left"][place] if np.isnan(value) else value <= nodes["threshold"][place]
        place = nodes["left" if left else "right"][place]
    return float(nodes["value"][place])


@pytest.mark.parametrize(("first", "last"), [(0, 9), (0, 4), (4, 9)])
def test_trees_are_summed_as_their_nodes_say(first: int, last: int) -> None:
    random = np.random.default_rng(5)
    nodes, roots = grown(random, 9, 300)
    rows = random.normal(size=(60, 300)).astype(np.float32)
    rows[random.random(rows.shape) < 0.2] = np.nan
    rows[0, nodes["feature"]] = nodes["threshold"]
    session = ort.InferenceSession(
        as_onnx(nodes, roots, first, last, 300), providers=["CPUExecutionProvider"]
    )
    (odds,) = session.run(None, {INPUT: rows})
    wanted = [sum(followed(nodes, root, row) for root in roots[first:last]) for row in rows]
    assert odds.shape == (60, 1)
    assert np.allclose(odds[:, 0], wanted, atol=1e-5)


def test_numbers_of_any_length() -> None:
    assert _varints(np.array([0, 1, 127, 128, 300, 1 << 21])) == bytes(
        [0, 1, 127, 128, 1, 172, 2, 128, 128, 128, 1]
    )
