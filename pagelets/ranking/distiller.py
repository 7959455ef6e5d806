"""The distiller of a focused crawler: which pages are worth fetching next, by what relevant pagelets link to.

Source: Chakrabarti, van den Berg & Dom, Focused Crawling, WWW 1999, whose distiller is Clever, over pagelets
and without templates as in Bar-Yossef & Rajagopalan, WWW 2002, Section 4, case 2.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from pagelets.ranking.graph import Links, graph
from pagelets.ranking.scores import hits

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray


class Relevance(NamedTuple):
    """Relevance to a topic, each kind on a scale of its own, 0 for not at all: ``pages`` float64[n],
    ``pagelets`` float64[p], and the ``anchors`` of links float64[l].
    """

    pages: NDArray[np.float64]
    pagelets: NDArray[np.float64]
    anchors: NDArray[np.float64]


def distil(links: Links, relevance: Relevance) -> NDArray[np.float64]:
    """Scores each of n pages by the links that lead to it: float64[n], from 0 to 2.

    A link weighs what its anchor, its pagelet and, half as much, its page weigh, each as a share of the best
    of its kind. A page gets the weight of the strongest link from a pagelet that is no template, and its
    authority by HITS over the weighted links, each as a share of the highest.
    """
    pagelet = links.pagelet
    weights = (
        _shares(relevance.pages)[links.owner[pagelet]] / 2
        + _shares(relevance.pagelets)[pagelet]
        + _shares(relevance.anchors)
    )
    kept = weights > 0
    edges = graph(links.kept(kept), weights[kept], pagelets=True, templates=False)
    return _shares(edges.strongest()) + _shares(hits(edges).authorities)


def _shares(values: NDArray[np.float64]) -> NDArray[np.float64]:
    highest = values.max(initial=0.0)
    return values / highest if highest else values
