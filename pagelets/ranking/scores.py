"""Scores of pages by the links between them: HITS, PageRank, SALSA."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Final, NamedTuple

import numpy as np

from pagelets.components import connected

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from pagelets.ranking.graph import Edges

TOLERANCE: Final = 1e-9
"""Iteration ends where no score moves by more."""
ROUNDS: Final = 500
"""Iteration ends after so many rounds in any case."""


class HubsAndAuthorities(NamedTuple):
    """Scores float64[h] of the hubs and float64[n] of the pages that they link to; the squares of each sum up
    to 1, unless there is no link.
    """

    hubs: NDArray[np.float64]
    authorities: NDArray[np.float64]


def hits(links: Edges) -> HubsAndAuthorities:
    """HITS over a matrix of hubs by pages, float64[h, n]: a good hub links to good authorities.

    With weights that say how well a link fits a query it is Clever (Chakrabarti et al., WWW 1998).
    Source: Kleinberg, Authoritative Sources in a Hyperlinked Environment, JACM 1999, section 3.
    """
    hubs, authorities = np.ones(links.hubs), np.zeros(links.pages)
    for _ in range(ROUNDS):
        before = authorities
        authorities = _normed(links.of_hubs(hubs))
        hubs = _normed(links.of_pages(authorities))
        if np.abs(authorities - before).max(initial=0.0) < TOLERANCE:
            break
    return HubsAndAuthorities(hubs, authorities)


def _normed(values: NDArray[np.float64]) -> NDArray[np.float64]:
    length = np.linalg.norm(values)
    return values / length if length else values


def pagerank(links: Edges, damping: float = 0.85) -> NDArray[np.float64]:
    """PageRank over a matrix of pages by pages, float64[n, n]: float64[n] that sum up to 1.

    A page without links leads to all pages alike.
    Source: Page, Brin, Motwani & Winograd, The PageRank Citation Ranking, Stanford 1999.
    """
    count = links.pages
    if not count:
        return np.zeros(0)
    leaving = links.of_pages(np.ones(count))
    dead = leaving == 0
    step = replace(links, weight=links.weight / leaving[links.hub])
    ranks = np.full(count, 1 / count)
    for _ in range(ROUNDS):
        before = ranks
        ranks = damping * (step.of_hubs(before) + before[dead].sum() / count) + (1 - damping) / count
        if np.abs(ranks - before).sum() < TOLERANCE:
            break
    normed: NDArray[np.float64] = ranks / ranks.sum()
    return normed


def salsa(links: Edges) -> NDArray[np.float64]:
    """The authorities of SALSA over a matrix of hubs by pages, float64[h, n]: float64[n] that sum up to 1.

    The random walk back and forth along links ends, in each component of the graph, in proportion to the
    weight of the links that lead to a page; a component counts by its pages.
    Source: Lempel & Moran, SALSA: The Stochastic Approach for Link-Structure Analysis, ACM TOIS 2001,
    proposition 6.
    """
    cited = links.of_hubs(np.ones(links.hubs))
    component = connected(links.hubs + links.pages, links.hub, links.hubs + links.page)[links.hubs :]
    total = np.bincount(component, cited)[component]
    sizes = np.bincount(component, cited > 0)[component]
    count = np.count_nonzero(cited)
    scores: NDArray[np.float64] = np.divide(
        cited * sizes, total * count, out=np.zeros(links.pages), where=cited > 0
    )
    return scores
