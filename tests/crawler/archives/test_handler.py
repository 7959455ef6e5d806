from __future__ import annotations

import asyncio
import gzip
import io
import logging
from typing import TYPE_CHECKING, Any

import pytest
from scrapy import Request, Spider
from scrapy.crawler import AsyncCrawlerRunner
from scrapy.exceptions import DownloadCancelledError
from scrapy.http import HtmlResponse, Response, XmlResponse
from warcio.statusandheaders import StatusAndHeaders
from warcio.warcwriter import WARCWriter

from crawler.archives.handler import NotInArchive
from pagelets.archives.archive import Archive
from pagelets.archives.records import ArchiveError

if TYPE_CHECKING:
    from pathlib import Path

HANDLER = "crawler.archives.handler.ArchiveDownloadHandler"
SETTINGS = {
    "TWISTED_REACTOR_ENABLED": False,
    "TELNETCONSOLE_ENABLED": False,
    "REMOTE_CONTROL_ENABLED": False,
    "LOG_ENABLED": False,
    # At the first cookie the middleware fetches the list of public suffixes from the network.
    "COOKIES_ENABLED": False,
    "DOWNLOAD_HANDLERS": {"http": HANDLER, "https": HANDLER},
}
PAGE = b"<!DOCTYPE html><title>A page</title><p>Text."


class AskingSpider(Spider):
    """Sends the given requests, and keeps what comes back for each: a response or an exception."""

    name = "asking"

    def __init__(self, archive: Archive, requests: list[Request], **kwargs: Any) -> None:
        super().__init__(**kwargs)
        self.archive = archive
        self.requests = requests
        self.answers: list[Response | BaseException] = []

    async def start(self):
        for request in self.requests:
            yield request.replace(callback=self.parse, errback=self.fail, dont_filter=True)

    def parse(self, response: Response) -> None:
        self.answers.append(response)

    def fail(self, failure: Any) -> None:
        self.answers.append(failure.value)


def ask(archive: Archive, *requests: Request, **settings: Any) -> list[Any]:
    """Crawl `requests` one after the other and return the answers."""

    async def run() -> list[Any]:
        runner = AsyncCrawlerRunner({**SETTINGS, "CONCURRENT_REQUESTS": 1, **settings})
        crawler = runner.create_crawler(AskingSpider)
        await runner.crawl(crawler, archive=archive, requests=list(requests))
        assert isinstance(crawler.spider, AskingSpider)
        return crawler.spider.answers

    return asyncio.run(run())


def warc(path: Path, *pages: tuple[str, bytes] | tuple[str, bytes, dict[str, str]]) -> Path:
    out = io.BytesIO()
    writer = WARCWriter(out, gzip=True)
    for url, body, *more in pages:
        headers: dict[str, str] = {"Content-Type": "text/html; charset=utf-8"} | (more[0] if more else {})
        status = headers.pop(":status", "200 OK")
        truncated = headers.pop(":truncated", None)
        http = StatusAndHeaders(status, list(headers.items()), "HTTP/1.1")
        writer.write_record(
            writer.create_warc_record(
                url,
                "response",
                payload=io.BytesIO(body),
                length=len(body),
                http_headers=http,
                warc_headers_dict={"WARC-Truncated": truncated} if truncated else None,
            )
        )
    path.write_bytes(out.getvalue())
    return path


