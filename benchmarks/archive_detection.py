"""What Spark finds in archives, beside what DuckDB finds in the stores of their crawls, row by row.

Every row that the paper's rule leaves (on two pages, whatever share that is): the other rules leave fewer of
them. A row of DuckDB's is told by the keys that a job has for it (`cluster.keys`), and an address by its
fingerprint.
"""

from __future__ import annotations

import argparse
import tempfile
from collections import Counter
from contextlib import closing
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

import numpy as np
from scrapy.utils.project import get_project_settings

from benchmarks.archive_job import laid_out
from benchmarks.process import crawl_archive
from cluster.detection import global_templates, local_templates, repeated_blocks
from cluster.inputs import inputs_of
from cluster.job import partitions_of, records_of
from cluster.keys import keyed, site_key
from cluster.relations import show_relations
from cluster.session import session
from cluster.tables import SparkTables
from crawler.configuration.archive_job import parameters_of
from pagelets.detection import find_templates
from pagelets.detection.blocks import find_repeated_blocks
from pagelets.sketch import fingerprint
from store.site import Store

if TYPE_CHECKING:
    from collections.abc import Iterable

    from numpy.typing import NDArray
    from pyspark.sql import DataFrame, SparkSession

    from cluster.detection import FoundTemplates
    from pagelets.detection import Templates

Rows = dict[str, Counter[tuple[Any, ...]]]
"""The rows of each table."""
_RULE: Final = (2, 0.0)
_LOCAL, _GLOBAL = "templates, local", "templates, global"
_SUPPORT: Final = ("texts", "texts at tag paths", "tag paths")
_HOSTS: Final = "pages of hosts"


class _StoreTables:
    """What DuckDB finds in the store of an archive's crawl."""

    def __init__(self, home: Path, scratch: Path) -> None:
        self._site = site_key(home.name)
        with closing(Store.open(home)) as store:
            store.publish_evidence(scratch)
            self._hosts = dict(store.connection.execute("SELECT host, name FROM hosts"))
            with store.evidence(memory=2048, folder=scratch) as con:
                pages = con.execute("SELECT page, url FROM pages").fetchall()
                prints = np.array([fingerprint((url,)) for _, url in pages], np.int64)
                self._pages = {
                    page: key for (page, _), key in zip(pages, self._keyed(prints).tolist(), strict=True)
                }
                self._local = find_templates(con, "local", *_RULE)
                self._global = find_templates(con, "global", *_RULE)
                self._blocks = find_repeated_blocks(con)

    def rows(self) -> Rows:
        """The rows, by a job's keys."""
        found = self._blocks
        tag_paths = (found.singleton_share, found.document_frequency)
        supports = ((found.blocks, ()), (found.placed, ()), (found.tag_paths, tag_paths))
        hosts = self._keyed(np.array([fingerprint((self._hosts[one],)) for one in found.hosts.tolist()]))
        return {
            _LOCAL: self._templates(self._local),
            _GLOBAL: self._templates(self._global),
            **{
                name: _zipped(self._keyed(one.key), one.pages, one.share, *more)
                for name, (one, more) in zip(_SUPPORT, supports, strict=True)
            },
            _HOSTS: _zipped(hosts, found.host_pages),
        }

    def _keyed(self, numbers: NDArray[np.integer[Any]]) -> NDArray[np.int64]:
        return keyed(numbers, self._site)

    def _templates(self, found: Templates) -> Counter[tuple[Any, ...]]:
        groups = [frozenset(map(self._pages.__getitem__, pages.tolist())) for pages in found.groups]
        columns = (self._keyed(found.sketch), found.pages, found.share, found.group)
        samples = map(self._pages.__getitem__, found.sample_page.tolist())
        rows = zip(*(one.tolist() for one in columns), samples, found.sample_position.tolist(), strict=True)
        return Counter((*row[:3], None if row[3] < 0 else groups[row[3]], *row[4:]) for row in rows)


def _zipped(*columns: NDArray[Any]) -> Counter[tuple[Any, ...]]:
    return Counter(zip(*(column.tolist() for column in columns), strict=True))


def _of_spark(spark: SparkSession, archives: Path, work: Path) -> Rows:
    """What Spark finds in archives, each a site, as a job reads them."""
    reading = parameters_of(None, get_project_settings(), "file", 0).reading
    records = records_of(spark, inputs_of([str(archives)], ""), replace(reading, links=True))
    records.write.parquet(f"file:{work}/records")
    spark.sparkContext.setCheckpointDir(f"file:{work}/checkpoints")
    tables = SparkTables(spark)
    show_relations(tables, spark.read.parquet(f"file:{work}/records"), links=True)
    rows = {_LOCAL: _templates(tables, local_templates(tables, *_RULE))}
    found = global_templates(tables, *_RULE, "secret", lambda rows: rows.checkpoint())
    rows[_GLOBAL] = _templates(tables, found)
    blocks = repeated_blocks(tables)
    plain = ("key", "pages", "share")
    columns = (plain, plain, (*plain, "singleton_share", "document_frequency"))
    for name, table, own in zip(
        _SUPPORT, (blocks.blocks, blocks.placed, blocks.tag_paths), columns, strict=True
    ):
        rows[name] = _collected(table, own)
    rows[_HOSTS] = _collected(blocks.hosts, ("host", "pages"))
    return rows


def _collected(rows: DataFrame, columns: Iterable[str]) -> Counter[tuple[Any, ...]]:
    return Counter(map(tuple, rows.select(*columns).collect()))


def _templates(tables: SparkTables, found: FoundTemplates) -> Counter[tuple[Any, ...]]:
    pages = dict(map(tuple, tables.rows("SELECT ordinal, page FROM detection_pages").collect()))
    groups: dict[tuple[int, int], Any] = {}
    for page_set, component, page in found.members.collect() if found.members is not None else ():
        groups.setdefault((page_set, component), []).append(page)
    sets = {name: frozenset(members) for name, members in groups.items()}
    return Counter(
        (
            *(row.sketch, row.pages, row.share, sets.get((row.page_set, row.component))),
            *(pages[row.first_ordinal], row.first_position),
        )
        for row in found.templates.collect()
    )


def main(arguments: list[str]) -> None:
    """Crawls archives, reads them on Spark as well, and counts the rows that only one of them has."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks archive_detection", description=__doc__)
    parser.add_argument("corpora", type=Path, nargs="+", help="folders of *.warc.gz")
    parser.add_argument("--united", action="store_true", help="all archives as one")
    parser.add_argument("--stores", type=Path, help="where the stores of the crawls are; else they are made")
    parser.add_argument("--master", default="local[2]")
    args = parser.parse_args(arguments)
    with tempfile.TemporaryDirectory() as folder:
        archives = laid_out(args.corpora, Path(folder, "archives"), united=args.united)
        duckdb: Rows = {}
        for archive in sorted(archives.iterdir()):
            name = archive.name.removesuffix(".warc.gz")
            if not args.stores:
                crawl_archive(archive, Path(folder, "data"), name)
            home = Path(args.stores or Path(folder, "data"), name)
            for table, rows in _StoreTables(home, Path(folder, "tables")).rows().items():
                duckdb.setdefault(table, Counter()).update(rows)
        spark = session(args.master, partitions_of(inputs_of([str(archives)], "")), {})
        there = _of_spark(spark, archives, Path(folder, "work"))
        spark.stop()
    for table, rows in duckdb.items():
        alone = (rows - there[table]).total(), (there[table] - rows).total()
        print(f"{table}: {rows.total()} rows, in DuckDB alone {alone[0]}, in Spark alone {alone[1]}")
