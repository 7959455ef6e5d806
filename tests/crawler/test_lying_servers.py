"""Servers whose validators, statuses and cache headers do not say what is so."""

from __future__ import annotations

import gzip
import zlib
from contextlib import closing
from datetime import UTC, datetime
from itertools import count
from typing import TYPE_CHECKING

import brotli
import pytest
import zstandard

from crawler.fetching import conditional, directives
from store.meta import DISTRUSTED_HOSTS
from store.site import Store
from tests.crawls import crawl, scrapy
from tests.served import Answer, page, served

if TYPE_CHECKING:
    from collections.abc import Sequence

PACKED = {
    "gzip": gzip.compress,
    "deflate": zlib.compress,
    "br": brotli.compress,
    "zstd": zstandard.ZstdCompressor().compress,
}
MODIFIED = "Mon, 05 Jan 2026 10:00:00 GMT"
NAMES = ("/", "/a", "/b", "/c")


class Next(datetime):
    """The clock of the next century."""

    @classmethod
    def now(cls, tz=None) -> datetime:
        return datetime(2100, 2, 1, tzinfo=UTC)


def text(path: str, edition: int) -> str:
    return f"Edition {edition} of what the page at {path} tells its readers, in words of its own."


class Liar:
    """Pages that link to each other; ``edition`` is of their text, ``headers`` of a path and an edition what
    the server says beside it.
    """

    def __init__(self, headers, confirmed: bool | None = None, names: Sequence[str] = NAMES) -> None:
        self.names = names
        self.edition = 1
        self.headers = headers
        self.confirmed = confirmed

    def __call__(self, path: str) -> Answer | None:
        if path not in self.names:
            return None
        body = page(path, *self.names, text=text(path, self.edition))
        return Answer(body, headers=self.headers(path, self.edition), confirmed=self.confirmed)


def distrusted(folder) -> list[str]:
    with closing(Store.open(folder)) as store:
        return store.meta(DISTRUSTED_HOSTS) or []


@pytest.mark.parametrize(
    "validators",
    [
        {"ETag": '"always"'},
        {"Last-Modified": MODIFIED},
        {"ETag": '"always"', "Last-Modified": MODIFIED},
        {"ETag": 'W/"always"'},
    ],
)
def test_another_text_with_the_same_validators_is_seen_and_believed_no_more(tmp_path, validators):
    liar = Liar(lambda path, edition: validators, confirmed=False)
    with served({}, liar) as site:
        crawl(tmp_path, url=f"{site.base}/")
        liar.edition = 2
        second = crawl(tmp_path, url=f"{site.base}/")
        assert second.paths(site.base) == list(NAMES)
        assert distrusted(second.folder) == [site.base.removeprefix("http://")]
        crawl(tmp_path, url=f"{site.base}/", fresh=1)
        # From now on it says 304 to whoever asks with these validators: nobody does.
        liar.edition, liar.confirmed = 3, True
        third = crawl(tmp_path, url=f"{site.base}/")
        assert sum(site.confirmed.values()) == 0
    assert third.paths(site.base) == list(NAMES)
    assert (third.outcome, third.deletions) == ("complete", [])


def test_a_server_that_refuses_validators_is_asked_without_them_the_next_time(tmp_path):
    liar = Liar(lambda path, edition: {"ETag": f'"{edition}"'})

    def answer(path: str) -> Answer | None:
        last = next(headers for heard, headers in reversed(site.heard) if heard == path)
        return Answer(status=412) if "If-None-Match" in last and path == "/b" else liar(path)

    with served({}, answer) as site:
        crawl(tmp_path, url=f"{site.base}/")
        liar.edition = 2
        second, third = (crawl(tmp_path, url=f"{site.base}/") for _ in range(2))
    assert "/b" not in second.paths(site.base)
    assert third.paths(site.base) == ["/b"]


@pytest.mark.parametrize("validators", [{"ETag": '"always"'}, {"Last-Modified": MODIFIED}])
def test_a_server_that_always_confirms_is_asked_for_the_whole_page_now_and_then(
    tmp_path, validators, monkeypatch
):
    liar = Liar(lambda path, edition: validators, confirmed=True)
    with served({}, liar) as site:
        crawl(tmp_path, url=f"{site.base}/")
        liar.edition = 2
        believed = crawl(tmp_path, url=f"{site.base}/")
        assert (believed.documents, believed.stats["pages/not_modified"]) == ([], 4)
        monkeypatch.setattr(conditional, "TRUSTED_FOR", 0)
        asked = crawl(tmp_path, url=f"{site.base}/")
    assert asked.paths(site.base) == list(NAMES)
    assert distrusted(asked.folder) == [site.base.removeprefix("http://")]


