from __future__ import annotations

import json
import shutil
from pathlib import Path

import pyarrow.parquet as pq
import pytest

from pagelets.ranking.rankings import RANKINGS
from store.publish import ANALYSED, TABLES
from tests.crawls import crawl
from tests.served import page, served


@pytest.fixture
def data(crawled, tmp_path):
    shutil.copytree(crawled.data, tmp_path / "data")
    assert not (tmp_path / "data" / "stones" / "tables").exists()
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


def test_documents_have_their_texts_where_they_are_asked_for(scrapy, crawled, data):
    told = scrapy("publish", "stones", "--json", "-s", f"DATA_DIR={data}", "-s", "PUBLISH_TABLES=text").rows[
        0
    ]
    paths = {row["table"]: row["path"] for row in told}
    pages = {row["page"]: row["url"] for row in pq.read_table(paths["pages"]).to_pylist()}
    texts = {pages[row["page"]]: row["text"] for row in pq.read_table(paths["documents"]).to_pylist()}
    assert texts == {row["url"]: row["text"] for row in map(json.loads, crawled.feed.splitlines())}
    scrapy("publish", "stones", "-s", f"DATA_DIR={data}")
    assert "text" not in pq.read_schema(paths["documents"]).names


def test_a_crawl_publishes_its_tables_where_they_are_asked_for(tmp_path):
    with served({"/": page("home", "/a"), "/a": page("a", text="Of basalt.")}) as site:
        crawl(tmp_path, url=f"{site.base}/", site="s")
        assert not (tmp_path / "s/tables").exists()
        crawl(tmp_path, url=f"{site.base}/", site="s", settings={"PUBLISH_TABLES": True})
    written = {path.stem for path in (tmp_path / "s/tables").iterdir()}
    assert written == set(TABLES) - set(ANALYSED)


def test_a_crawl_publishes_texts_where_they_are_asked_for(tmp_path):
    with served({"/": page("home", "/a"), "/a": page("a", text="Of basalt.")}) as site:
        done = crawl(tmp_path, url=f"{site.base}/", site="s", settings={"PUBLISH_TABLES": "text"})
    assert done.outcome == "complete"
    texts = pq.read_table(tmp_path / "s/tables/documents.parquet", columns=["text"])["text"].to_pylist()
    assert sorted(texts) == sorted(document["text"] for document in done.documents)


def test_a_place_that_cannot_be_written_is_named(scrapy, data):
    (data / "stones" / "tables").write_text("in the way")
    scrapy("publish", "stones", "-s", f"DATA_DIR={data}").refused("scrapy publish: ", "tables")


def test_an_unknown_site_is_refused_with_the_nearest(scrapy):
    scrapy("publish", "stons").refused("'stons'", "'stones'")


def test_ranks_have_a_column_for_each_ranking_and_those_of_a_query_where_there_is_one(scrapy, data):
    def ranks(*query):
        told = scrapy("publish", "stones", "--json", *query, "-s", f"DATA_DIR={data}").rows[0]
        return pq.read_table({row["table"]: row["path"] for row in told}["ranks"]).to_pydict()

    found = ranks()
    assert set(found) == {"page", "query", *(name.replace("-", "_") for name in RANKINGS)}
    for name, ranking in RANKINGS.items():
        empty = set(found[name.replace("-", "_")]) == {None}
        assert empty is ranking.weighted, name
    asked = ranks("--query", "granite")
    assert set(asked["query"]) == {"granite"}
    (told,) = scrapy("rank", "stones", "--query", "granite", "--method", "page-vanilla", "--json").rows
    assert sorted(one for one in asked["page_vanilla"] if one > 1e-6) == pytest.approx(
        sorted(page["score"] for page in told["pages"])
    )
    scrapy("publish", "stones", "--query", "obsidian", "-s", f"DATA_DIR={data}").refused("'obsidian'")
    assert not list((data / "stones" / "tables").glob(".*"))
