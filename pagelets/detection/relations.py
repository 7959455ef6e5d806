"""The relations that both algorithms start from, as temporary tables on the caller's connection.

Input, under these names on the connection (tables, or views over Parquet); no column NULL, no id below 0:

    pages(page INTEGER, host INTEGER, url VARCHAR, fingerprint BIGINT)   page and url unique
    pagelets(page INTEGER, position INTEGER, fragment INTEGER)            (page, position) unique
    fragments(fragment INTEGER, sketch BIGINT)                             fragment unique
    fragment_links(fragment INTEGER, target INTEGER)                       a target may be missing in pages

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

    import duckdb
    from numpy.typing import NDArray

# URLs are unique; the page id in the order only keeps the numbering a function of the rows where they are
# not.
NUMBERED_PAGES = """
CREATE OR REPLACE TEMP TABLE detection_pages AS
SELECT page, host, fingerprint, CAST(ROW_NUMBER() OVER (ORDER BY url, page) - 1 AS INTEGER) AS ordinal
FROM pages
"""

# TEMPLATE_SHINGLES: MIN and MAX of the page tell "at least two pages" without counting distinct pages, and
# leave out what is unique, most of the fragments, before anything is grouped by page.
TEMPLATE_SHINGLES = """
CREATE OR REPLACE TEMP TABLE template_shingles AS
SELECT fragments.sketch AS sketch
FROM pagelets
JOIN detection_sources AS sources ON sources.page = pagelets.page
JOIN fragments ON fragments.fragment = pagelets.fragment
GROUP BY fragments.sketch
HAVING MIN(pagelets.page) < MAX(pagelets.page)
"""

# TEMPLATE_CANDIDATES, one row a sketch and page: a sketch twice on a page is support from one page.
TEMPLATE_CANDIDATES = """
CREATE OR REPLACE TEMP TABLE template_candidates AS
SELECT fragments.sketch AS sketch, sources.ordinal AS ordinal, MIN(pagelets.position) AS position
FROM pagelets
JOIN detection_sources AS sources ON sources.page = pagelets.page
JOIN fragments ON fragments.fragment = pagelets.fragment
JOIN template_shingles ON template_shingles.sketch = fragments.sketch
GROUP BY fragments.sketch, sources.ordinal
"""

SCRATCH = (
    "detection_pages",
    "detection_sources",
    "template_shingles",
    "template_candidates",
    "template_groups",
    "template_sets",
)


@contextmanager
def scratch_tables(con: duckdb.DuckDBPyConnection) -> Iterator[None]:
    """Makes `detection_pages(page, host, fingerprint, ordinal)`; at exit drops it and all that came after."""
    try:
        con.execute(NUMBERED_PAGES)
        yield
    finally:
        for name in SCRATCH:
            con.execute(f"DROP TABLE IF EXISTS temp.{name}")


def find_candidates(con: duckdb.DuckDBPyConnection, sources: str) -> None:
    """Makes `template_candidates(sketch, ordinal, position)`: sketches on two pages or more, by the pages
    they are on.

    Args:
        con: the connection, inside `scratch_tables`.
        sources: a SELECT of (page, host, ordinal), the pages to look at; stays as table `detection_sources`.

    """
    con.execute(f"CREATE OR REPLACE TEMP TABLE detection_sources AS {sources}")
    con.execute(TEMPLATE_SHINGLES)
    con.execute(TEMPLATE_CANDIDATES)


def pages_by_ordinal(con: duckdb.DuckDBPyConnection) -> NDArray[np.int32]:
    """The page id at each ordinal, int32[number of pages]."""
    rows = con.execute("SELECT ordinal, page FROM detection_pages").fetchnumpy()
    pages = np.empty(len(rows["page"]), dtype=np.int32)
    pages[rows["ordinal"]] = rows["page"]
    return pages