def test_another_etag_at_each_request_for_the_same_page_sends_nothing(tmp_path):
    number = count()
    liar = Liar(lambda path, edition: {"ETag": f'"{next(number)}"'})
    with served({}, liar) as site:
        crawl(tmp_path, url=f"{site.base}/")
        second = crawl(tmp_path, url=f"{site.base}/")
        assert all(site.bodies[path] == 2 for path in NAMES)
    assert (second.outcome, second.documents, second.deletions) == ("complete", [], [])
    assert distrusted(second.folder) == []


def test_304_for_what_was_never_sent_is_a_failure_of_that_page_alone(tmp_path):
    liar = Liar(lambda path, edition: {})
    with served({"/b": Answer(b"", 304, None)}, liar) as site:
        first = crawl(tmp_path, url=f"{site.base}/")
        assert first.states(site.base)["/b"] == "failed http 304"
        assert first.paths(site.base) == ["/", "/a", "/c"]
        assert (first.outcome, first.errors) == ("complete", [])
        del site.pages["/b"]
        second = crawl(tmp_path, url=f"{site.base}/")
    assert second.paths(site.base) == ["/b"]


def test_304_without_having_been_asked_deletes_and_sends_nothing(tmp_path):
    """Without validators nothing can be confirmed: the page is as it was, for all that is known."""
    liar = Liar(lambda path, edition: {})
    with served({}, liar) as site:
        crawl(tmp_path, url=f"{site.base}/")
        site.pages["/b"] = Answer(b"", 304, None)
        second = crawl(tmp_path, url=f"{site.base}/")
    assert (second.outcome, second.documents, second.deletions) == ("complete", [], [])
    assert second.current(site.base) == list(NAMES)


def test_304_with_a_body_confirms_the_page(tmp_path):
    """The body of a 304 is none (RFC 9110, section 15.4.5); with the real command, and its own reactor."""
    body = page("other", "/", text="What a 304 has no business to say.").encode()
    head = f'HTTP/1.1 304 Not Modified\r\nETag: "1"\r\nContent-Length: {len(body)}\r\n\r\n'
    liar = Liar(lambda path, edition: {"ETag": '"1"'})
    with served({}, liar) as site:
        start = ["-a", f"url={site.base}/", "-a", "site=liar"]
        assert scrapy(tmp_path, *start).returncode == 0
        site.otherwise = lambda path: Answer(raw=head.encode() + body) if path in NAMES else None
        feed = tmp_path / "out.jsonl"
        second = scrapy(tmp_path, *start, "-O", f"{feed}:operations")
    assert (second.returncode, second.stderr) == (0, "")
    assert not feed.exists() or not feed.read_text()
    with closing(Store.open(tmp_path / "liar")) as store:
        assert len(list(store.documents.current())) == len(NAMES)


def test_validators_that_are_none_are_sent_back_or_left_out_and_hurt_nothing(tmp_path):
    none = [
        {"ETag": f'"{"x" * 8000}"'},
        {"ETag": ""},
        {"ETag": "no quotes, and a\tTab"},
        {"Last-Modified": "yesterday, I think"},
        {"Last-Modified": "Mon, 99 Foo 99999 99:99:99 GMT"},
        {"Last-Modified": ""},
        {"Last-Modified": "Fri, 31 Dec 9999 23:59:59 GMT"},
        {"ETag": '"1"', "Last-Modified": "-1", "Date": "never", "Age": "old", "Expires": "0"},
    ]
    names = [f"/{number or ''}" for number in range(len(none))]
    liar = Liar(lambda path, edition: none[names.index(path)], names=names)
    with served({}, liar) as site:
        crawl(tmp_path, url=f"{site.base}/")
        second = crawl(tmp_path, url=f"{site.base}/")
        assert (second.outcome, second.documents, second.errors) == ("complete", [], [])
        liar.edition, liar.confirmed = 2, False
        third = crawl(tmp_path, url=f"{site.base}/")
    assert third.paths(site.base) == names


