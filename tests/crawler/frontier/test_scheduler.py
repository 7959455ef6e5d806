"""The store is the frontier: the order in which its URLs are asked for."""

from __future__ import annotations

import threading

import pytest
from scrapy import Request

from crawler.frontier import scheduler
from crawler.spiders.site import SiteSpider
from tests.crawls import crawl
from tests.served import Answer, moved, page, served

TREE = {"SPIDER_MODULES": ["crawler.spiders", __name__]}


class AskingSpider(SiteSpider):
    """Asks from each page, and from what it has asked for, for three URLs of its own."""

    name = "asking"

    def parse(self, response):
        yield from super().parse(response)
        yield from self.ask(response)

    def ask(self, response):
        for path in ("/x", "/y", "/moves"):
            yield Request(response.urljoin(path), self.ask)


class DeepSpider(SiteSpider):
    """Goes on and on."""

    name = "deep"

    def parse(self, response):
        yield from super().parse(response)
        yield Request(response.urljoin(f"/deep?n={len(response.url)}"), self.go_on)

    def go_on(self, response):
        yield Request(f"{response.url}1", self.go_on)


def test_requests_of_a_subclass_are_filtered_as_scrapy_does(tmp_path):
    own = {"/x": "x", "/y": "y", "/moves": moved("/x")}
    with served({"/": page("home", "/a"), "/a": page("a"), **own}) as site:
        crawled = crawl(tmp_path, "asking", url=f"{site.base}/", settings=TREE)
        assert [site.asked[path] for path in own] == [1, 1, 1]
    assert crawled.outcome == "complete"
    assert crawled.paths(site.base) == ["/", "/a"]
    assert crawled.stats["dupefilter/filtered"] > 0


def test_requests_of_a_subclass_have_a_depth(tmp_path):
    with served({"/": page("home", "/a"), "/a": page("a")}, lambda path: f"{path}") as site:
        settings = {**TREE, "DEPTH_LIMIT": 4}
        crawled = crawl(tmp_path, "deep", url=f"{site.base}/", settings=settings)
        asked = [path for path in site.asked if path.startswith("/deep")]
    # From "/" at depth 0 four of them, three from "/a" at depth 1.
    assert len(asked) == 7
    assert crawled.outcome == "complete"
    assert crawled.stats["request_depth_max"] == 4


def test_the_nearest_pages_first(tmp_path):
    order = []

    def answer(*links):
        def answered(path):
            order.append(path)
            return page(path, *links)

        return answered

    pages = {
        "/": answer("/a", "/b"),
        "/a": answer("/a1", "/a2"),
        "/b": answer("/b1"),
        "/a1": answer("/deep"),
        "/a2": answer(),
        "/b1": answer(),
        "/deep": answer(),
    }
    with served(pages) as site:
        crawl(tmp_path, url=f"{site.base}/", settings={"CONCURRENT_REQUESTS": 1})
    assert order == ["/", "/a", "/b", "/a1", "/a2", "/b1", "/deep"]


def test_more_urls_than_a_batch(tmp_path, monkeypatch):
    monkeypatch.setattr(scheduler, "BATCH", 20)
    links = [f"/{number}" for number in range(50)]
    with served({"/": page("home", *links)}, lambda path: page(path) if path in links else None) as site:
        crawled = crawl(tmp_path, url=f"{site.base}/", fields="url")
        asked = {path: site.asked[path] for path in links}
    assert asked == dict.fromkeys(links, 1)
    assert len(crawled.documents) == len(links) + 1


def test_max_pages_with_failing_pages_goes_on_to_others(tmp_path):
    links = [f"/missing{number}" for number in range(30)] + ["/a", "/b", "/c"]
    with served({"/": page("home", *links), "/a": page("a"), "/b": page("b"), "/c": page("c")}) as site:
        crawled = crawl(tmp_path, url=f"{site.base}/", max_pages=3)
    assert crawled.outcome == "limited"
    assert len(crawled.documents) == 3


@pytest.mark.long
def test_a_slow_host_leaves_the_slots_to_others(tmp_path):
    """More pages of it than there are slots are known before any of the other host's."""
    paths = [f"/{number}" for number in range(40)]
    robots = Answer("User-agent: *\nCrawl-delay: 1.5", kind="text/plain")
    with (
        served({"/robots.txt": robots}, page) as slow,
        served({"/": page("home", *paths)}, lambda path: page(path) if path in paths else None) as site,
    ):
        base = slow.base.replace("127.0.0.1", "localhost")
        starts = [f"{base}{path}" for path in paths]
        crawled = crawl(tmp_path, url=",".join([*starts, f"{site.base}/"]), max_pages=45)
    assert crawled.outcome == "limited"
    # Of 45 in any order that asks the hosts without respect to their slots, most are of the first host.
    assert len([path for path in crawled.current(site.base) if path.startswith("/")]) == 41


def test_requests_that_stay_under_way_leave_the_other_slots_to_others(tmp_path):
    """Pages, and what is no page: sitemaps here."""
    paths = [f"/{number}" for number in range(40)]
    others, met = threading.Event(), []

    def late(path):
        met.append(others.wait(10))
        return page(path)

    def last(path):
        others.set()
        return page(path)

    with (
        served({"/": page("late", *paths)}, late) as slow,
        served({"/": page("home", *paths), "/last": last}, lambda path: page(path, "/last")) as site,
    ):
        slow.pages["/robots.txt"] = site.pages["/robots.txt"] = Answer("", kind="text/plain")
        base = slow.base.replace("127.0.0.1", "localhost")
        maps = ",".join(f"{base}/{number}.xml" for number in range(20))
        settings = {"SITEMAPS": maps, "SITEMAPS_ENABLED": False, "CONCURRENT_REQUESTS_PER_DOMAIN": 4}
        crawl(tmp_path, url=f"{base}/,{site.base}/", settings=settings)
    assert len(met) == 60
    assert all(met)
