"""robots.txt: rules, Crawl-delay, and what it means that it cannot be had."""

from __future__ import annotations

import logging
import socket
import time
from contextlib import ExitStack, contextmanager
from itertools import pairwise

import pytest
from scrapy.exceptions import IgnoreRequest

from crawler.fetching.robots import ObeyRobots
from tests.crawls import crawl
from tests.served import Answer, moved, page, served

SMALL = {"/": page("home", "/a", "/b"), "/a": page("a", "/"), "/b": page("b", "/")}
PLAIN = {"SITEMAPS_ENABLED": False}


def robots(*lines: str) -> Answer:
    return Answer("\n".join(lines), kind="text/plain")


def free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]


@contextmanager
def timed(site):
    """The moments at which paths are asked for."""
    moments: list[tuple[str, float]] = []

    def note(path: str) -> float:
        moments.append((path, time.monotonic()))
        return 0.0

    site.delay = note
    yield moments


def check_all_are_crawled(tmp_path, answers, **settings):
    """Every page is crawled of hosts, one for each answer to what is asked for as robots.txt."""
    with ExitStack() as running:
        sites = [running.enter_context(served({**SMALL, "/robots.txt": answer})) for answer in answers]
        urls = ",".join(f"{site.base}/" for site in sites)
        crawled = crawl(tmp_path, url=urls, site="s", settings={**PLAIN, **settings})
        assert all(site.asked["/robots.txt"] for site in sites)
    assert crawled.outcome == "complete"
    assert crawled.urls == sorted(f"{site.base}{path}" for site in sites for path in SMALL)


# --- Rules, or none ---


def test_4xx_means_no_rules_whatever_the_body_says(tmp_path):
    statuses = [400, 401, 403, 404, 410, 418, 451]
    body = "User-agent: *\nDisallow: /"
    check_all_are_crawled(tmp_path, [Answer(body, status, "text/plain") for status in statuses])


@pytest.mark.parametrize("hops", [1, 5])
def test_redirects_of_robots_are_followed(tmp_path, hops):
    chain = {f"/robots-{n}": moved(f"/robots-{n + 1}", 302) for n in range(1, hops)}
    chain["/robots.txt"] = moved("/robots-1", 301)
    with served({**SMALL, **chain, f"/robots-{hops}": robots("User-agent: *", "Disallow: /a")}) as site:
        crawled = crawl(tmp_path, url=f"{site.base}/", settings=PLAIN)
    assert crawled.states(site.base)["/a"] == "refused robots"
    assert crawled.paths(site.base) == ["/", "/b"]


def test_robots_may_be_on_another_host(tmp_path):
    with (
        served({"/r": robots("User-agent: *", "Disallow: /a")}) as other,
        served({**SMALL, "/robots.txt": moved(f"{other.base}/r")}) as site,
    ):
        crawled = crawl(tmp_path, url=f"{site.base}/", settings=PLAIN)
    assert crawled.states(site.base)["/a"] == "refused robots"


def test_robots_that_redirect_without_end_are_no_rules(tmp_path):
    with served({**SMALL, "/robots.txt": moved("/robots.txt")}) as site:
        crawled = crawl(tmp_path, url=f"{site.base}/", settings=PLAIN)
    assert crawled.paths(site.base) == ["/", "/a", "/b"]


def test_only_the_beginning_of_a_huge_robots_is_read(tmp_path):
    body = "User-agent: *\nDisallow: /a\n" + "# filler\n" * 100_000 + "Disallow: /b\n"
    with served({**SMALL, "/robots.txt": robots(body)}) as site:
        crawled = crawl(tmp_path, url=f"{site.base}/", settings=PLAIN)
    assert crawled.paths(site.base) == ["/", "/b"]


def test_garbage_is_no_rules(tmp_path):
    bodies = [b"\xff\xfe\x00garbage\x00", b"<html>not found</html>", b"", b"Crawl-delay: 9"]
    check_all_are_crawled(tmp_path, [Answer(body, kind="text/plain") for body in bodies])


# --- Unreachable ---


@pytest.mark.parametrize("answer", [Answer("", 429), Answer("", 503), Answer("", 599), Answer(raw=b"")])
def test_unreachable_robots_forbid_everything_for_now(tmp_path, answer, caplog):
    with served({**SMALL, "/robots.txt": answer}) as site:
        crawled = crawl(tmp_path, url=f"{site.base}/", settings=PLAIN)
        assert set(site.asked) == {"/robots.txt"}
        assert site.asked["/robots.txt"] >= 2
        assert crawled.answers == [f"{site.base}/ failed (robots unreachable)"]
        site.pages["/robots.txt"] = robots("User-agent: *", "Disallow: /b")
        again = crawl(tmp_path, url=f"{site.base}/", settings=PLAIN)
    assert crawled.outcome == "empty"
    assert crawled.stats["robotstxt/unreachable"] == 1
    assert again.outcome == "complete"
    assert again.paths(site.base) == ["/", "/a"]
    told = [record for record in caplog.records if record.name == "crawler.fetching.robots"]
    assert [record.levelno for record in told] == [logging.WARNING]
    assert told[0].exc_info is None


