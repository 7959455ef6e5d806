"""Crawls that feed a search index: what is released is in it, and nothing else."""

from __future__ import annotations

import asyncio
import json
import shutil
import signal
from unittest.mock import Mock

import pytest
from scrapy.exceptions import DropItem
from scrapy.settings import Settings

from crawler.configuration.judgement import stored_judge
from search.delivery import deliveries_of
from search.released import ReleasedDocuments
from search.sink import document_id
from store.errors import StoreUnusable
from store.site import Store
from tests import jsonsink
from tests.crawls import crawl, scrapy, start
from tests.processes import wait_until
from tests.served import page, served

NAMES = ("", "a", "b", "c", "d")


class Filters:
    """Drops the document of one page, and fails on that of another."""

    def process_item(self, item):
        url = item.get("url", "") if isinstance(item, dict) else ""
        if url.endswith("/b"):
            raise DropItem("not wanted")
        if url.endswith("/c"):
            raise ValueError("not understood")
        return item


class FiltersAfter(Filters):
    """As `Filters`, behind the index."""


@pytest.fixture
def site():
    pages = {f"/{name}": page(name or "home", *(f"/{one}" for one in NAMES)) for name in NAMES}
    with served(pages) as running:
        yield running


def run(site, folder, settings=None, **arguments):
    own = {**jsonsink.SETTINGS, **(settings or {})}
    return crawl(folder, url=f"{site.base}/", settings=own, **{"site": "s", **arguments})


def index(folder):
    return folder / "_index" / "s"


def held(site, folder):
    return sorted(url.removeprefix(site.base) for url in jsonsink.texts(index(folder)))


ALL = sorted(f"/{name}" for name in NAMES)


def test_what_is_released_is_in_the_index(site, tmp_path):
    crawled = run(site, tmp_path)
    texts = {document["url"]: [document["text"]] for document in crawled.documents}
    assert (crawled.outcome, jsonsink.texts(index(tmp_path))) == ("complete", texts)
    assert crawled.stats["index/json/indexed"] == 5
    assert crawled.stats["index/json/undelivered"] == 0
    assert crawled.stats["index/json/batches"] == 2


def test_a_recrawl_sends_what_has_changed_and_is_gone(site, tmp_path):
    run(site, tmp_path)
    site.pages["/a"] = page("a", *ALL, text="What the page says by now is another thing.")
    del site.pages["/b"]
    crawled = run(site, tmp_path)
    assert (crawled.stats["index/json/indexed"], crawled.stats["index/json/deleted"]) == (1, 1)
    assert held(site, tmp_path) == ["/", "/a", "/c", "/d"]
    again = run(site, tmp_path)
    assert (again.outcome, again.stats["index/json/batches"]) == ("complete", 0)


def test_documents_have_the_fields_that_are_asked_for_and_the_index_those_it_needs(site, tmp_path):
    crawled = run(site, tmp_path, {"DOCUMENT_FIELDS": ["url", "links"], "JSON_UNITS": "sections"})
    assert {tuple(document) for document in crawled.documents} == {("url", "links")}
    assert all(text for texts in jsonsink.texts(index(tmp_path)).values() for text in texts)


def test_a_sink_that_is_down_holds_no_crawl_up_and_loses_nothing(site, tmp_path):
    jsonsink.order(index(tmp_path), open=99)
    crawled = run(site, tmp_path)
    assert (crawled.outcome, len(crawled.documents)) == ("undelivered", 5)
    assert crawled.stats["index/json/undelivered"] == 5
    jsonsink.order(index(tmp_path))
    again = run(site, tmp_path)
    assert (again.outcome, again.documents) == ("complete", [])
    assert held(site, tmp_path) == ALL


def test_a_sink_that_is_down_is_told_though_nothing_has_changed(site, tmp_path):
    run(site, tmp_path)
    jsonsink.order(index(tmp_path), open=99)
    crawled = run(site, tmp_path)
    assert (crawled.outcome, crawled.documents) == ("undelivered", [])
    assert (crawled.stats["index/json/down"], crawled.stats["index/json/undelivered"]) == (1, 0)
    jsonsink.order(index(tmp_path))
    assert run(site, tmp_path).outcome == "complete"


