from __future__ import annotations

import re
import shutil

import pytest

from crawler.commandline.output import printable
from store.site import Store
from tests.crawls import crawl

from .conftest import BASE


def test_each_pagelet_is_told_with_its_reason_and_template(scrapy):
    done = scrapy("explain", f"{BASE}/3")
    assert (done.code, done.err) == (0, "")
    assert "site stones: delivered" in done.out
    menu = next(line for line in done.out.splitlines() if "nav#menu" in line)
    assert "removed" in menu
    assert "template" in menu
    assert "on 8 pages (100%)" in menu


def test_a_document_that_a_pipeline_has_dropped_is_told(crawled, tmp_path, scrapy):
    shutil.copytree(crawled.data / "stones", tmp_path / "stones")
    with Store.open(tmp_path / "stones") as store, store.transaction():
        store.documents.keep_back(store.documents.page_of(f"{BASE}/3"))
    out = scrapy("explain", f"{BASE}/3", "-s", f"DATA_DIR={tmp_path}").out
    assert "site stones: delivered; a pipeline has dropped its document\n" in out


def test_values_of_fields_are_named(scrapy):
    own = ["-s", 'EXTRACT={"stone": "h1::text", "no": {"css": ".no", "required": true}}']
    out = scrapy("explain", f"{BASE}/3", *own).out
    assert '; flags: missing_field\nfield stone: "Marble"\nfield no: null\n' in out
    assert scrapy("explain", f"{BASE}/3", "--json", *own).rows[0]["fields"] == {"stone": "Marble", "no": None}


def test_a_pagelet_that_is_kept_in_part_is_told_block_by_block(scrapy):
    out = scrapy("explain", f"{BASE}/3", "-s", "METHOD=templates").out
    assert "removed  repeated on 8 pages  Gone" in out
    assert "kept     content  Marble  h1\n" in out


def test_what_each_kind_of_evidence_says_is_told_in_words(scrapy):
    out = scrapy("explain", f"{BASE}/3").out
    weighed = r"(support|looks|neighbours|network|consensus) (a little|clearly|strongly) (for|against)"
    said = rf"\(\d+% likely: {weighed}(, {weighed})*\)"
    assert re.search(rf"removed  (template|repeated on 8 pages|looks|neighbours) {said}  Home", out)
    assert re.search(rf"kept     content {said}  On the hill of stones", out)
    block = scrapy("explain", f"{BASE}/3", "--json").rows[0]["pagelets"][0]["blocks"][0]
    assert set(block) == {"text", "kept", "reason", "score", "evidence", "selector"}
    assert set(block["evidence"]) == {"support", "looks", "neighbours"}


def test_a_counter_is_told_with_its_share_of_pages(scrapy, tmp_path):
    for number in range(20):
        counter = f"<b>Read {980 + number:,} times</b>" if number < 11 else ""
        path = tmp_path / "pages" / f"{number}.html"
        path.parent.mkdir(exist_ok=True)
        path.write_text(f"<h1>Loaf {number}</h1>{counter}<p>{f'Loaf{number} is bread. ' * 20}</p>")
    crawl(tmp_path, "archive", path=tmp_path / "pages", base=f"{BASE}/", site="loaves", method="judged")
    said = scrapy("explain", f"{BASE}/3.html", "--site", "loaves", "-s", f"DATA_DIR={tmp_path}").out
    assert "removed  a counter: the same text but for its digits on 55% of pages" in said


def test_for_machines_it_is_the_field_of_a_document(scrapy):
    row = scrapy("explain", f"{BASE}/3", "--json").rows[0]
    exported = scrapy("export", "stones", "-s", "EXPLAIN_ENABLED=1").rows[3]
    assert row["site"] == "stones"
    assert row["state"] == "delivered"
    names = [pagelet.pop("name") for pagelet in row["pagelets"]]
    assert [block.pop("selector") for pagelet in row["pagelets"] for block in pagelet["blocks"]]
    assert {name: row[name] for name in ("url", "title", "stats", "pagelets")} == {
        name: exported[name] for name in ("url", "title", "stats", "pagelets")
    }
    assert {name for name in names if name in scrapy("explain", f"{BASE}/3").out} == set(names)


def test_the_selector_that_has_decided_is_told(scrapy):
    out = scrapy("explain", f"{BASE}/3", "-s", "KEEP_SELECTORS=nav", "-s", "DROP_SELECTORS=h1").out
    assert re.search(r"kept     kept by selector 'nav'( \(.*\))?  Home", out)
    assert re.search(r"removed  dropped by selector 'h1'( \(.*\))?  Marble", out)


