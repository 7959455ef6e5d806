from __future__ import annotations

import shutil
from pathlib import Path

import pyarrow.parquet as pq
import pytest

from store.publish import TABLES


@pytest.fixture
def data(crawled, tmp_path):
    shutil.copytree(crawled.data, tmp_path / "data")
    shutil.rmtree(tmp_path / "data" / "stones" / "tables")
    return tmp_path / "data"


def test_every_table_is_written_and_told_with_its_rows(scrapy, data):
    rows = scrapy("publish", "stones", "--json", "-s", f"DATA_DIR={data}").rows[0]
    assert {row["table"] for row in rows} == set(TABLES)
    assert all(pq.read_table(row["path"]).num_rows == row["rows"] for row in rows)
    assert {row["table"]: row["rows"] for row in rows}["documents"] == 8


def test_paths_are_printed(scrapy, data):
    done = scrapy("publish", "stones", "-s", f"DATA_DIR={data}")
    paths = [Path(line.split()[-1]) for line in done.out.splitlines()[1:]]
    assert len(paths) == len(TABLES)
    assert all(path.is_file() for path in paths)


def test_a_place_that_cannot_be_written_is_named(scrapy, data):
    (data / "stones" / "tables").write_text("in the way")
    scrapy("publish", "stones", "-s", f"DATA_DIR={data}").refused("scrapy publish: ", "tables")


def test_an_unknown_site_is_refused_with_the_nearest(scrapy):
    scrapy("publish", "stons").refused("'stons'", "'stones'")
