"""Nights in order, good ones and bad ones: what goes out of each, and that nothing is deleted by accident."""

from __future__ import annotations

import time
from datetime import datetime, timedelta
from types import SimpleNamespace
from typing import Any
from zoneinfo import ZoneInfo

import pytest

import crawler.fetching.conditional
import crawler.fetching.directives
import store.runs
from tests.changing import ChangingSite
from tests.crawls import crawl
from tests.illnesses import login_form, login_redirect, no_robots, not_there, nothing, overloaded
from tests.recrawls import Recrawls, hashes
from tests.served import Answer, page, served

BERLIN = ZoneInfo("Europe/Berlin")
DAY = timedelta(days=1)


class Clock:
    """The time that crawls go by, from half past two in the night in which summer time ends."""

    def __init__(self) -> None:
        self.local = datetime(2026, 10, 23, 2, 30, tzinfo=BERLIN)

    def set(self, ahead: timedelta) -> None:
        """Moves the hands: on, or back."""
        self.local += ahead

    def install(self, monkeypatch: pytest.MonkeyPatch) -> None:
        clock = self

        class Time(datetime):
            @classmethod
            def now(cls, tz: Any = None) -> datetime:
                return clock.local.astimezone(tz)

        for module in (store.runs, crawler.fetching.conditional, crawler.fetching.directives):
            monkeypatch.setattr(module, "datetime", Time)
        monkeypatch.setattr(store.runs, "time", SimpleNamespace(time=lambda: clock.local.timestamp()))


@pytest.fixture
def clock(monkeypatch):
    monkeypatch.setenv("TZ", "Europe/Berlin")
    time.tzset()
    clock = Clock()
    clock.install(monkeypatch)
    yield clock
    monkeypatch.undo()
    time.tzset()


class Nights:
    """A site that is crawled every night, and what an index has to be told of it."""

    def __init__(self, site: ChangingSite, recrawls: Recrawls, clock: Clock) -> None:
        self.site = site
        self.recrawls = recrawls
        self.clock = clock
        self.told: dict[str, str] = {}

    def night(self, outcome: str, reasons: dict[str, str] | None = None, **arguments: Any) -> dict[str, Any]:
        """Crawls, and checks the outcome and what goes out of a good night: exactly the pages that have
        changed since the last one, and the deletions, with their reasons. Nothing goes out of a bad night.

        Returns the stats.
        """
        crawled = self.recrawls.crawl(**arguments)
        self.clock.set(DAY)
        base = self.site.base
        found = {
            "outcome": crawled.outcome,
            "index": crawled.paths(base),
            "delete": {url.removeprefix(base): reason for url, reason in crawled.deleted.items()},
        }
        now = self.site.contents() if outcome == "complete" else self.told
        wanted = {
            "outcome": outcome,
            "index": sorted(path for path, text in now.items() if self.told.get(path) != text),
            "delete": reasons or {},
        }
        assert found == wanted
        kept = {path: text for path, text in self.told.items() if path not in (reasons or {})}
        self.told = {**kept, **now}
        assert set(self.recrawls.index) == {f"{base}{path}" for path in self.told}
        return crawled.stats

    def check_end(self) -> None:
        """The store and the index are those of a first crawl."""
        fresh = self.recrawls.fresh()
        assert self.recrawls.documents() == fresh
        assert self.recrawls.index == hashes(fresh)


@pytest.fixture
def articles() -> int:
    return 8


@pytest.fixture
def nights(tmp_path, clock, articles):
    site = ChangingSite(articles=articles, sections=2, seed=4, sitemap=True, validators="both")
    with site.served():
        yield Nights(site, Recrawls(site, tmp_path), clock)


