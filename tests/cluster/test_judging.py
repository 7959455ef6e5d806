"""Pages of a job are judged alike, whether they are handed on as they were read or as HTML."""

from __future__ import annotations

import json
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import pyarrow as pa
import pytest
from scrapy.settings import Settings
from scrapy.utils.project import get_project_settings

from cluster.inputs import inputs_of
from cluster.judging import judge_sites
from cluster.records import read_archives
from cluster.schemas import KNOWN, OF_PAGE, PAGE
from crawler.configuration.judgement import parameters_of
from pagelets.page_bytes import LAYOUT
from pagelets.site.site import Site
from tests.pagelets.archives.test_archive import record

if TYPE_CHECKING:
    from pathlib import Path

    from cluster.parameters import Judging

PAGES = {
    "latin": "<title>Brötchen</title><p>Mehl, Wasser, Salz".encode("latin-1"),
    "hidden": b"<body hidden><nav><a href=/a>A</a></nav><p>All of it is hidden, and so it is shown.",
    "marked": b"<p>Kept <b data-nosnippet>secret</b> text</p><div class=drop>Dropped</div>",
    "broken": b"<table><td>cell\x00<p><a href='#a'>a</a>",
    "empty": b" ",
}


def judging(method: str, **more: Any) -> Judging:
    settings = Settings({**get_project_settings(), "METHOD": method, "DROP_SELECTORS": [".drop"], **more})
    return parameters_of(None, settings, "file", 10)


def documents(archive: Path, by: Judging, begun: str = "2026-06-01") -> list[dict[str, Any]]:
    """What becomes of an archive's pages of which nobody knows more than they say themselves."""
    inputs = inputs_of([str(archive)], "")
    numbers = pa.RecordBatch.from_arrays([pa.array([0])], names=["id"])
    rows = []
    for batch in read_archives(iter([numbers]), inputs, by.reading):
        for row in batch.to_pylist():
            if row["kind"] == PAGE:
                rows.append({**row, "kind": OF_PAGE, "key": row["page"], "name": row["site_name"]})
    known = pa.RecordBatch.from_pylist(sorted(rows, key=lambda row: row["url"]), schema=KNOWN)
    return [row for batch in judge_sites(iter([known]), by, begun) for row in batch.to_pylist()]


@pytest.mark.parametrize("method", ["judged", "templates", "all-text"])
def test_methods_that_ask_for_no_html_judge_pages_as_they_were_read(tmp_path: Path, method: str) -> None:
    archive = tmp_path / "site.warc.gz"
    archive.write_bytes(b"".join(record(f"http://site.example/{name}", body) for name, body in PAGES.items()))
    by = judging(method)
    assert by.reading.layout == LAYOUT
    made = documents(archive, by)
    assert [row["fault"] for row in made] == [None] * len(PAGES)
    assert made == documents(archive, replace(by, reading=replace(by.reading, layout=0)))


@pytest.mark.parametrize("layout", [LAYOUT, 0])
def test_values_of_fields_are_those_of_a_site_in_memory(tmp_path: Path, layout: int) -> None:
    archive = tmp_path / "site.warc.gz"
    archive.write_bytes(b"".join(record(f"http://site.example/{name}", body) for name, body in PAGES.items()))
    extract = {"title_": "title", "bold": {"css": "b::text", "many": True, "required": True}}
    by = judging("judged", EXTRACT=extract)
    by = replace(by, reading=replace(by.reading, layout=layout))
    made = [json.loads(row["line"]) for row in documents(archive, by)]
    with Site("site", drop=[".drop"], extract=extract) as site:
        for name, body in PAGES.items():
            site.add(f"http://site.example/{name}", body, content_type="text/html; charset=utf-8")
        wanted = list(site.documents())
    names = ("url", *extract, "fields_hash")
    found, wanted = ([[one[name] for name in names] for one in each] for each in (made, wanted))
    assert found == wanted
    assert "Br\ufffdtchen" in {one["title_"] for one in made}
    assert all(("missing_field" in one["stats"]["flags"]) != bool(one["bold"]) for one in made)


def test_pages_have_the_date_of_their_records_and_are_published_before_the_job(tmp_path: Path) -> None:
    archive = tmp_path / "site.warc.gz"
    page = b'<meta name=pubdate content="2026-01-09"><p>A text of some words.'
    archive.write_bytes(record("http://site.example/", page, date="2026-01-01T01:00:00+03:00"))
    for begun, published in (
        ("2026-01-07", None),
        ("2026-01-08", "2026-01-09"),
        ("2027-01-01", "2026-01-09"),
    ):
        (row,) = documents(archive, judging("judged"), begun)
        document = json.loads(row["line"])
        assert (document["fetched_at"], document["published"]) == ("2025-12-31T22:00:00+00:00", published)


@pytest.mark.parametrize("method", ["cetr", "vote:judged,cetr,templates"])
def test_others_are_given_the_html(method: str) -> None:
    assert judging(method).reading.layout == 0
