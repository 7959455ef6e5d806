"""Rankings by name: which graph each is made of, and which score it takes; and what else is asked of links.

The six configurations of Clever follow Bar-Yossef & Rajagopalan, Template Detection via Data Mining and
its Applications, WWW 2002, Section 5. The distiller of a focused crawler tells which pages are worth fetching
next, by what relevant pagelets link to: Chakrabarti, van den Berg & Dom, Focused Crawling, WWW 1999, whose
distiller is Clever, over pagelets and without templates as in Section 4, case 2; co-citation is case 3.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final, NamedTuple

import numpy as np

from pagelets.ranking.graph import Links, base_set, graph, hits, pagerank, salsa

if TYPE_CHECKING:
    from collections.abc import Mapping

    from numpy.typing import NDArray

QUERIED: Final = "pagelet-ft-fnm"
"""The ranking of a query, where none is chosen: the best of the paper's six."""
UNQUERIED: Final = "pagerank-ft"
"""The ranking of a whole site, where none is chosen."""


class Ranking(NamedTuple):
    """A way to rank pages: by ``score``, hubs being pages or ``pagelets``, with the links of ``templates`` or
    without them. With ``matching`` pages and pagelets that lack the query's words are filtered (FNM);
    ``weighted`` counts a link more for each word of the query in its anchor text.
    """

    score: str
    pagelets: bool = False
    templates: bool = True
    matching: bool = False
    weighted: bool = False


RANKINGS: Final[Mapping[str, Ranking]] = {
    "page-vanilla": Ranking("hits", weighted=True),
    "page-fnm": Ranking("hits", matching=True, weighted=True),
    "pagelet-vanilla": Ranking("hits", pagelets=True, weighted=True),
    "pagelet-fnm": Ranking("hits", pagelets=True, matching=True, weighted=True),
    "pagelet-ft": Ranking("hits", pagelets=True, templates=False, weighted=True),
    "pagelet-ft-fnm": Ranking("hits", pagelets=True, templates=False, matching=True, weighted=True),
    "hits": Ranking("hits"),
    "hits-pagelets": Ranking("hits", pagelets=True, templates=False),
    "pagerank": Ranking("pagerank"),
    "pagerank-ft": Ranking("pagerank", templates=False),
    "salsa": Ranking("salsa"),
    "salsa-ft": Ranking("salsa", pagelets=True, templates=False),
}
"""Name -> ranking."""


class Matches(NamedTuple):
    """Pages, pagelets and links that fit a query: ``pages`` bool[n] and ``pagelets`` bool[p] have all of its
    words in their text; ``anchors`` float64[l] counts the words that the anchor text of each link has.
    """

    pages: NDArray[np.bool_]
    pagelets: NDArray[np.bool_]
    anchors: NDArray[np.float64]


def rank(links: Links, ranking: Ranking, matches: Matches | None = None) -> NDArray[np.float64]:
    """Returns the scores of n pages by a ranking: float64[n], 0 for those outside the graph.

    Args:
        links: the links between the pages.
        ranking: the graph and the score.
        matches: limits the graph to the base set of a query: the pages that match, and their neighbours.

    Raises:
        ValueError: the ranking filters by a query, and ``matches`` is missing.

    """
    if ranking.matching and matches is None:
        raise ValueError("this ranking takes what matches a query")
    weights = None
    if matches is not None:
        wanted = _wanted(links, ranking, matches)
        if ranking.weighted:
            weights = 1 + matches.anchors[wanted]
        links = links.kept(wanted)
    edges = graph(links, weights, pagelets=ranking.pagelets, templates=ranking.templates)
    return _SCORES[ranking.score](edges)


def _wanted(links: Links, ranking: Ranking, matches: Matches) -> NDArray[np.bool_]:
    """The links of the base set, with FNM of what matches there."""
    base = base_set(links, matches.pages)
    source = links.owner[links.pagelet]
    wanted: NDArray[np.bool_] = base[source] & base[links.target]
    if not ranking.matching:
        return wanted
    if ranking.pagelets:
        return wanted & matches.pagelets[links.pagelet]
    return wanted & matches.pages[source] & matches.pages[links.target]


_SCORES: Final = {"hits": hits, "pagerank": pagerank, "salsa": salsa}


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
    return _shares(edges.strongest()) + _shares(hits(edges))


def _shares(values: NDArray[np.float64]) -> NDArray[np.float64]:
    highest = values.max(initial=0.0)
    return values / highest if highest else values


def cocited(
    links: Links, page: int, *, page_weight: float = 0.0, templates: bool = False
) -> NDArray[np.float64]:
    """Counts how often each of n pages is cited together with a page: float64[n], 0 for the page itself.

    Source: Bar-Yossef & Rajagopalan, WWW 2002, Section 4, case 3.

    Args:
        links: the links of the site.
        page: the page that others are cited with.
        page_weight: the count of a page that links to both, in one pagelet or in several; a pagelet counts 1.
        templates: whether citations of template pagelets count.

    """
    counts = np.zeros(links.pages)
    for pagelets, weight in ((True, 1.0), (False, page_weight)):
        if weight:
            edges = graph(links, pagelets=pagelets, templates=templates)
            cited = np.zeros(links.pages)
            cited[page] = 1
            counts += weight * edges.of_hubs(edges.of_pages(cited))
    counts[page] = 0
    return counts
