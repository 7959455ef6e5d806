"""The relations that both algorithms start from.

Input, under these names (tables, or views over Parquet); no column NULL, no id below 0:

    pages(page BIGINT, host BIGINT, url VARCHAR, fingerprint BIGINT)   page and url unique
    pagelets(page BIGINT, position INTEGER, fragment BIGINT)           (page, position) unique
    fragments(fragment BIGINT, sketch BIGINT)                          fragment unique
    fragment_links(fragment BIGINT, target BIGINT)                     a target may be missing in pages

Narrower integers are as good.

LINKS of the paper is pagelets ⋈ fragment_links, restricted to targets in pages that are not the page itself.

Pages are numbered by URL first, and everything after that is computed on these ordinals: so the ids that
pages got by order of arrival decide nothing, "the smallest URL" is a plain MIN, and arrays by ordinal have no
holes.
"""

from __future__ import annotations

from contextlib import contextmanager
from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Iterator

    from numpy.typing import NDArray

    from pagelets.detection.tables import Kept, Tables

# TEMPLATE_SHINGLES: MIN and MAX of the page tell "at least two pages" without counting distinct pages, and
# leave out what is unique, most of the fragments, before anything is grouped by page.
TEMPLATE_SHINGLES = """
SELECT fragments.sketch AS sketch
FROM pagelets
JOIN detection_sources AS sources ON sources.page = pagelets.page
JOIN fragments ON fragments.fragment = pagelets.fragment
GROUP BY fragments.sketch
HAVING MIN(pagelets.page) < MAX(pagelets.page)
"""

# TEMPLATE_CANDIDATES, one row a sketch and page: a sketch twice on a page is support from one page.
TEMPLATE_CANDIDATES = """
SELECT fragments.sketch AS sketch, sources.ordinal AS ordinal, MIN(pagelets.position) AS position
FROM pagelets
JOIN detection_sources AS sources ON sources.page = pagelets.page
JOIN fragments ON fragments.fragment = pagelets.fragment
JOIN template_shingles ON template_shingles.sketch = fragments.sketch
GROUP BY fragments.sketch, sources.ordinal
"""


@contextmanager
def numbered_pages(tables: Kept) -> Iterator[None]:
    """Keeps `detection_pages(page, host, fingerprint, ordinal)`; drops in the end all that is kept."""
    with tables.scratch():
        # URLs are unique; the page id in the order only keeps the numbering a function of the rows where
        # they are not.
        tables.number("detection_pages", "page, host, fingerprint", "pages", "url, page", "ordinal")
        yield


def find_candidates(tables: Kept, sources: str) -> None:
    """Keeps `template_candidates(sketch, ordinal, position)`: sketches on two pages or more, by the pages
    they are on.

    Args:
        tables: those of `numbered_pages`.
        sources: a SELECT of (page, host, ordinal), the pages to look at; kept as `detection_sources`.

    """
    tables.keep("detection_sources", sources)
    tables.keep("template_shingles", TEMPLATE_SHINGLES)
    tables.keep("template_candidates", TEMPLATE_CANDIDATES)


def pages_by_ordinal(tables: Tables) -> NDArray[np.int64]:
    """The page id at each ordinal, int64[number of pages]."""
    rows = tables.read("SELECT ordinal, page FROM detection_pages")
    pages = np.empty(len(rows["page"]), dtype=np.int64)
    pages[rows["ordinal"]] = rows["page"]
    return pages
