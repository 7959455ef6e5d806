"""Which pages of an archive are HTML, and what is in them."""

from __future__ import annotations

import gzip
import tracemalloc
import zlib
from functools import partial
from typing import TYPE_CHECKING

import brotli
import pytest
import zstandard

from pagelets.archives import html
from pagelets.archives.archive import Archive
from pagelets.archives.html import html_pages
from tests.pagelets.archives.test_archive import HTML, PAGE, record, write

if TYPE_CHECKING:
    from pathlib import Path

    from pagelets.archives.html import HtmlPage


def found(tmp_path: Path, *records: bytes) -> tuple[list[HtmlPage], list[str]]:
    skipped: list[str] = []
    with Archive.open([write(tmp_path / "x.warc.gz", *records)]) as archive:
        return list(html_pages(archive, skipped.append)), skipped


def raw_deflate(body: bytes) -> bytes:
    return zlib.compress(body)[2:-4]


@pytest.mark.parametrize(
    ("coding", "pack"),
    [
        ("gzip", gzip.compress),
        ("deflate", zlib.compress),
        ("deflate", raw_deflate),
        ("br", brotli.compress),
        ("zstd", zstandard.ZstdCompressor().compress),
        ("identity", bytes),
        # Mistakes of servers.
        ("none", bytes),
        ("utf-8, gzip", gzip.compress),
        ("br, gzip", lambda body: gzip.compress(brotli.compress(body))),
    ],
)
def test_bodies_are_free_of_content_codings(tmp_path, coding, pack):
    packed = record("http://a/", pack(PAGE), headers=[*HTML, ("Content-Encoding", coding)])
    pages, skipped = found(tmp_path, packed)
    assert ([(page.body, page.torn) for page in pages], skipped) == ([(PAGE, False)], [])


@pytest.mark.parametrize("coding", ["gzip", "deflate", "br", "zstd", "unheard-of"])
def test_what_cannot_be_unpacked_is_skipped_and_told(tmp_path, coding):
    broken = record(
        "http://a/", b"\x1f\x8bnothing of the kind", headers=[*HTML, ("Content-Encoding", coding)]
    )
    pages, skipped = found(tmp_path, broken, record("http://b/"))
    assert [page.url for page in pages] == ["http://b/"]
    assert len(skipped) == 1
    assert skipped[0].startswith("http://a/: ")


@pytest.mark.parametrize(
    ("coding", "pack"),
    [
        ("gzip", gzip.compress),
        ("deflate", zlib.compress),
        ("br", brotli.compress),
        ("zstd", zstandard.ZstdCompressor().compress),
    ],
)
def test_a_page_that_is_too_large_is_skipped_and_told(tmp_path, monkeypatch, coding, pack):
    monkeypatch.setattr(html, "MAX_SIZE", 1 << 16)
    large = record("http://a/", pack(bytes(1 << 23)), headers=[*HTML, ("Content-Encoding", coding)])
    tracemalloc.start()
    try:
        assert found(tmp_path, large) == ([], ["http://a/: more than 65536 bytes"])
        assert tracemalloc.get_traced_memory()[1] < 1 << 22
    finally:
        tracemalloc.stop()


@pytest.mark.parametrize(
    ("coding", "pack"),
    [
        ("gzip", gzip.compress),
        ("deflate", zlib.compress),
        ("br", partial(brotli.compress, quality=1)),
        ("zstd", zstandard.ZstdCompressor().compress),
    ],
)
def test_what_is_there_of_a_body_that_broke_off_is_kept(tmp_path, coding, pack):
    body = "".join(f"<p>The words of paragraph {number * number}." for number in range(30_000)).encode()
    cut = record("http://a/", pack(body)[:-500], headers=[*HTML, ("Content-Encoding", coding)])
    (page,), skipped = found(tmp_path, cut)
    assert body.startswith(page.body)
    assert (len(page.body) > len(body) * 0.9, page.torn, skipped) == (True, True, [])


def test_a_page_with_its_end_is_whole_though_what_it_was_compressed_to_is_not(tmp_path):
    body = b"<p>words</p></html>\n"
    cut = record("http://a/", gzip.compress(body)[:-8], headers=[*HTML, ("Content-Encoding", "gzip")])
    (page,), _ = found(tmp_path, cut)
    assert (page.body, page.torn) == (body, False)


@pytest.mark.parametrize(
    ("sent", "fields", "cut"),
    [
        ("", {"WARC_Truncated": "length"}, "length"),
        ("", {"WARC_Truncated": "Time"}, "time"),
        ("999", {}, "disconnect"),
        (str(len(PAGE)), {}, ""),
        ("9" * 5000, {}, ""),
        ("5", {}, ""),
    ],
)
def test_a_record_of_a_part_of_a_page_is_torn(tmp_path, sent, fields, cut):
    headers = [*HTML, ("Content-Length", sent)]
    path = write(
        tmp_path / "x.warc.gz",
        record("http://a/", headers=headers, **fields),
        record("http://b/", PAGE + b"</html>", headers=headers, **fields),
    )
    with Archive.open([path]) as archive:
        assert archive.read("http://a/").cut == cut
        assert [page.torn for page in html_pages(archive, pytest.fail)] == [bool(cut), False]


def test_a_record_of_no_part_of_a_page_is_skipped_but_where_its_length_is_limited(tmp_path):
    sent = [*HTML, ("Content-Length", "999")]
    limited = record("http://b/", b"", headers=sent, WARC_Truncated="length")
    (page,), skipped = found(tmp_path, record("http://a/", b"", headers=sent), limited)
    assert (page.url, page.torn) == ("http://b/", True)
    assert skipped == ["http://a/: cut short before its first byte"]


def test_codings_may_stand_in_several_lines(tmp_path):
    twice = gzip.compress(brotli.compress(PAGE))
    lines = [*HTML, ("Content-Encoding", "br"), ("Content-Encoding", "gzip")]
    pages, skipped = found(tmp_path, record("http://a/", twice, headers=lines))
    assert ([page.body for page in pages], skipped) == ([PAGE], [])


@pytest.mark.parametrize(
    ("headers", "body", "is_html"),
    [
        ([("Content-Type", "text/html")], b"words", True),
        ([("Content-Type", "application/xhtml+xml; charset=utf-8")], b"words", True),
        ([("Content-Type", "text/plain"), ("Content-Type", "text/html")], b"words", True),
        ([("Content-Type", "text/html"), ("Content-Type", "text/plain")], b"words", False),
        ([("Content-Type", "application/json")], b"<html>", False),
        ([("Content-Type", "text/html charset=utf-8")], b"<!DOCTYPE html>", True),
        ([("Content-Type", "text/html, text/html")], b"words", False),
        ([], b"<!DOCTYPE html><p>words", True),
        ([], b"<html lang=en><p>words", False),
        ([], b"<html>\x01", False),
        (
            [("Content-Type", "image/unheard-of"), ("Content-Disposition", 'inline; filename="a.html"')],
            b"x",
            False,
        ),
        ([("Content-Disposition", 'inline; filename="a.html"')], b"x", True),
        ([("Content-Disposition", "inline; filename=a.txt")], b"<html>", False),
        ([], b"%PDF-1.4", False),
    ],
)
def test_pages_are_what_the_header_calls_html_or_what_looks_like_it(tmp_path, headers, body, is_html):
    pages, _ = found(tmp_path, record("http://a/", body, headers=headers))
    assert bool(pages) == is_html
