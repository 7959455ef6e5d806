from __future__ import annotations

import json
import shutil

from store.site import Store

from .conftest import BASE


def test_templates_are_listed_with_their_support_place_and_sample(scrapy):
    done = scrapy("templates", "stones")
    assert (done.code, done.err) == (0, "")
    header, *rows = done.out.splitlines()
    assert header.split() == ["id", "state", "pages", "share", "where", "sample"]
    assert len(rows) == 2
    assert all("found" in row and "  8  1.000  " in row for row in rows)
    assert any("html/body/nav#menu" in row and "Home First Second" in row for row in rows)


def test_for_machines_each_template_is_a_line_with_its_whole_text(scrapy):
    rows = scrapy("templates", "stones", "--json").rows
    texts = {row["where"]: row["text"] for row in rows}
    assert texts["html/body/footer"].endswith("look at them again.")
    assert {row["pages"] for row in rows} == {8}
    assert all(row["sample_url"].startswith(BASE) for row in rows)


def test_an_export_holds_what_json_shows(scrapy, tmp_path):
    path = tmp_path / "templates.jsonl"
    done = scrapy("templates", "stones", "--export", path)
    assert (done.code, done.out) == (0, "")
    assert [json.loads(line) for line in path.read_text().splitlines()] == scrapy(
        "templates", "stones", "--json"
    ).rows


def test_a_sample_that_has_changed_since_is_not_shown(crawled, scrapy, tmp_path):
    shutil.copytree(crawled.data, tmp_path / "data")
    with Store.open(tmp_path / "data" / "stones") as store, store.transaction():
        store.connection.execute("UPDATE templates SET sketch = sketch + 1")
    rows = scrapy("templates", "stones", "--json", "-s", f"DATA_DIR={tmp_path / 'data'}").rows
    assert [(row["where"], row["text"]) for row in rows] == [(None, None)] * 2
    assert scrapy("templates", "stones", "-s", f"DATA_DIR={tmp_path / 'data'}").code == 0


def test_an_unknown_site_is_refused_with_the_nearest(scrapy):
    scrapy("templates", "stone").refused("scrapy templates: ", "'stone'", "'stones'")
