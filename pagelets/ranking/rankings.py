"""Rankings by name: which graph each is made of, and which score it takes.

The six configurations of Clever follow Bar-Yossef & Rajagopalan, Template Detection via Data Mining and
its Applications, WWW 2002, Section 5.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final, NamedTuple

from pagelets.ranking.graph import Links, base_set, graph
from pagelets.ranking.scores import hits, pagerank, salsa

if TYPE_CHECKING:
    from collections.abc import Mapping

    import numpy as np
    from numpy.typing import NDArray

    from pagelets.ranking.edges import Edges


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

QUERIED: Final = "pagelet-ft-fnm"
"""The ranking of a query, where none is chosen: the best of the paper's six."""
UNQUERIED: Final = "pagerank-ft"
"""The ranking of a whole site, where none is chosen."""


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


def _authorities(links: Edges) -> NDArray[np.float64]:
    return hits(links).authorities


_SCORES: Final = {"hits": _authorities, "pagerank": pagerank, "salsa": salsa}
