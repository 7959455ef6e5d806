from __future__ import annotations

import re

from .conftest import BASE


def test_a_report_is_one_file_without_scripts_that_loads_nothing(scrapy, tmp_path):
    path = tmp_path / "report.html"
    done = scrapy("report", "stones", "-o", path)
    assert (done.code, done.out, done.err) == (0, f"{path}\n", "")
    text = path.read_text(encoding="utf-8")
    assert "default-src 'none'" in text.replace("&#39;", "'")
    assert not re.search(r"<script|<link|<img|<iframe|src=", text)
    parts = (f"{BASE}/3", "Pages that keep least", "Run by the society", "complete")
    for part in (*parts, "8 of 8 pages (100%) contain a template"):
        assert part in text
    done = scrapy("report", "stones", "-o", "-")
    assert (done.code, done.out, done.err) == (0, text, "")


def test_for_machines_it_is_json(scrapy):
    row = scrapy("report", "stones", "--json").rows[0]
    assert (row["site"], row["documents"]) == ("stones", 8)
    assert sum(row["shares"]) == 8
    shares = [page["share"] for page in row["least"]]
    assert shares == sorted(shares)
    assert [page["share"] for page in row["most"]] == sorted(shares, reverse=True)
    assert row["templates"][0]["pages"] == 8
    assert row["template_pages"] == {"pages": 8, "with_template": 8}


def test_without_a_file_it_is_refused(scrapy):
    scrapy("report", "stones").refused("scrapy report: ", "-o FILE")


def test_a_page_is_explained_as_one_file(scrapy, tmp_path):
    path = tmp_path / "page.html"
    done = scrapy("explain", f"{BASE}/3", "--html", path)
    assert (done.code, done.out, done.err) == (0, f"{path}\n", "")
    text = path.read_text(encoding="utf-8")
    assert not re.search(r"<link|<img| src=", text)
    assert text.count("<script") == 2
    assert scrapy("explain", f"{BASE}/3", "--html", "-").out == text
    scrapy("explain", f"{BASE}/gone", "--html", path).refused("no page is stored")
