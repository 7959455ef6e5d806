from __future__ import annotations

import csv
import gzip
import json
import shutil
import signal
import sqlite3
import stat
import subprocess
import sys
import threading
from xml.etree import ElementTree

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from crawler.commandline import output
from inspection import pages
from settings.files import written
from store.database import FILE
from store.judging import StoredJudge
from store.site import Store

from .conftest import BASE, PROJECT, article


@pytest.fixture
def copied(crawled, tmp_path):
    """A copy of the crawled store, to be written to."""
    shutil.copytree(crawled.data, tmp_path / "data")
    return tmp_path / "data"


def test_of_a_url_its_document_alone_is_written(scrapy):
    whole = scrapy("export", "stones").rows
    assert scrapy("export", f"{BASE}/3").rows == [row for row in whole if row["url"] == f"{BASE}/3"]
    scrapy("export", f"{BASE}/gone").refused("scrapy export: ", f"{BASE}/gone", "no page")


def test_an_export_is_the_feed_of_the_crawl_to_the_byte(crawled, scrapy):
    done = scrapy("export", "stones")
    assert done.code == 0
    assert done.err == ""
    assert done.out.encode() == crawled.feed


def test_documents_that_a_pipeline_has_dropped_are_left_out(copied, scrapy):
    with Store.open(copied / "stones") as store, store.transaction():
        store.documents.keep_back(store.documents.page_of(f"{BASE}/3"))
    done = scrapy("export", "stones", "-s", f"DATA_DIR={copied}")
    assert [row["url"] for row in done.rows] == sorted(
        f"{BASE}/{number or ''}" for number in (0, 1, 2, 4, 5, 6, 7)
    )
    assert "1 documents are left out that a pipeline" in done.err
    assert len(scrapy("export", f"{BASE}/3", "-s", f"DATA_DIR={copied}").rows) == 1


def test_documents_have_no_template_and_come_in_the_order_of_their_urls(scrapy):
    rows = scrapy("export", "stones", "--json").rows
    assert [row["url"] for row in rows] == sorted(f"{BASE}/{number or ''}" for number in range(8))
    assert all("Home" not in row["text"] and "society" not in row["text"] for row in rows)
    assert all(article(number).splitlines()[0] in row["text"] for number, row in enumerate(rows))


FIELDS = {
    "stone": {"css": "h1::text"},
    "year": {"css": "p", "type": "number"},
    "years": {"css": "p", "type": "number", "many": True},
    "has_menu": {"css": "#menu", "type": "boolean"},
}


def test_fields_are_columns_of_their_types_in_every_format(scrapy, tmp_path):
    own = ["-s", f"EXTRACT={json.dumps(FIELDS)}"]
    rows = scrapy("export", "stones", *own).rows
    marble = {"stone": "Marble", "year": 1821, "years": [1821, 1821, 1821], "has_menu": True}
    assert {name: rows[3][name] for name in FIELDS} == marble
    assert scrapy("export", "stones", "--fields", "stone,url", *own).rows[3] == {
        "url": f"{BASE}/3",
        "stone": "Marble",
    }
    for kind in ("parquet", "csv"):
        assert scrapy("export", "stones", "-O", tmp_path / f"out.{kind}", *own).code == 0
    table = pq.read_table(tmp_path / "out.parquet")
    assert {name: table[name].to_pylist()[3] for name in FIELDS} == marble
    types = [pa.string(), pa.float64(), pa.list_(pa.float64()), pa.bool_()]
    assert [table.schema.field(name).type for name in FIELDS] == types
    assert scrapy("export", "stones", "-O", "-:csv", *own).out.encode() == (tmp_path / "out.csv").read_bytes()
    scrapy("export", "stones", "-O", "-:pdf").refused("-O -:pdf: its name says no format")
    with (tmp_path / "out.csv").open(newline="") as file:
        found = list(csv.DictReader(file))[3]
    assert [found[name] for name in FIELDS] == ["Marble", "1821", "[1821, 1821, 1821]", "True"]


