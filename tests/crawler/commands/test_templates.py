from __future__ import annotations

import json
import re
import shutil
import tomllib
from typing import TYPE_CHECKING

import pytest

from store.lock import SiteLock
from store.site import Store

from .conftest import BASE

if TYPE_CHECKING:
    from pathlib import Path


def test_templates_are_listed_with_their_support_place_and_sample(scrapy):
    done = scrapy("templates", "stones")
    assert (done.code, done.err) == (0, "scrapy templates: 8 of 8 pages (100%) contain a template\n")
    header, *rows = done.out.splitlines()
    assert header.split() == ["id", "name", "state", "pages", "share", "where", "sample"]
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


def test_an_export_is_not_named_after_another_format(scrapy, tmp_path):
    path = tmp_path / "templates.csv"
    scrapy("templates", "stones", "--export", path).refused(".csv", ".jsonl")
    assert not path.exists()


def test_a_sample_that_has_changed_since_is_not_shown(crawled, scrapy, tmp_path):
    shutil.copytree(crawled.data, tmp_path / "data")
    with Store.open(tmp_path / "data" / "stones") as store, store.transaction():
        store.connection.execute("UPDATE templates SET sketch = sketch + 1")
    rows = scrapy("templates", "stones", "--json", "-s", f"DATA_DIR={tmp_path / 'data'}").rows
    assert [(row["where"], row["text"]) for row in rows] == [(None, None)] * 2
    assert scrapy("templates", "stones", "-s", f"DATA_DIR={tmp_path / 'data'}").code == 0


def test_an_unknown_site_is_refused_with_the_nearest(scrapy):
    scrapy("templates", "stone").refused("scrapy templates: ", "'stone'", "'stones'")


@pytest.fixture
def own(crawled, scrapy, tmp_path):
    """Runs a command over a copy of the crawled site's data, with a folder of site files of its own."""
    shutil.copytree(crawled.data, tmp_path / "data")
    (tmp_path / "sites").mkdir()

    def run(*arguments):
        folders = {"DATA_DIR": tmp_path / "data", "SITES_DIR": tmp_path / "sites"}
        options = [part for name, folder in folders.items() for part in ("-s", f"{name}={folder}")]
        return scrapy(*arguments, *options)

    return run


def listed(run) -> dict[str, dict]:
    return {row["where"]: row for row in run("templates", "stones", "--json").rows}


MENU, FOOTER = "html/body/nav#menu", "html/body/footer"


def reasons(run) -> dict[str, str]:
    row = run("explain", "https://stones.example/3", "--json", "-s", "METHOD=templates").rows[0]
    return {pagelet["path"]: pagelet["reason"] for pagelet in row["pagelets"]}


def test_a_rejected_template_is_kept_and_a_pinned_one_removed_at_once(own):
    before = listed(own)
    done = own(
        "templates", "stones", "--reject", before[FOOTER]["id"], "--pin", before[MENU]["name"], "--json"
    )
    assert {row["where"]: row["state"] for row in done.rows} == {MENU: "pinned", FOOTER: "rejected"}
    assert (done.code, done.err) == (0, "")
    after = listed(own)
    assert {where: row["id"] for where, row in after.items()} == {
        where: row["id"] for where, row in before.items()
    }
    assert reasons(own)[FOOTER] == "rejected template"
    assert reasons(own)[MENU] == "pinned template"
    (document, *_) = own("export", "stones", "-s", "METHOD=templates").rows
    assert document["text"].endswith("look at them again.")
    told = own("explain", "https://stones.example/3", "-s", "METHOD=templates").out
    assert f"pinned template {after[MENU]['id']} on 8 pages (100%)" in told
    assert f"rejected template, template {after[FOOTER]['id']} on 8 pages (100%)" in told


def test_any_pagelet_can_be_pinned_by_the_name_that_explain_tells(own):
    rows = own("explain", "https://stones.example/3", "--json").rows[0]["pagelets"]
    article = next(row for row in rows if "Marble" in row["text"])
    done = own("templates", "stones", "--pin", article["name"].upper(), "--json")
    assert [(row["state"], row["pages"]) for row in done.rows] == [("pinned", 1)]
    assert "Marble" in done.rows[0]["text"]
    assert reasons(own)[article["path"]] in ("pinned template", "kept whole")
    assert own("templates", "stones", "--reset", article["name"], "--json").rows == []
    assert len(listed(own)) == 2


def test_a_reset_leaves_all_to_detection_again(own):
    version = own("export", "stones", "--fields", "template_version").rows[0]
    ids = [row["id"] for row in listed(own).values()]
    own("templates", "stones", "--pin", *ids)
    assert own("export", "stones", "--fields", "template_version").rows[0] != version
    done = own("templates", "stones", "--reset", "--json")
    assert {row["state"] for row in done.rows} == {"found"}
    assert own("export", "stones", "--fields", "template_version").rows[0] == version


