"""What goes out of a recrawl: documents, deletions, and the feed that holds both."""

from __future__ import annotations

import json

import pytest
from scrapy.exceptions import DropItem

from tests.crawls import crawl
from tests.recrawls import StopAfter
from tests.served import Answer, moved, page, served

NAV = "<nav>" + "".join(f"<a href=/n{i}>Entry {i} of the menu</a> " for i in range(5)) + "</nav>"
NUMBERS = "one two three four five six seven eight nine ten eleven twelve".split()


def article(name, *links, head="", text=None, around=NAV):
    number = sum(name.encode())
    own = " ".join(NUMBERS[(number * place) % len(NUMBERS)] for place in range(3, 30))
    return page(name, *links, text=text or f"{name} says {own}", head=head, around=around)


@pytest.fixture
def site():
    pages = {f"/{name}": article(name) for name in "abcdef"}
    with served({"/": article("home", *pages), **pages}) as running:
        yield running


def run(site, folder, **settings):
    return crawl(folder, url=f"{site.base}/", site="s", settings=settings)


def operations(site, crawled_to, folder, **settings):
    """The operations of a crawl, by path and what has to be done."""
    feed = folder / f"{crawled_to}.jsonl"
    crawled = run(site, folder, FEEDS={str(feed): {"format": "operations"}}, **settings)
    lines = [json.loads(line) for line in feed.read_text().splitlines()] if feed.exists() else []
    return crawled, {line["url"].removeprefix(site.base): line for line in lines}


def test_the_first_crawl_indexes_every_document(site, tmp_path):
    crawled, found = operations(site, "first", tmp_path)
    assert set(found) == {"/", *(f"/{name}" for name in "abcdef")}
    assert {line["op"] for line in found.values()} == {"index"}
    assert [line["document"] for line in found.values()] == [dict(item) for item in crawled.documents]


def test_a_recrawl_names_what_is_new_changed_and_gone(site, tmp_path):
    operations(site, "first", tmp_path)
    site.pages["/a"] = article("a", text="The article says another thing altogether by now, and at length.")
    site.pages["/b"] = article("b", "/new")
    site.pages["/new"] = article("new")
    del site.pages["/c"]
    site.pages["/d"] = moved("/a")
    site.pages["/e"] = article("e", head="<meta name=robots content=noindex>")
    _, found = operations(site, "second", tmp_path)
    assert {path: line["op"] for path, line in found.items()} == {
        "/a": "index",
        "/b": "index",
        "/new": "index",
        "/c": "delete",
        "/d": "delete",
        "/e": "delete",
    }
    assert found["/c"] == {"op": "delete", "url": f"{site.base}/c", "reason": "http 404"}
    assert (found["/d"]["reason"], found["/e"]["reason"]) == ("redirect", "noindex")
    assert operations(site, "third", tmp_path)[1] == {}


class DropsSecond:
    """Drops what is in its second version."""

    def process_item(self, item):
        if isinstance(item, dict) and "second version" in item["text"]:
            raise DropItem("not wanted")
        return item


@pytest.mark.parametrize("fresh", [0, 1])
def test_a_document_whose_new_version_a_pipeline_drops_is_deleted(site, tmp_path, fresh):
    feed, pipelines = tmp_path / "feed.jsonl", {DropsSecond: 600}
    site.pages["/b"] = article("b", text="The second version of this page is the first that there is of it.")
    assert "/b" not in operations(site, "first", tmp_path, ITEM_PIPELINES=pipelines)[1]
    site.pages["/a"] = article(
        "a", text="The second version of this page says another thing altogether by now."
    )
    settings = {"FEEDS": {str(feed): {"format": "operations"}}, "ITEM_PIPELINES": pipelines}
    crawl(tmp_path, url=f"{site.base}/", site="s", settings=settings, fresh=fresh)
    found = [json.loads(line) for line in feed.read_text().splitlines()]
    deleted = [f"{site.base}/{name}" for name in ("ab" if fresh else "a")]
    assert [line for line in found if line["op"] == "delete"] == [
        {"op": "delete", "url": url, "reason": "dropped"} for url in deleted
    ]


def test_a_feed_of_documents_holds_no_deletions(site, tmp_path):
    documents, changes = tmp_path / "documents.jsonl", tmp_path / "changes.jsonl"
    run(site, tmp_path)
    del site.pages["/c"]
    site.pages["/a"] = article(
        "a", "/", text="Another text of the article, and a longer one than that before."
    )
    feeds = {str(documents): {"format": "jsonlines"}, str(changes): {"format": "operations"}}
    run(site, tmp_path, FEEDS=feeds)
    assert [json.loads(line)["url"] for line in documents.read_text().splitlines()] == [f"{site.base}/a"]
    assert len(changes.read_text().splitlines()) == 2