def test_an_etag_goes_back_byte_by_byte(tmp_path):
    liar = Liar(lambda path, edition: {"ETag": '"\u00fc\u00ff"'})
    with served({}, liar) as site:
        for confirmed in (0, 1):
            assert scrapy(tmp_path, "-a", f"url={site.base}/").returncode == 0
            assert {site.confirmed[path] for path in NAMES} == {confirmed}


@pytest.mark.parametrize("validators", [{}, {"ETag": '"1"'}])
def test_every_page_is_asked_for_however_long_it_may_be_kept(tmp_path, validators):
    controls = ["no-store", "no-cache", "private, must-revalidate", "max-age=31536000, immutable"]

    def headers(path: str, edition: int) -> dict[str, str]:
        changed = {name: value.replace("1", str(edition)) for name, value in validators.items()}
        control = controls[NAMES.index(path)]
        return {"Cache-Control": control, "Expires": "Fri, 31 Dec 2100 23:59:59 GMT", **changed}

    liar = Liar(headers)
    with served({}, liar) as site:
        crawl(tmp_path, url=f"{site.base}/")
        second = crawl(tmp_path, url=f"{site.base}/")
        assert {path: site.asked[path] for path in NAMES} == dict.fromkeys(NAMES, 2)
        assert {path: site.bodies[path] for path in NAMES} == dict.fromkeys(NAMES, 1 if validators else 2)
        liar.edition = 2
        third = crawl(tmp_path, url=f"{site.base}/")
    assert second.documents == []
    assert third.paths(site.base) == list(NAMES)


def test_a_failure_in_between_does_not_make_a_confirmed_page_a_failure(tmp_path):
    liar = Liar(lambda path, edition: {"ETag": '"1"'})
    with served({}, liar) as site:
        first = crawl(tmp_path, url=f"{site.base}/")
        site.pages["/b"] = Answer("<p>Busy</p>", 503)
        crawl(tmp_path, url=f"{site.base}/")
        del site.pages["/b"]
        third = crawl(tmp_path, url=f"{site.base}/")
    assert third.stats["pages/not_modified"] == 4
    assert third.states(site.base) == first.states(site.base)
    with closing(Store.open(third.folder)) as store:
        assert {status for (status,) in store.connection.execute("SELECT status FROM pages")} == {200}


def test_a_page_that_is_no_html_for_some_nights_is_asked_for_again(tmp_path):
    liar = Liar(lambda path, edition: {})
    with served({}, liar) as site:
        crawl(tmp_path, url=f"{site.base}/")
        site.pages["/b"] = Answer(b"%PDF", kind="application/pdf")
        for reasons in ({}, {}, {"/b": "missed"}):
            crawled = crawl(tmp_path, url=f"{site.base}/")
            assert (crawled.outcome, crawled.documents) == ("complete", [])
            assert {url.removeprefix(site.base): reason for url, reason in crawled.deleted.items()} == reasons
        del site.pages["/b"]
        assert crawl(tmp_path, url=f"{site.base}/").paths(site.base) == ["/b"]


@pytest.mark.parametrize("kind", ["text/html charset=x", "text/html, text/html", "text"])
def test_html_whose_type_is_malformed_is_read(tmp_path, kind):
    body = page("Maße", text="Größe", head="<meta charset=iso-8859-15>").encode("iso-8859-15")
    pages = {"/": Answer(body, kind=kind), "/a": Answer("No page.", kind=kind)}
    with served(pages) as site:
        run = crawl(tmp_path, url=f"{site.base}/,{site.base}/a")
    assert run.paths(site.base) == ["/"]
    assert run.documents[0]["title"] == "Maße"


def broken_off(path: str, share: float, headers: str = "") -> Answer:
    body = page(path, *NAMES, text=text(path, 1)).encode()
    head = f"HTTP/1.1 200 OK\r\nContent-Type: text/html\r\n{headers}Content-Length: {len(body)}\r\n\r\n"
    return Answer(raw=head.encode() + body[: int(share * len(body))])


