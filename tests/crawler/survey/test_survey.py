from __future__ import annotations

import gzip
import signal
from typing import TYPE_CHECKING, Any

import pytest
from scrapy.settings import Settings

from crawler.survey import survey
from crawler.survey.spider import PAGES, SITEMAPS, ShortDelays
from settings.errors import ConfigurationError
from tests import forked
from tests.processes import wait_until
from tests.served import Answer, moved, page, served

if TYPE_CHECKING:
    from crawler.survey.findings import Findings

PROSE = (
    "The harbour office opens at seven in the morning, when the first boats have come in and their crews "
    "have unloaded what they caught during the night. Visitors are asked to wait behind the yellow line. "
) * 3


def look(url: str, **asked: Any) -> Findings:
    settings = Settings()
    settings.setmodule("settings.base", priority="project")
    settings.set("TWISTED_REACTOR_ENABLED", False, "project")
    settings.setdict({"DOWNLOAD_DELAY": 0, **asked}, "cmdline")
    return survey(url, settings)


def urlset(*entries: str) -> Answer:
    items = "".join(
        f"<url><loc>{url}</loc>{date}</url>" for url, _, date in (e.partition(" ") for e in entries)
    )
    return Answer(
        f'<urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9">{items}</urlset>',
        kind="application/xml",
    )


def robots(text: str) -> Answer:
    return Answer(text, kind="text/plain")


def test_pages_from_every_folder_are_looked_at() -> None:
    links = [f"/news/{i}" for i in range(20)] + ["/about/us", "/contact", "/report.pdf", "/old nofollow"]
    pages = {"/": page("Harbour", *links, "https://docs.example.org/a", text=PROSE)}
    with served(pages, lambda path: page(path, text=PROSE)) as site:
        found = look(site.base)
    assert found.title == "Harbour"
    assert found.start == f"{site.base}/"
    assert len(found.pages) == PAGES + 1
    assert {"/about/us", "/contact"} <= set(site.asked)
    assert not {"/report.pdf", "/old"} & set(site.asked)
    assert site.asked["/robots.txt"] == 1
    assert sum(site.asked.values()) == found.requests <= PAGES + 4
    assert found.languages == {"en": PAGES + 1}
    assert found.hosts == {"docs.example.org": 1}
    assert not found.needs_javascript
    assert found.not_modified is None


def test_robots_txt_is_obeyed_and_read() -> None:
    text = "User-agent: *\nDisallow: /private\nCrawl-delay: 0.01\nSitemap: /maps/all.xml\n"
    pages = {
        "/": page("Home", "/private/a", "/open/b"),
        "/open/b": page("B"),
        "/robots.txt": robots(text),
        "/maps/all.xml": urlset(
            *(f"/s{i}/x <lastmod>2026-01-01</lastmod>" for i in range(4)), "/open/c", "https://o.example/"
        ),
    }
    with served(pages, lambda path: page(path)) as site:
        pages["/maps/all.xml"].body = pages["/maps/all.xml"].body.replace(
            b"<loc>/", f"<loc>{site.base}/".encode()
        )
        found = look(site.base)
        assert "/private/a" not in site.asked
        assert "/sitemap.xml" not in site.asked
    assert found.forbidden == 1
    assert found.crawl_delay == 0.01
    assert found.sitemaps.files == [f"{site.base}/maps/all.xml"]
    assert (found.sitemaps.urls, found.sitemaps.dated, found.sitemaps.elsewhere) == (6, 4, 1)
    assert found.sitemaps.folders["/open/"] == 1
    assert "/s0/x" in site.asked


