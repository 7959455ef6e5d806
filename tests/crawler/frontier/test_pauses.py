"""What hosts ask for by Retry-After is what they get, within bounds."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from email.utils import format_datetime
from time import monotonic

import pytest
from scrapy.http import Request, Response

from crawler.frontier import pauses
from crawler.frontier.pauses import LONGEST, MOST_IN_VAIN, Pauses
from tests.crawls import crawl
from tests.served import Answer, page, served


@pytest.fixture
def clock(monkeypatch):
    """A clock that stands still but for what a test adds to it."""
    clock = [1000.0]
    monkeypatch.setattr(pauses, "monotonic", lambda: clock[0])
    return clock


def hear(heard: Pauses, status: int, value: str | None = None) -> None:
    headers = {} if value is None else {"Retry-After": value}
    request = Request("http://a/", meta={"download_slot": "a"})
    heard.hear(Response("http://a/", status, headers), request)


def test_a_number_or_a_date(clock):
    soon = format_datetime(datetime.now(UTC) + timedelta(seconds=90), usegmt=True)
    no_wait = (None, "", "0", "-1", "²", "1e9", "9" * 400, str(LONGEST + 1), "soon")
    for status, value, least, most in (
        (429, "30", 30, 30),
        (503, " 7 ", 7, 7),
        (429, soon, 1, 90),
        *((429, value, 0, 0) for value in no_wait),
        *((429, value, 0, 0) for value in ("Wed, 21 Oct 2015 07:28:00 GMT", "Fri, 99 Foo 99999")),
        (200, "30", 0, 0),
        (500, "30", 0, 0),
    ):
        heard = Pauses()
        hear(heard, status, value)
        assert least <= heard.left("a", clock[0]) <= most, (status, value)
        assert heard.left("b", clock[0]) == 0


def test_a_host_that_answers_no_better_gets_no_more_pauses_until_it_does(clock):
    heard = Pauses()
    for _ in range(2):
        for pause in (True,) * MOST_IN_VAIN + (False,):
            # What was under way asks for the same pause.
            for _ in range(4):
                hear(heard, 429, "10")
            assert heard.left("a", clock[0]) == (10 if pause else 0)
            clock[0] += 11
        hear(heard, 200)


def test_all_pages_of_a_host_that_lets_a_few_pass_at_a_time_are_fetched(tmp_path):
    names = [f"/p{number}" for number in range(8)]
    window = [0.0, 0]

    def answer(path: str) -> Answer | str:
        if monotonic() > window[0] + 0.9:
            window[:] = monotonic(), 0
        window[1] += 1
        return page(path, *names) if window[1] < 7 else Answer("busy", 429, headers={"Retry-After": "1"})

    with served({"/robots.txt": Answer("", 404), "/sitemap.xml": Answer("", 404)}, answer) as site:
        crawled = crawl(
            tmp_path, url=f"{site.base}/", settings={"CONCURRENT_REQUESTS": 1, "RETRY_ENABLED": True}
        )
    assert crawled.paths(site.base) == ["/", *names]
    assert crawled.stats["downloader/response_status_count/429"] < 8
