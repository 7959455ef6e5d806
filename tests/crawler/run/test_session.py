"""A crawl at work on a site: rounds that are continued, and stores that are replaced."""

from __future__ import annotations

import sqlite3
from contextlib import closing

import pytest
from scrapy import Spider
from scrapy.crawler import Crawler
from scrapy.exceptions import NotConfigured
from scrapy.settings import Settings

from crawler.configuration.plan import plan_site
from crawler.run.session import CrawlSession, session_of
from crawler.spiders.site import SiteSpider
from store.database import FILE
from store.errors import SiteBusy, StoreUnusable
from store.site import Store, last_file
from tests import jsonsink
from tests.changing import ChangingSite
from tests.crawls import crawl, states
from tests.filed import filed, last_run
from tests.recrawls import Recrawls, hashes
from tests.served import Answer, moved, page, served

SMALL = {"/": page("home", "/a", "/b"), "/a": page("a", "/"), "/b": page("b", "/")}


def forget_the_end(folder, undelivered=()):
    """Leaves the store as a process that was killed before the end of its last run would."""
    with closing(Store.open(folder)) as store, store.transaction():
        execute = store.connection.execute
        execute("UPDATE runs SET outcome = NULL WHERE run = (SELECT max(run) FROM runs)")
        for url in undelivered:
            execute(
                "UPDATE documents SET delivered = 0 WHERE page = (SELECT page FROM pages WHERE url = ?)",
                (url,),
            )


def test_a_component_of_a_spider_that_is_not_ours_is_switched_off():
    crawler = Crawler(Spider, Settings())
    crawler.spider = Spider("theirs")
    with pytest.raises(NotConfigured):
        session_of(crawler)


def test_a_run_killed_after_its_delivery_is_completed_without_a_request(tmp_path):
    with served(SMALL) as site:
        crawl(tmp_path, url=f"{site.base}/", site="s")
        forget_the_end(tmp_path / "s")
        site.asked.clear()
        again = crawl(tmp_path, url=f"{site.base}/", site="s")
    assert (again.outcome, again.documents) == ("complete", [])
    assert not site.asked.keys() & SMALL.keys()


def test_what_was_not_delivered_is_released_once_more(tmp_path):
    with served(SMALL) as site:
        crawl(tmp_path, url=f"{site.base}/", site="s")
        forget_the_end(tmp_path / "s", [f"{site.base}/a"])
        again = crawl(tmp_path, url=f"{site.base}/", site="s")
    assert again.paths(site.base) == ["/a"]


def test_a_page_fetched_again_by_a_run_that_was_killed_goes_out(tmp_path):
    with served(SMALL) as site:
        crawl(tmp_path, url=f"{site.base}/", site="s")
        site.pages["/a"] = page("a", "/", text="Changed since.")
        with closing(Store.open(tmp_path / "s")) as store, store.transaction():
            before = store.connection.execute("SELECT * FROM documents").fetchall()
        crawl(tmp_path, url=f"{site.base}/", site="s")
        # The second run fetched everything, and was killed before it released anything.
        forget_the_end(tmp_path / "s")
        with closing(Store.open(tmp_path / "s")) as store, store.transaction():
            marks = ", ".join("?" * len(before[0]))
            store.connection.executemany(f"INSERT OR REPLACE INTO documents VALUES ({marks})", before)
        site.asked.clear()
        again = crawl(tmp_path, url=f"{site.base}/", site="s")
    assert again.paths(site.base) == ["/a"]
    assert "Changed since." in {d["url"]: d["text"] for d in again.documents}[f"{site.base}/a"]
    assert not site.asked.keys() & SMALL.keys()


def test_a_run_that_continues_one_without_a_page_can_be_empty(tmp_path):
    with served({}) as site:
        given = {"url": f"{site.base}/", "site": "s", "settings": with_file(tmp_path)}
        crawl(tmp_path, **given)
        forget_the_end(tmp_path / "s")
        assert crawl(tmp_path, **given).outcome == "empty"


def with_file(folder):
    """Settings with which the site has a file."""
    (folder / "sites").mkdir()
    (folder / "sites" / "s.toml").write_text("url = 'http://stones.example/'")
    return {"SITES_DIR": str(folder / "sites")}


@pytest.mark.parametrize("how", [{}, {"sample": 3}, {"fresh": 1}])
@pytest.mark.parametrize(
    "pages",
    [None, {}, {"/": "", "/robots.txt": Answer("User-agent: *\nDisallow: /", kind="text/plain")}],
    ids=["unreachable", "gone", "forbidden"],
)
def test_a_first_run_without_a_page_leaves_nothing(tmp_path, pages, how):
    with served(pages or {}) as site:
        if pages is not None:
            assert crawl(tmp_path, url=f"{site.base}/", site="s", **how).outcome == "empty"
    if pages is None:
        # Nobody listens there any more.
        assert crawl(tmp_path, url=f"{site.base}/", site="s", **how).outcome == "empty"
    assert list(tmp_path.iterdir()) == []