@pytest.mark.parametrize("proxied", [False, True])
def test_a_host_that_does_not_answer_is_unreachable(tmp_path, monkeypatch, caplog, proxied):
    proxy = f"http://127.0.0.1:{free_port()}"
    monkeypatch.setenv("http_proxy", proxy * proxied)
    crawled = crawl(tmp_path, url=f"http://127.0.0.1:{free_port()}/", settings=PLAIN)
    assert [answer.partition(" ")[2] for answer in crawled.answers] == ["failed (robots unreachable)"]
    assert (f" (through the proxy {proxy});" in caplog.text) == proxied
    assert crawled.outcome == "empty"


def test_a_robots_that_takes_too_long_is_unreachable(tmp_path):
    with served(SMALL) as site:
        site.delay = lambda path: 3.0 if path == "/robots.txt" else 0.0
        crawled = crawl(tmp_path, url=f"{site.base}/", settings={**PLAIN, "DOWNLOAD_TIMEOUT": 0.3})
    assert crawled.answers == [f"{site.base}/ failed (robots unreachable)"]


def test_a_robots_that_comes_at_the_second_asking_counts(tmp_path, monkeypatch):
    answers = iter([Answer("", 429), robots("User-agent: *", "Disallow: /a")])
    monkeypatch.setattr("crawler.fetching.robots.pause_of", lambda _: 0.3)
    with served({**SMALL, "/robots.txt": lambda path: next(answers)}) as site, timed(site) as moments:
        crawled = crawl(tmp_path, url=f"{site.base}/", settings=PLAIN)
    assert crawled.paths(site.base) == ["/", "/b"]
    first, second = (moment for path, moment in moments if path == "/robots.txt")
    assert second - first > 0.29


def test_retries_are_those_of_the_settings(tmp_path):
    with served({**SMALL, "/robots.txt": Answer("", 503)}) as site:
        crawl(tmp_path, url=f"{site.base}/", settings={**PLAIN, "RETRY_ENABLED": True, "RETRY_TIMES": 3})
        assert site.asked["/robots.txt"] == 4


def test_a_later_unreachable_robots_leaves_what_is_there(tmp_path):
    with served(SMALL) as site:
        first = crawl(tmp_path, url=f"{site.base}/", settings=PLAIN)
        site.pages["/robots.txt"] = Answer("", 500)
        second = crawl(tmp_path, url=f"{site.base}/", settings=PLAIN)
        del site.pages["/robots.txt"]
        third = crawl(tmp_path, url=f"{site.base}/", settings=PLAIN)
    assert first.outcome == third.outcome == "complete"
    assert second.documents == []
    assert set(third.states(site.base).values()) == {"delivered"}


# --- Crawl-delay ---


@pytest.mark.parametrize("throttled", [False, True])
def test_crawl_delay_is_the_least_time_between_requests(tmp_path, throttled):
    settings = {**PLAIN, "AUTOTHROTTLE_ENABLED": throttled, "AUTOTHROTTLE_START_DELAY": 0.01}
    rules = robots("User-agent: *", "Crawl-delay: 0.4")
    with served({**SMALL, "/robots.txt": rules}) as site, timed(site) as moments:
        crawled = crawl(tmp_path, url=f"{site.base}/", settings=settings)
    assert crawled.paths(site.base) == ["/", "/a", "/b"]
    times = [moment for _, moment in moments]
    assert moments[0][0] == "/robots.txt"
    # A server hears of requests a little sooner or later than they are sent.
    assert all(later - sooner > 0.35 for sooner, later in pairwise(times))


def test_the_group_for_us_counts(tmp_path):
    rules = robots("User-agent: *", "Crawl-delay: 30", "", "User-agent: site-pagelets", "Crawl-delay: 0.01")
    with served({**SMALL, "/robots.txt": rules}) as site:
        crawled = crawl(tmp_path, url=f"{site.base}/", settings=PLAIN)
    assert crawled.paths(site.base) == ["/", "/a", "/b"]


def test_a_longer_wish_is_cut_with_a_warning(tmp_path, caplog, monkeypatch):
    monkeypatch.setattr(ObeyRobots, "longest_delay", 0.05)
    with served({**SMALL, "/robots.txt": robots("User-agent: *", "Crawl-delay: 86400")}) as site:
        crawled = crawl(tmp_path, url=f"{site.base}/", settings=PLAIN)
    assert crawled.paths(site.base) == ["/", "/a", "/b"]
    [told] = [record.getMessage() for record in caplog.records if "the longest" in record.getMessage()]
    assert site.base.removeprefix("http://") in told
    assert "86400" in told


