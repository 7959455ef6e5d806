"""Blocks that a site repeats: the relation BLOCKS, the support of a block's text over the pages."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import duckdb
    import numpy as np
    from numpy.typing import NDArray

_SUPPORT = """
WITH
sources AS (
    SELECT host, MIN(page) AS page FROM pages JOIN
        (SELECT host, fingerprint, MIN(url) AS url FROM pages GROUP BY host, fingerprint) AS first
        USING (host, fingerprint, url)
    GROUP BY host, fingerprint
),
sizes AS (SELECT host, COUNT(*) AS pages FROM sources GROUP BY host),
occurrences AS (
    SELECT DISTINCT content_blocks.block AS block, sources.host AS host, sources.page AS page
    FROM sources
    JOIN pagelets ON pagelets.page = sources.page
    JOIN content_blocks ON content_blocks.content = pagelets.content
),
by_host AS (SELECT block, host, COUNT(*) AS pages FROM occurrences GROUP BY block, host)
SELECT block, CAST(SUM(by_host.pages) AS INTEGER) AS pages, SUM(by_host.pages) / SUM(sizes.pages) AS share
FROM by_host JOIN sizes USING (host)
GROUP BY block
HAVING SUM(by_host.pages) >= 2
ORDER BY block
"""


@dataclass(frozen=True, slots=True, eq=False)
class RepeatedBlocks:
    """The blocks on two pages or more: fingerprints int64[n], sorted; pages int32[n]; share float64[n] of the
    pages of the hosts on which they occur.
    """

    fingerprint: NDArray[np.int64]
    pages: NDArray[np.int32]
    share: NDArray[np.float64]


def find_repeated_blocks(con: duckdb.DuckDBPyConnection) -> RepeatedBlocks:
    """Counts for every block text on how many pages it stands; duplicate pages of a host count once.

    Takes a connection with the relations of `pagelets.detection.relations` and
    ``content_blocks(content INTEGER, block BIGINT)``, the fingerprints of the blocks of each content.
    """
    columns = con.sql(_SUPPORT).fetchnumpy()
    return RepeatedBlocks(
        columns["block"].astype("int64"), columns["pages"].astype("int32"), columns["share"].astype("float64")
    )