def test_fields_of_a_site_file_are_columns_too(scrapy, tmp_path):
    (tmp_path / "stones.toml").write_text(f'url = "{BASE}/"\nextract.stone = "h1::text"\n')
    own = ["-s", f"SITES_DIR={tmp_path}"]
    with exported(scrapy, tmp_path / "a.csv", *own).open(newline="") as file:
        rows = list(csv.DictReader(file))
    assert rows[3]["stone"] == "Marble"
    table = pq.read_table(exported(scrapy, tmp_path / "a.parquet", *own))
    assert table.schema.names == list(rows[0]) == list(scrapy("export", "stones", *own).rows[0])


def test_a_file_is_replaced_when_all_is_written(crawled, scrapy, tmp_path):
    path = tmp_path / "out.jsonl"
    path.write_text("before")
    done = scrapy("export", "stones", "-O", path)
    assert (done.code, done.out) == (0, "")
    assert path.read_bytes() == crawled.feed
    assert [child.name for child in tmp_path.iterdir()] == ["out.jsonl"]
    assert stat.S_IMODE(path.stat().st_mode) & stat.S_IRUSR


def test_a_letter_that_the_encoding_lacks_leaves_the_file_as_it_was(scrapy, tmp_path, monkeypatch):
    path = tmp_path / "out.csv"
    path.write_text("before")
    monkeypatch.setattr(StoredJudge, "document", lambda *_: {"url": "Ω"})
    done = scrapy("export", "stones", "-O", path, "-s", "FEED_EXPORT_ENCODING=latin-1")
    done.refused("FEED_EXPORT_ENCODING=latin-1: lacks 'Ω', give utf-8")
    assert path.read_text() == "before"


def exported(scrapy, path, *more):
    done = scrapy("export", "stones", "-O", path, *more)
    assert (done.code, done.out, done.err) == (0, "", "")
    return path


def test_the_name_of_the_file_says_the_format(crawled, scrapy, tmp_path):
    rows = [json.loads(line) for line in crawled.feed.splitlines()]
    assert exported(scrapy, tmp_path / "plain").read_bytes() == crawled.feed
    assert gzip.decompress(exported(scrapy, tmp_path / "a.JSONL.GZ").read_bytes()) == crawled.feed
    assert json.loads(exported(scrapy, tmp_path / "a.JSON").read_text()) == rows
    with exported(scrapy, tmp_path / "a.csv").open(newline="") as file:
        cells = list(csv.DictReader(file))
    assert [row["url"] for row in cells] == [row["url"] for row in rows]
    assert [row["text"] for row in cells] == [row["text"] for row in rows]
    assert [json.loads(row["links"]) for row in cells] == [row["links"] for row in rows]
    assert cells[0]["author"] == ""
    items = ElementTree.parse(exported(scrapy, tmp_path / "a.xml")).findall("item")
    assert [item.findtext("text") for item in items] == [row["text"] for row in rows]


def test_parquet_has_columns_of_their_types(crawled, scrapy, tmp_path):
    rows = [json.loads(line) for line in crawled.feed.splitlines()]
    table = pq.read_table(exported(scrapy, tmp_path / "a.parquet"))
    assert table.schema.names == list(rows[0])
    assert table.schema.field("status").type == pa.int32()
    assert table.schema.field("fetched_at").type == pa.timestamp("ms", "UTC")
    found = table.to_pylist()
    for row in found:
        row["fetched_at"] = row["fetched_at"].isoformat()
    assert found == rows
    with_reasons = exported(scrapy, tmp_path / "b.parquet", "--fields", "url,pagelets")
    pagelets = pq.read_table(with_reasons).to_pylist()[0]["pagelets"]
    assert [pagelet["reason"] for pagelet in pagelets] == ["template", "content", "template"]
    assert pagelets[0]["blocks"][0]["reason"]


@pytest.mark.parametrize("name", ["a.txt", "a.parquet.gz", "a.txt.gz"])
def test_a_name_that_says_no_format_is_an_error_that_lists_them(scrapy, tmp_path, name):
    path = tmp_path / name
    scrapy("export", "stones", "-O", path).refused(name, ".jsonl, .jsonlines, .json, .csv, .xml, .parquet")
    assert not path.exists()


def test_fields_are_those_that_are_asked_for_in_the_order_of_a_document(scrapy):
    assert [list(row) for row in scrapy("export", "stones", "--fields", "text, url").rows] == [
        ["url", "text"]
    ] * 8
    assert list(scrapy("export", "stones", "-s", "DOCUMENT_FIELDS=title").rows[0]) == ["title"]


