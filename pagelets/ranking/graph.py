"""The graph that link analysis runs on: weighted edges from hubs, pages or pagelets, to pages.

Source: Bar-Yossef & Rajagopalan, Template Detection via Data Mining and its Applications, WWW 2002,
Section 4, case 1.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import NDArray

CITING: Final = 50
"""So many pages that link to a page of the root set are in the base set (Kleinberg 1999, section 2)."""


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