@pytest.mark.parametrize("option", ["--pin", "--reject", "--reset"])
def test_an_unknown_template_is_refused_with_the_nearest(own, option):
    ids = sorted(row["id"] for row in listed(own).values())
    own("templates", "stones", option, "9999").refused("'9999'", f"the nearest: {ids[-1]}")
    name = listed(own)[MENU]["name"]
    wrong = name[:-1] + ("0" if name[-1] != "0" else "1")
    own("templates", "stones", option, wrong).refused(wrong, "the nearest: ", name)
    own("templates", "stones", option, "menu").refused("'menu'", "scrapy templates stones")


def test_a_template_is_pinned_or_rejected_not_both(own):
    row = listed(own)[MENU]
    own("templates", "stones", "--pin", row["id"], "--reject", row["name"]).refused(row["name"], "choose")


def test_what_is_decided_while_a_crawl_runs_waits(own, tmp_path):
    before = listed(own)
    lock = SiteLock(tmp_path / "data" / "stones.lock")
    try:
        done = own("templates", "stones", "--write", "--pin", before[MENU]["id"])
        assert (done.code, done.out) == (6, "")
        assert "another crawl of site 'stones' runs" in done.err
        done = own("templates", "stones", "--reject", before[FOOTER]["id"], "--pin", before[MENU]["id"])
        assert done.code == 0
        assert "a crawl of site 'stones' runs, and takes this" in done.err
        assert "found, rejected waits" in done.out
        own("templates", "stones", "--reset", before[MENU]["id"])
        own("templates", "stones", "--pin", "9999").refused("'9999'")
    finally:
        lock.release()
    states = {where: (row["state"], row["waits"]) for where, row in listed(own).items()}
    assert states == {MENU: ("found", "found"), FOOTER: ("found", "rejected")}
    # Whoever decides next takes what waits, where the crawl has been killed.
    own("templates", "stones", "--pin", before[MENU]["id"])
    states = {where: (row["state"], row["waits"]) for where, row in listed(own).items()}
    assert states == {MENU: ("pinned", None), FOOTER: ("rejected", None)}


def test_a_template_that_occurs_no_more_is_listed_while_it_is_decided(own, tmp_path):
    own("templates", "stones", "--reject", listed(own)[FOOTER]["id"])
    with Store.open(tmp_path / "data" / "stones") as store, store.transaction():
        store.connection.execute("DELETE FROM pagelets WHERE position = 2")
    row = next(row for row in own("templates", "stones", "--json").rows if row["state"] == "rejected")
    assert row["text"].endswith("look at them again.")
    assert row["where"] is None


FILE = """# Stones.
url = "https://stones.example/"  # all of them

[templates]
pinned = []  # none yet
"""


def write(own, path: Path, *options) -> dict[str, list[str]]:
    done = own("templates", "stones", *options, "--write", "--json")
    assert done.code == 0, done.err
    return tomllib.loads(path.read_text())["templates"]


def test_decisions_are_written_back_into_the_site_file(own, tmp_path):
    path = tmp_path / "sites" / "stones.toml"
    path.write_text(FILE)
    path.chmod(0o640)
    rows = listed(own)
    done = own("templates", "stones", "--pin", rows[MENU]["id"])
    assert done.err == ""
    assert write(own, path, "--reject", rows[FOOTER]["id"]) == {
        "pinned": [rows[MENU]["name"]],
        "rejected": [rows[FOOTER]["name"]],
    }
    text = path.read_text()
    assert "# Stones." in text
    assert "# all of them" in text
    assert "# none yet" in text
    assert f'"{rows[MENU]["name"]}", # Home First Second' in text
    assert path.stat().st_mode & 0o777 == 0o640
    assert list(path.parent.iterdir()) == [path]
    # Written again, it is as it was.
    write(own, path)
    assert path.read_text() == text


def test_a_reset_that_is_written_takes_the_entry_out(own, tmp_path):
    path = tmp_path / "sites" / "stones.toml"
    path.write_text(f"\ufeff{FILE}")
    menu = listed(own)[MENU]
    write(own, path, "--pin", menu["id"])
    done = own("templates", "stones", "--reset", menu["id"])
    assert re.search(r"wins at the next crawl: \S*scrapy templates stones --write", done.err)
    assert write(own, path)["pinned"] == []


def test_what_the_file_says_since_the_last_crawl_is_kept(own, tmp_path):
    path = tmp_path / "sites" / "stones.toml"
    rows = listed(own)
    path.write_text(f'url = "https://stones.example/"\ntemplates.rejected = ["{rows[FOOTER]["name"]}"]\n')
    assert write(own, path, "--pin", rows[MENU]["id"]) == {
        "pinned": [rows[MENU]["name"]],
        "rejected": [rows[FOOTER]["name"]],
    }
    assert listed(own)[FOOTER]["state"] == "rejected"


@pytest.mark.parametrize(
    ("source", "said"),
    [
        (None, "has no file"),
        ("url = ", "TOML"),
        ("templates = 3", "templates.pinned"),
        ("[templates]\npinned=['x']", "'x'"),
    ],
)
def test_a_file_that_cannot_take_decisions_is_refused_and_stays(own, tmp_path, source, said):
    path = tmp_path / "sites" / "stones.toml"
    if source is not None:
        path.write_text(source)
    done = own("templates", "stones", "--pin", listed(own)[MENU]["id"], "--write")
    done.refused("scrapy templates: ", str(path), said)
    assert source is None or path.read_text() == source
