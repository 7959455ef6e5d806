"""What a search benchmark finds out of a site, and the means over sites."""

from __future__ import annotations

from dataclasses import dataclass
from statistics import fmean
from typing import TYPE_CHECKING, Any

from benchmarks.search_queries import KINDS

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence


@dataclass(slots=True, frozen=True)
class Figures:
    """How an index answers: MRR and nDCG at `CUTOFF` by kind of query, without those kinds of which the site
    has none; its ``size`` in bytes, and as a share of the raw one's; the median time of a query.
    """

    mrr: dict[str, float]
    ndcg: dict[str, float]
    size: float
    size_share: float
    query_ms: float


@dataclass(slots=True, frozen=True)
class Site:
    """The figures of a site by method, of the text alone and ``titled``, of the text and the page's title.

    ``seen`` where the model of a method was trained on the site.
    """

    pages: int
    queries: dict[str, int]
    seen: bool
    methods: dict[str, Figures]
    titled: dict[str, Figures]


@dataclass(slots=True, frozen=True)
class Means:
    """The mean figures by method: of the text alone, and of the text and the page's title."""

    mean: dict[str, Figures]
    mean_titled: dict[str, Figures]


def means(sites: Mapping[str, Site]) -> Means:
    """The mean over sites of each figure: each site counts alike. Raises ValueError where there is none."""
    if not sites:
        raise ValueError("no sites to take a mean of")
    methods = next(iter(sites.values())).methods
    return Means(
        {method: _mean([site.methods[method] for site in sites.values()]) for method in methods},
        {method: _mean([site.titled[method] for site in sites.values()]) for method in methods},
    )


def _mean(figures: Sequence[Figures]) -> Figures:
    def over(measure: str) -> dict[str, Any]:
        values = {kind: [getattr(one, measure)[kind] for one in figures if kind in one.mrr] for kind in KINDS}
        return {kind: fmean(found) for kind, found in values.items() if found}

    one = {
        name: fmean(getattr(found, name) for found in figures) for name in ("size", "size_share", "query_ms")
    }
    return Figures(over("mrr"), over("ndcg"), **one)