@pytest.mark.parametrize("articles", [13])
def test_ten_nights(nights):
    site = nights.site
    articles = site.article_paths
    only_mapped = articles[:3]
    for path in only_mapped:
        site.hide(path)
    nights.night("complete")

    # A good night, as most are.
    site.edit(articles[4])
    site.edit(articles[5])
    site.add()
    site.remove(articles[6])
    nights.night("complete", {articles[6]: "http 404"})

    # 1: nothing listens.
    with site.away():
        nights.night("empty")

    # 2: most pages answer 503; one of those that do not has changed.
    site.edit(articles[7])
    site.is_ill(overloaded(0.7))
    nights.night("suspicious")
    site.recover()

    # 3: summer time has ended; every page redirects to a login form.
    site.is_ill(login_redirect)
    nights.night("suspicious")
    site.recover()

    # 4: every page is a login form.
    site.is_ill(login_form)
    nights.night("suspicious")
    site.recover()

    # 5: the site has a new design, and an article says something else.
    site.redesign()
    site.edit(articles[8])
    stats = nights.night("complete")
    assert stats["templates/redesigned_pages"] > 10

    # 6: the sitemap is cut off, and with it pages that nothing else leads to.
    site.mapped = 0
    site.edit(articles[9])
    nights.night("complete")
    site.recover()

    # 7: robots.txt forbids everything.
    site.robots = "User-agent: *\nDisallow: /"
    nights.night("empty")
    site.recover()

    # 8: robots.txt cannot be had.
    site.is_ill(no_robots)
    nights.night("empty")
    site.recover()

    # 9: the clock is set back by a day.
    nights.clock.set(-2 * DAY)
    site.edit(articles[10])
    moved = site.move(articles[11])
    site.noindex(articles[12])
    nights.night("complete", {articles[11]: "redirect", articles[12]: "noindex"})
    assert f"{site.base}{moved}" in nights.recrawls.index

    # 10: all is quiet.
    nights.night("complete")
    nights.check_end()


def test_bad_nights_and_quiet_ones_delete_nothing(nights):
    nights.recrawls.settings["MISSED_RUNS"] = 2
    nights.night("complete")
    for ill, outcome in (
        (not_there, "suspicious"),
        (nothing, "suspicious"),
        (login_form, "suspicious"),
        (login_redirect, "suspicious"),
        (overloaded(), "empty"),
        (no_robots, "empty"),
    ):
        nights.site.is_ill(ill)
        for _ in range(2):
            nights.night(outcome)
        nights.site.recover()
        # No page has changed since the last good night: what is linked is not found out of what is fetched.
        nights.night("complete")
    # What a bad night had made of links would have a page given up by now, or with these.
    for _ in range(2):
        nights.night("complete")
    nights.check_end()


def test_what_only_a_bad_night_led_to_is_not_asked_for_until_a_link_leads_there(nights):
    site = nights.site
    nights.night("complete")
    site.is_ill(login_redirect)
    nights.night("suspicious")
    # The form is there in good nights too, but nothing leads to it.
    site.is_ill(lambda path: login_redirect(path) if path.startswith("/login") else None)
    nights.night("complete")
    new = site.add()
    site.pages[new].mapped = False
    gone = site.article_paths[2:-1]
    for path in gone:
        site.remove(path)
    nights.night("suspicious")
    for path in gone:
        site.restore(path)
    site.unlink(new)
    assert nights.recrawls.crawl().paths(site.base) == []
    site.restore(new)
    nights.night("complete")
    nights.check_end()


def test_a_site_that_is_meant_to_be_so_is_accepted(nights):
    site = nights.site
    nights.night("complete")
    gone = site.article_paths[2:]
    for path in gone:
        site.remove(path)
    nights.night("suspicious")
    nights.night("complete", dict.fromkeys(gone, "http 404"), accept=1)
    nights.check_end()


def test_pages_are_given_up_that_nothing_leads_to_for_three_nights(nights):
    site = nights.site
    nights.night("complete")
    lonely, back = site.article_paths[:2]
    site.unlink(lonely)
    site.unlink(back)
    for reasons in ({}, {}, {lonely: "missed"}):
        found = nights.recrawls.crawl()
        assert (found.outcome, {url.removeprefix(site.base) for url in found.deleted}) == (
            "complete",
            set(reasons),
        )
        site.restore(back)
    nights.check_end()


def test_a_page_that_no_link_leads_to_for_a_night_comes_back_nearer_with_what_it_leads_to(tmp_path):
    pages = {"/": page("/", "/a"), "/a": page("/a", "/b"), "/b": page("/b", "/c"), "/c": page("/c")}
    with served(pages) as site:
        crawl(tmp_path, url=f"{site.base}/")
        site.pages["/a"] = page("/a")
        crawl(tmp_path, settings={"LOSS_MIN_SHARE": 0}, url=f"{site.base}/")
        site.pages["/"] = page("/", "/a", "/b", text="A new text.")
        third = crawl(tmp_path, url=f"{site.base}/")
    assert (third.outcome, third.paths(site.base), third.errors) == ("complete", ["/"], [])


