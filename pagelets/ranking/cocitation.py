"""Pages that are cited together."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from pagelets.ranking.graph import Links, graph

if TYPE_CHECKING:
    from numpy.typing import NDArray


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
