"""Writing fitted trees as the files that `pagelets.methods.judged.model` reads."""

from __future__ import annotations

import json
import re
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

    from pagelets.methods.judged.model.meanings import Meanings


_AROUND: Final = re.compile(
    r"(own|up\d|trunk\d+|branch|marked|listed|list|before\d+|after\d+|since|until|last|title)_.+|.+_[+-]\d"
)
"""Names of features of containers and neighbours; those of the blocks so many places on end with a number."""


def write(fitted: Fitted, meanings: Meanings, hosts: Sequence[str], folder: Path) -> None:
    """Writes the model's files. The same model makes the same bytes.

    Args:
        fitted: trees and network.
        meanings: what the network has read of words.
        hosts: those of the pages that it was fitted to.
        folder: is made if need be.

    """
    nodes: list[tuple[Any, ...]] = []
    roots = [_add(tree["tree_structure"], nodes) for tree in fitted.booster.dump_model()["tree_info"]]
    packed = np.array(nodes, NODE).tobytes()
    assert fitted.network is not None
    contents = {NODES: packed, NETWORK: fitted.network.to_bytes(), **meanings.to_bytes()}
    facts = {
        "version": VERSION,
        "features": fitted.features,
        "groups": [group_of(name) for name in fitted.features],
        "parts": _words(fitted.features, "near_", "inside_"),
        "whole": _words(fitted.features, "page_"),
        "roots": roots,
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


def _add(described: dict[str, Any], nodes: list[tuple[Any, ...]]) -> int:
    """Adds a node and those below it as rows of `NODE`; returns its number among the nodes of all trees."""
    place = len(nodes)
    if "leaf_value" in described:
        nodes.append((0, 0.0, False, place, place, described["leaf_value"]))
        return place
    threshold = described["threshold"]
    # Where training met no missing value, LightGBM takes one for a zero.
    missing_left = described["default_left"] if described["missing_type"] == "NaN" else threshold >= 0
    # Its place is before those of its children, whose numbers it has.
    nodes.append(())
    left, right = (_add(described[child], nodes) for child in ("left_child", "right_child"))
    value = described["internal_value"]
    nodes[place] = described["split_feature"], _rounded_down(threshold), missing_left, left, right, value
    return place


def _rounded_down(threshold: float) -> np.float32:
    """Returns a threshold in 32 bits: a feature is at most the one where it is at most the other."""
    # LightGBM writes a threshold that no number reaches as one that 32 bits cannot hold.
    most = float(np.finfo(np.float32).max)
    exact = max(-most, min(threshold, most))
    rounded = np.float32(exact)
    return np.nextafter(rounded, np.float32(-most)) if float(rounded) > exact else rounded
