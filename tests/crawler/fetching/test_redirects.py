from __future__ import annotations

import pytest
from scrapy import Request, Spider
from scrapy.http import Response
from scrapy.utils.test import get_crawler

from crawler.fetching.redirects import Redirects


@pytest.mark.parametrize(
    ("location", "url"),
    [
        (rb"\b\c.html?d=\e", "http://a.example/b/c.html?d=%5Ce"),
        (rb"c.html", "http://a.example/old/c.html"),
        (rb"\\b.example\c", "http://b.example/c"),
        (rb"/b%5Cc", "http://a.example/b%5Cc"),
    ],
)
def test_a_redirect_leads_to_where_browsers_go(location: bytes, url: str) -> None:
    crawler = get_crawler(Spider)
    crawler.spider = crawler._create_spider("any")
    request = Request("http://a.example/old/page")
    response = Response(request.url, 302, {"Location": location})
    following = Redirects.from_crawler(crawler).process_response(request, response)
    assert isinstance(following, Request)
    assert following.url == url


def test_what_is_no_redirect_passes() -> None:
    crawler = get_crawler(Spider)
    crawler.spider = crawler._create_spider("any")
    request = Request("http://a.example/")
    response = Response(request.url)
    assert Redirects.from_crawler(crawler).process_response(request, response) is response
