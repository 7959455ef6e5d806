"""Pages that are cited together."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from pagelets.ranking.graph import graph

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from pagelets.ranking.graph import Links


def cocited(
    links: Links, page: int, *, page_weight: float = 0.0, templates: bool = False
) -> NDArray[np.float64]:
    """How often each of n pages is cited together with a page: float64[n], 0 for the page itself.

    A pagelet that links to both counts 1, a page that does ``page_weight``, in one pagelet or in several.
    Citations of template pagelets count with ``templates`` only.
    Source: Bar-Yossef & Rajagopalan, WWW 2002, Section 4, case 3.
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