def test_few_files_of_a_sitemap_index_are_read_gzipped_or_not() -> None:
    index = "".join(f"<sitemap><loc>BASE/map{i}.xml</loc></sitemap>" for i in range(9))
    pages: dict[str, Any] = {"/": page("Home")}
    with served(pages) as site:
        body = f"<sitemapindex xmlns='http://www.sitemaps.org/schemas/sitemap/0.9'>{index}</sitemapindex>"
        pages["/sitemap.xml"] = Answer(body.replace("BASE", site.base), kind="application/xml")
        inner = urlset(f"{site.base}/a/1", f"{site.base}/a/2")
        pages["/map0.xml"] = Answer(gzip.compress(inner.body), kind="application/gzip")
        pages["/map1.xml"] = Answer(b"\x1f\x8b broken", kind="application/gzip")
        pages["/map2.xml"] = inner
        site.pages.update(pages)
        found = look(site.base)
    assert len(found.sitemaps.files) == SITEMAPS
    assert found.sitemaps.urls == 4
    assert found.sitemaps.unread == 6


def test_malformed_addresses_end_no_survey() -> None:
    bad = "http://[::1"
    pages = {"/": page("Home"), "/robots.txt": robots(f"Sitemap: {bad}\nSitemap: /map.xml")}
    with served(
        {**pages, "/map.xml": urlset(bad, "/a <lastmod>2024-01-01</lastmod>", "/b"), "/a": page("a")}
    ) as site:
        found = look(site.base)
        assert site.asked["/a"]
    assert (found.sitemaps.urls, found.sitemaps.dated, found.sitemaps.elsewhere) == (3, 1, 1)


@pytest.mark.parametrize("body", ["", "<html><p>soft 404</p>", "\x00", "<opml><a/></opml>"])
def test_what_is_no_sitemap_counts_as_none(body: str) -> None:
    with served({"/": page("Home"), "/sitemap.xml": body}) as site:
        assert look(site.base).sitemaps.files == []


@pytest.mark.parametrize(("path", "start"), [("/", "/"), ("/docs/", "/en/docs/")])
def test_a_site_that_has_moved_is_followed(path: str, start: str) -> None:
    pages = {"/en/docs/": page("Docs", "/en/docs/a"), "/en/docs/a": page("A"), "/robots.txt": robots("")}
    with served(pages) as new, served({path: moved(f"{new.base}/en/docs/")}) as old:
        found = look(f"{old.base}{path}")
    assert found.asked == f"{old.base}{path}"
    assert found.start == f"{new.base}{start}"
    assert len(found.pages) == 2


def test_the_site_that_it_has_moved_to_may_forbid_it() -> None:
    with (
        served({"/": page("Home"), "/robots.txt": robots("User-agent: *\nDisallow: /")}) as new,
        served({"/": moved(f"{new.base}/")}) as old,
    ):
        with pytest.raises(ConfigurationError, match=r"robots\.txt forbids it"):
            look(old.base)
        assert "/" not in new.asked


@pytest.mark.parametrize("answers", [True, False, None])
def test_a_conditional_request_shows_what_the_server_makes_of_it(answers: bool | None) -> None:
    headers = {"ETag": '"v1"', "Last-Modified": "Mon, 05 Jan 2026 10:00:00 GMT"}
    home = Answer(page("Home"), headers={} if answers is None else headers, confirmed=answers)
    with served({"/": home}) as site:
        assert look(site.base).not_modified is answers


def test_pages_that_are_empty_without_scripts_are_told() -> None:
    app = (
        "<html><head><script src=/a.js></script></head><body><div id=root></div>"
        "<noscript>You need to enable JavaScript to run this app.</noscript><a href=/x></a><a href=/y></a>"
    )
    with served({}, lambda path: app if path in ("/", "/x", "/y") else None) as site:
        found = look(site.base)
    assert (found.empty, len(found.pages)) == (3, 3)
    assert found.needs_javascript


def test_parameters_directives_and_canonicals_are_counted() -> None:
    head = '<meta name=robots content="noindex, nofollow"><link rel=canonical href=/list>'
    pages = {
        "/": page("Shop", "/list?sort=price&page=2&utm_source=x&sid=1", "/item?id=1"),
        "/list?sort=price&page=2": page("List", head=head),
        "/item?id=1": Answer(page("Item"), headers={"X-Robots-Tag": "noindex"}),
    }
    with served(pages) as site:
        found = look(site.base)
    assert set(found.parameters) == {"sort", "page", "id"}
    assert found.sorting == ["sort"]
    assert (found.said("noindex"), found.said("nofollow"), found.elsewhere) == (2, 1, 1)


