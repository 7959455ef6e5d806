"""A job: archives in, documents out, stage by stage."""

from __future__ import annotations

import secrets
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from functools import partial
from typing import Final

from pyspark.sql import DataFrame, SparkSession
from pyspark.sql import functions as f
from pyspark.sql.pandas.types import from_arrow_schema

from cluster.detection import FoundTemplates, global_templates, local_templates, repeated_blocks
from cluster.inputs import Input, check_sites
from cluster.judging import as_columns, judge_sites
from cluster.parameters import ArchiveJobError, JobParameters, Reading
from cluster.records import read_archives
from cluster.relations import known_rows, latest, links_between_pages, page_rows, show_relations
from cluster.schemas import ANSWER, DOCUMENTS, PAGE, RECORDS, REVISIT, SKIPPED
from cluster.stages import Stages, fingerprint
from cluster.tables import SparkTables
from pagelets.extraction import now
from release.columns import schema_of

_NAMED: Final = 20
"""So many of the records that are skipped, and of the pages without a document, are named."""
_BYTES: Final = 16 << 20
_MOST_PARTITIONS: Final = 20_000
_UNKNOWN: Final = 64
"""Partitions of an archive whose size is not known."""


@dataclass(slots=True)
class Summary:
    """The outcome of a job: the counts of pages, documents and templates, and skipped ones with reasons."""

    counts: dict[str, int]
    skipped: list[str] = field(default_factory=list)
    seconds: float = 0.0


