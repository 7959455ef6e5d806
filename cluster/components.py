"""Connected components of many graphs at once, over as many machines as there are.

Source: Raimondas Kiveris, Silvio Lattanzi, Vahab Mirrokni, Vibhor Rastogi and Sergei Vassilvitskii,
"Connected Components in MapReduce and Beyond", SoCC 2014: large-star and small-star in turn, until every node
hangs from the smallest of its component. Each of the operations keeps the components as they are, and there
are O(log² n) rounds of them.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Final

from pyspark.sql import DataFrame
from pyspark.sql import functions as f

_GRAPH: Final = "page_set"


def components(edges: DataFrame, tell: Callable[[str], None]) -> DataFrame:
    """Returns the smallest node of each node's component: rows (page_set, node, component), for the nodes
    that have a smaller one; the others are their own.

    Args:
        edges: rows (page_set, one, other), in either direction, of a graph for each ``page_set``.
        tell: called with a line for each round.

    """
    # Without a checkpoint each round would be computed from the first.
    stars = _edges(edges).checkpoint()
    before, rounds = None, 0
    while (now := _sums(stars)) != before:
        before, rounds = now, rounds + 1
        tell(f"components, round {rounds}, {now[0]} edges")
        stars = _small_star(_large_star(stars)).checkpoint()
    return stars.select(_GRAPH, f.col("one").alias("node"), f.col("other").alias("component"))


def _edges(edges: DataFrame) -> DataFrame:
    """Each edge once, from its larger node to its smaller."""
    end, other = f.greatest("one", "other"), f.least("one", "other")
    return _turned(edges.where("one <> other"), end, other)


def _turned(rows: DataFrame, end: object, other: object) -> DataFrame:
    return rows.select(_GRAPH, end.alias("one"), other.alias("other")).distinct()  # type: ignore[attr-defined]


def _large_star(edges: DataFrame) -> DataFrame:
    """Connects the larger neighbours of each node with the smallest of all of them and itself."""
    turned = edges.select(_GRAPH, f.col("other").alias("one"), f.col("one").alias("other"))
    both = edges.union(turned)
    least = both.groupBy(_GRAPH, "one").agg(f.least(f.min("other"), f.col("one")).alias("least"))
    larger = both.join(least, [_GRAPH, "one"]).where("other > one")
    return _turned(larger, f.col("other"), f.col("least"))


def _small_star(edges: DataFrame) -> DataFrame:
    """Connects the smaller neighbours of each node, and the node, with the smallest of them."""
    least = edges.groupBy(_GRAPH, "one").agg(f.min("other").alias("least"))
    nodes = least.select(_GRAPH, "one", f.col("least").alias("other"))
    others = edges.join(least, [_GRAPH, "one"]).select(
        _GRAPH, f.col("other").alias("one"), f.col("least").alias("other")
    )
    return nodes.union(others).where("one <> other").distinct()


def _sums(edges: DataFrame) -> tuple[int, int]:
    """Returns a fingerprint of a set of edges: their number, and the sum of their hashes."""
    hashed = f.xxhash64(_GRAPH, "one", "other").cast("decimal(38, 0)")
    row = edges.agg(f.count("*"), f.sum(hashed)).collect()[0]
    return int(row[0]), int(row[1] or 0)
