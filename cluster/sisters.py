"""Templates of sister sites on Spark: the relations of `store.multi_site`, by the SELECTs of DuckDB."""

from __future__ import annotations

import secrets
from typing import TYPE_CHECKING, Final
from urllib.parse import unquote, urlsplit

from pyspark.sql import functions as f

from cluster.detection import global_templates, local_templates
from cluster.tables import SparkTables
from pagelets.detection.sites import PAGES_OF_SITES, SITE_BITS, SharedTemplate
from store.multi_site import ELSEWHERE, PAGES, READ, VIEWS, Published, check, wrong, wrong_row

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from pathlib import Path

    from pyspark.sql import DataFrame, SparkSession

    from pagelets.detection import Algorithm

_LEAST_PARTS: Final = 8
_PART: Final = 8 << 20
"""Bytes of tables to a part: they are some times as many when they are read."""


def partitions_of(published: Sequence[Published]) -> int:
    """Into how many parts Spark deals the rows of tables. Raises OSError."""
    size = sum(site.file(name).stat().st_size for site in published for name in READ)
    return max(_LEAST_PARTS, size // _PART)


def shared_templates(
    spark: SparkSession,
    tell: Callable[[str], None],
    *,
    published: Sequence[Published],
    found_by: tuple[Algorithm, int, float],
    work: Path,
) -> list[SharedTemplate]:
    """Returns the templates on pages of two sites or more, as `pagelets.detection.sites.shared`.

    Args:
        spark: the session.
        tell: called with the name of each step.
        published: tables that all executors can read.
        found_by: the algorithm, and the least pages and share of a template.
        work: a folder that all executors can write.

    Raises:
        StoreUnusable: a table cannot be read; the text names the file. Exceptions of Spark pass.

    """
    check(published)
    spark.sparkContext.setCheckpointDir(f"file:{work}/checkpoints")
    tables = SparkTables(spark)
    tell("reading tables")
    for name, columns in READ.items():
        _show(spark, tables, published, name, columns)

    def write(name: str, rows: DataFrame) -> None:
        # Read from a file, a relation is one step of what is built on it, and not all that it was made of.
        rows.write.parquet(f"file:{work}/{name}")
        tables.show(name, spark.read.parquet(f"file:{work}/{name}"))

    # One site: what is of several is what is looked for.
    write("pages", tables.rows(PAGES).withColumn("site", f.lit(0).cast("long")))
    write("elsewhere", tables.rows(ELSEWHERE))
    for name, select in VIEWS.items():
        write(name, tables.rows(select))
    tell("detecting templates")
    algorithm, min_pages, min_share = found_by
    if algorithm == "local":
        detected = local_templates(tables, min_pages, min_share)
        templates = detected.templates.withColumn("template", f.col("sketch"))
        tables.show("template_found", templates.select("template", "sketch"))
        by_site = tables.rows(PAGES_OF_SITES)
    else:
        drawn = secrets.token_hex(16)
        detected = global_templates(tables, min_pages, min_share, drawn, tell)
        templates = detected.templates.withColumn("template", f.struct("page_set", "component"))
        assert detected.members is not None
        members = detected.members.select(
            f.struct("page_set", "component").alias("template"), f.shiftright("page", SITE_BITS).alias("site")
        )
        by_site = members.groupBy("template", "site").agg(f.count("*").alias("pages"))
    return _collected(tables, templates, by_site)


def _show(
    spark: SparkSession,
    tables: SparkTables,
    published: Sequence[Published],
    name: str,
    columns: Sequence[str],
) -> None:
    """Shows a table of all sites, once no row of it is wrong. Raises StoreUnusable."""
    number = {str(site.file(name)): place for place, site in enumerate(published)}
    rows = spark.read.parquet(*(f"file:{file}" for file in number))
    rows = rows.select(f.col("_metadata.file_path").alias("file"), *columns)
    files = [row["file"] for row in rows.select("file").distinct().collect()]
    numbered = [(file, number[_path(file)]) for file in files]
    of_sites = rows.join(f.broadcast(spark.createDataFrame(numbered, "file string, site long")), "file")
    if bad := of_sites.where(wrong(columns)).select("file").head(1):
        raise wrong_row(_path(bad[0]["file"]))
    tables.show(f"every_{name}", of_sites.drop("file"))


def _path(file: str) -> str:
    return unquote(urlsplit(file).path)


def _collected(tables: SparkTables, templates: DataFrame, by_site: DataFrame) -> list[SharedTemplate]:
    """Templates with their column ``template``, of those that have several rows by site (template, site,
    pages).
    """
    sites = by_site.groupBy("template").agg(f.collect_list(f.struct("site", "pages")).alias("sites"))
    pages = tables.view("detection_pages", "ordinal", "page")
    urls = tables.view("pages", "page", "url")
    rows = (
        templates.join(sites.where(f.size("sites") > 1), "template")
        .join(pages.withColumnRenamed("ordinal", "first_ordinal"), "first_ordinal")
        .join(urls, "page")
        .select("sketch", "pages", "share", "sites", "page", "url")
    )
    return [
        SharedTemplate(row.sketch, row.pages, row.share, dict(sorted(row.sites)), row.page, row.url)
        for row in rows.toLocalIterator()
    ]
