"""Templates and repeated blocks of many sites at once: the SELECTs of `pagelets.detection`, on Spark.

The relations (`pagelets.detection.relations`, `pagelets.detection.blocks`) are views of the session;
``pages`` has a column ``site`` beside. All ids are keys that carry their site (`cluster.keys`), so that each
group of a SELECT is of one site. If all rows have one site, templates are found over the union of all
archives.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from pyspark.sql import functions as f

from cluster.components import components
from pagelets.detection.blocks import (
    HOSTS,
    KEYS,
    SUPPORT,
    TEXT_AT_TAG_PATH,
    TEXTS,
    count_pages,
    find_block_rows,
)
from pagelets.detection.global_ import ALL_PAGES, GROUPS, MEMBERS_OF_SETS, SETS, SKETCHES_OF_SETS
from pagelets.detection.links import LINKS_OF_PAGES
from pagelets.detection.local import REPRESENTATIVES, SUPPORTED_GROUPS
from pagelets.detection.portions import EVERY
from pagelets.detection.relations import find_candidates, numbered_pages

if TYPE_CHECKING:
    from collections.abc import Callable

    from pyspark.sql import DataFrame

    from cluster.tables import SparkTables

_POSITIONS: Final = 1 << 32


@dataclass(frozen=True)
class FoundTemplates:
    """Templates (sketch, pages, share, host, first_ordinal, first_position, page_set, component): ``host`` is
    one that has it, ``first_ordinal`` the number of its page with the smallest address, among all pages in
    the order of sites and addresses. Under a global detection ``page_set`` and ``component`` name the pages
    that a template is on, null for all pages with its sketch; ``members`` (page_set, component, page) are
    these pages.
    """

    templates: DataFrame
    members: DataFrame | None


def local_templates(tables: SparkTables, min_pages: int, min_share: float) -> FoundTemplates:
    """As `pagelets.detection.local.find_local`, over ``tables`` with ``min_pages`` and ``min_share``."""
    with numbered_pages(tables):
        find_candidates(tables, REPRESENTATIVES)
        supported = tables.rows(SUPPORTED_GROUPS, min_pages, min_share)
    first = f.col("first_seen")
    return FoundTemplates(
        supported.select(
            *("sketch", "pages", "share", "host"),
            f.floor(first / _POSITIONS).cast("int").alias("first_ordinal"),
            (first % _POSITIONS).cast("int").alias("first_position"),
            f.lit(None).cast("long").alias("page_set"),
            f.lit(None).cast("long").alias("component"),
        ),
        None,
    )


def global_templates(
    tables: SparkTables,
    min_pages: int,
    min_share: float,
    secret: str,
    tell: Callable[[str], None],
) -> FoundTemplates:
    """As `pagelets.detection.global_.find_global`.

    Sets of pages are compared by sums of numbers that nobody can guess without the secret.

    Args:
        tables: the relations.
        min_pages: the least pages of a template.
        min_share: their least share of the pages of the hosts that it touches.
        secret: drawn once for a job, so that a task that is run again computes the same numbers.
        tell: called with a line for each round.

    """
    with numbered_pages(tables):
        find_candidates(tables, ALL_PAGES)
        ordinals = tables.view("detection_pages", "ordinal")
        tables.show("detection_keys", ordinals.select("ordinal", _drawn(secret, 1), _drawn(secret, 2)))
        tables.keep("template_groups", GROUPS, min_pages)
        # The smallest of a set's sketches is a number of its own.
        tables.keep_rows("template_sets", tables.rows(SETS).withColumn("page_set", f.col("sketch")))
        members = tables.keep_rows("template_members", tables.rows(MEMBERS_OF_SETS, *EVERY))
        links = tables.rows(LINKS_OF_PAGES, *EVERY)
        connected = components(_links_within(members, links), tell)
        placed = members.join(
            connected.withColumnRenamed("node", "ordinal"), ["page_set", "ordinal"], "left"
        ).select("page_set", "ordinal", f.coalesce("component", "ordinal").cast("long").alias("component"))
        candidates = tables.view("template_candidates", "sketch", "ordinal", "position")
        supported = _supported(tables, placed, min_pages, min_share)
        templates = tables.rows(SKETCHES_OF_SETS).join(supported, "page_set")
        first = candidates.select("sketch", f.col("ordinal").alias("component"), "position")
        pages = tables.view("detection_pages", "ordinal", "page")
    kept = placed.join(supported.select("page_set", "component"), ["page_set", "component"])
    return FoundTemplates(
        templates.join(first, ["sketch", "component"]).select(
            *("sketch", "pages", "share", "host"),
            f.col("component").cast("int").alias("first_ordinal"),
            f.col("position").alias("first_position"),
            *("page_set", "component"),
        ),
        kept.join(pages, "ordinal").select("page_set", "component", "page"),
    )


def _drawn(secret: str, number: int) -> object:
    digest = f.sha2(f.concat_ws(" ", f.lit(secret), f.lit(number), f.col("ordinal")), 256)
    return f.conv(f.substring(digest, 1, 15), 16, 10).cast("long").alias("one" if number == 1 else "other")


def _links_within(members: DataFrame, links: DataFrame) -> DataFrame:
    """The links between pages of a set: (page_set, one, other)."""
    source = members.select("page_set", f.col("ordinal").alias("source"))
    target = members.select("page_set", f.col("ordinal").alias("target"))
    within = links.join(source, "source").join(target, ["page_set", "target"])
    return within.select(
        "page_set", f.col("source").cast("long").alias("one"), f.col("target").cast("long").alias("other")
    )


def _supported(tables: SparkTables, placed: DataFrame, min_pages: int, min_share: float) -> DataFrame:
    """The components with enough support: (page_set, component, pages, share, host). They are counted as
    sketches are: each takes the place of one.
    """
    group = f.struct("page_set", "component").alias("sketch")
    tables.show("template_candidates", placed.select(group, "ordinal", f.lit(0).alias("position")))
    supported = tables.rows(SUPPORTED_GROUPS, min_pages, min_share)
    return supported.select("sketch.page_set", "sketch.component", "pages", "share", "host")


@dataclass(frozen=True)
class FoundBlocks:
    """As `pagelets.detection.blocks.RepeatedBlocks`: ``blocks``, ``placed`` and ``tag_paths`` have rows (key,
    pages, share, host), those of tag paths singleton_share and document_frequency as well; ``hosts`` (host,
    pages).
    """

    blocks: DataFrame
    placed: DataFrame
    tag_paths: DataFrame
    hosts: DataFrame


def repeated_blocks(tables: SparkTables) -> FoundBlocks:
    """As `pagelets.detection.blocks.find_repeated_blocks`."""
    find_block_rows(tables)
    supports = []
    for key in KEYS:
        count_pages(tables, key)
        supports.append(tables.rows(SUPPORT.format(key=key)))
    count_pages(tables, TEXT_AT_TAG_PATH)
    texts = tables.rows(TEXTS).withColumnRenamed("tag_path_key", "key")
    blocks, placed, tag_paths = supports
    return FoundBlocks(blocks, placed, tag_paths.join(texts, "key"), tables.rows(HOSTS))
