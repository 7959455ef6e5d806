"""From records to the relations that detection reads, and from what it finds to what sites know."""

from __future__ import annotations

from functools import reduce
from typing import TYPE_CHECKING, Any

from pyspark.sql import functions as f
from pyspark.sql.pandas.types import from_arrow_type

from cluster.schemas import (
    ANSWER,
    BLOCK,
    DECIDED,
    HOST,
    KNOWN,
    LINK,
    MEMBER,
    OF_PAGE,
    PAGE,
    PLACED,
    TAG_PATH,
    TEMPLATE,
    TITLE,
)

if TYPE_CHECKING:
    from collections.abc import Sequence

    from pyspark.sql import DataFrame

    from cluster.detection import FoundBlocks, FoundTemplates
    from cluster.tables import SparkTables


def latest(records: DataFrame) -> DataFrame:
    """The records without those of an address of which a site has a later one: of equally late ones that of
    the last archive counts.
    """
    which = records.where(f.col("kind").isin(PAGE, ANSWER)).select("page", "file", "date")
    many = which.groupBy("page").agg(
        f.count("*").alias("files"), f.max(f.struct("date", "file")).alias("last")
    )
    late = many.where("files > 1").select("page", f.col("last.file").alias("last_file"))
    # The bodies stay where they are: what is looked up is small.
    losers = which.join(late, "page").where("file <> last_file").select("page", "file")
    return records.join(losers, ["page", "file"], "left_anti")


def show_relations(
    tables: SparkTables, records: DataFrame, *, links: bool, near_duplicates: bool = False
) -> None:
    """Shows records as the relations that detection reads.

    Args:
        tables: where they are shown.
        records: the records of pages.
        links: whether detection or a method needs links.
        near_duplicates: whether pages with the same shingle count as duplicates.

    """
    pages = records.where(f.col("kind") == PAGE)
    # Pages without a pagelet take no part.
    counted = pages.where(f.size("pagelets") > 0)
    same = f.coalesce("shingle", "fingerprint") if near_duplicates else f.col("fingerprint")
    tables.show("pages", counted.select("page", "host", "url", same.alias("fingerprint"), "site"))
    placed = pages.select("page", f.posexplode("pagelets").alias("position", "fragment"))
    tables.show("pagelets", placed)
    fragments = pages.select(f.explode("fragments").alias("one")).select("one.*")
    tables.show("fragments", fragments.dropDuplicates(["fragment"]))
    tables.show("fragment_blocks", pages.select(f.explode("fragment_blocks").alias("one")).select("one.*"))
    if links:
        tables.keep_rows("fragment_links", _resolved(records, pages))


def _resolved(records: DataFrame, pages: DataFrame) -> DataFrame:
    """The links of fragments, by the addresses that a site's archives have: to that of the link itself, else
    to that in normal form, else to the first that has the same normal form, else to the one form that a crawl
    has of it, without what names a visit.
    """
    every = pages.select(f.explode("fragment_links").alias("one")).select("one.*").distinct()
    known = records.where(f.col("page").isNotNull()).select("page", "normal", "file", "place")
    exact = known.select("page").distinct()
    spelt = (
        known.where("page <> normal")
        .groupBy("normal")
        .agg(f.min_by("page", f.struct("file", "place")).alias("other"))
    )
    first = every.join(
        exact.withColumnRenamed("page", "target").withColumn("to", f.col("target")), "target", "left"
    )
    second = exact.withColumnRenamed("page", "normal").withColumn("to_normal", f.col("normal"))
    third = exact.withColumnRenamed("page", "canonical").withColumn("to_canonical", f.col("canonical"))
    joined = (
        first.join(second, "normal", "left").join(spelt, "normal", "left").join(third, "canonical", "left")
    )
    target = f.coalesce("to", "to_normal", "other", "to_canonical").alias("target")
    return joined.select("fragment", target).where("target IS NOT NULL")