def test_a_run_without_a_page_leaves_what_was_there_and_the_record_of_a_site_with_a_file(tmp_path):
    with served(SMALL) as site:
        crawl(tmp_path / "a", url=f"{site.base}/", site="s")
    settings = with_file(tmp_path)
    for folder in (tmp_path / "a", tmp_path / "b"):
        assert crawl(folder, url=f"{site.base}/", site="s", settings=settings).outcome == "empty"
        with closing(Store.open(folder / "s")) as store:
            assert store.runs.all()[0].outcome == "empty"
        assert sorted(path.name for path in folder.iterdir()) == ["s", "s.lock"]
    with closing(Store.open(tmp_path / "a" / "s")) as store:
        assert store.documents.count() == len(SMALL)


@pytest.mark.parametrize(("how", "folder"), [({"fresh": 1}, "s"), ({"sample": 3}, ".s.sample")])
def test_a_store_of_its_own_has_no_decision_that_the_site_file_has_taken_back(tmp_path, how, folder):
    kept, dropped = "0f3a52c1d4e5b697", "c2a706ec4b961fc2"
    with served(SMALL) as site:
        for names in ([kept, dropped], [kept]):
            settings, more = {"REJECTED_TEMPLATES": names}, how if names == [kept] else {}
            crawl(tmp_path, url=f"{site.base}/", site="s", settings=settings, **more)
    with closing(Store.open(tmp_path / folder)) as store:
        assert [decision.name for decision in store.decisions.all()] == [kept]


def test_a_run_goes_on_where_a_moved_start_url_led(tmp_path):
    with served(SMALL) as new, served({"/": moved(f"{new.base}/")}) as old:
        crawl(tmp_path, url=f"{old.base}/", site="s", max_pages=1)
        forget_the_end(tmp_path / "s")
        again = crawl(tmp_path, url=f"{old.base}/", site="s")
    assert again.paths(new.base) == ["/a", "/b"]


def test_a_crawl_that_cannot_start_leaves_no_lock(tmp_path):
    (tmp_path / "s").mkdir()
    (tmp_path / "s" / "store.sqlite").write_bytes(b"no database" * 500)
    with Store.open(tmp_path / "damaged", create=True) as store:
        store.connection.execute("DROP TABLE documents")
    for name in ("s", "s", "damaged", "damaged"):
        with pytest.raises(StoreUnusable, match=name):
            crawl(tmp_path, url="http://127.0.0.1:9/", site=name)


def test_a_second_crawl_of_a_site_is_refused_and_does_no_harm(tmp_path):
    caught = []

    def second(path):
        with pytest.raises(SiteBusy) as error:
            project = Settings()
            project.setmodule("settings.base", priority="project")
            project.set("DATA_DIR", str(tmp_path))
            plan = plan_site({"url": f"{site.base}/", "site": "s"}, project)
            CrawlSession(Crawler(SiteSpider, project), plan, "site")
        caught.append(error)
        return page("a")

    with served({**SMALL, "/a": second}) as site:
        crawled = crawl(tmp_path, url=f"{site.base}/", site="s")
    assert caught
    assert crawled.outcome == "complete"


def test_a_store_whose_replacement_was_cut_short_is_put_back(tmp_path):
    with served(SMALL) as site:
        crawl(tmp_path, url=f"{site.base}/", site="s")
        (tmp_path / "s").rename(tmp_path / ".s.old")
        site.asked.clear()
        site.pages = {"/": page("home")}
        crawl(tmp_path, url=f"{site.base}/", site="s", accept=1)
    assert states(tmp_path / "s", site.base) == {
        "/": "delivered",
        "/a": "gone http 404",
        "/b": "gone http 404",
    }
    assert not (tmp_path / ".s.old").exists()


def test_after_a_store_was_restored_from_a_backup_all_is_as_a_first_crawl_makes_it(tmp_path):
    site = ChangingSite(articles=6)
    with site.served():
        recrawls = Recrawls(site, tmp_path)
        recrawls.crawl()
        store, backup = recrawls.store / FILE, tmp_path / "backup"
        with closing(sqlite3.connect(store)) as now, closing(sqlite3.connect(backup)) as copy:
            now.backup(copy)
        edited, removed = site.article_paths[:2]
        site.edit(edited)
        site.remove(removed)
        added = site.add()
        recrawls.crawl()
        # To the store that is put back, the page is as it was, and the other was never there.
        site.pages[edited].revision = 0
        site.remove(added)
        for left in store.parent.glob(f"{FILE}-*"):
            left.unlink()
        backup.replace(store)
        assert recrawls.crawl().outcome == "complete"
        fresh = hashes(recrawls.fresh())
        assert hashes(filed(recrawls.store)) == fresh
        assert jsonsink.hashes(recrawls.sink) == fresh
        assert recrawls.index == fresh
    assert [last_file(recrawls.store), last_run(recrawls.store)] == [3, 3]
