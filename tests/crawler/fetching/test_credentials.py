"""Headers and passwords go to the hosts that the user has named, and appear nowhere."""

from __future__ import annotations

import json
import logging
from base64 import b64encode

import pytest
from scrapy import Request
from scrapy.settings import Settings

from crawler.fetching.credentials import Credentials, CredentialsMiddleware, header_fields
from settings.errors import ConfigurationError
from tests.crawls import crawl, scrapy
from tests.noting import noting
from tests.served import page

SECRET = "s3cret-Zeichen-ü"
BASIC = "Basic " + b64encode(f"reader:{SECRET}".encode()).decode()


def html(*links):
    return 200, {}, page("a page", *links)


def settings_of(**values):
    return Settings(values)


# --- A crawl ---


def test_own_host_and_no_other(tmp_path, monkeypatch, caplog):
    caplog.set_level(logging.DEBUG)
    monkeypatch.setenv("READER_PASSWORD", SECRET)
    monkeypatch.setenv("READER_KEY", SECRET)
    settings = {
        "REQUEST_HEADERS": {"X-Key": {"env": "READER_KEY"}, "X-Plain": "plain"},
        "REQUEST_AUTH": {"user": "reader", "password": {"env": "READER_PASSWORD"}},
    }
    with noting({}) as other, noting({}) as site:
        away = {"Location": f"{other.base}/target"}
        robots = f"User-agent: *\nDisallow:\nSitemap: {site.base}/map.xml\nSitemap: {other.base}/map.xml"
        site.answers |= {
            "/": html("/a", "/away", f"{other.base}/link"),
            "/a": html(),
            "/away": (302, away, ""),
            "/robots.txt": (200, {"Content-Type": "text/plain"}, robots),
            "/map.xml": (301, away, ""),
        }
        other.answers |= {"/target": html()}
        crawled = crawl(tmp_path, url=f"{site.base}/", settings=settings)
        own, elsewhere = list(site.heard), list(other.heard)
    assert crawled.outcome == "complete"
    assert {path for path, _ in own} >= {"/", "/a", "/away", "/robots.txt", "/map.xml", "/sitemap.xml"}
    for _, headers in own:
        assert headers["authorization"] == BASIC
        assert headers["x-key"].encode("latin-1").decode() == SECRET
        assert headers["x-plain"] == "plain"
    assert {path for path, _ in elsewhere} >= {"/robots.txt", "/target", "/map.xml"}
    for _, headers in elsewhere:
        assert not {"authorization", "x-key", "x-plain"} & set(headers)
    shown = caplog.text + json.dumps([crawled.documents, crawled.stats], default=str)
    assert SECRET not in shown
    assert BASIC not in shown
    for file in tmp_path.rglob("*"):
        assert not file.is_file() or SECRET.encode() not in file.read_bytes()


def test_the_host_that_a_start_url_has_moved_to_gets_none(tmp_path, caplog):
    with noting({"/": html("/a"), "/a": html()}) as other:
        with noting({"/": (301, {"Location": f"{other.base}/"}, "")}) as site:
            crawled = crawl(tmp_path, url=f"{site.base}/", settings={"REQUEST_HEADERS": {"X-Key": SECRET}})
        assert crawled.outcome == "complete"
        assert all("x-key" in headers for _, headers in site.heard)
        assert {path for path, _ in other.heard} >= {"/", "/a"}
        assert not any("x-key" in headers for _, headers in other.heard)
    [told] = [
        record.getMessage() for record in caplog.records if "no headers or passwords" in record.getMessage()
    ]
    assert other.base in told


def test_cookies_of_a_header_are_kept_beside_those_of_the_server(tmp_path):
    answers = {
        "/": (200, {"Set-Cookie": "visit=1; Path=/"}, page("home", "/a")),
        "/a": (200, {"Set-Cookie": "session=new; Path=/"}, page("a", "/b")),
        "/b": html(),
    }
    with noting(answers) as site:
        settings = {"REQUEST_HEADERS": {"cookie": "session=old; lang=a=b"}, "COOKIES_ENABLED": True}
        crawl(tmp_path, url=f"{site.base}/", settings=settings)
        heard = {path: set(headers["cookie"].split("; ")) for path, headers in site.heard}
    assert heard["/"] == {"session=old", "lang=a=b"}
    assert heard["/a"] == {"session=old", "lang=a=b", "visit=1"}
    assert heard["/b"] == {"session=new", "lang=a=b", "visit=1"}


def test_several_start_hosts_have_them(tmp_path):
    with noting({"/": html()}) as one, noting({"/": html()}) as two:
        crawl(tmp_path, url=f"{one.base}/,{two.base}/", settings={"REQUEST_HEADERS": {"X-Key": "k"}})
        assert all(headers["x-key"] == "k" for _, headers in one.heard + two.heard)