def links_between_pages(tables: SparkTables) -> DataFrame:
    """The links between pages, each once: (page, target)."""
    links = tables.view("fragment_links", "fragment", "target")
    return (
        tables.view("pagelets", "page", "fragment")
        .join(links, "fragment")
        .select("page", "target")
        .distinct()
    )


def known_rows(
    records: DataFrame,
    templates: FoundTemplates,
    blocks: FoundBlocks,
    links: DataFrame | None,
    decided: Sequence[int],
) -> DataFrame:
    """Returns the findings of detection as rows of `KNOWN`.

    Args:
        records: the records of pages.
        templates: the found templates.
        blocks: the found support of blocks.
        links: the links between pages, if methods need them.
        decided: sketches that people have decided on.

    """
    pages = records.where(f.col("kind") == PAGE)
    hosts = pages.select("host", "site", "host_name").distinct()
    sites = hosts.select("host", "site")
    parts = [_known(hosts.join(blocks.hosts, "host"), HOST, key="host", pages="pages", name="host_name")]
    for kind, rows in ((BLOCK, blocks.blocks), (PLACED, blocks.placed), (TAG_PATH, blocks.tag_paths)):
        more = (
            {"singletons": "singleton_share", "frequency": "document_frequency"} if kind == TAG_PATH else {}
        )
        parts.append(_known(rows.join(sites, "host"), kind, key="key", pages="pages", share="share", **more))
    template_rows = templates.templates.join(sites, "host")
    same_names = {name: name for name in ("pages", "share", "page_set", "component")}
    parts.append(_known(template_rows, TEMPLATE, key="sketch", first="first_ordinal", **same_names))
    if templates.members is not None:
        of_site = template_rows.select("page_set", "component", "site").distinct()
        members = templates.members.join(of_site, ["page_set", "component"])
        parts.append(_known(members, MEMBER, key="page", page_set="page_set", component="component"))
    titles = pages.groupBy("site", "title").agg(f.count("*").alias("pages"))
    parts.append(_known(titles, TITLE, pages="pages", name="title"))
    if links is not None:
        from_pages = links.join(pages.select("page", "site"), "page")
        parts.append(_known(from_pages, LINK, key="page", page_set="target"))
    if decided:
        parts.append(
            _known(_occurrences(pages, decided), DECIDED, key="sketch", pages="pages", share="share")
        )
    return reduce(lambda united, other: united.unionByName(other), parts)


def _occurrences(pages: DataFrame, sketches: Sequence[int]) -> DataFrame:
    """On how many pages of each site sketches are, as `store.occurrences` counts it: (site, sketch, pages,
    share).
    """
    held = pages.select("site", "host", "fingerprint", f.explode("sketches").alias("sketch"))
    texts = held.where(f.col("sketch").isin(*sketches)).distinct()
    by_host = texts.groupBy("site", "sketch", "host").agg(f.count("*").alias("here"))
    sizes = pages.groupBy("host").agg(f.count_distinct("fingerprint").alias("of_host"))
    by_site = by_host.join(sizes, "host").groupBy("site", "sketch")
    sums = by_site.agg(f.sum("here").alias("pages"), f.sum("of_host").alias("around"))
    return sums.withColumn("share", f.col("pages").cast("double") / f.col("around").cast("double"))


def page_rows(records: DataFrame) -> DataFrame:
    """The pages of records, as rows of `KNOWN`."""
    pages = records.where(f.col("kind") == PAGE)
    others = ("url", "host", "status", "date", "flags", "source", "sketches", "keys")
    return _known(pages, OF_PAGE, key="page", name="site_name", **{name: name for name in others})


def _known(rows: DataFrame, kind: int, **columns: str) -> DataFrame:
    """Rows with the columns of `KNOWN`: those that are named, the others null."""

    def column(name: str, to: Any) -> Any:
        value = f.col(columns[name]) if name in columns else f.lit(None)
        return value.cast(from_arrow_type(to)).alias(name)

    selected = [column(field.name, field.type) for field in KNOWN if field.name not in ("site", "kind")]
    return rows.select("site", f.lit(kind).cast("byte").alias("kind"), *selected)
