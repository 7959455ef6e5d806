"""Held pages are released when the templates are known: once, whole, and whatever ends the crawl."""

from __future__ import annotations

import logging
from contextlib import closing

import duckdb
import pytest

from crawler.run.review import Review
from release.detection import Detector
from release.judging import ReleaseLedger
from store.errors import StoreUnusable
from store.site import Store
from tests.crawls import crawl
from tests.served import page, served

LINKS = "".join(f"<li><a href='/menu{n}'>Menu entry {n}</a></li>" for n in range(5))
MENU = f"<nav><ul>{LINKS}</ul></nav>"
SITE = {
    "/": page("home", "/a", "/b", "/c"),
    "/a": page("a", around=MENU),
    "/b": page("b", around=MENU),
    "/c": page("c"),
}


def texts(crawled, base):
    return {document["url"].removeprefix(base): document["text"] for document in crawled.documents}


def test_a_menu_is_removed_from_every_page_that_has_it(tmp_path):
    with served(SITE) as site:
        few = texts(crawl(tmp_path / "1", url=f"{site.base}/"), site.base)
        enough = texts(crawl(tmp_path / "2", url=f"{site.base}/", min_pages=2), site.base)
    assert "Menu entry 1" in few["/a"]
    assert "Menu entry" not in "".join(enough.values())
    assert "This is what the page a says" in enough["/a"]


def test_other_templates_release_what_they_change_and_nothing_else(tmp_path):
    with served(SITE) as site:
        crawl(tmp_path, url=f"{site.base}/")
        site.pages["/"] = page("home", "/a", "/b", "/c", around=MENU)
        second = crawl(tmp_path, url=f"{site.base}/", max_pages=1)
        third = crawl(tmp_path, url=f"{site.base}/", max_pages=1)
    # The home page alone was fetched; with it there are three pages that have the menu. Its own text is as
    # it was.
    released = texts(second, site.base)
    assert sorted(released) == ["/a", "/b"]
    assert "Menu entry" not in "".join(released.values())
    assert second.stats["documents/unchanged"] == 2
    assert third.documents == []


@pytest.mark.parametrize(
    "error", [RuntimeError("bug"), OSError(28, "No space left on device"), duckdb.Error()]
)
def test_a_detection_that_fails_leaves_the_release_to_the_next_run(tmp_path, monkeypatch, error):
    def fail(*_):
        raise error

    with served(SITE) as site:
        with monkeypatch.context() as patch:
            patch.setattr(Detector, "find", fail)
            crawled = crawl(tmp_path, url=f"{site.base}/", site="s")
        assert (crawled.outcome, crawled.documents) == ("interrupted", [])
        site.asked.clear()
        again = crawl(tmp_path, url=f"{site.base}/", site="s")
        assert not site.asked.keys() & SITE.keys()
    assert again.outcome == "complete"
    assert again.paths(site.base) == sorted(SITE)


@pytest.mark.parametrize("error", [RuntimeError("no thread"), StoreUnusable("no more files")])
@pytest.mark.parametrize("place", [(ReleaseLedger, "marks_changed"), (Review, "more_to_fetch")])
def test_a_run_that_fails_between_two_stages_is_interrupted_and_the_next_goes_on(
    tmp_path, monkeypatch, place, error
):
    def fail(*_):
        raise error

    with served(dict(SITE)) as site:
        crawl(tmp_path, url=f"{site.base}/", site="s")
        del site.pages["/c"]
        site.pages["/a"] = page("another", around=MENU)
        with monkeypatch.context() as patch:
            patch.setattr(*place, fail)
            crawled = crawl(tmp_path, url=f"{site.base}/", site="s")
        assert (crawled.outcome, crawled.deleted) == ("interrupted", {})
        again = crawl(tmp_path, url=f"{site.base}/", site="s")
    assert (again.outcome, again.deleted) == ("complete", {f"{site.base}/c": "http 404"})
    assert "/a" in crawled.paths(site.base) + again.paths(site.base)


def test_the_store_says_what_was_delivered(tmp_path):
    with served(SITE) as site:
        crawled = crawl(tmp_path, url=f"{site.base}/", site="s")
    with closing(Store.open(tmp_path / "s")) as store:
        assert not store.documents.pending()
        assert store.documents.deliver(1) == 0
    assert crawled.stats["documents/released"] == crawled.stats["documents/delivered"] == 4
    assert crawled.stats["item_scraped_count"] == 4
    assert crawled.stats["item_dropped_reasons_count/Held"] == 4


def test_a_content_that_is_stored_is_not_stored_again(tmp_path):
    with served(SITE) as site:
        first = crawl(tmp_path, url=f"{site.base}/", site="s")
        second = crawl(tmp_path, url=f"{site.base}/", site="s")
    assert first.stats["pagelets/new_fragments"] == first.stats["pagelets/count"] - 1
    assert second.stats["pagelets/new_fragments"] == 0
    assert second.stats["pagelets/count"] == first.stats["pagelets/count"]


def test_the_log_names_pages_and_holds_none(tmp_path, caplog):
    with served(SITE) as site, caplog.at_level(logging.DEBUG, "scrapy.core.scraper"):
        crawl(tmp_path, url=f"{site.base}/", settings={"LOG_LEVEL": "DEBUG"})
    logged = [record.getMessage() for record in caplog.records if record.name == "scrapy.core.scraper"]
    assert f"Held {site.base}/a" in logged
    assert f"Released {site.base}/a" in logged
    assert not any("what the page" in line for line in logged)


def test_explained_documents_tell_why(tmp_path):
    with served(SITE) as site:
        crawled = crawl(tmp_path, url=f"{site.base}/", min_pages=2, settings={"EXPLAIN_ENABLED": True})
    document = next(d for d in crawled.documents if d["title"] == "a")
    menu = next(p for p in document["pagelets"] if "Menu entry 0" in p["blocks"][0]["text"])
    assert (menu["kept"], menu["support"]["pages"]) == (0, 2)


def test_pages_of_several_hosts_share_their_templates(tmp_path):
    around = f"<nav><ul>{LINKS.replace('/menu', 'https://elsewhere.example/')}</ul></nav>"
    pages = {"/": page("one", "/a", around=around), "/a": page("a", around=around)}
    with served(pages) as one, served({"/": page("two", around=around)}) as two:
        crawled = crawl(tmp_path, url=f"{one.base}/,{two.base}/", site="sisters")
    assert len(crawled.documents) == 3
    assert not any("Menu entry" in document["text"] for document in crawled.documents)
