"""The graph that link analysis runs on, weighted edges from hubs, pages or pagelets, to pages; and scores of
pages by the links between them: HITS, PageRank, SALSA.

Source: Bar-Yossef & Rajagopalan, Template Detection via Data Mining and its Applications, WWW 2002,
Section 4, case 1.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Final

import numpy as np

from pagelets.components import connected

if TYPE_CHECKING:
    from numpy.typing import NDArray

CITING: Final = 50
"""So many pages that link to a page of the root set are in the base set (Kleinberg 1999, section 2)."""

TOLERANCE: Final = 1e-9
"""Iteration ends where no score moves by more."""
ROUNDS: Final = 500
"""Iteration ends after so many rounds in any case."""


@dataclass(frozen=True, slots=True, eq=False)
class Edges:
    """A sparse matrix of hubs by pages: ``weight`` float64[e] stands in row ``hub`` and column ``page``
    (int64[e] each). Edges are sorted by hub, then page; each pair has one edge at most.
    """

    hubs: int
    pages: int
    hub: NDArray[np.int64]
    page: NDArray[np.int64]
    weight: NDArray[np.float64]

    def of_pages(self, scores: NDArray[np.float64]) -> NDArray[np.float64]:
        """Returns the weighted sums of the scores (float64[pages]) of each hub's pages: float64[hubs]."""
        return np.bincount(self.hub, self.weight * scores[self.page], self.hubs).astype(np.float64)

    def of_hubs(self, scores: NDArray[np.float64]) -> NDArray[np.float64]:
        """Returns the weighted sums of the scores (float64[hubs]) of each page's hubs: float64[pages]."""
        return np.bincount(self.page, self.weight * scores[self.hub], self.pages).astype(np.float64)

    def strongest(self) -> NDArray[np.float64]:
        """Returns the largest weight that leads to each page, 0 where none does: float64[pages]."""
        largest = np.zeros(self.pages)
        np.maximum.at(largest, self.page, self.weight)
        return largest


@dataclass(frozen=True, eq=False)
class Links:
    """The l links of p pagelets of n pages.

    ``owner`` int64[p] is the page that each pagelet stands on, ``template`` bool[p] tells those that are
    template; ``pagelet`` int64[l] and ``target`` int64[l] are the pagelet and the page that each link leads
    from and to. Pages and pagelets are numbered from 0.
    """

    pages: int
    owner: NDArray[np.int64]
    template: NDArray[np.bool_]
    pagelet: NDArray[np.int64]
    target: NDArray[np.int64]

    def kept(self, links: NDArray[np.bool_]) -> Links:
        """The same pages and pagelets with some of the links: bool[l]."""
        return Links(self.pages, self.owner, self.template, self.pagelet[links], self.target[links])


def graph(
    links: Links,
    weights: NDArray[np.float64] | None = None,
    *,
    pagelets: bool = False,
    templates: bool = True,
) -> Edges:
    """Returns the links as a matrix of hubs by pages.

    A hub has one edge to a page, however often it links to it, of the largest weight of these links. Links
    to the page that they stand on are left out.

    Args:
        links: the l links between n pages.
        weights: the weight of each link, float64[l]; 1 for each without it.
        pagelets: whether the p pagelets are the hubs, or the pages.
        templates: whether links of template pagelets count.

    Returns:
        float64[p, n] where pagelets are the hubs, else float64[n, n].

    """
    source = links.owner[links.pagelet]
    wanted = source != links.target
    if not templates:
        wanted &= ~links.template[links.pagelet]
    hubs = (links.pagelet if pagelets else source)[wanted]
    target = links.target[wanted]
    weight = np.ones(len(target)) if weights is None else weights[wanted]
    order = np.lexsort((-weight, target, hubs))
    hubs, target, weight = hubs[order], target[order], weight[order]
    first = np.ones(len(hubs), bool)
    first[1:] = (hubs[1:] != hubs[:-1]) | (target[1:] != target[:-1])
    count = len(links.owner) if pagelets else links.pages
    return Edges(count, links.pages, hubs[first], target[first], weight[first])


def base_set(links: Links, root: NDArray[np.bool_]) -> NDArray[np.bool_]:
    """The pages of a root set (bool[n]), those that they link to, and of those that link to each of them
    `CITING` at most, the first ones: bool[n].

    Source: Kleinberg, Authoritative Sources in a Hyperlinked Environment, JACM 1999, section 2.
    """
    source = links.owner[links.pagelet]
    base = root.copy()
    base[links.target[root[source]]] = True
    cites = np.unique(np.stack([links.target, source])[:, root[links.target]], axis=1)
    starts = np.searchsorted(cites[0], cites[0])
    base[cites[1][np.arange(cites.shape[1]) - starts < CITING]] = True
    return base


def hits(links: Edges) -> NDArray[np.float64]:
    """The authorities of HITS over a matrix of hubs by pages, float64[h, n]: float64[n], whose squares sum up
    to 1, unless there is no link. A good hub links to good authorities.

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
    return authorities


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
