"""Documents that files of a format could not hold as they are."""

from __future__ import annotations

import csv
import io
import json
from dataclasses import dataclass, field
from datetime import UTC, datetime
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from scrapy.exporters import JsonLinesItemExporter

from crawler.feeds.exporters import CsvExporter, JsonLinesExporter, exporting
from pagelets.document import FIELDS
from tests.crawls import crawl
from tests.served import page, served

HOSTILE = "a\0b \ud800 \x0b ]]> <x> & \",'\n\u202e \ufffe 😀"
ROWS = [
    {"url": "https://e.org/1", "title": HOSTILE, "text": HOSTILE, "links": [{"url": "u", "text": HOSTILE}]},
    {"url": "https://e.org/2", "title": "=1+1"},
]


@dataclass
class Made:
    """An item of a user's own."""

    url: str
    title: str


@dataclass
class Told:
    """An item of a user's own, with a serializer as Scrapy takes them."""

    said: list[str] = field(metadata={"serializer": " ".join})
    tags: list[str]
    links: list[dict[str, str]]


def written(name: str, rows: list[Any]) -> bytes:
    file = io.BytesIO()
    with exporting(name, file, ["url", "title", "text", "links"], "utf-8") as exporter:
        for row in rows:
            exporter.export_item(row)
    return file.getvalue()


def test_hostile_texts_and_documents_of_other_fields() -> None:
    root = ElementTree.fromstring(written("a.xml", ROWS))
    shown = HOSTILE.replace("\0", "\ufffd").replace("\ud800", "\ufffd").replace("\x0b", "\ufffd")
    assert root[0].findtext("title") == shown.replace("\ufffe", "\ufffd")
    text = written("a.csv", ROWS).decode()
    first, second = csv.DictReader(io.StringIO(text, newline=""))
    assert first["title"] == HOSTILE.replace("\ud800", "\ufffd")
    assert (second["title"], second["text"], second["links"]) == ("=1+1", "", "")
    table = pq.read_table(pa.BufferReader(written("a.parquet", ROWS))).to_pylist()
    assert table[0]["text"] == HOSTILE.replace("\ud800", "\ufffd")
    assert table[1]["links"] is None


def test_what_is_null_is_empty_in_xml() -> None:
    rows = [{"url": "u", "title": None, "links": [{"url": "l", "template": None}]}]
    root = ElementTree.fromstring(written("a.xml", rows))
    assert root[0].findtext("title") == ""
    assert root[0].findtext("links/value/template") == ""


def test_lines_of_json_hold_what_scrapy_writes() -> None:
    known = {
        "url": "https://e.org/1",
        "title": HOSTILE.replace("\ud800", ""),
        "links": [{"url": "u", "n": 1.5}],
    }
    unknown = [
        {"url": datetime(2026, 1, 2, tzinfo=UTC), "title": {1, 2}},
        {"url": 1 << 70},
        {"url": {1: None}},
    ]
    rows = [known, *unknown]
    ours, theirs, ascii_only = io.BytesIO(), io.BytesIO(), io.BytesIO()
    for exporter in (
        JsonLinesExporter(ours, encoding="utf-8"),
        JsonLinesItemExporter(theirs, encoding="utf-8"),
    ):
        for row in rows:
            exporter.export_item(row)
    written_by = [file.getvalue().decode().splitlines() for file in (ours, theirs)]
    assert written_by[0][0] == json.dumps(known, ensure_ascii=False, separators=(",", ":"))
    assert written_by[0][1:] == written_by[1][1:]
    assert [json.loads(line) for line in written_by[0]] == [json.loads(line) for line in written_by[1]]
    JsonLinesExporter(ascii_only).export_item({"title": "é"})
    assert ascii_only.getvalue() == b'{"title": "\\u00e9"}\n'


@pytest.mark.parametrize("kind", ["jsonl", "parquet"])
def test_items_that_a_pipeline_has_made_of_documents(kind) -> None:
    items = [Made("https://e.org/1", "one"), {"url": "https://e.org/2", "title": "\ud800"}]
    content = written(f"a.{kind}", items)
    if kind == "jsonl":
        rows = [json.loads(line) for line in content.splitlines()]
    else:
        rows = pq.read_table(pa.BufferReader(content)).to_pylist()
    assert [row["url"] for row in rows] == ["https://e.org/1", "https://e.org/2"]
    assert [row["title"] for row in rows] == ["one", "\ufffd"]