def test_a_host_that_a_refresh_leads_to_is_named() -> None:
    head = '<meta http-equiv="refresh" content="0; url=http://www.example.org/">'
    with served({"/": page("moved", head=head)}) as site:
        assert list(look(site.base).hosts) == ["www.example.org"]


def test_a_long_crawl_delay_means_fewer_pages(monkeypatch) -> None:
    monkeypatch.setattr(ShortDelays, "longest_delay", 0.01)
    pages = {
        "/": page("Home", *(f"/p{i}" for i in range(20))),
        "/robots.txt": robots("User-agent: *\nCrawl-delay: 3600"),
    }
    with served(pages, lambda path: page(path)) as site:
        found = look(site.base)
    assert found.crawl_delay == 3600
    assert len(found.pages) == 4


def test_what_fails_is_counted_and_hurts_nothing_else() -> None:
    answers = {
        "/gone": Answer("gone", 410),
        "/error": Answer("broken", 503),
        "/cut": Answer(raw=b"HTTP/1.1 200 OK\r\nContent-Length: 99\r\n"),
        "/deep": "<div>" * 5000,
        "/binary": Answer(b"\x00\x01\xff" * 99, kind="text/html"),
        "/loop": moved("/loop"),
        "/picture": Answer(b"\x89PNG", kind="image/png"),
    }
    with served({"/": page("Home", *answers, "/fine"), "/fine": page("Fine"), **answers}) as site:
        found = look(site.base)
    assert any(seen.url.endswith("/fine") for seen in found.pages), found
    assert found.failed["status 410"] == 1
    assert sum(found.failed.values()) == 4


@pytest.mark.parametrize(
    ("answer", "text"),
    [
        (Answer("no", 404), "answers 404; give the URL of a page that exists"),
        (Answer("no", 401), "answers 401; it wants credentials"),
        (Answer("no", 500), "answers 500; try again"),
        (Answer("%PDF", kind="application/pdf"), "no HTML page"),
        (moved("/"), "max redirections reached"),
        (Answer(raw=b"nonsense\r\n\r\n"), "not reachable"),
    ],
)
def test_a_start_page_that_is_none_is_one_line(answer: Answer, text: str) -> None:
    with served({"/": answer}) as site, pytest.raises(ConfigurationError) as raised:
        look(site.base)
    assert text in str(raised.value)
    assert site.base in str(raised.value)
    assert "\n" not in str(raised.value)


@pytest.mark.parametrize("url", ["http://127.0.0.1:1/", "http://nowhere.invalid/"])
def test_a_site_that_is_not_there_is_one_line(url: str) -> None:
    with pytest.raises(ConfigurationError, match="not reachable") as raised:
        look(url)
    assert "\n" not in str(raised.value)


@pytest.mark.parametrize(
    "url",
    [
        "",
        "ftp://example.org/",
        "http://",
        "http://[",
        "javascript:alert(1)",
        "file:///etc",
        "http://user:x@a.example/",
    ],
)
def test_what_is_no_url_of_a_page_is_refused(url: str) -> None:
    with pytest.raises(ConfigurationError, match="no URL of a page"):
        look(url)


def test_a_survey_is_not_sent_inside_either() -> None:
    with served({"/": page("secret")}) as inside, served({}) as site:
        site.pages["/"] = moved(inside.base.replace("127.0.0.1", "localhost") + "/")
        with pytest.raises(ConfigurationError, match="localhost has the address 127"):
            look(site.base)
        assert not inside.asked


def test_ctrl_c_ends_it_whatever_it_waits_for() -> None:
    with served({}) as site:
        site.delay = lambda path: 600.0
        running = forked.Running(["sites", "--new", f"{site.base}/", "-O", "-"])
        wait_until(lambda: site.asked["/robots.txt"])
        running.send_signal(signal.SIGINT)
        assert running.wait(15) == 2
