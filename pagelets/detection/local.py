"""Local template detection (Bar-Yossef & Rajagopalan, WWW 2002, Section 3.2, Figure 4).

For a set of pages too small a part of the web for its links to tell anything: duplicates of pages go, the
pagelets of the rest are grouped by their sketch, and a group with enough support is a template.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from pagelets.detection.base import PageSets, Templates
from pagelets.detection.relations import find_candidates, numbered_pages, page_ranges, pages_by_ordinal

if TYPE_CHECKING:
    from pagelets.detection.tables import Tables

# Step 1. Mirrored text on another host is no duplicate here: sister sites share templates, and the share of a
# template is counted by host.
REPRESENTATIVES = """
SELECT detection_pages.page, detection_pages.host, detection_pages.ordinal
FROM detection_pages
JOIN (
    SELECT MIN(ordinal) AS ordinal FROM detection_pages GROUP BY host, fingerprint
) AS firsts ON firsts.ordinal = detection_pages.ordinal
"""

# Steps 2 and 3. The ordinal in the high half and the position in the low half of one integer: their MIN is
# the first position on the page with the smallest URL.
SUPPORTED_GROUPS = """
WITH hosts AS (
    SELECT host, COUNT(*) AS pages FROM detection_sources GROUP BY host
),
occurrences AS (
    SELECT
        candidates.sketch AS sketch,
        sources.host AS host,
        COUNT(*) AS pages,
        MIN(CAST(candidates.ordinal AS BIGINT) * 4294967296 + candidates.position) AS first_seen
    FROM template_candidates AS candidates
    JOIN detection_sources AS sources ON sources.ordinal = candidates.ordinal
    GROUP BY candidates.sketch, sources.host
),
supports AS (
    SELECT
        occurrences.sketch AS sketch,
        SUM(occurrences.pages) AS pages,
        CAST(SUM(occurrences.pages) AS DOUBLE) / CAST(SUM(hosts.pages) AS DOUBLE) AS share,
        MIN(occurrences.first_seen) AS first_seen,
        MIN(occurrences.host) AS host
    FROM occurrences
    JOIN hosts ON hosts.host = occurrences.host
    GROUP BY occurrences.sketch
)
SELECT sketch, CAST(pages AS INTEGER) AS pages, share, first_seen, host
FROM supports
WHERE pages >= ? AND share >= ?
"""


def find_local(tables: Tables, min_pages: int, min_share: float, batch_rows: int) -> Templates:
    """Finds templates by support alone: `group` is -1 throughout, a template is wherever its sketch occurs.

    Of the pages of a host with one fingerprint only that with the smallest URL counts, as an occurrence and
    as a page of its host.

    Args:
        tables: the relations, and where tables on the way are kept.
        min_pages: a sketch is a template from so many pages on,
        min_share: and from this share of the pages of the hosts on which it occurs.
        batch_rows: about so many rows are in memory at once.

    """
    with numbered_pages(tables):
        find_candidates(tables, REPRESENTATIVES, page_ranges(tables, batch_rows))
        return supported_templates(tables, min_pages, min_share)


def supported_templates(tables: Tables, min_pages: int, min_share: float) -> Templates:
    """Returns the candidates in ``tables`` (`find_candidates`) with ``min_pages`` and ``min_share``."""
    rows = tables.read(SUPPORTED_GROUPS, min_pages, min_share)
    page_ids = pages_by_ordinal(tables)
    order = np.argsort(rows["sketch"])
    first_page, first_position = np.divmod(rows["first_seen"][order], 1 << 32)
    return Templates(
        sketch=rows["sketch"][order],
        pages=rows["pages"][order],
        share=rows["share"][order],
        group=np.full(len(order), -1, dtype=np.int32),
        sample_page=page_ids[first_page],
        sample_position=first_position.astype(np.int32),
        groups=PageSets.empty(),
    )