def test_an_explanation_is_added_where_it_is_asked_for(scrapy):
    row = scrapy("export", "stones", "-s", "EXPLAIN_ENABLED=1").rows[0]
    assert [pagelet["reason"] for pagelet in row["pagelets"]] == ["template", "content", "template"]


def test_the_method_is_that_of_the_command_line_where_it_sets_one(scrapy):
    rows = scrapy("export", "stones", "-s", "METHOD=all-text", "--fields", "text").rows
    assert all("Home" in row["text"] for row in rows)


def test_a_store_is_judged_as_its_last_crawl_judged_it(copied, scrapy):
    with Store.open(copied / "stones") as store, store.transaction():
        parameters = json.dumps({**store.runs.last().parameters, "method": "all-text"})
        store.connection.execute("UPDATE runs SET parameters = ?", (parameters,))
    rows = scrapy("export", "stones", "--fields", "text", "-s", f"DATA_DIR={copied}").rows
    assert all("Home" in row["text"] for row in rows)


def test_a_crawl_that_is_under_way_does_not_change_how_pages_are_judged(copied, scrapy, crawled):
    with Store.open(copied / "stones") as store:
        store.runs.begin({**store.runs.last().parameters, "method": "all-text", "k": 9, "min_pages": 99}, {})
        done = scrapy("export", "stones", "-s", f"DATA_DIR={copied}")
    assert done.out.encode() == crawled.feed


def test_pages_of_a_crawl_that_never_came_to_its_detection_are_exported_whole(copied, scrapy):
    with Store.open(copied / "stones") as store, store.transaction():
        for table in ("templates", "blocks", "documents"):
            store.connection.execute(f"DELETE FROM {table}")
        store.connection.execute("DELETE FROM meta WHERE key != 'derivation'")
        store.connection.execute("UPDATE runs SET outcome = NULL")
    rows = scrapy("export", "stones", "-s", f"DATA_DIR={copied}", "-s", "METHOD=templates").rows
    assert len(rows) == 8
    assert all("Home" in row["text"] and row["template_version"] == "" for row in rows)


def test_what_is_written_meanwhile_is_not_seen(copied, scrapy, monkeypatch, crawled):
    document = StoredJudge.document

    def made_while_a_crawl_writes(self, page, fields):
        def write():
            with Store.open(copied / "stones") as store, store.transaction():
                store.connection.execute("DELETE FROM pagelets")
                store.connection.execute("UPDATE pages SET status = 500")

        writer = threading.Thread(target=write)
        writer.start()
        writer.join()
        return document(self, page, fields)

    monkeypatch.setattr(StoredJudge, "document", made_while_a_crawl_writes)
    monkeypatch.setattr(pages, "SNAPSHOT", 60)
    assert scrapy("export", "stones", "-s", f"DATA_DIR={copied}").out.encode() == crawled.feed


def test_a_snapshot_is_short_and_what_is_gone_by_then_is_left_out(copied, scrapy, monkeypatch):
    document, made = StoredJudge.document, []

    def made_while_a_crawl_deletes(self, page, fields):
        made.append(page)
        if len(made) == 3:
            with Store.open(copied / "stones") as store, store.transaction():
                store.connection.execute("UPDATE pages SET state = 'gone' WHERE url = ?", (f"{BASE}/7",))
        return document(self, page, fields)

    monkeypatch.setattr(StoredJudge, "document", made_while_a_crawl_deletes)
    monkeypatch.setattr(pages, "SNAPSHOT", 0.000001)
    done = scrapy("export", "stones", "-s", f"DATA_DIR={copied}")
    assert [row["url"] for row in done.rows] == sorted(f"{BASE}/{number or ''}" for number in range(7))
    assert done.err == ""


def test_an_export_that_takes_its_time_says_how_far_it_is(scrapy, monkeypatch, crawled):
    monkeypatch.setattr(output, "EVERY", 0)
    done = scrapy("export", "stones")
    assert done.out.encode() == crawled.feed
    assert done.err.splitlines() == [f"scrapy export: {n} of 8 documents" for n in range(1, 9)]