def test_another_spelling_of_the_url_finds_the_page(scrapy):
    assert scrapy("explain", "HTTPS://STONES.example:443/3#top", "--json").rows[0]["url"] == f"{BASE}/3"


@pytest.mark.parametrize(("path", "said"), [("moved", f"redirected to {BASE}/1"), ("gone", "gone: http 404")])
def test_of_a_url_without_a_page_it_says_what_became_of_it(scrapy, path, said):
    done = scrapy("explain", f"{BASE}/{path}")
    assert done.code == 0
    assert said in done.out
    row = scrapy("explain", f"{BASE}/{path}", "--json").rows[0]
    assert (row["state"], row["stats"], row["pagelets"]) == (said.split()[0].strip(":"), None, [])


def test_an_unknown_url_is_refused_with_the_nearest_known(scrapy):
    scrapy("explain", f"{BASE}/move").refused("scrapy explain: ", f"{BASE}/move'", f"{BASE}/moved")


def test_a_url_of_an_unknown_host_is_refused_with_the_sites_there_are(scrapy):
    scrapy("explain", "https://elsewhere.example/").refused("elsewhere.example", "stones", "crawl")


def test_a_page_without_a_document_says_why(scrapy, twice):
    with Store.open(twice / "one") as store, store.transaction():
        store.connection.execute("DELETE FROM documents")
        store.connection.execute("UPDATE pages SET state = 'held', excluded = 'noindex'")
    found = ("explain", f"{BASE}/3", "--site", "one", "-s", f"DATA_DIR={twice}")
    assert scrapy(*found).out == f"{BASE}/3\nsite one: held: noindex; it has no document\n"
    assert scrapy(*found, "--json").rows[0]["reason"] == "noindex"


@pytest.mark.parametrize("url", ["http://[", ""])
def test_what_is_no_url_is_refused(scrapy, url):
    scrapy("explain", url).refused("URL")


@pytest.fixture
def twice(crawled, tmp_path):
    """The same pages crawled for two sites, and a store that cannot be read."""
    for site in ("one", "two"):
        shutil.copytree(crawled.data / "stones", tmp_path / site)
    return tmp_path


def test_a_page_of_two_sites_needs_a_choice(scrapy, twice):
    scrapy("explain", f"{BASE}/3", "-s", f"DATA_DIR={twice}").refused("one, two", "--site")
    done = scrapy("explain", f"{BASE}/3", "--site", "two", "--json", "-s", f"DATA_DIR={twice}")
    assert done.rows[0]["site"] == "two"


def test_the_site_that_has_the_page_comes_first(scrapy, twice):
    with Store.open(twice / "one") as store, store.transaction():
        store.connection.execute("UPDATE pages SET state = 'refused', reason = 'scope', fetched_run = NULL")
    done = scrapy("explain", f"{BASE}/3", "--json", "-s", f"DATA_DIR={twice}")
    assert done.rows[0]["site"] == "two"


def test_a_store_that_cannot_be_used_does_not_hide_the_others(scrapy, twice):
    (twice / "one" / "store.sqlite").write_text("no database " * 100)
    done = scrapy("explain", f"{BASE}/3", "--json", "-s", f"DATA_DIR={twice}")
    assert done.code == 0
    assert done.rows[0]["site"] == "two"
    assert "passed over" in done.err
    (twice / "two" / "store.sqlite").write_text("no database " * 100)
    done = scrapy("explain", f"{BASE}/3", "-s", f"DATA_DIR={twice}")
    assert (done.code, done.err.count("passed over: ")) == (2, 2)
    assert "no store can be looked into" in done.err


@pytest.mark.parametrize("name", ["one", "ONE"])
def test_a_site_file_that_is_wrong_or_missing_does_not_hide_the_others(scrapy, twice, name):
    files = twice / "files"
    files.mkdir()
    (files / f"{name}.toml").write_text(f'url = "{BASE}/"\nkk = 4\n')
    folders = ["-s", f"DATA_DIR={twice}", "-s", f"SITES_DIR={files}"]
    done = scrapy("explain", f"{BASE}/3", "--json", *folders)
    assert (done.code, done.rows[0]["site"], done.err.count("passed over")) == (0, "two", 1)
    scrapy("explain", f"{BASE}/3", "--site", "one", *folders).refused("one")


def test_what_would_steer_a_terminal_is_not_printed():
    assert printable("one\x1b[31m\n\ttwo\x07 \u202ethree\x9b") == "one[31m two three"
    assert printable("a" * 10, 5) == "aaaa…"