def test_no_document_at_all() -> None:
    assert written("a.jsonl", []) == b""
    assert json.loads(written("a.json", [])) == []
    assert pq.read_schema(pa.BufferReader(written("a.parquet", []))).names == [
        "url",
        "title",
        "text",
        "links",
    ]
    assert len(ElementTree.fromstring(written("a.xml", []))) == 0


def test_a_crawl_writes_parquet(tmp_path) -> None:
    feed = tmp_path / "documents.parquet"
    with served({"/": page("home", "/a"), "/a": page("a")}) as site:
        settings = {"FEEDS": {str(feed): {"format": "parquet"}}}
        assert crawl(tmp_path / "data", url=f"{site.base}/", settings=settings).outcome == "complete"
    table = pq.read_table(feed)
    assert table.schema.names == list(FIELDS)
    assert table.num_rows == 2


def test_fields_of_overrides_are_columns_and_so_they_are_without_a_document(tmp_path) -> None:
    override = {"type": "begins", "pattern": "/a", "fields": ["url", "status"]}
    settings = {"DOCUMENT_FIELDS": "title,url", "OVERRIDES": json.dumps([override])}
    kinds = [tmp_path / "documents.parquet", tmp_path / "documents.csv"]
    settings["FEEDS"] = {str(feed): {"format": feed.suffix[1:], "overwrite": True} for feed in kinds}
    with served({"/": page("home", "/a"), "/a": page("a")}) as site:
        given = {"url": f"{site.base}/", "settings": settings}
        assert crawl(tmp_path / "data", **given).outcome == "complete"
        table, rows = pq.read_table(kinds[0]), csv.DictReader(kinds[1].read_text("utf-8").splitlines())
        assert table.schema.names == rows.fieldnames == ["url", "title", "status"]
        assert [row["status"] for row in table.to_pylist()] == [None, 200]
        assert [row["status"] for row in rows] == ["", "200"]
        assert crawl(tmp_path / "data", **given).outcome == "complete"
    assert pq.read_table(kinds[0]).schema.names == table.schema.names


def test_no_value_of_a_field_costs_a_feed_its_document(tmp_path) -> None:
    kinds = ("json", "jsonl", "parquet", "csv", "xml")
    feeds = {str(tmp_path / f"documents.{name}"): {"format": name} for name in kinds}
    fields = {name: f"tests.shopfields.{name}" for name in ("huge", "half", "control")}
    with served({"/": page("home")}) as site:
        settings = {"FEEDS": feeds, "FIELD_FUNCTIONS": fields}
        assert crawl(tmp_path / "data", url=f"{site.base}/", settings=settings).outcome == "complete"
    as_json, as_lines, as_parquet, as_csv, as_xml = feeds
    (document,) = json.loads(Path(as_json).read_bytes())
    assert document == json.loads(Path(as_lines).read_bytes())
    assert [document[name] for name in fields] == [1 << 70, "\ufffd", "a\x01"]
    (row,) = pq.read_table(as_parquet).to_pylist()
    assert [row[name] for name in fields] == [None, "\ufffd", "a\x01"]
    (cells,) = csv.DictReader(io.StringIO(Path(as_csv).read_text(encoding="utf-8"), newline=""))
    assert [json.loads(cells[name]) for name in ("links", "stats")] == [document["links"], document["stats"]]
    (item,) = ElementTree.parse(as_xml).getroot()
    assert [item.findtext(name) for name in ("author", "control")] == ["", "a\ufffd"]


def test_lists_are_joined_by_what_a_feed_asks_for_and_an_item_may_know_better() -> None:
    file = io.BytesIO()
    exporter = CsvExporter(file, join_multivalued="|")
    exporter.export_item(Told(["a", "b"], ["a", "b"], [{"url": "u"}]))
    assert file.getvalue().decode().splitlines() == ["said,tags,links", 'a b,a|b,"[{""url"": ""u""}]"']


def test_csv_that_is_appended_to_keeps_its_one_header(tmp_path):
    path = tmp_path / "a.csv"
    for rows in ([{"url": "a", "title": "1"}], [{"url": "b", "title": "2"}], [{"url": "c", "day": "3"}]):
        with path.open("ab") as file:
            exporter = CsvExporter(file)
            exporter.start_exporting()
            for row in rows:
                exporter.export_item(row)
            exporter.finish_exporting()
    assert path.read_text().splitlines() == ["url,title", "a,1", "b,2", "url,day", "c,3"]