def test_a_refused_document_is_undelivered_until_it_is_taken(site, tmp_path):
    jsonsink.order(index(tmp_path), poisoned=[f"{site.base}/c"])
    crawled = run(site, tmp_path)
    assert (crawled.outcome, held(site, tmp_path)) == ("undelivered", ["/", "/a", "/b", "/d"])
    assert crawled.stats["index/json/refused"] == 1
    assert run(site, tmp_path).outcome == "undelivered"
    jsonsink.order(index(tmp_path))
    assert (run(site, tmp_path).outcome, held(site, tmp_path)) == ("complete", ALL)


@pytest.mark.parametrize(("place", "kind"), [(250, Filters), (900, FiltersAfter)])
def test_what_another_pipeline_drops_or_fails_on_is_not_in_the_index(site, tmp_path, place, kind):
    pipelines = {kind: place}
    crawled = run(site, tmp_path, {"ITEM_PIPELINES": pipelines})
    # What failed is released again by the next run; behind the index it is there already.
    assert (crawled.outcome, crawled.stats["documents/dropped"]) == ("undelivered", 1)
    assert held(site, tmp_path) == (["/", "/a", "/d"] if place < 300 else ["/", "/a", "/c", "/d"])
    run(site, tmp_path)
    assert held(site, tmp_path) == ["/", "/a", "/c", "/d"]


def test_a_fresh_crawl_takes_the_place_of_the_index_too(site, tmp_path):
    run(site, tmp_path)
    del site.pages["/d"]
    site.pages["/"] = page("home", "/a", "/b", "/c")
    crawled = run(site, tmp_path, fresh=1)
    assert (crawled.outcome, held(site, tmp_path)) == ("complete", ["/", "/a", "/b", "/c"])
    with Store.open(tmp_path / "s") as store:
        assert store.deliveries.counts("json") == (4, 0)


def test_a_fresh_crawl_is_kept_though_the_index_is_down(site, tmp_path):
    run(site, tmp_path)
    del site.pages["/d"]
    jsonsink.order(index(tmp_path), open=9)
    crawled = run(site, tmp_path, fresh=1)
    assert crawled.outcome == "undelivered"
    with Store.open(tmp_path / "s") as store:
        assert len(list(store.documents.current())) == 4
    jsonsink.order(index(tmp_path))
    assert run(site, tmp_path).outcome == "complete"
    assert held(site, tmp_path) == ["/", "/a", "/b", "/c"]


def test_a_fresh_crawl_that_fails_leaves_the_index(site, tmp_path):
    run(site, tmp_path)
    texts = jsonsink.texts(index(tmp_path))
    site.pages.clear()
    assert run(site, tmp_path, fresh=1).outcome == "empty"
    assert jsonsink.texts(index(tmp_path)) == texts


def test_an_outage_after_the_store_was_lost_leaves_the_index(site, tmp_path):
    pages = dict(site.pages)
    site.pages.clear()
    assert run(site, tmp_path).outcome == "empty"
    assert not index(tmp_path).exists()
    site.pages |= pages
    run(site, tmp_path)
    texts = jsonsink.texts(index(tmp_path))
    shutil.rmtree(tmp_path / "s")
    site.pages.clear()
    assert run(site, tmp_path).outcome == "empty"
    assert jsonsink.texts(index(tmp_path)) == texts


def test_what_a_fresh_crawl_has_sent_that_is_killed_then_does_not_stay(site, tmp_path, monkeypatch):
    run(site, tmp_path)
    site.pages |= {"/": page("home", *(f"/{one}" for one in NAMES), "/e"), "/e": page("e")}
    with monkeypatch.context() as patched:
        patched.setattr("crawler.run.session.replace_store", Mock(side_effect=StoreUnusable("killed")))
        assert run(site, tmp_path, fresh=1).outcome is None
    assert "/e" in held(site, tmp_path)
    site.pages["/"] = page("home", *(f"/{one}" for one in NAMES))
    assert run(site, tmp_path).outcome == "complete"
    assert held(site, tmp_path) == ALL