@pytest.fixture(autouse=True)
def no_network(monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(*args: Any) -> None:
        raise AssertionError("a connection was opened")

    monkeypatch.setattr("socket.socket.connect", refuse)
    monkeypatch.setattr("socket.getaddrinfo", refuse)


def test_pages(tmp_path: Path) -> None:
    path = warc(
        tmp_path / "x.warc.gz",
        ("http://example.org/", PAGE),
        ("https://example.org/missing", b"gone", {":status": "404 Not Found"}),
        ("http://example.org/feed", b"<rss/>", {"Content-Type": "application/rss+xml", "X-Odd": "a"}),
    )
    with Archive.open([path]) as archive:
        page, missing, feed = ask(
            archive,
            Request("http://example.org/"),
            Request("https://example.org/missing", meta={"handle_httpstatus_all": True}),
            Request("http://example.org/feed"),
        )
    assert type(page) is HtmlResponse
    assert (page.url, page.status, page.body) == ("http://example.org/", 200, PAGE)
    assert page.flags == ["archived"]
    assert page.css("title::text").get() == "A page"
    assert (missing.status, missing.body) == (404, b"gone")
    assert type(feed) is XmlResponse
    assert feed.headers.getlist("X-Odd") == [b"a"]


def test_what_is_not_whole_has_the_flags_of_a_broken_transfer(tmp_path: Path) -> None:
    path = warc(
        tmp_path / "x.warc.gz",
        ("http://a/torn", PAGE, {"Content-Length": "999"}),
        ("http://a/whole", PAGE + b"</html>", {"Content-Length": "999"}),
        ("http://a/long", PAGE, {":truncated": "length"}),
    )
    with Archive.open([path]) as archive:
        answers = ask(archive, *map(Request, archive.urls()))
    assert [answer.flags for answer in answers] == [
        ["archived", "dataloss"],
        ["archived"],
        ["archived", "partial"],
    ]


def test_header_bytes_are_those_of_the_server(tmp_path: Path) -> None:
    block = b"HTTP/1.1 200 OK\r\nX-Name: M\xfcller\r\nSet-Cookie: a=1\r\nset-cookie: b=2\r\n\r\n"
    head = (
        f"WARC/1.0\r\nWARC-Type: response\r\nWARC-Target-URI: http://a/\r\nContent-Length: {len(block)}\r\n"
    )
    path = tmp_path / "x.warc"
    path.write_bytes(head.encode() + b"\r\n" + block + b"\r\n\r\n")
    with Archive.open([path]) as archive:
        (page,) = ask(archive, Request("http://a/"))
    assert page.headers[b"X-Name"] == b"M\xfcller"
    assert page.headers.getlist("Set-Cookie") == [b"a=1", b"b=2"]


def test_compressed_body_is_undone_by_scrapy(tmp_path: Path) -> None:
    path = warc(
        tmp_path / "x.warc.gz",
        ("http://a/gzip", gzip.compress(PAGE), {"Content-Encoding": "gzip"}),
        ("http://a/decoded", PAGE, {"Content-Encoding": "gzip"}),
    )
    with Archive.open([path]) as archive:
        answers = ask(archive, Request("http://a/gzip"), Request("http://a/decoded"))
    assert [(type(answer), answer.body) for answer in answers] == [(HtmlResponse, PAGE)] * 2


def test_other_spelling_of_a_url(tmp_path: Path) -> None:
    path = warc(tmp_path / "x.warc.gz", ("http://Example.org:80/%7ea b", PAGE))
    with Archive.open([path]) as archive:
        (page,) = ask(archive, Request("http://example.org/~a b"))
    assert page.url == "http://example.org/~a%20b"
    assert page.body == PAGE


def test_archive_url_names_the_page_to_the_byte(tmp_path: Path) -> None:
    urls = ["http://Example.org/a", "http://example.org:80/a", "http://example.org/a"]
    path = warc(tmp_path / "x.warc.gz", *((url, url.encode()) for url in urls))
    with Archive.open([path]) as archive:
        answers = ask(archive, *(Request(url, meta={"archive_url": url}) for url in urls))
    assert [answer.text for answer in answers] == urls


def test_redirect_leaves_the_archive_url_behind(tmp_path: Path) -> None:
    moved = {":status": "301 Moved", "Location": "/new"}
    path = warc(tmp_path / "x.warc.gz", ("http://a/old", b"", moved), ("http://a/new", PAGE))
    with Archive.open([path]) as archive:
        (page,) = ask(archive, Request("http://a/old", meta={"archive_url": "http://a/old"}))
    assert (page.url, page.body) == ("http://a/new", PAGE)


@pytest.mark.parametrize(
    "request_",
    [
        Request("http://a/other"),
        Request("https://a/"),
        Request("http://a/", method="POST"),
        Request("http://a/", meta={"archive_url": "http://A/"}),
    ],
    ids=["page", "scheme", "method", "archive_url"],
)
def test_what_the_archive_lacks_goes_to_the_errback(
    tmp_path: Path, request_: Request, caplog: pytest.LogCaptureFixture
) -> None:
    path = warc(tmp_path / "x.warc.gz", ("http://a/", PAGE))
    with Archive.open([path]) as archive:
        (error,) = ask(archive, request_)
    assert type(error) is NotInArchive
    assert request_.url in str(error)
    assert not [record for record in caplog.records if record.levelno >= logging.ERROR]


def test_damaged_record_goes_to_the_errback(tmp_path: Path) -> None:
    path = warc(tmp_path / "x.warc.gz", ("http://a/", PAGE))
    with Archive.open([path]) as archive:
        path.write_bytes(b"changed" * 99)
        (error,) = ask(archive, Request("http://a/"))
    assert type(error) is ArchiveError
    assert str(path) in str(error)


def test_max_size(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    path = warc(tmp_path / "x.warc.gz", ("http://a/", PAGE))
    size = len(PAGE)
    with Archive.open([path]) as archive:
        refused, larger, unlimited = ask(
            archive,
            Request("http://a/"),
            Request("http://a/", meta={"download_maxsize": size}),
            Request("http://a/", meta={"download_maxsize": 0}),
            DOWNLOAD_MAXSIZE=size - 1,
        )
    assert type(refused) is DownloadCancelledError
    assert f"more than DOWNLOAD_MAXSIZE ({size - 1})" in caplog.text
    assert larger.body == unlimited.body == PAGE


def test_warn_size(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    path = warc(tmp_path / "x.warc.gz", ("http://a/", PAGE))
    with Archive.open([path]) as archive:
        ask(archive, Request("http://a/", meta={"download_warnsize": 0}), DOWNLOAD_WARNSIZE=5)
        assert "more than DOWNLOAD_WARNSIZE" not in caplog.text
        (page,) = ask(archive, Request("http://a/"), DOWNLOAD_WARNSIZE=5)
    assert page.body == PAGE
    assert "more than DOWNLOAD_WARNSIZE (5)" in caplog.text


def test_folder(tmp_path: Path) -> None:
    (tmp_path / "site" / "a b").mkdir(parents=True)
    (tmp_path / "site" / "a b" / "index.html").write_bytes(PAGE)
    with Archive.open([tmp_path / "site"], "https://example.org/docs") as archive:
        (page,) = ask(archive, Request("https://example.org/docs/a b/"))
    assert type(page) is HtmlResponse
    assert (page.url, page.body) == ("https://example.org/docs/a%20b/", PAGE)


def test_whole_archive(tmp_path: Path) -> None:
    bodies = {f"http://host{n % 7}.example/{n}": b"<p>page %d" % n for n in range(100)}
    with Archive.open([warc(tmp_path / "x.warc.gz", *bodies.items())]) as archive:
        answers = ask(archive, *map(Request, archive.urls()), CONCURRENT_REQUESTS=16, DOWNLOAD_DELAY=0)
    assert {answer.url: answer.body for answer in answers} == bodies
