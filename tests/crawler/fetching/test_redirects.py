from __future__ import annotations

from tests.crawls import crawl
from tests.served import Answer, page, served


def test_redirects_and_refreshes_lead_where_browsers_go(tmp_path):
    pages = {
        "/": page("home", "/old", "/stub"),
        "/old": Answer("", 301, headers={"Location": "\\docs\\new?path=a\\b"}),
        "/docs/new?path=a%5Cb": page("new"),
        "/stub": Answer(page("stub"), headers={"Refresh": "0; url=docs\\next"}),
        "/docs/next": page("next"),
    }
    with served(pages) as site:
        crawled = crawl(tmp_path, url=f"{site.base}/", site="s")
    assert crawled.paths(site.base) == ["/", "/docs/new?path=a%5Cb", "/docs/next", "/stub"]