def test_scrapys_own_authentication_comes_first(tmp_path):
    settings = {
        "REQUEST_AUTH": {"user": "ours", "password": "p"},
        "HTTPAUTH_USER": "theirs",
        "HTTPAUTH_PASS": "p",
        "HTTPAUTH_DOMAIN": None,
    }
    theirs = "Basic " + b64encode(b"theirs:p").decode()
    with noting({"/": html()}) as site:
        crawl(tmp_path, url=f"{site.base}/", settings=settings)
        assert all(headers["authorization"] == theirs for _, headers in site.heard)


def test_an_unset_variable_is_a_usage_error(tmp_path):
    setting = 'REQUEST_HEADERS={"X-Key": {"env": "SURELY_NOT_SET"}}'
    done = scrapy(tmp_path, "-a", "url=http://127.0.0.1:9/", "-s", setting)
    assert done.returncode == 2
    assert "SURELY_NOT_SET" in done.stderr
    assert "Traceback" not in done.stderr


# --- Which URLs ---


@pytest.mark.parametrize(
    ("start", "url", "named"),
    [
        ("https://example.org/docs/", "https://example.org/other", True),
        ("https://example.org/", "https://EXAMPLE.org:443/a", True),
        ("https://example.org/", "http://example.org/a", False),
        ("http://example.org/", "https://example.org/a", True),
        ("http://example.org/", "http://example.org:80/a", True),
        ("https://example.org/", "https://example.org:8443/", False),
        ("https://example.org/", "https://www.example.org/", False),
        ("https://example.org/", "https://example.org.evil.test/", False),
        ("https://example.org/", "https://example.org@evil.test/", False),
        ("https://example.org/", "https://evil.test/?https://example.org/", False),
        ("https://example.org/", "https://[evil/", False),
    ],
)
def test_named_hosts(start, url, named):
    assert Credentials.of({"X-Key": b"k"}, [start]).named(url) is named


def test_a_redirect_to_another_host_loses_them():
    middleware = CredentialsMiddleware(Credentials.of({"X-Key": b"k"}, ["https://example.org/"]), {})
    request = Request("https://example.org/")
    middleware.process_request(request)
    assert request.headers["X-Key"] == b"k"
    redirected = request.replace(url="https://evil.test/")
    middleware.process_request(redirected)
    assert "X-Key" not in redirected.headers


def test_no_representation_shows_a_value():
    middleware = CredentialsMiddleware(Credentials.of({"X-Key": b"value"}, ["https://example.org/"]), {})
    assert "value" not in repr(middleware) + repr(middleware.credentials) + str(middleware.credentials)


# --- Settings ---


def test_values_of_the_command_line():
    settings = settings_of(REQUEST_HEADERS='{"X-Key": "k"}', REQUEST_AUTH='{"user": "u", "password": ""}')
    assert header_fields(settings) == {"X-Key": b"k", "Authorization": b"Basic dTo="}


def test_nothing_set_is_nothing_to_send():
    assert header_fields(settings_of(REQUEST_HEADERS={}, REQUEST_AUTH={})) == {}


@pytest.mark.parametrize(
    ("values", "named"),
    [
        ({"REQUEST_HEADERS": {"X Key": SECRET}}, "X Key"),
        ({"REQUEST_HEADERS": {"X-Key\r\nX": SECRET}}, "X-Key"),
        ({"REQUEST_HEADERS": {"X-Key": f"{SECRET}\r\nHost: evil"}}, "X-Key"),
        ({"REQUEST_HEADERS": {"X-Key": f"{SECRET}\0"}}, "X-Key"),
        ({"REQUEST_HEADERS": {"X-Key": [SECRET]}}, "X-Key"),
        ({"REQUEST_HEADERS": {"X-Key": {"env": "A", "b": SECRET}}}, "X-Key"),
        ({"REQUEST_HEADERS": {"X-Key": f"{SECRET}\udcff"}}, "X-Key"),
        ({"REQUEST_AUTH": {"user": SECRET}}, "password"),
        ({"REQUEST_AUTH": {"user": "u", "password": "p", "realm": SECRET}}, "realm"),
        ({"REQUEST_AUTH": {"user": f"a:{SECRET}", "password": "p"}}, "user"),
    ],
)
def test_what_no_header_can_hold(values, named):
    with pytest.raises(ConfigurationError) as caught:
        header_fields(settings_of(**values))
    text = str(caught.value)
    assert named in text
    assert SECRET not in text
    assert "\n" not in text