def test_a_sample_feeds_no_index(site, tmp_path):
    assert run(site, tmp_path, sample=3).outcome == "limited"
    assert not index(tmp_path).exists()


@pytest.mark.parametrize("moment", ["before", "after", "inside"])
def test_a_process_that_is_killed_beside_a_commit_sends_again(site, tmp_path, moment):
    if moment == "inside":
        run(site, tmp_path)
        (index(tmp_path) / "json.json").unlink()
        site.pages["/a"] = page("a", *ALL, text="What the page says by now is another thing.")
    jsonsink.order(index(tmp_path), kill=[moment])
    arguments = ["-a", f"url={site.base}/", "-a", "site=s", *jsonsink.OPTIONS]
    assert start(tmp_path, *arguments).wait() == -signal.SIGKILL
    crawled = run(site, tmp_path)
    assert crawled.outcome == "complete"
    with Store.open(tmp_path / "s") as store:
        wanted = {document_id(url): digest for url, _, digest, _ in store.deliveries.hashes("json")}
    assert sorted(wanted) == sorted(document_id(f"{site.base}/{name}") for name in NAMES)
    sink = json.loads((index(tmp_path) / "json.json").read_text())["units"]
    assert {unit: found["hash"] for unit, found in sink.items()} == wanted


def test_a_rebuild_in_the_middle_of_a_round_has_what_went_out_before_it(site, tmp_path):
    run(site, tmp_path)
    before = jsonsink.texts(index(tmp_path))
    for name in NAMES[1:]:
        site.pages[f"/{name}"] = page(name, *ALL, text=f"By now {name} says another thing altogether.")
    site.delay = lambda path: 30.0 if path == "/d" else 0.0
    process = start(tmp_path, "-a", f"url={site.base}/", "-a", "site=s", *jsonsink.OPTIONS)
    wait_until(lambda: fetched_since(tmp_path, 1) >= 3)
    process.send_signal(signal.SIGKILL)
    process.wait()
    (index(tmp_path) / "json.json").unlink()
    project = Settings()
    project.setmodule("settings.base", priority="project")
    project.update({"DATA_DIR": str(tmp_path), **jsonsink.SETTINGS}, priority="project")
    with Store.open(tmp_path / "s") as store:
        (delivery,) = deliveries_of("s", store, project, ())
        asyncio.run(
            delivery.catch_up(ReleasedDocuments(store, lambda: stored_judge(store, project, site="s")))
        )
        assert delivery.waiting() == 0
    assert jsonsink.texts(index(tmp_path)) == before


def fetched_since(folder, run_before):
    with Store.open(folder / "s") as store:
        return store.connection.execute(
            "SELECT count(*) FROM pages WHERE fetched_run > ? AND url NOT LIKE '%/'", (run_before,)
        ).fetchone()[0]


def test_what_is_stopped_sends_what_it_released(site, tmp_path):
    site.delay = lambda path: 0.0 if path == "/robots.txt" else 0.2
    arguments = ["-a", f"url={site.base}/", "-a", "site=s", *jsonsink.OPTIONS, "-s", "CONCURRENT_REQUESTS=1"]
    process = start(tmp_path, *arguments)
    wait_until(lambda: site.asked["/a"])
    process.send_signal(signal.SIGINT)
    assert process.wait() == 4
    assert "/" in held(site, tmp_path)
    site.delay = lambda path: 0.0
    assert run(site, tmp_path).outcome == "complete"
    assert held(site, tmp_path) == ALL


def test_a_sink_that_does_not_exist_is_a_usage_error(tmp_path):
    done = scrapy(tmp_path, "-a", "url=http://127.0.0.1:9/", "-s", "SINKS=tantivi")
    assert done.returncode == 2
    assert done.stderr == "scrapy crawl: SINKS[0]: unknown sink 'tantivi'; did you mean 'tantivy'?\n"