def test_a_deletion_that_did_not_arrive_goes_out_again(site, tmp_path):
    run(site, tmp_path)
    del site.pages["/c"]
    in_the_way = tmp_path / "in the way"
    in_the_way.mkdir()
    lost = run(site, tmp_path, FEEDS={str(in_the_way): {"format": "operations"}})
    assert lost.outcome == "undelivered"
    _, found = operations(site, "again", tmp_path)
    assert {path: line["op"] for path, line in found.items()} == {"/c": "delete"}


def test_a_page_that_is_back_is_indexed_again(site, tmp_path):
    run(site, tmp_path)
    kept = site.pages.pop("/c")
    assert run(site, tmp_path).deleted == {f"{site.base}/c": "http 404"}
    site.pages["/c"] = kept
    assert run(site, tmp_path).paths(site.base) == ["/c"]


def test_a_new_menu_sends_nothing(site, tmp_path):
    run(site, tmp_path)
    for path, old in site.pages.items():
        site.pages[path] = old.replace("of the menu", "of the new menu")
    again = run(site, tmp_path)
    assert (again.outcome, again.documents, again.deleted) == ("complete", [], {})
    assert again.stats["documents/unchanged"] == 7


def test_a_page_that_could_not_be_had_keeps_no_menu_of_old(site, tmp_path):
    run(site, tmp_path)
    for path, old in site.pages.items():
        site.pages[path] = old.replace("of the menu", "of the new menu")
    site.pages["/f"] = Answer("busy", 503)
    again = run(site, tmp_path)
    assert (again.outcome, again.documents) == ("complete", [])


def test_a_near_duplicate_is_marked_with_the_page_that_stands_for_it(site, tmp_path):
    long = " ".join(f"word{number}" for number in range(200))
    site.pages["/a"] = article("x", "/", text=f"{long} first")
    site.pages["/b"] = article("x", "/", text=f"{long} second")
    crawled = run(site, tmp_path)
    marks = {d["url"].removeprefix(site.base): d["duplicate_of"] for d in crawled.documents}
    assert {path: mark for path, mark in marks.items() if mark} == {"/b": f"{site.base}/a"}
    # What it was marked with is gone: the document goes out without its mark.
    del site.pages["/a"]
    again = run(site, tmp_path)
    assert [(d["url"], d["duplicate_of"]) for d in again.documents] == [(f"{site.base}/b", None)]


def test_near_duplicates_can_be_left_out(site, tmp_path):
    long = " ".join(f"word{number}" for number in range(200))
    for path, end in (("/a", "first"), ("/b", "second")):
        site.pages[path] = Answer(article("x", "/", text=f"{long} {end}"), headers={"ETag": f'"{end}"'})
    everything = run(site, tmp_path)
    assert "/b" in everything.paths(site.base)
    # Pages that the server confirms come back with the setting.
    for _ in range(2):
        less = run(site, tmp_path, DUPLICATES={"leave_out": True})
        assert less.deleted == {f"{site.base}/b": "duplicate"}
        assert run(site, tmp_path).paths(site.base) == ["/b"]
    less = run(site, tmp_path, DUPLICATES={"leave_out": True})
    assert less.deleted == {f"{site.base}/b": "duplicate"}
    assert run(site, tmp_path, DUPLICATES={"leave_out": True}).deleted == {}
    del site.pages["/a"]
    assert run(site, tmp_path, DUPLICATES={"leave_out": True}).paths(site.base) == ["/b"]


def test_a_page_with_a_canonical_one_can_be_left_out(site, tmp_path):
    site.pages["/b"] = article("b", "/", head='<link rel=canonical href="/a">')
    assert "/b" in run(site, tmp_path).paths(site.base)
    assert run(site, tmp_path, CANONICAL_ENABLED=True).deleted == {f"{site.base}/b": "canonical"}
    del site.pages["/a"]
    again = run(site, tmp_path, CANONICAL_ENABLED=True)
    assert (again.paths(site.base), again.deleted) == (["/b"], {f"{site.base}/a": "http 404"})


@pytest.mark.parametrize("settings", [{"NOINDEX_ENABLED": False}])
def test_directives_can_be_passed_over(site, tmp_path, settings):
    site.pages["/a"] = article("a", "/", head="<meta name=robots content=noindex>")
    assert "/a" in run(site, tmp_path, **settings).paths(site.base)


def test_nofollow_can_be_passed_over(tmp_path):
    with served({"/": page("home", "/a nofollow"), "/a": page("a")}) as site:
        assert run(site, tmp_path).paths(site.base) == ["/"]
        assert run(site, tmp_path, NOFOLLOW_ENABLED=False).current(site.base) == ["/", "/a"]