def test_what_robots_forbid_for_three_nights_goes_and_comes_back_when_they_allow_it(nights):
    site = nights.site
    nights.night("complete")
    path = site.article_paths[0]
    site.robots = f"User-agent: *\nDisallow: {path}"
    nights.night("complete")
    nights.night("complete")
    nights.recrawls.crawl()
    assert f"{site.base}{path}" not in nights.recrawls.index
    # No page has changed with it.
    site.recover()
    del nights.told[path]
    nights.night("complete")
    nights.check_end()


@pytest.mark.parametrize("first", [False, True])
def test_a_header_that_asks_for_no_index_holds_as_long_as_it_is_sent(nights, first):
    site, path = nights.site, nights.site.article_paths[3]

    def asks(asked: str) -> Answer | None:
        if asked != path:
            return None
        answer = site.page(path)
        answer.headers["X-Robots-Tag"] = "noindex"
        return answer

    if not first:
        nights.recrawls.crawl()
    for _ in range(3):
        site.is_ill(asks)
        nights.recrawls.crawl()
        assert site.base + path not in nights.recrawls.index
    site.recover()
    nights.recrawls.crawl()
    assert site.base + path in nights.recrawls.index
    assert nights.recrawls.crawl().stats["pages/not_modified"] == len(nights.recrawls.index)


def test_a_page_that_only_the_sitemap_leads_to_stays_while_it_is_listed(nights):
    site = nights.site
    for path in site.article_paths[:3]:
        site.hide(path)
    nights.night("complete")
    # Cut off for a night; no page changes with it, neither then nor later.
    for mapped in (0, None, None, None, None):
        site.mapped = mapped
        nights.told = {**nights.told, **site.contents()}
        nights.night("complete")
    nights.check_end()


def test_errors_of_a_redirect_say_nothing_of_where_it_leads(nights):
    site = nights.site
    old = site.article_paths[0]
    new = site.move(old, old_links=True)
    nights.night("complete")
    assert f"{site.base}{new}" in nights.recrawls.index
    site.is_ill(lambda path: Answer("<p>Busy</p>", 503) if path == old else None)
    for _ in range(4):
        nights.night("complete")
    site.recover()
    nights.check_end()


def test_a_clock_that_is_set_back_keeps_no_page_waiting(nights):
    site = nights.site
    nights.recrawls.settings |= {"REVISIT_MIN": 7 * 86400, "REVISIT_MAX": 30 * 86400}
    nights.night("complete")
    site.server.forget()
    nights.night("complete")
    assert set(site.server.asked) == {"/robots.txt", "/sitemap.xml"}
    nights.clock.set(-3 * DAY)
    site.edit("/about")
    nights.night("complete")
    nights.check_end()


def test_pages_without_any_text_for_three_nights_come_back(nights):
    site, recrawls = nights.site, nights.recrawls
    nights.night("complete")
    bodies = [
        "",
        " \n",
        "<html><body></body></html>",
        "<script>let a = 1;</script><script src=a.js></script>",
    ]
    bad = dict(zip(site.article_paths, bodies, strict=False))
    ill = {f"{site.base}{path}" for path in bad}
    site.is_ill(lambda path: Answer(bad[path]) if path in bad else None)
    told = hashes(recrawls.documents())
    for path in site.article_paths[4:7]:
        site.edit(path)
        crawled = recrawls.crawl()
        assert (crawled.outcome, crawled.deletions) == ("complete", [])
        assert {*crawled.paths(site.base)} - {*bad} == {path}
        told |= {document["url"]: document["content_hash"] for document in crawled.documents}
        assert recrawls.index == told == hashes(recrawls.documents())
    site.recover()
    crawled = recrawls.crawl()
    assert (crawled.outcome, {*crawled.urls}) == ("complete", ill)
    nights.check_end()


class Down:
    """A pipeline whose database cannot be reached."""

    def process_item(self, item):
        raise ConnectionError(item["url"])


@pytest.mark.parametrize("first", [True, False])
def test_a_bad_night_is_noticed_after_one_of_which_nothing_could_be_delivered(nights, first):
    site, recrawls = nights.site, nights.recrawls
    if not first:
        nights.night("complete")
        for path in site.contents():
            site.edit(path)
    failing = {"ITEM_PIPELINES": {Down: 500}}
    assert crawl(recrawls.folder / "data", settings=failing, url=f"{site.base}/").outcome == "undelivered"
    site.is_ill(login_form)
    nights.night("suspicious")
    site.recover()
    nights.night("complete")
    nights.check_end()
