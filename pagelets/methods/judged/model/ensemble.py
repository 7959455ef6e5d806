"""Trees as arrays of nodes, and as onnxruntime reads them: the file format of ONNX, in memory."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

import numpy as np

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

INPUT: Final = "features"
_OUTPUT: Final = "log_odds"
_TREES: Final = "ai.onnx.ml"
_OPSETS: Final = {"": 17, _TREES: 3}
_IR: Final = 9
"""Versions of the format that onnxruntime has read for years."""
_FLOAT: Final = 1
_INT, _TEXT, _FLOATS, _INTS, _TEXTS = 2, 3, 6, 7, 8
"""Kinds of ONNX's attributes."""


def as_onnx(nodes: NDArray[np.void], roots: Sequence[int], first: int, last: int, features: int) -> bytes:
    """The trees from number ``first`` to before ``last`` as a model of ONNX's: from ``features`` numbers a
    row to the sum of the trees' leaves. ``roots`` are the places of all trees' roots in ``nodes``.
    """
    bounds = [*roots, len(nodes)]
    start, stop = bounds[first], bounds[last]
    part, place = nodes[start:stop], np.arange(start, stop)
    sizes = np.diff(bounds[first : last + 1])
    tree = np.repeat(np.arange(first, last), sizes)
    # The file numbers the nodes of each tree from 0.
    root = np.repeat(bounds[first:last], sizes)
    leaf = part["left"] == place
    attributes = {
        "n_targets": 1,
        "post_transform": "NONE",
        "nodes_treeids": tree,
        "nodes_nodeids": place - root,
        "nodes_featureids": part["feature"],
        "nodes_modes": np.where(leaf, "LEAF", "BRANCH_LEQ").tolist(),
        "nodes_values": part["threshold"],
        "nodes_truenodeids": part["left"] - root,
        "nodes_falsenodeids": part["right"] - root,
        "nodes_missing_value_tracks_true": part["missing_left"],
        "target_treeids": tree[leaf],
        "target_nodeids": (place - root)[leaf],
        "target_ids": np.zeros(int(leaf.sum()), np.int64),
        "target_weights": part["value"][leaf],
    }
    ensemble = _field(1, INPUT) + _field(2, _OUTPUT) + _field(4, "TreeEnsembleRegressor") + _field(7, _TREES)
    ensemble += b"".join(_field(5, _attribute(name, value)) for name, value in attributes.items())
    graph = _field(1, ensemble) + _field(2, "blocks")
    graph += _field(11, _tensor(INPUT, features)) + _field(12, _tensor(_OUTPUT, 1))
    opsets = (_field(1, domain) + _number(2, number) for domain, number in _OPSETS.items())
    return _number(1, _IR) + _field(7, graph) + b"".join(_field(8, opset) for opset in opsets)


def _attribute(name: str, value: int | str | list[str] | NDArray[np.generic]) -> bytes:
    """An attribute: `AttributeProto` of onnx.proto."""
    match value:
        case int():
            content = _number(3, value) + _number(20, _INT)
        case str():
            content = _field(4, value) + _number(20, _TEXT)
        case list():
            known = {text: _field(9, text) for text in set(value)}
            content = b"".join(map(known.__getitem__, value)) + _number(20, _TEXTS)
        case _ if value.dtype.kind == "f":
            content = _field(7, value.astype("<f4").tobytes()) + _number(20, _FLOATS)
        case _:
            content = _field(8, _varints(value)) + _number(20, _INTS)
    return _field(1, name) + content


def _tensor(name: str, width: int) -> bytes:
    """A matrix of any number of rows: `ValueInfoProto` of onnx.proto."""
    shape = _field(1, b"") + _field(1, _number(1, width))
    return _field(1, name) + _field(2, _field(1, _number(1, _FLOAT) + _field(2, shape)))


def _field(number: int, content: bytes | str) -> bytes:
    """Returns a length-delimited field of Protocol Buffers."""
    content = content.encode() if isinstance(content, str) else content
    return _varints(np.array([number << 3 | 2, len(content)])) + content


def _number(number: int, value: int) -> bytes:
    return _varints(np.array([number << 3, value]))


def _varints(values: NDArray[np.generic]) -> bytes:
    """Numbers that are not negative as Protocol Buffers have them: seven bits a byte, the lowest first."""
    left, there = values.astype(np.uint64), np.ones(len(values), bool)
    columns, used = [], []
    while there.any():
        more = left >> np.uint64(7) > 0
        columns.append((left & np.uint64(127) | more.astype(np.uint64) << np.uint64(7)).astype(np.uint8))
        used.append(there)
        there, left = more, left >> np.uint64(7)
    return np.stack(columns, 1)[np.stack(used, 1)].tobytes() if columns else b""
