"""Repeated blocks of a site: the support of texts, of tag paths, and of texts at their tag paths."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final

import numpy as np

from pagelets.detection.portions import BATCH_ROWS, EVERY, ranges_of
from pagelets.detection.tables import Kept, Tables

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    import duckdb
    from numpy.typing import NDArray


# Duplicate pages of a host count once.
_SOURCES: Final = """
SELECT host, MIN(page) AS page
FROM pages
JOIN (
    SELECT host, fingerprint, MIN(url) AS url FROM pages GROUP BY host, fingerprint
) AS firsts USING (host, fingerprint, url)
GROUP BY host, fingerprint
"""
# The smallest and the largest page that holds a fragment: they show "on two pages or more" without a
# row for each block of each page, and most blocks stand on one.
_SPANS: Final = """
SELECT
    pagelets.fragment AS fragment,
    MIN(pagelets.page) AS first,
    MAX(pagelets.page) AS last,
    CAST(COUNT(*) AS INTEGER) AS pagelets
FROM pagelets
JOIN block_sources AS sources ON sources.page = pagelets.page
GROUP BY pagelets.fragment
"""
# Written out once: with all of the large joins and groupings in one query DuckDB runs out of its memory.
_ROWS: Final = """
SELECT fragment_blocks.fragment AS fragment, block, tag_path_key, placed, first, last, pagelets
FROM fragment_blocks
JOIN block_spans AS spans ON spans.fragment = fragment_blocks.fragment
WHERE block <> 0
"""
_REPEATED: Final = "SELECT {key} FROM block_rows GROUP BY {key} HAVING MIN(first) < MAX(last)"
_TEXTS_AT_TAG_PATHS: Final = """
SELECT tag_path_key, block, MIN(first) AS first, MAX(last) AS last
FROM block_rows
GROUP BY tag_path_key, block
"""
_REPEATED_AT_TAG_PATHS: Final = "SELECT tag_path_key, block FROM block_texts WHERE first < last"
_REPEATED_TEXTS: Final = "SELECT block FROM block_texts GROUP BY block HAVING MIN(first) < MAX(last)"
# The fragments that have them, for a part of the keys: the one side of the join is in memory. The bits of
# a key in the mask are the number of its part.
_HOLDERS: Final = """
SELECT DISTINCT {key}, fragment
FROM block_rows
JOIN block_repeated USING ({key})
WHERE (block_rows.{bits} & {mask}) = {part} AND (block_repeated.{bits} & {mask}) = {part}
"""
# Of some of the pages: what they count is added up.
_COUNTS: Final = """
SELECT {key}, host, COUNT(*) AS pages
FROM (
    SELECT DISTINCT {key}, page FROM block_holders JOIN pagelets USING (fragment)
    WHERE page >= {first} AND page <= {last}
) AS occurrences
JOIN block_sources USING (page)
WHERE page >= {first} AND page <= {last}
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
# After `count_pages` of texts at tag paths; the counts are of those on several pages alone.
TEXTS: Final = """
WITH counts AS (
    SELECT tag_path_key, SUM(pages) AS pages FROM block_counts GROUP BY tag_path_key
),
tag_paths AS (
    SELECT
        texts.tag_path_key AS tag_path_key,
        COUNT(*) AS texts,
        SUM(CASE WHEN repeated.block IS NULL THEN 1 ELSE 0 END) AS singletons,
        SUM(CASE WHEN texts.first = texts.last THEN 1 ELSE 0 END) AS pages
    FROM block_texts AS texts
    LEFT JOIN block_repeated_texts AS repeated ON repeated.block = texts.block
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
_BLOCKS: Final = 40
_COUNTED: Final = 2
"""For each row that is taken into memory DuckDB looks at so many blocks, and counts so many on pages."""


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


def find_repeated_blocks(con: duckdb.DuckDBPyConnection, *, batch_rows: int = BATCH_ROWS) -> RepeatedBlocks:
    """Counts on how many pages each block's text, tag path, and text at its tag path stand.

    Takes a connection with the relations of `pagelets.detection.relations` and ``fragment_blocks(fragment
    BIGINT, block BIGINT, tag_path_key BIGINT, placed BIGINT)``, the keys of the blocks of each fragment; a
    block of 0 has no text and does not count. Temporary tables named block_* are made and dropped. The more
    ``batch_rows``, the more is looked at in one query; the result does not depend on it.
    """
    tables = Tables(con)
    queries = {key: (SUPPORT.format(key=key), "key") for key in KEYS}
    queries[TEXT_AT_TAG_PATH] = TEXTS, "tag_path_key"
    counts: dict[str, dict[str, NDArray[Any]]] = {}
    with tables.scratch():
        find_block_rows(tables)
        parts, ranges = _portions(tables, batch_rows)
        for number, (key, (query, _)) in enumerate(queries.items()):
            count_pages(tables, key, parts, ranges)
            tables.keep(f"block_support_{number}", query)
        # Results are taken when what led to them has let go of its memory.
        for name in ("block_rows", *_before_holders(TEXT_AT_TAG_PATH), "block_holders", "block_counts"):
            tables.drop(name)
        for number, (key, (_, by)) in enumerate(queries.items()):
            counts[key] = _sorted(tables, f"SELECT * FROM block_support_{number}", by)
            tables.drop(f"block_support_{number}")
        hosts = _sorted(tables, HOSTS, "host")
    texts = counts.pop(TEXT_AT_TAG_PATH)
    blocks, placed, tag_paths = (
        Support(table["key"], table["pages"], table["share"]) for table in counts.values()
    )
    return RepeatedBlocks(
        blocks,
        placed,
        tag_paths,
        texts["singleton_share"],
        texts["document_frequency"],
        hosts["host"].astype(np.int64),
        hosts["pages"],
    )


def _portions(tables: Tables, batch_rows: int) -> tuple[int, list[tuple[int, int]]]:
    """In how many parts the keys of blocks are looked at, a power of two, and in which ranges the pages."""
    pages = tables.read("SELECT page FROM block_sources")["page"]
    rows = tables.read("SELECT COUNT(*) AS blocks, COALESCE(SUM(pagelets), 0) AS occurrences FROM block_rows")
    parts = 1 << (int(rows["blocks"][0]) // (_BLOCKS * batch_rows)).bit_length()
    return parts, ranges_of(pages, 1 + int(rows["occurrences"][0]) // (_COUNTED * parts * batch_rows))


def _sorted(tables: Tables, query: str, by: str) -> dict[str, NDArray[Any]]:
    """The columns of a query's result, in the order of one."""
    columns = tables.read(query)
    order = np.argsort(columns[by])
    # One after the other: all of them twice is more than anything else here takes.
    return {name: columns.pop(name)[order] for name in list(columns)}


