"""Writing fitted trees as the files that `pagelets.content.model` reads."""

from __future__ import annotations

import json
import re
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Final

import numpy as np
from onnx import TensorProto, checker, helper

from pagelets.content.features import VERSION
from pagelets.content.model import FACTS, FIRST, NODE, NODES, REST, digest
from pagelets.content.site import NAMES as SITE
from training.fit import FIRST_TREES, SURE, Fitted

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    from numpy.typing import NDArray


_ML: Final = "ai.onnx.ml"
_ML_VERSION: Final = 3
_OPSET: Final = 17
_IR: Final = 9
"""Versions of the format that onnxruntime has read for years."""
_AROUND: Final = re.compile(
    r"(own|up\d|trunk\d+|branch|marked|listed|list|before\d+|after\d+|since|until|last|title)_.+|.+_[+-]\d"
)
"""Names of features of containers and neighbours; those of the blocks so many places on end with a number."""


@dataclass(slots=True)
class _Nodes:
    """The nodes of all trees, in columns; children are numbered over all trees."""

    tree: list[int] = field(default_factory=list)
    number: list[int] = field(default_factory=list)
    leaf: list[bool] = field(default_factory=list)
    feature: list[int] = field(default_factory=list)
    threshold: list[float] = field(default_factory=list)
    missing_left: list[bool] = field(default_factory=list)
    left: list[int] = field(default_factory=list)
    right: list[int] = field(default_factory=list)
    value: list[float] = field(default_factory=list)
    roots: list[int] = field(default_factory=list)


def write(fitted: Fitted, hosts: Sequence[str], folder: Path) -> None:
    """Writes the model's files into a folder: the trees as ONNX and as arrays, and what they need to know.

    ``hosts`` are those of the pages that it was fitted to. The same trees make the same bytes.
    """
    nodes = _nodes(fitted)
    width, last = len(fitted.features), len(nodes.roots)
    files = {
        FIRST: _onnx(nodes, range(FIRST_TREES), width),
        REST: _onnx(nodes, range(FIRST_TREES, last), width),
        NODES: _packed(nodes),
    }
    facts = {
        "version": VERSION,
        "features": fitted.features,
        "groups": [group_of(name) for name in fitted.features],
        "parts": _words(fitted.features, "near_", "in_"),
        "whole": _words(fitted.features, "page_"),
        "roots": nodes.roots,
        "first_trees": FIRST_TREES,
        "sure": SURE,
        "digests": {name: digest(content) for name, content in files.items()},
        "hosts": sorted(hosts),
    }
    folder.mkdir(parents=True, exist_ok=True)
    for name, content in files.items():
        (folder / name).write_bytes(content)
    (folder / FACTS).write_text(json.dumps(facts, indent=1) + "\n", encoding="utf-8")


def group_of(feature: str) -> str:
    """Which kind of evidence a feature belongs to; see `pagelets.content.model.GROUPS`."""
    if feature.startswith("site_") and feature.removeprefix("site_") in SITE:
        return "support"
    return "neighbours" if _AROUND.fullmatch(feature) else "looks"


def _words(features: Sequence[str], *prefixes: str) -> list[str]:
    """The words that the features ask for."""
    return sorted(
        {name.removeprefix(prefix) for prefix in prefixes for name in features if name.startswith(prefix)}
    )


def _nodes(fitted: Fitted) -> _Nodes:
    nodes = _Nodes()
    for tree, described in enumerate(fitted.booster.dump_model()["tree_info"]):
        first = len(nodes.tree)
        nodes.roots.append(first)
        _add(described["tree_structure"], tree, first, nodes)
    return nodes


def _add(described: dict[str, Any], tree: int, first: int, nodes: _Nodes) -> int:
    place = len(nodes.tree)
    leaf = "leaf_value" in described
    nodes.tree.append(tree)
    nodes.number.append(place - first)
    nodes.leaf.append(leaf)
    nodes.value.append(described["leaf_value"] if leaf else described["internal_value"])
    nodes.feature.append(0 if leaf else described["split_feature"])
    nodes.threshold.append(0.0 if leaf else described["threshold"])
    # Where training met no missing value, LightGBM takes one for a zero.
    zero_left = not leaf and described["threshold"] >= 0
    nodes.missing_left.append(
        not leaf and (described["default_left"] if described["missing_type"] == "NaN" else zero_left)
    )
    nodes.left.append(place)
    nodes.right.append(place)
    if not leaf:
        nodes.left[place] = _add(described["left_child"], tree, first, nodes)
        nodes.right[place] = _add(described["right_child"], tree, first, nodes)
    return place


def _thresholds(nodes: _Nodes) -> NDArray[np.float32]:
    """Thresholds in 32 bits, rounded down: a feature is at most the one where it is at most the other."""
    # LightGBM writes a threshold that no number reaches as one that 32 bits cannot hold.
    most = np.finfo(np.float32).max
    exact = np.clip(np.array(nodes.threshold), -most, most)
    rounded = exact.astype(np.float32)
    lower = np.nextafter(rounded, np.float32(-most))
    below: NDArray[np.float32] = np.where(rounded > exact, lower, rounded)
    return below


def _onnx(nodes: _Nodes, trees_of: range, features: int) -> bytes:
    """The trees of a range as a model of their own; each lists its nodes by their number in the tree."""
    places = [place for place, tree in enumerate(nodes.tree) if tree in trees_of]
    leaves = [place for place in places if nodes.leaf[place]]
    thresholds = _thresholds(nodes).tolist()

    trees = helper.make_node(
        "TreeEnsembleRegressor",
        ["features"],
        ["log_odds"],
        domain=_ML,
        n_targets=1,
        post_transform="NONE",
        nodes_treeids=[nodes.tree[place] for place in places],
        nodes_nodeids=[nodes.number[place] for place in places],
        nodes_featureids=[nodes.feature[place] for place in places],
        nodes_modes=["LEAF" if nodes.leaf[place] else "BRANCH_LEQ" for place in places],
        nodes_values=[thresholds[place] for place in places],
        nodes_truenodeids=[nodes.number[nodes.left[place]] for place in places],
        nodes_falsenodeids=[nodes.number[nodes.right[place]] for place in places],
        nodes_missing_value_tracks_true=[int(nodes.missing_left[place]) for place in places],
        target_treeids=[nodes.tree[place] for place in leaves],
        target_nodeids=[nodes.number[place] for place in leaves],
        target_ids=[0] * len(leaves),
        target_weights=[nodes.value[place] for place in leaves],
    )
    graph = helper.make_graph(
        [trees],
        "blocks",
        [helper.make_tensor_value_info("features", TensorProto.FLOAT, [None, features])],
        [helper.make_tensor_value_info("log_odds", TensorProto.FLOAT, [None, 1])],
    )
    versions = [helper.make_opsetid("", _OPSET), helper.make_opsetid(_ML, _ML_VERSION)]
    model = helper.make_model(graph, opset_imports=versions, producer_name="training")
    model.ir_version = _IR
    checker.check_model(model)
    content: bytes = model.SerializeToString(deterministic=True)
    return content


def _packed(nodes: _Nodes) -> bytes:
    packed = np.empty(len(nodes.tree), NODE)
    packed["threshold"] = _thresholds(nodes)
    for name in ("feature", "missing_left", "left", "right", "value"):
        packed[name] = getattr(nodes, name)
    return packed.tobytes()
