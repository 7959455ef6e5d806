from __future__ import annotations

import shutil

import pytest

from store.site import Store


@pytest.fixture
def two_runs(crawled, tmp_path):
    """The store of a site with a crawl, and one after it that lost most of the site."""
    shutil.copytree(crawled.data, tmp_path / "data")
    with Store.open(tmp_path / "data" / "stones") as store, store.transaction():
        run = store.runs.begin({"spider": "site"}, {"python": "3"})
        store.runs.finish(run, "suspicious", {"pages/held": 3, "documents/deleted": 0})
    return tmp_path / "data"


def test_a_run_is_a_row_with_its_outcome_and_counts(scrapy):
    done = scrapy("runs", "stones")
    header, row = done.out.splitlines()
    assert done.code == 0
    assert header.split()[:4] == ["run", "started", "seconds", "outcome"]
    assert row.split()[0] == "1"
    assert " complete " in row


def test_the_latest_comes_first_and_shows_what_has_changed(scrapy, two_runs):
    rows = scrapy("runs", "stones", "-s", f"DATA_DIR={two_runs}").out.splitlines()[1:]
    assert [row.split()[0] for row in rows] == ["2", "1"]
    assert "suspicious" in rows[0]
    assert "3 (-5)" in rows[0]


def test_for_machines_all_that_is_known(scrapy, two_runs):
    latest, first = scrapy("runs", "stones", "--json", "-s", f"DATA_DIR={two_runs}").rows
    assert latest["changes"]["pages/held"] == -5
    assert (latest["outcome"], first["outcome"]) == ("suspicious", "complete")
    assert first["changes"] == {}
    assert first["counts"]["pages/held"] == 8
    assert first["parameters"]["spider"] == "archive"
    assert first["seconds"] >= 0


def test_so_many_are_listed_as_asked_for(scrapy, two_runs):
    data = f"DATA_DIR={two_runs}"
    assert len(scrapy("runs", "stones", "--last", "1", "--json", "-s", data).rows) == 1
    assert len(scrapy("runs", "stones", "--last", "0", "--json", "-s", data).rows) == 2
    scrapy("runs", "stones", "--last", "many").refused("scrapy runs: ", "--last many")


def test_a_run_that_was_killed_has_no_outcome(scrapy, two_runs):
    with Store.open(two_runs / "stones") as store, store.transaction():
        store.runs.begin({}, {})
    row = scrapy("runs", "stones", "-s", f"DATA_DIR={two_runs}").out.splitlines()[1]
    assert " none " in row
    latest = scrapy("runs", "stones", "--json", "-s", f"DATA_DIR={two_runs}").rows[0]
    assert (latest["outcome"], latest["seconds"]) == (None, None)


def test_an_unknown_site_is_refused_with_the_nearest(scrapy):
    scrapy("runs", "stone").refused("scrapy runs: ", "'stone'", "'stones'")


def test_a_site_that_was_never_crawled_is_to_be_crawled(scrapy, tmp_path):
    (tmp_path / "stone.toml").write_text('url = "https://stone.example/"\n')
    refused = scrapy("runs", "stone", "-s", f"SITES_DIR={tmp_path}")
    refused.refused("scrapy runs: unknown site 'stone': there is no store", "scrapy crawl site -a site=stone")


def test_two_runs_are_compared(scrapy, two_runs):
    data = f"DATA_DIR={two_runs}"
    out = scrapy("runs", "stones", "--compare", "1", "2", "-s", data).out
    assert "stones: from run 1 to run 2" in out
    assert "spider: archive, then site" in out
    assert "pages/held: -5" in out
    assert "0 documents came" in out
    (row,) = scrapy("runs", "stones", "--compare", "2", "1", "--json", "-s", data).rows
    assert (row["first"], row["second"], row["parameters"]["spider"]) == (1, 2, ["archive", "site"])
    scrapy("runs", "stones", "--compare", "1", "9", "-s", data).refused("unknown run 9", "there are 1 to 2")
    scrapy("runs", "stones", "--compare", "1", "x", "-s", data).refused("--compare x")
