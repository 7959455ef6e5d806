"""The relations that detection reads, and those that it makes of them on the way, in Spark."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from functools import reduce

from pyspark.sql import DataFrame, SparkSession, Window
from pyspark.sql import functions as f
from pyspark.storagelevel import StorageLevel


class SparkTables:
    """Views of a session by their names: what `pagelets.detection.tables.Tables` is in DuckDB.

    What is kept is written to the executors' disks when it is first read, and worked out again where an
    executor is lost.
    """

    def __init__(self, spark: SparkSession) -> None:
        self._spark = spark
        self._kept: list[DataFrame] = []

    def show(self, name: str, rows: DataFrame) -> DataFrame:
        """Shows rows as a view of that name."""
        rows.createOrReplaceTempView(name)
        return rows

    def view(self, name: str, *columns: str) -> DataFrame:
        """Columns of a view."""
        return self._spark.table(name).select(*columns)

    def rows(self, select: str, *values: object) -> DataFrame:
        """The rows of a SELECT, with the values of its parameters."""
        return self._spark.sql(select, args=list(values) or None)

    def keep(self, name: str, select: str, *values: object) -> None:
        """Keeps the rows of a SELECT as a view, in place of one of that name."""
        self.keep_rows(name, self.rows(select, *values))

    def keep_rows(self, name: str, rows: DataFrame) -> DataFrame:
        """Keeps rows as a view; returns them."""
        kept = rows.persist(StorageLevel.DISK_ONLY)
        self._kept.append(kept)
        return self.show(name, kept)

    def gather(self, name: str, selects: Iterable[str]) -> None:
        """Keeps the rows of one SELECT after the other as one view."""
        self.keep_rows(name, reduce(DataFrame.unionByName, map(self.rows, selects)))

    def number(self, name: str, columns: str, source: str, by: str, number: str) -> None:
        """Keeps ``columns`` of the view ``source`` as ``name``, with a column ``number``: the number of each
        row from 0 on, in the order of its site and of the columns ``by``. No task sees the rows of more than
        one site, but one has a row of each site.
        """
        rows = self._spark.table(source)
        offset = f.sum("rows").over(Window.orderBy("site")) - f.col("rows")
        sites = rows.groupBy("site").agg(f.count("*").alias("rows")).select("site", offset.alias("offset"))
        place = f.row_number().over(Window.partitionBy("site").orderBy(*by.split(", "))) - 1
        others = [column for column in columns.split(", ") if column != "site"]
        numbered = rows.withColumn("place", place).join(sites, "site")
        number_of = (f.col("offset") + f.col("place")).cast("int").alias(number)
        self.keep_rows(name, numbered.select("site", *others, number_of))

    def drop(self, name: str) -> None:
        """Takes the name from a view; who has its rows can still read them."""
        self._spark.catalog.dropTempView(name)

    @contextmanager
    def scratch(self) -> Iterator[None]:
        """Nothing is let go at its end: rows are worked out when a stage is written."""
        yield

    def clear(self) -> None:
        """Lets the disks have back what is kept."""
        for rows in self._kept:
            rows.unpersist()
        self._kept.clear()
