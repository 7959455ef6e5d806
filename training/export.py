"""Writing fitted trees as the files that `pagelets.methods.judged.model` reads."""

from __future__ import annotations

import json
import re
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Final

import numpy as np

from pagelets.methods.judged.features import VERSION
from pagelets.methods.judged.model import FACTS, NETWORK, NODES, digest
from pagelets.methods.judged.model.ensemble import NODE
from pagelets.methods.judged.site_features import NAMES as SITE
from training.fit import FIRST_TREES, SURE, Fitted

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    from numpy.typing import NDArray

    from pagelets.methods.judged.model.meanings import Meanings


_AROUND: Final = re.compile(
    r"(own|up\d|trunk\d+|branch|marked|listed|list|before\d+|after\d+|since|until|last|title)_.+|.+_[+-]\d"
)
"""Names of features of containers and neighbours; those of the blocks so many places on end with a number."""


@dataclass(slots=True)
class _Nodes:
    """The nodes of all trees, in columns; children are numbered over all trees."""

    feature: list[int] = field(default_factory=list)
    threshold: list[float] = field(default_factory=list)
    missing_left: list[bool] = field(default_factory=list)
    left: list[int] = field(default_factory=list)
    right: list[int] = field(default_factory=list)
    value: list[float] = field(default_factory=list)
    roots: list[int] = field(default_factory=list)


def write(fitted: Fitted, meanings: Meanings, hosts: Sequence[str], folder: Path) -> None:
    """Writes the model's files. The same model makes the same bytes.

    Args:
        fitted: trees and network.
        meanings: what the network has read of words.
        hosts: those of the pages that it was fitted to.
        folder: is made if need be.

    """
    nodes = _nodes(fitted)
    assert fitted.network is not None
    contents = {NODES: _packed(nodes), NETWORK: fitted.network.to_bytes(), **meanings.to_bytes()}
    facts = {
        "version": VERSION,
        "features": fitted.features,
        "groups": [group_of(name) for name in fitted.features],
        "parts": _words(fitted.features, "near_", "inside_"),
        "whole": _words(fitted.features, "page_"),
        "roots": nodes.roots,
        "first_trees": FIRST_TREES,
        "sure": SURE,
        "network": fitted.network.shapes,
        "digests": {name: digest(content) for name, content in contents.items()},
        "hosts": sorted(hosts),
    }
    folder.mkdir(parents=True, exist_ok=True)
    for name, content in contents.items():
        (folder / name).write_bytes(content)
    (folder / FACTS).write_text(json.dumps(facts, indent=1) + "\n", encoding="utf-8")


def group_of(feature: str) -> str:
    """Returns the kind of evidence that a feature belongs to; see `pagelets.methods.judged.model.GROUPS`."""
    if feature in SITE:
        return "support"
    return "neighbours" if _AROUND.fullmatch(feature) else "looks"


def _words(features: Sequence[str], *prefixes: str) -> list[str]:
    """The words that the features ask for."""
    return sorted(
        {name.removeprefix(prefix) for prefix in prefixes for name in features if name.startswith(prefix)}
    )


def _nodes(fitted: Fitted) -> _Nodes:
    nodes = _Nodes()
    for described in fitted.booster.dump_model()["tree_info"]:
        nodes.roots.append(len(nodes.left))
        _add(described["tree_structure"], nodes)
    return nodes


def _add(described: dict[str, Any], nodes: _Nodes) -> int:
    place = len(nodes.left)
    leaf = "leaf_value" in described
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
        nodes.left[place] = _add(described["left_child"], nodes)
        nodes.right[place] = _add(described["right_child"], nodes)
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


def _packed(nodes: _Nodes) -> bytes:
    packed = np.empty(len(nodes.left), NODE)
    packed["threshold"] = _thresholds(nodes)
    for name in ("feature", "missing_left", "left", "right", "value"):
        packed[name] = getattr(nodes, name)
    return packed.tobytes()
