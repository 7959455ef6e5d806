"""What a site repeats block by block: the support of texts, of tag paths, and of texts at their tag paths."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final

import numpy as np

from pagelets.detection.tables import Tables

if TYPE_CHECKING:
    from collections.abc import Mapping

    import duckdb
    from numpy.typing import NDArray

    from pagelets.detection.tables import Kept

# Duplicate pages of a host count once.
_SOURCES: Final = """
SELECT host, MIN(page) AS page
FROM pages
JOIN (
    SELECT host, fingerprint, MIN(url) AS url FROM pages GROUP BY host, fingerprint
) AS firsts USING (host, fingerprint, url)
GROUP BY host, fingerprint
"""
# The smallest and the largest page that holds a fragment: with them "on two pages or more" is told without a
# row for each block of each page, and most blocks stand on one.
_SPANS: Final = """
SELECT pagelets.fragment AS fragment, MIN(pagelets.page) AS first, MAX(pagelets.page) AS last
FROM pagelets
JOIN block_sources AS sources ON sources.page = pagelets.page
GROUP BY pagelets.fragment
"""
# Written out once: with all of the large joins and groupings in one query DuckDB runs out of its memory.
_ROWS: Final = """
SELECT fragment_blocks.fragment AS fragment, block, tag_path_key, placed, first, last
FROM fragment_blocks
JOIN block_spans AS spans ON spans.fragment = fragment_blocks.fragment
WHERE block <> 0
"""
_REPEATED: Final = "SELECT {key} FROM block_rows GROUP BY {key} HAVING MIN(first) < MAX(last)"
_HOLDERS: Final = "SELECT DISTINCT {key}, fragment FROM block_rows JOIN block_repeated USING ({key})"
# Of some of the pages: what they count is added up.
_COUNTS: Final = """
SELECT {key}, host, COUNT(*) AS pages
FROM (
    SELECT DISTINCT {key}, page FROM block_holders JOIN pagelets USING (fragment)
    WHERE page >= {first} AND page <= {last}
) AS occurrences
JOIN block_sources USING (page)
GROUP BY {key}, host
"""
# A share is of the pages of the hosts on which the key occurs.
SUPPORT: Final = """
WITH sizes AS (
    SELECT host, COUNT(*) AS pages FROM block_sources GROUP BY host
),
by_host AS (
    SELECT {key}, host, SUM(pages) AS pages FROM block_counts GROUP BY {key}, host
)
SELECT
    {key} AS key,
    CAST(SUM(by_host.pages) AS INTEGER) AS pages,
    CAST(SUM(by_host.pages) AS DOUBLE) / CAST(SUM(sizes.pages) AS DOUBLE) AS share,
    MIN(by_host.host) AS host
FROM by_host
JOIN sizes USING (host)
GROUP BY {key}
"""
# After the counts of texts at tag paths, which have those of several pages alone.
TEXTS: Final = """
WITH texts AS (
    SELECT tag_path_key, block, MIN(first) AS first, MAX(last) AS last
    FROM block_rows
    GROUP BY tag_path_key, block
),
repeated AS (
    SELECT block FROM block_rows GROUP BY block HAVING MIN(first) < MAX(last)
),
counts AS (
    SELECT tag_path_key, SUM(pages) AS pages FROM block_counts GROUP BY tag_path_key
),
tag_paths AS (
    SELECT
        texts.tag_path_key AS tag_path_key,
        COUNT(*) AS texts,
        SUM(CASE WHEN repeated.block IS NULL THEN 1 ELSE 0 END) AS singletons,
        SUM(CASE WHEN texts.first = texts.last THEN 1 ELSE 0 END) AS pages
    FROM texts
    LEFT JOIN repeated ON repeated.block = texts.block
    GROUP BY texts.tag_path_key
    HAVING MIN(texts.first) < MAX(texts.last)
)
SELECT
    tag_paths.tag_path_key AS tag_path_key,
    CAST(singletons AS DOUBLE) / CAST(texts AS DOUBLE) AS singleton_share,
    CAST(tag_paths.pages + COALESCE(counts.pages, 0) AS DOUBLE) / CAST(texts AS DOUBLE) AS document_frequency