def test_nothing_is_judged_that_is_as_the_crawl_judged_it(scrapy, monkeypatch, crawled):
    monkeypatch.setattr(StoredJudge, "judge", None)
    assert scrapy("export", "stones").out.encode() == crawled.feed


def test_a_page_that_cannot_be_judged_is_named_and_costs_no_other(copied, scrapy):
    with Store.open(copied / "stones") as store, store.transaction():
        store.connection.execute("DELETE FROM pagelets WHERE page = ?", (store.frontier.find(f"{BASE}/3"),))
    done = scrapy("export", "stones", "-s", f"DATA_DIR={copied}")
    assert done.code == 1
    assert len(done.rows) == 7
    assert len(done.err.splitlines()) == 1
    assert f"{BASE}/3 is left out" in done.err


@pytest.mark.parametrize(
    ("arguments", "parts"),
    [
        (["stnes"], ["'stnes'", "'stones'"]),
        (["../stones"], ["'../stones'", "letters"]),
        ([], ["give one argument", "SITE"]),
        (["stones", "more"], ["give one argument"]),
        (["stones", "--fast"], ["'--fast'", "--help"]),
        (["stones", "--fields", "titel"], ["'titel'", "'title'"]),
        (["stones", "-s", "METHOD=papr"], ["papr", "'paper'"]),
        (["stones", "-O", "/no/such/folder/x.jsonl"], ["/no/such/folder", "no such folder"]),
        (["stones", "-O", "s3://bucket/x.jsonl"], ["s3://bucket/x.jsonl", "a file of this machine"]),
        (["stones", "-O", "/"], ["/: ", "irectory"]),
        (["stones", "-s", "FEED_EXPORT_ENCODING=nonsense"], ["FEED_EXPORT_ENCODING", "nonsense", "utf-8"]),
    ],
)
def test_what_a_user_gets_wrong_is_one_line_with_the_mend(scrapy, arguments, parts):
    scrapy("export", *arguments).refused("scrapy export: ", *parts)


def test_without_any_store_the_command_says_how_to_make_one(scrapy, tmp_path):
    scrapy("export", "stones", "-s", f"DATA_DIR={tmp_path}").refused("'stones'", "scrapy crawl site")


def test_a_store_of_another_version_is_refused(copied, scrapy):
    connection = sqlite3.connect(copied / "stones" / FILE)
    connection.execute("PRAGMA user_version = 99")
    connection.close()
    scrapy("export", "stones", "-s", f"DATA_DIR={copied}").refused("version 99", "fresh")


def test_a_file_that_is_no_database_is_refused(scrapy, tmp_path):
    (tmp_path / "stones").mkdir()
    (tmp_path / "stones" / FILE).write_text("no database " * 100)
    scrapy("export", "stones", "-s", f"DATA_DIR={tmp_path}").refused(FILE)


def test_a_file_half_written_never_takes_the_place_of_a_whole_one(tmp_path):
    path = tmp_path / "out.jsonl"
    path.write_text("before")

    def write():
        with written(path) as file:
            file.write(b"half")
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        write()
    assert [(child.name, child.read_text()) for child in tmp_path.iterdir()] == [("out.jsonl", "before")]


@pytest.mark.parametrize("sent", [signal.SIGINT, signal.SIGTERM])
def test_an_export_that_is_ended_from_outside_leaves_no_file(scrapy, tmp_path, monkeypatch, sent):
    monkeypatch.setattr(StoredJudge, "document", lambda *_: signal.raise_signal(sent))
    before = signal.getsignal(signal.SIGTERM)
    with pytest.raises(KeyboardInterrupt):
        scrapy("export", "stones", "-O", tmp_path / "out.jsonl")
    assert signal.getsignal(signal.SIGTERM) is before
    assert not list(tmp_path.iterdir())


def test_the_real_command_works_in_any_folder_of_the_project_and_ends_quietly_with_its_reader(crawled):
    command = [sys.executable, "-m", "scrapy", "export", "stones", "-s", f"DATA_DIR={crawled.data}"]
    with subprocess.Popen(
        command, cwd=PROJECT / "tests" / "crawler", stdout=subprocess.PIPE, stderr=subprocess.PIPE
    ) as process:
        assert process.stdout is not None
        process.stdout.close()
        assert process.stderr is not None
        assert process.stderr.read() == b""
    assert process.returncode == 1