def find_block_rows(tables: Kept) -> None:
    """Keeps ``block_sources(host, page)``, the pages that count, and ``block_rows``, what each fragment's
    blocks are counted by.
    """
    tables.keep("block_sources", _SOURCES)
    tables.keep("block_spans", _SPANS)
    tables.keep("block_rows", _ROWS)
    tables.drop("block_spans")


def count_pages(tables: Kept, key: str, parts: int = 1, ranges: Sequence[tuple[int, int]] = (EVERY,)) -> None:
    """Keeps ``block_counts(key..., host, pages)`` of keys on two pages or more, to be added up.

    Args:
        tables: where the counts, and the tables before them, are kept.
        key: the columns that make a key.
        parts: the keys are looked at in so many parts, a power of two.
        ranges: the ids of pages are looked at in these ranges.

    """
    for name, select in _before_holders(key).items():
        tables.keep(name, select)
    tables.gather("block_counts", _counts(tables, key, parts, ranges))


def _counts(tables: Kept, key: str, parts: int, ranges: Sequence[tuple[int, int]]) -> Iterator[str]:
    """The SELECTs of what is counted; each is asked while the holders of its part of the keys are kept."""
    for part in range(parts):
        bits = key.rpartition(", ")[2]
        tables.keep("block_holders", _HOLDERS.format(key=key, bits=bits, mask=parts - 1, part=part))
        for first, last in ranges:
            yield _COUNTS.format(key=key, first=first, last=last)


def _before_holders(key: str) -> dict[str, str]:
    """Returns the tables kept before the holders of a key are known, in this order."""
    if key != TEXT_AT_TAG_PATH:
        return {"block_repeated": _REPEATED.format(key=key)}
    return {
        "block_texts": _TEXTS_AT_TAG_PATHS,
        "block_repeated_texts": _REPEATED_TEXTS,
        "block_repeated": _REPEATED_AT_TAG_PATHS,
    }