@pytest.mark.parametrize("ends", ["complete", "undelivered"])
def test_a_fresh_crawl_deletes_what_it_lacks(site, tmp_path, ends):
    run(site, tmp_path)
    del site.pages["/c"]
    site.pages["/"] = article("home", "/a", "/b", "/c", "/d", "/e")
    feeds = {str(tmp_path / "fresh.jsonl"): {"format": "operations"}}
    if ends == "undelivered":
        (tmp_path / "in the way").mkdir()
        feeds[str(tmp_path / "in the way")] = {"format": "jsonlines"}
    fresh = crawl(tmp_path, url=f"{site.base}/", site="s", fresh="1", settings={"FEEDS": feeds})
    assert fresh.outcome == ends
    assert [deletion.url.removeprefix(site.base) for deletion in fresh.deletions] == ["/c", "/f"]
    assert fresh.stats["documents/deleted"] == 2
    lines = [json.loads(line) for line in (tmp_path / "fresh.jsonl").read_text().splitlines()]
    assert [line["url"].removeprefix(site.base) for line in lines if line["op"] == "delete"] == ["/c", "/f"]
    site.pages["/"] = article("home", *(f"/{name}" for name in "abdef"))
    _, found = operations(site, "next", tmp_path)
    # The site's store, where it stays, has not seen that /f was away: it goes out again all the same.
    assert found["/f"]["op"] == "index"


def test_a_fresh_crawl_deletes_what_a_run_has_missed_that_was_cut_short(site, tmp_path):
    run(site, tmp_path)
    del site.pages["/c"]
    site.forget()
    stopping = {"EXTENSIONS": {StopAfter: 0}, "STOP_AFTER": 13, "CONCURRENT_REQUESTS_PER_DOMAIN": 1}
    short = run(site, tmp_path, **stopping)
    assert (short.outcome, short.deletions, site.asked["/c"]) == ("interrupted", [], 1)
    fresh = crawl(tmp_path, url=f"{site.base}/", site="s", fresh="1")
    assert fresh.deleted == {f"{site.base}/c": "gone"}


def test_a_fresh_crawl_deletes_what_has_become_a_duplicate(site, tmp_path):
    leaves_out = {"DUPLICATES": {"leave_out": True}}
    run(site, tmp_path, **leaves_out)
    for name in "ab":
        site.pages[f"/{name}"] = article("x", text=" ".join(f"word{number}" for number in range(200)))
    fresh = crawl(tmp_path, url=f"{site.base}/", site="s", fresh="1", settings=leaves_out)
    assert (fresh.outcome, fresh.deleted) == ("complete", {f"{site.base}/b": "gone"})


def test_what_a_fresh_crawl_that_is_cut_short_has_sent_is_corrected_by_the_next(site, tmp_path):
    _, first = operations(site, "first", tmp_path)
    home, site.pages["/"] = site.pages["/"], article("home", "/new", "/a", around="")
    site.pages["/new"] = article("new")
    feed = tmp_path / "fresh.jsonl"
    settings = {"EXTENSIONS": {StopAfter: 0}, "STOP_AFTER": 5, "FEEDS": {str(feed): {"format": "operations"}}}
    short = crawl(tmp_path, url=f"{site.base}/", site="s", fresh="1", settings=settings)
    assert short.outcome == "interrupted"
    assert (tmp_path / ".s.fresh").exists()
    # Two pages do not tell what the site repeats: its menu is in their documents.
    assert "of the menu" in feed.read_text()
    assert f'"url":"{site.base}/new"' in feed.read_text()
    del site.pages["/new"]
    site.pages["/"] = home
    _, found = operations(site, "next", tmp_path)
    assert not (tmp_path / ".s.fresh").exists()
    assert found.pop("/new")["op"] == "delete"
    assert {path: line["document"]["text"] for path, line in found.items()} == {
        path: line["document"]["text"] for path, line in first.items()
    }
    assert operations(site, "last", tmp_path)[1] == {}


def test_what_a_first_crawl_has_sent_that_was_fresh_and_cut_short_is_deleted(site, tmp_path):
    fresh = {"url": f"{site.base}/", "site": "s", "fresh": "1"}
    settings = {"EXTENSIONS": {StopAfter: 0}, "STOP_AFTER": 13, "CONCURRENT_REQUESTS_PER_DOMAIN": 1}
    short = crawl(tmp_path, settings=settings, **fresh)
    assert (short.outcome, len(short.documents)) == ("interrupted", 5)
    del site.pages["/a"]
    assert crawl(tmp_path, **fresh).deleted == {f"{site.base}/a": "gone"}


def test_a_fresh_crawl_of_some_pages_deletes_the_others(site, tmp_path):
    before = run(site, tmp_path)
    fresh = crawl(tmp_path, url=f"{site.base}/", site="s", fresh="1", max_pages="2")
    assert (fresh.outcome, len(fresh.documents)) == ("limited", 2)
    assert sorted([*fresh.deleted, *fresh.urls]) == before.urls


def test_a_letter_that_the_encoding_of_a_feed_lacks_is_named(site, tmp_path, caplog):
    site.pages["/f"] = article("f", text="Ω is the last letter, and has no place in Latin-1")
    feed = {"format": "csv", "encoding": "latin-1"}
    assert run(site, tmp_path, FEEDS={str(tmp_path / "a.csv"): feed}).outcome == "undelivered"
    (told,) = [record for record in caplog.records if record.levelname == "ERROR"]
    assert "a feed cannot be written: its encoding lacks 'Ω', give utf-8" in told.getMessage()
    assert told.exc_info is None
