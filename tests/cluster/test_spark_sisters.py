"""What several sites share is the same on Spark and in DuckDB."""

from __future__ import annotations

import random
from typing import TYPE_CHECKING

import pytest

from cluster.session import session
from cluster.sisters import partitions_of, shared_templates
from pagelets.detection.sites import SITE_BITS, SharedTemplate, find_over_sites, shared
from store.errors import StoreUnusable
from store.multi_site import Published, united
from tests.pagelets.detection.naive_detection import Relations
from tests.store.test_multi_site import publish, write

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from pyspark.sql import SparkSession


@pytest.fixture(scope="module")
def spark() -> Iterator[SparkSession]:
    started = session("local[2]", 2, {})
    yield started
    started.stop()


def site(number: int, draw: random.Random) -> Relations:
    """Thirty pages, with links to each other and to those of the next site, some of which both sites have."""
    addresses = [*range(number * 25, number * 25 + 60)]
    fetched = range(30)
    return Relations(
        [
            (page, draw.randrange(3), f"https://e/{address}", draw.randrange(20))
            for page, address in enumerate(addresses)
        ],
        [(page, position, draw.randrange(25)) for page in fetched for position in range(6)],
        [(fragment, draw.randrange(12)) for fragment in range(25)],
        [(draw.randrange(25), draw.randrange(60)) for _ in range(15)],
    )


@pytest.mark.parametrize("algorithm", ["local", "global"])
def test_spark_finds_what_duckdb_finds(spark: SparkSession, tmp_path: Path, algorithm: str) -> None:
    draw = random.Random(7)
    published = [publish(tmp_path / f"site {number}" / "tables", site(number, draw)) for number in range(4)]
    with united(published, memory=256, threads=1, spill=tmp_path) as con:
        here = shared(con, *find_over_sites(con, algorithm, 2, 0.02))
    (tmp_path / "work").mkdir()
    there = shared_templates(
        spark, lambda what: None, published=published, found_by=(algorithm, 2, 0.02), work=tmp_path / "work"
    )

    def order(one: SharedTemplate) -> tuple[int, str]:
        return one.sketch, one.sample_url

    assert sorted(there, key=order) == sorted(here, key=order)
    assert len(here) > 5
    assert partitions_of(published) == 8


def test_a_row_that_no_store_writes_is_named(spark: SparkSession, tmp_path: Path) -> None:
    import pyarrow as pa

    published: list[Published] = [
        publish(tmp_path / name / "tables", site(0, random.Random(1))) for name in "ab"
    ]
    broken = published[1].file("fragments")
    write(broken, fragment=pa.array([1 << SITE_BITS], pa.int64()), sketch=pa.array([1], pa.int64()))
    with pytest.raises(StoreUnusable, match=str(broken)):
        shared_templates(
            spark, lambda what: None, published=published, found_by=("local", 2, 0.0), work=tmp_path / "work"
        )
