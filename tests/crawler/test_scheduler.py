"""The store is the frontier: the order in which its URLs are asked for."""

from __future__ import annotations

from tests.crawls import crawl
from tests.served import page, served


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


def test_more_urls_than_a_batch(tmp_path):
    links = [f"/{number}" for number in range(600)]
    with served({"/": page("home", *links)}, lambda path: page(path) if path in links else None) as site:
        crawled = crawl(tmp_path, url=f"{site.base}/", fields="url")
        asked = {path: site.asked[path] for path in links}
    assert asked == dict.fromkeys(links, 1)
    assert len(crawled.documents) == 601


def test_max_pages_with_failing_pages_goes_on_to_others(tmp_path):
    links = [f"/missing{number}" for number in range(30)] + ["/a", "/b", "/c"]
    with served({"/": page("home", *links), "/a": page("a"), "/b": page("b"), "/c": page("c")}) as site:
        crawled = crawl(tmp_path, url=f"{site.base}/", max_pages=3)
    assert crawled.outcome == "limited"
    assert len(crawled.documents) == 3