@pytest.mark.parametrize("share", [0, 0.5])
def test_a_page_that_breaks_off_stays_as_it_was_for_a_night(tmp_path, share):
    with served({}, Liar(lambda path, edition: {"ETag": f'"{path}"'}, confirmed=False)) as site:
        crawl(tmp_path, url=f"{site.base}/")
        site.pages["/b"] = broken_off("/b", share, 'ETag: "/b"\r\n')
        second = crawl(tmp_path, url=f"{site.base}/")
        assert (second.outcome, second.documents) == ("complete", [])
        assert second.states(site.base)["/b"] == "failed cut short"
        assert distrusted(second.folder) == []
        # Where that is how the server sends it from now on, it is the page, unless there is nothing of it.
        third = crawl(tmp_path, url=f"{site.base}/")
        assert third.paths(site.base) == (["/b"] if share else [])
        del site.pages["/b"]
        fourth = crawl(tmp_path, url=f"{site.base}/")
    assert fourth.paths(site.base) == (["/b"] if share else [])
    assert fourth.states(site.base)["/b"] == "delivered"
    assert distrusted(fourth.folder) == []


def test_a_page_that_broke_off_is_not_confirmed_by_its_etag(tmp_path):
    with served({}, Liar(lambda path, edition: {"ETag": f'"{path}"'})) as site:
        site.pages["/b"] = broken_off("/b", 0.5, 'ETag: "/b"\r\n')
        first = crawl(tmp_path, url=f"{site.base}/")
        del site.pages["/b"]
        second = crawl(tmp_path, url=f"{site.base}/")
    assert first.paths(site.base) == list(NAMES)
    assert (second.paths(site.base), second.stats["pages/not_modified"]) == (["/b"], 3)
    assert distrusted(second.folder) == []


def test_compressed_bodies_that_break_off_in_whole_messages_are_known_for_it(tmp_path):
    def cut(coding: str, name: str, share: float) -> Answer:
        words = (f"Word {number * 7919 % 65537:x} of {name}, {coding}." for number in range(9000))
        body = PACKED[coding](page(name, "/", text=" ".join(words)).encode())
        torn = body[: int(share * len(body))]
        return Answer(torn, headers={"Content-Encoding": coding, "ETag": coding}, confirmed=False)

    whole = {f"/{coding}/whole": cut(coding, "whole", 1) for coding in PACKED}
    torn = {f"/{coding}/torn": cut(coding, "torn", 0.8) for coding in PACKED}
    # Nearly half of the pages break off in a night.
    many = {"LOSS_MIN_SHARE": 0}
    with served({"/": page("home", *whole, *torn), **whole, **torn}) as site:
        first = crawl(tmp_path, settings=many, url=f"{site.base}/")
        sent = {document["url"].removeprefix(site.base): document for document in first.documents}
        for one, other in zip(whole, torn, strict=True):
            assert (sent[one]["stats"]["flags"], sent[other]["stats"]["flags"]) == ([], ["truncated"]), one
            assert len(sent[one]["text"]) / 4 < len(sent[other]["text"]) < len(sent[one]["text"]), one
        for share in (0.5, 0.001):
            site.pages |= {f"/{coding}/whole": cut(coding, "whole", share) for coding in PACKED}
            again = crawl(tmp_path, settings=many, url=f"{site.base}/")
            assert (again.outcome, again.documents) == ("complete", [])
            assert {again.states(site.base)[path] for path in whole} == {"failed cut short"}
            site.pages |= whole
            crawl(tmp_path, settings=many, url=f"{site.base}/")


def test_a_server_that_never_ends_what_it_compresses_sends_whole_pages(tmp_path):
    packing = zlib.compressobj(wbits=31)
    body = packing.compress(page("/b", text=text("/b", 1)).encode()) + packing.flush(zlib.Z_SYNC_FLUSH)
    with served({"/b": Answer(body, headers={"Content-Encoding": "gzip"})}, Liar(lambda *_: {})) as site:
        (document,) = crawl(tmp_path, url=f"{site.base}/b").documents
    assert document["stats"]["flags"] == []


def test_a_confirmed_page_whose_date_has_passed_has_no_document_any_more(tmp_path, monkeypatch):
    head = '<meta name="robots" content="Unavailable_After: 1 Jan 2100 10:00:00 GMT">'
    dated = Answer(page("/a", *NAMES, head=head), headers={"ETag": '"a"'})
    with served({"/a": dated}, Liar(lambda path, edition: {"ETag": '"all"'})) as site:
        assert len(crawl(tmp_path, url=f"{site.base}/").documents) == 4
        monkeypatch.setattr(directives, "datetime", Next)
        for deletions in ([f"{site.base}/a"], []):
            again = crawl(tmp_path, url=f"{site.base}/")
            assert (again.stats["pages/not_modified"], list(again.deleted)) == (4, deletions)