def test_a_wish_that_is_no_time(tmp_path, monkeypatch):
    monkeypatch.setattr(ObeyRobots, "longest_delay", 0.05)
    wishes = ["0", "-5", "nan", "often", "1e999"]
    answers = [robots("User-agent: *", f"Crawl-delay: {wish}") for wish in wishes]
    check_all_are_crawled(tmp_path, answers)


def test_crawl_delay_can_be_switched_off(tmp_path):
    settings = {**PLAIN, "CRAWL_DELAY_ENABLED": False}
    with served({**SMALL, "/robots.txt": robots("User-agent: *", "Crawl-delay: 50")}) as site:
        crawled = crawl(tmp_path, url=f"{site.base}/", settings=settings)
    assert crawled.paths(site.base) == ["/", "/a", "/b"]


# --- What becomes of rules in a long run ---

HOUR, DAY = 3600.0, 86_400.0
CHAIN = {"/": page("home", "/1"), **{f"/{n}": page(f"{n}", f"/{n + 1}") for n in range(1, 5)}}


@pytest.fixture
def long_run(tmp_path, monkeypatch):
    """Crawls CHAIN while time flies: a page's answer takes the seconds that ``lasts`` has for it.

    Returns the states of the pages, and how often robots.txt was asked for.
    """

    def run(answer, lasts):
        passed = [0.0]
        monkeypatch.setattr("crawler.fetching.robots.monotonic", lambda: passed[0])

        def wait(path):
            passed[0] += lasts.get(path, 0.0)
            return 0.0

        asked = iter(range(100))
        with served({**CHAIN, "/robots.txt": lambda path: answer(next(asked))}) as site:
            site.delay = wait
            crawled = crawl(tmp_path, url=f"{site.base}/", settings={**PLAIN, "CONCURRENT_REQUESTS": 1})
            return crawled.states(site.base), site.asked["/robots.txt"]

    return run


def test_rules_hold_for_a_day(long_run):
    def answer(n):
        return robots("User-agent: *", "Disallow: /3" if n else "Disallow: /9")

    found, asked = long_run(answer, {"/1": DAY - 1})
    assert (found["/3"], asked) == ("delivered", 1)


def test_rules_are_asked_for_anew_after_a_day(long_run):
    def answer(n):
        return robots("User-agent: *", "Disallow: /3" if n else "Disallow: /9")

    found, asked = long_run(answer, {"/1": DAY})
    assert (found["/2"], found["/3"], asked) == ("delivered", "refused robots", 2)


def test_old_rules_hold_while_new_ones_cannot_be_had(long_run):
    def answer(n):
        return Answer("", 503) if n else robots("User-agent: *", "Disallow: /3")

    # Asked for: at first, twice after a day, and twice again an hour later, not before.
    found, asked = long_run(answer, {"/": DAY, "/1": HOUR - 1})
    assert (found["/2"], found["/3"], asked) == ("delivered", "refused robots", 3)
    found, asked = long_run(answer, {"/": DAY, "/1": HOUR})
    assert asked == 5


def test_old_rules_hold_for_a_month_at_most(long_run):
    def answer(n):
        return Answer("", 503) if n else robots("User-agent: *", "Disallow: /9")

    found, _ = long_run(answer, {"/1": 30 * DAY})
    assert found["/2"] == "failed robots unreachable"


def test_an_unreachable_host_is_tried_again_after_an_hour(tmp_path, monkeypatch):
    passed = [0.0]
    monkeypatch.setattr("crawler.fetching.robots.monotonic", lambda: passed[0])

    def wait(path):
        passed[0] += HOUR if path == "/1" else 0.0
        return 0.0

    with served({"/robots.txt": Answer("", 503)}) as down, served({}) as site:
        site.pages = {"/": page("home", "/1", f"{down.base}/y"), "/1": page("1", f"{down.base}/z")}
        site.delay = wait
        urls = f"{down.base}/x,{site.base}/"
        crawled = crawl(tmp_path, url=urls, settings={**PLAIN, "CONCURRENT_REQUESTS": 1})
        assert down.asked == {"/robots.txt": 4}
    assert crawled.stats["robotstxt/unreachable"] == 1


class NoRobots:
    """A middleware that lets no robots.txt pass."""

    def process_request(self, request):
        if request.url.endswith("/robots.txt"):
            raise IgnoreRequest("not now")


def test_a_robots_that_somebody_does_not_let_pass_is_unreachable(tmp_path):
    middlewares = {f"{__name__}.NoRobots": 50}
    settings = {**PLAIN, "DOWNLOADER_MIDDLEWARES": middlewares}
    with served(SMALL) as site:
        crawled = crawl(tmp_path, url=f"{site.base}/", settings=settings)
        assert not site.asked
    assert crawled.answers == [f"{site.base}/ failed (robots unreachable)"]