def partitions_of(inputs: Sequence[Input]) -> int:
    """Into how many parts rows are dealt, by the archives alone: files of documents are as many."""
    size = sum(archive.size for archive in inputs)
    unknown = sum(not archive.size for archive in inputs)
    return max(2, min(_MOST_PARTITIONS, size // _BYTES + unknown * _UNKNOWN))


def records_of(spark: SparkSession, inputs: Sequence[Input], reading: Reading) -> DataFrame:
    """Returns the records of archives, as rows of `RECORDS`; each task reads an archive.

    Args:
        spark: the session.
        inputs: the archives.
        reading: how their pages are read.

    """
    numbers = spark.range(0, len(inputs), 1, len(inputs))
    reader = partial(read_archives, inputs=inputs, reading=reading)
    return numbers.mapInArrow(reader, from_arrow_schema(RECORDS))


@dataclass(slots=True)
class Job:
    """A job: its archives and parameters, where documents go (a folder anywhere Spark can write), into how
    many files, and a function that is called with its progress.
    """

    inputs: Sequence[Input]
    parameters: JobParameters
    out: str
    partitions: int
    tell: Callable[[str], None]

    def run(self, spark: SparkSession) -> Summary:
        """Does what is not done yet. Raises ArchiveJobError, and what Spark raises."""
        started = time.monotonic()
        if self.parameters.reading.site_by == "file":
            check_sites(self.inputs)
        self.tell(f"looking at {self.out}")
        stages = Stages(spark, self.out, fingerprint(self.inputs, self.parameters, self.partitions))
        if (known := stages.summary()) is not None:
            return Summary(**known)
        spark.sparkContext.setCheckpointDir(f"{self.out}/work/checkpoints")
        records = self._records(spark, stages)
        self._check(records)
        tables = SparkTables(spark)
        known_of_sites = stages.rows("known", partial(self._known, tables, stages, records))
        tables.clear()
        self.tell("judging pages")
        begun = stages.once("begun", now)
        judged = stages.rows("answers", partial(self._judged, records, known_of_sites, begun))
        self.tell("writing documents")
        stages.publish(
            "documents", partial(self._write, judged), ".parquet" if self.parameters.parquet else ".jsonl.gz"
        )
        summary = self._summary(records, judged)
        summary.seconds = round(time.monotonic() - started, 1)
        stages.finish({"counts": summary.counts, "skipped": summary.skipped, "seconds": summary.seconds})
        return summary

    def _records(self, spark: SparkSession, stages: Stages) -> DataFrame:
        self.tell("reading archives")
        records = stages.rows("records", partial(records_of, spark, self.inputs, self.parameters.reading))
        # A file that is a site has settled by itself which of its records count.
        return records if self.parameters.reading.site_by == "file" else latest(records)

    def _check(self, records: DataFrame) -> None:
        """Raises ArchiveJobError where a site is more than a task takes, before anything is judged."""
        pages = records.where(f.col("kind") == PAGE)
        most = self.parameters.most_pages
        large = (
            pages.groupBy("site_name").count().where(f.col("count") > most).orderBy(f.desc("count")).head(1)
        )
        if large:
            name, count = bytes(large[0][0]).decode("utf-8", "replace"), large[0][1]
            raise ArchiveJobError(
                f"site {name}: it has {count} pages, and a task takes {most}; give --site-pages {count} and "
                "executors with more memory, or crawl it alone: scrapy crawl archive"
            )

    def _known(self, tables: SparkTables, stages: Stages, records: DataFrame) -> DataFrame:
        links = self.parameters.reading.links
        self.tell("detecting templates")
        near_duplicates = self.parameters.config.detection.near_duplicates
        show_relations(tables, records, links=links, near_duplicates=near_duplicates)
        templates = self._templates(tables, stages)
        between = links_between_pages(tables) if links else None
        self.tell("counting blocks")
        return known_rows(
            records, templates, repeated_blocks(tables), between, sorted(self.parameters.config.decisions)
        )

    def _templates(self, tables: SparkTables, stages: Stages) -> FoundTemplates:
        detection = self.parameters.config.detection
        if detection.algorithm == "local":
            return local_templates(tables, *detection.support)
        secret = stages.once("secret", lambda: secrets.token_hex(16))
        return global_templates(tables, *detection.support, secret, self.tell)

    def _judged(self, records: DataFrame, known: DataFrame, begun: str) -> DataFrame:
        rows = known.unionByName(page_rows(records)).repartition(self.partitions, "site")
        ordered = rows.sortWithinPartitions("site", "kind", "url")
        judge = partial(judge_sites, parameters=self.parameters, begun=begun)
        return ordered.mapInArrow(judge, from_arrow_schema(DOCUMENTS))

    def _write(self, judged: DataFrame, place: str) -> None:
        lines = judged.where("line IS NOT NULL").repartition(self.partitions, "site")
        ordered = lines.sortWithinPartitions("site", "url")
        if not self.parameters.parquet:
            texts = ordered.select(f.col("line").cast("string").alias("value"))
            texts.write.option("compression", "gzip").text(place)
            return
        # Spark's moments have microseconds, and its maps no bounds.
        schema = from_arrow_schema(schema_of(self.parameters.columns, self.parameters.config.registry))
        columns = ordered.select("line").mapInArrow(partial(as_columns, parameters=self.parameters), schema)
        columns.write.option("compression", "zstd").parquet(place)

    def _summary(self, records: DataFrame, judged: DataFrame) -> Summary:
        kinds = {row[0]: row[1] for row in records.groupBy("kind").count().collect()}
        made = judged.agg(
            f.count("line"), f.count("fault"), f.sum("chars"), f.sum("chars_kept"), f.count_distinct("site")
        ).collect()[0]
        counts = {
            "archives": len(self.inputs),
            "sites": made[4],
            "pages": kinds.get(PAGE, 0),
            "others": kinds.get(ANSWER, 0) + kinds.get(REVISIT, 0),
            "skipped": kinds.get(SKIPPED, 0),
            "documents": made[0],
            "failed": made[1],
            "chars": made[2] or 0,
            "chars_kept": made[3] or 0,
        }
        named = records.where(f.col("kind") == SKIPPED).orderBy("file", "flags").select("flags").limit(_NAMED)
        faults = judged.where("fault IS NOT NULL").orderBy("url").select("url", "fault").limit(_NAMED)
        skipped = [str(row[0]) for row in named.collect()]
        skipped += [f"{bytes(row[0]).decode('utf-8', 'replace')}: {row[1]}" for row in faults.collect()]
        return Summary(counts, skipped)