FROM tag_paths
LEFT JOIN counts ON counts.tag_path_key = tag_paths.tag_path_key
"""
HOSTS: Final = """
SELECT host, CAST(COUNT(*) AS INTEGER) AS pages FROM block_sources GROUP BY host
"""
KEYS: Final = ("block", "placed", "tag_path_key")
"""What blocks are counted by: texts, texts at tag paths, tag paths."""
TEXT_AT_TAG_PATH: Final = "tag_path_key, block"
_AT_ONCE: Final = 500
"""So few pages are counted in one query: what takes time with them is to plan queries."""


@dataclass(frozen=True, slots=True, eq=False)
class Support:
    """On how many pages each of n keys stands, two or more: ``key`` int64[n], sorted; ``pages`` int32[n];
    ``share`` float64[n] of the pages of the hosts on which it occurs.
    """

    key: NDArray[np.int64]
    pages: NDArray[np.int32]
    share: NDArray[np.float64]


@dataclass(frozen=True, slots=True, eq=False)
class RepeatedBlocks:
    """The support of block texts, of tag paths, and of texts at tag paths with their digits masked.

    Of each tag path ``singleton_share`` (float64) is the share of its texts that stand on one page of the
    site, and ``document_frequency`` (float64) the mean number of pages that a text stands on there. ``hosts``
    (int64) and ``host_pages`` (int32) are the ids of the hosts and their pages, duplicates left out.
    """

    blocks: Support
    placed: Support
    tag_paths: Support
    singleton_share: NDArray[np.float64]
    document_frequency: NDArray[np.float64]
    hosts: NDArray[np.int64]
    host_pages: NDArray[np.int32]


def find_repeated_blocks(con: duckdb.DuckDBPyConnection, *, batch_pages: int = 10_000) -> RepeatedBlocks:
    """Counts on how many pages each block's text, tag path, and text at its tag path stand.

    Takes a connection with the relations of `pagelets.detection.relations` and ``fragment_blocks(fragment
    BIGINT, block BIGINT, tag_path_key BIGINT, placed BIGINT)``, the keys of the blocks of each fragment; a
    block of 0 has no text and does not count. Temporary tables named block_* are made and dropped. So many
    pages as ``batch_pages`` are counted at once; the result does not depend on it.
    """
    tables = Tables(con)
    with tables.scratch():
        find_block_rows(tables)
        pages = _sorted(tables, "SELECT page FROM block_sources", "page")["page"]
        batches = [
            (int(batch[0]), int(batch[-1]))
            for batch in (pages[start : start + batch_pages] for start in range(0, len(pages), batch_pages))
        ]
        at_once = len(batches) < 2 and len(pages) <= _AT_ONCE
        supports = []
        for key in KEYS:
            steps = count_pages(tables, key, batches, at_once=at_once)
            columns = _sorted(tables, SUPPORT.format(key=key), "key", steps)
            supports.append(Support(columns["key"], columns["pages"], columns["share"]))
        blocks, placed, tag_paths = supports
        steps = count_pages(tables, TEXT_AT_TAG_PATH, batches, at_once=at_once)
        texts = _sorted(tables, TEXTS, "tag_path_key", steps)
        hosts = _sorted(tables, HOSTS, "host")
    return RepeatedBlocks(
        blocks,
        placed,
        tag_paths,
        texts["singleton_share"],
        texts["document_frequency"],
        hosts["host"].astype(np.int64),
        hosts["pages"],
    )


def _sorted(
    tables: Tables, query: str, by: str, first: Mapping[str, str] | None = None
) -> dict[str, NDArray[Any]]:
    """The columns of a query's result, in the order of one."""
    columns = tables.read(query, first=first)
    order = np.argsort(columns[by])
    return {name: column[order] for name, column in columns.items()}


def find_block_rows(tables: Kept) -> None:
    """Keeps ``block_sources(host, page)``, the pages that count, and ``block_rows``, what each fragment's
    blocks are counted by.
    """
    tables.keep("block_sources", _SOURCES)
    tables.keep("block_spans", _SPANS)
    tables.keep("block_rows", _ROWS)
    tables.drop("block_spans")


def count_pages(
    tables: Kept, key: str, batches: list[tuple[int, int]], *, at_once: bool = False
) -> dict[str, str] | None:
    """Keeps ``block_counts(key..., host, pages)``, of what is on two pages or more: in parts to be added up,
    each of the pages from the first to the last of a batch. Returns the steps to it where the query itself
    is to take them ``at_once``.
    """
    counts = [_COUNTS.format(key=key, first=first, last=last) for first, last in batches or [(0, -1)]]
    steps = {
        "block_repeated": _REPEATED.format(key=key),
        "block_holders": _HOLDERS.format(key=key),
        "block_counts": counts[0],
    }
    if at_once:
        return steps
    for name, step in steps.items():
        tables.keep(name, step)
    for more in counts[1:]:
        tables.extend("block_counts", more)
    return None
