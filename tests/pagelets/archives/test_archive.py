from __future__ import annotations

import gzip
import io
import json
import os
from datetime import UTC, datetime
from pathlib import Path
from urllib.parse import quote

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from warcio.archiveiterator import ArchiveIterator
from warcio.statusandheaders import StatusAndHeaders
from warcio.warcwriter import WARCWriter

from pagelets.archives.archive import SKIPPED_KEPT, Archive
from pagelets.archives.records import MAX_HEAD, ArchiveError, BodyTooLarge, SkippedRecord
from pagelets.archives.spelling import normal_form

PAGE = b"<!DOCTYPE html><title>A page</title><p>Text of the page."
HTML = [("Content-Type", "text/html; charset=utf-8")]


def record(
    url: str,
    body: bytes = PAGE,
    *,
    kind: str = "response",
    status: str = "200 OK",
    headers: list[tuple[str, str]] | None = None,
    date: str = "2026-01-01T00:00:00Z",
    compressed: bool = True,
    **warc_headers: str,
) -> bytes:
    """One WARC record as bytes: a gzip member, or as it is."""
    out = io.BytesIO()
    writer = WARCWriter(out, gzip=compressed)
    http = None
    if kind in ("response", "request", "revisit"):
        first = "GET / HTTP/1.1" if kind == "request" else status
        http = StatusAndHeaders(
            first,
            HTML if headers is None else headers,
            "HTTP/1.0",
            is_http_request=kind == "request",
        )
    content_type = warc_headers.pop("Content_Type", "")
    fields = {name.replace("_", "-"): value for name, value in warc_headers.items()}
    writer.write_record(
        writer.create_warc_record(
            url,
            kind,
            payload=io.BytesIO(body),
            length=len(body),
            http_headers=http,
            warc_content_type=content_type,
            warc_headers_dict={"WARC-Date": date, **fields},
        )
    )
    return out.getvalue()


def raw(url: str, block: bytes, length: int | None = None, kind: str = "response") -> bytes:
    """One record with exactly this block, and any Content-Length, uncompressed."""
    size = len(block) if length is None else length
    head = (
        f"WARC/1.0\r\nWARC-Type: {kind}\r\nWARC-Target-URI: {url}\r\nWARC-Date: 2026-01-01T00:00:00Z\r\n"
        f"Content-Type: application/http; msgtype=response\r\nContent-Length: {size}\r\n\r\n"
    )
    return head.encode() + block + b"\r\n\r\n"


def response(body: bytes = PAGE, head: bytes = b"Content-Type: text/html\r\n") -> bytes:
    return b"HTTP/1.1 200 OK\r\n" + head + b"\r\n" + body


def write(path: Path, *parts: bytes) -> Path:
    path.write_bytes(b"".join(parts))
    return path


def opened(*paths: Path, base: str | None = None) -> Archive:
    return Archive.open(paths, base)


def reasons(archive: Archive) -> list[str]:
    return [skipped.reason for skipped in archive.skipped]


@pytest.fixture(params=[True, False], ids=["gz", "plain"])
def compressed(request: pytest.FixtureRequest) -> bool:
    return bool(request.param)


class TestWarc:
    def test_pages_in_order_and_read_back(self, tmp_path: Path, compressed: bool) -> None:
        urls = [f"http://example.org/{name}" for name in ("b", "a", "c?x=1&x=2", "ü")]
        bodies = [PAGE * n for n in (0, 1, 500, 3)]
        path = write(
            tmp_path / "site.warc",
            *(record(url, body, compressed=compressed) for url, body in zip(urls, bodies, strict=True)),
        )
        with opened(path) as archive:
            assert list(archive.urls()) == urls
            assert len(archive) == 4
            assert archive.skipped_count == 0
            for url, body in zip(urls, bodies, strict=True):
                page = archive.read(url)
                assert (page.url, page.status, page.body) == (url, 200, body)
                assert page.headers == HTML
                assert page.date == datetime(2026, 1, 1, tzinfo=UTC)

    def test_url_to_the_byte(self, tmp_path: Path) -> None:
        urls = ["http://EXAMPLE.org/A b", "http://example.org:80/%7euser?b=&a", "HTTPS://example.org/#top"]
        path = write(tmp_path / "x.warc", *(raw(url, response()) for url in urls))
        with opened(path) as archive:
            assert list(archive.urls()) == urls

    def test_angle_brackets_of_old_files_are_no_part_of_the_url(self, tmp_path: Path) -> None:
        path = write(tmp_path / "x.warc", raw("<http://example.org/>", response()))
        with opened(path) as archive:
            assert "http://example.org/" in archive
            assert archive.read("http://example.org/").body == PAGE

    def test_format_is_told_by_content_not_by_name(self, tmp_path: Path) -> None:
        plain = write(tmp_path / "plain.warc.gz", record("http://a/", compressed=False))
        packed = write(tmp_path / "packed.warc", record("http://b/"))
        with opened(plain, packed) as archive:
            assert [archive.read(url).body for url in archive.urls()] == [PAGE, PAGE]

    @pytest.mark.parametrize(
        ("dates", "latest"),
        [
            (("2024", "2026", "2025"), 1),
            (("2026", "2025", "2024"), 0),
            (("2026", "2026", "2025"), 1),
        ],
    )
    def test_latest_record_wins(
        self, tmp_path: Path, dates: tuple[str, ...], latest: int, compressed: bool
    ) -> None:
        parts = [
            record("http://a/", b"body %d" % n, date=f"{year}-05-05T00:00:00Z", compressed=compressed)
            for n, year in enumerate(dates)
        ]
        with opened(write(tmp_path / "one.warc", *parts)) as archive:
            assert archive.read("http://a/").body == b"body %d" % latest
            assert len(archive) == 1
        files = [write(tmp_path / f"{n}.warc", part) for n, part in enumerate(parts)]
        with opened(*files) as archive:
            assert archive.read("http://a/").body == b"body %d" % latest

    def test_dates(self, tmp_path: Path) -> None:
        dates = {
            "2026-02-03T04:05:06.789Z": datetime(2026, 2, 3, 4, 5, 6, 789000, UTC),
            "2026-02-03T04:05:06+02:00": datetime(2026, 2, 3, 2, 5, 6, tzinfo=UTC),
            "2026-02-03T04:05:06": datetime(2026, 2, 3, 4, 5, 6, tzinfo=UTC),
            "0001-01-01T00:00:00+23:00": None,
            "yesterday": None,
        }
        parts = [record(f"http://a/{n}", date=date) for n, date in enumerate(dates)]
        with opened(write(tmp_path / "x.warc.gz", *parts)) as archive:
            assert [archive.read(url).date for url in archive.urls()] == list(dates.values())

    def test_only_pages_are_pages(self, tmp_path: Path, compressed: bool) -> None:
        def make(url: str, kind: str, **more: str) -> bytes:
            return record(url, kind=kind, compressed=compressed, **more)

        path = write(
            tmp_path / "x.warc",
            make("http://a/info", "warcinfo", Content_Type="application/warc-fields"),
            make("http://a/request", "request"),
            make("http://a/metadata", "metadata", Content_Type="text/html"),
            make("http://a/conversion", "conversion", Content_Type="text/html"),
            make("http://a/image", "resource", Content_Type="image/png"),
            make("urn:x", "resource", Content_Type="text/html"),
            make("dns:a", "response"),
            make("http://a/revisit", "revisit", WARC_Profile="http://netpreserve.org/warc/1.0/revisit"),
            make("http://a/resource", "resource", Content_Type="Text/HTML; charset=utf-8"),
            make("http://a/page", "response"),
        )
        with opened(path) as archive:
            assert list(archive.urls()) == ["http://a/resource", "http://a/page"]
            page = archive.read("http://a/resource")
            assert (page.status, page.body) == (200, PAGE)
            assert page.headers == [("Content-Type", "Text/HTML; charset=utf-8")]
            assert archive.skipped_count == 0
            assert set(archive.unchanged) == {"http://a/revisit"}

    def test_status_and_repeated_headers(self, tmp_path: Path) -> None:
        headers = [
            ("Location", "http://a/2"),
            ("Set-Cookie", "a=1"),
            ("X-Odd", "\xfc"),
            ("Set-Cookie", "b=2"),
        ]
        block = b"HTTP/2 301\r\n" + "".join(f"{n}: {v}\r\n" for n, v in headers).encode("latin-1") + b"\r\n"
        with opened(write(tmp_path / "x.warc", raw("http://a/", block))) as archive:
            page = archive.read("http://a/")
            assert (page.status, page.headers, page.body) == (301, headers, b"")

    @pytest.mark.parametrize(
        ("head", "body"),
        [
            (b"no colon here\r\nContent-Type: text/html\r\n\r\n", b"body"),
            (b"Content-Type: text/html\n\n", b"body"),
            (b": empty name\r\n\r\n", b"body"),
            (b"Content-Type: text/html", b""),
            (b"", b""),
        ],
    )
    def test_malformed_http_header(self, tmp_path: Path, head: bytes, body: bytes) -> None:
        block = b"HTTP/1.1 200 OK\r\n" + head + body
        with opened(write(tmp_path / "x.warc", raw("http://a/", block))) as archive:
            page = archive.read("http://a/")
            assert (page.status, page.body) == (200, body)

    def test_http_header_without_end_is_bounded(self, tmp_path: Path) -> None:
        block = b"HTTP/1.1 200 OK\r\n" + b"A: b\r\n" * (MAX_HEAD // 6 + 1)
        with opened(write(tmp_path / "x.warc", raw("http://a/", block))) as archive:
            assert archive.read("http://a/").body == b""

    def test_unknown_url(self, tmp_path: Path) -> None:
        with opened(write(tmp_path / "x.warc", record("http://a/"))) as archive:
            assert "http://a/b" not in archive
            with pytest.raises(KeyError):
                archive.read("http://a/b")

    def test_max_size(self, tmp_path: Path, compressed: bool) -> None:
        large = bytes(MAX_HEAD + 2000)
        path = write(
            tmp_path / "x.warc",
            record("http://a/", PAGE, compressed=compressed),
            record("http://a/large", large, compressed=compressed),
        )
        with opened(path) as archive:
            assert archive.read("http://a/", len(PAGE)).body == PAGE
            with pytest.raises(BodyTooLarge, match=f"has {len(PAGE)} bytes"):
                archive.read("http://a/", len(PAGE) - 1)
            with pytest.raises(BodyTooLarge):
                archive.read("http://a/large", 1000)
            assert archive.read("http://a/large").body == large


class TestCodings:
    def body_and_headers(
        self, tmp_path: Path, body: bytes, *headers: tuple[str, str]
    ) -> tuple[bytes, set[str]]:
        path = write(tmp_path / "x.warc.gz", record("http://a/", body, headers=[*HTML, *headers]))
        with opened(path) as archive:
            page = archive.read("http://a/")
            return page.body, {name for name, _ in page.headers} - {"Content-Type"}

    @pytest.mark.parametrize(
        ("body", "expected"),
        [
            (b"4\r\nabcd\r\n3;name=value\r\nefg\r\n0\r\n\r\n", b"abcdefg"),
            (b"4\r\nabcd\r\n0\r\nTrailer: x\r\n\r\n", b"abcd"),
            (b"0\r\n\r\n", b""),
            (b"4\r\nabcd\r\nff\r\nef", b"abcdef"),
            (b"4\r\nabcd\r\nno size\r\n", b"abcd"),
            (b"<html>not chunked any more", b"<html>not chunked any more"),
            (b"2\r\nabcdef", b"2\r\nabcdef"),
            (b"", b""),
        ],
    )
    def test_chunked(self, tmp_path: Path, body: bytes, expected: bytes) -> None:
        assert self.body_and_headers(tmp_path, body, ("Transfer-Encoding", "Chunked")) == (expected, set())

    def test_content_encoding_stays_with_the_encoded_body(self, tmp_path: Path) -> None:
        body = gzip.compress(PAGE, mtime=0)
        assert self.body_and_headers(tmp_path, body, ("Content-Encoding", "gzip")) == (
            body,
            {"Content-Encoding"},
        )
        assert self.body_and_headers(tmp_path, b"\x00", ("Content-Encoding", "br")) == (
            b"\x00",
            {"Content-Encoding"},
        )

    @pytest.mark.parametrize("coding", ["gzip", "X-GZip", "deflate, gzip"])
    def test_content_encoding_goes_where_the_body_is_decoded(self, tmp_path: Path, coding: str) -> None:
        assert self.body_and_headers(tmp_path, PAGE, ("Content-Encoding", coding)) == (PAGE, set())

    def test_chunked_and_compressed(self, tmp_path: Path) -> None:
        packed = gzip.compress(PAGE, mtime=0)
        body = b"%x\r\n%s\r\n0\r\n\r\n" % (len(packed), packed)
        headers = (("Content-Encoding", "gzip"), ("Transfer-Encoding", "chunked"))
        assert self.body_and_headers(tmp_path, body, *headers) == (packed, {"Content-Encoding"})


class TestDamage:
    """What cannot be read is named and skipped; what stands around it is read."""

    def check(
        self, path: Path, offset: int, reason: str, urls: tuple[str, ...] = ("http://a/1", "http://a/3")
    ):
        with opened(path) as archive:
            assert tuple(archive.urls()) == urls
            assert {archive.read(url).body for url in urls} == {PAGE}
            assert archive.skipped_count == len(archive.skipped) == 1
            reason_told, url = archive.skipped[0].reason, archive.skipped[0].url
            assert archive.skipped[0] == SkippedRecord(path, offset, reason_told, url)
            # Where the URL cannot be read, any page may be what is lost.
            assert archive.may_have("http://a/2")
            assert archive.may_have("http://a/9") == (url == "")
            assert reason in archive.skipped[0].reason

    def test_cut_member(self, tmp_path: Path) -> None:
        one, two, three = (record(f"http://a/{n}") for n in (1, 2, 3))
        path = write(tmp_path / "x.warc.gz", one, two[: len(two) // 2], three)
        self.check(path, len(one), "gzip")

    def test_changed_byte(self, tmp_path: Path) -> None:
        one, two, three = (record(f"http://a/{n}", PAGE) for n in (1, 2, 3))
        for position in range(10, len(two), 7):
            changed = bytearray(two)
            changed[position] ^= 0x55
            self.check(write(tmp_path / "x.warc.gz", one, bytes(changed), three), len(one), "")

    def test_first_member_is_damaged(self, tmp_path: Path) -> None:
        one, three = record("http://a/1"), record("http://a/3")
        path = write(tmp_path / "x.warc.gz", one[:40], three)
        self.check(path, 0, "gzip", ("http://a/3",))

    def test_last_member_is_cut(self, tmp_path: Path) -> None:
        one, two = record("http://a/1"), record("http://a/2")
        path = write(tmp_path / "x.warc.gz", one, two[:-9])
        self.check(path, len(one), "ends", ("http://a/1",))

    def test_an_uncompressed_record_is_cut_inside_a_line(self, tmp_path: Path) -> None:
        one, two, three = (raw(f"http://a/{n}", response()) for n in (1, 2, 3))
        for end in (*range(10, 170, 5), len(two) - 30):
            self.check(write(tmp_path / "x.warc", one, two[:end], three), len(one), "")

    @pytest.mark.parametrize("content", [b"", b"\r\n"])
    def test_a_member_without_a_record_is_no_fault(self, tmp_path: Path, content: bytes) -> None:
        one, two = record("http://a/1"), record("http://a/2")
        nothing = gzip.compress(content, mtime=0)
        with opened(write(tmp_path / "x.warc.gz", one, nothing, nothing, two, nothing)) as archive:
            assert list(archive.urls()) == ["http://a/1", "http://a/2"]
            assert reasons(archive) == []

    @pytest.mark.parametrize(
        "garbage", [b"garbage" * 300_000, b"\x1f\x8b\x08" * 999, b"\0", gzip.compress(b"no", mtime=0)]
    )
    def test_garbage_between_members(self, tmp_path: Path, garbage: bytes) -> None:
        one, three = record("http://a/1"), record("http://a/3")
        self.check(write(tmp_path / "x.warc.gz", one, garbage, three), len(one), "")

    def test_a_magic_number_across_two_search_steps_is_found(self, tmp_path: Path) -> None:
        one, three = record("http://a/1"), record("http://a/3")
        for missing in range(4):
            path = write(tmp_path / "x.warc.gz", one, b"x" * ((1 << 20) - missing + 1), three)
            self.check(path, len(one), "gzip")

    @pytest.mark.parametrize(
        "garbage", [b"garbage\r\n", b"x" * 2_000_000 + b"\n", b"WARC/1.0\r\n\r\n", b"WARC/7\r\n"]
    )
    def test_garbage_between_records(self, tmp_path: Path, garbage: bytes) -> None:
        one, three = (raw(f"http://a/{n}", response()) for n in (1, 3))
        self.check(write(tmp_path / "x.warc", one, garbage, three), len(one), "")

    @pytest.mark.parametrize("wrong", [-7, 7, 300, 10**17])
    def test_wrong_content_length(self, tmp_path: Path, wrong: int, compressed: bool) -> None:
        block = response()
        parts = [
            raw("http://a/1", block),
            raw("http://a/2", block, len(block) + wrong),
            raw("http://a/3", block),
        ]
        if compressed:
            parts = [gzip.compress(part, mtime=0) for part in parts]
        self.check(write(tmp_path / "x.warc", *parts), len(parts[0]), "Content-Length")

    @pytest.mark.parametrize("length", [b"-1", b"many", b"9" * 30, b""])
    def test_no_content_length(self, tmp_path: Path, length: bytes, compressed: bool) -> None:
        parts = [raw(f"http://a/{n}", response()) for n in (1, 2, 3)]
        size = str(len(response())).encode()
        parts[1] = parts[1].replace(b"Length: " + size, b"Length: " + length)
        if compressed:
            parts = [gzip.compress(part, mtime=0) for part in parts]
        self.check(write(tmp_path / "x.warc", *parts), len(parts[0]), "Content-Length")

    @pytest.mark.parametrize(
        "block", [b"", b"HTTP/1.1\r\n\r\n", b"HTTP/1.1 OK\r\n\r\n", PAGE, b"HTTP/1.1 2000 OK"]
    )
    def test_broken_status_line(self, tmp_path: Path, block: bytes, compressed: bool) -> None:
        parts = [raw("http://a/1", response()), raw("http://a/2", block), raw("http://a/3", response())]
        if compressed:
            parts = [gzip.compress(part, mtime=0) for part in parts]
        self.check(write(tmp_path / "x.warc", *parts), len(parts[0]), "status line")

    def test_no_target_uri(self, tmp_path: Path) -> None:
        parts = [raw(f"http://a/{n}", response()) for n in (1, 2, 3)]
        parts[1] = parts[1].replace(b"WARC-Target-URI", b"URI")
        self.check(write(tmp_path / "x.warc", *parts), len(parts[0]), "WARC-Target-URI")

    def test_segment(self, tmp_path: Path) -> None:
        one, three = record("http://a/1"), record("http://a/3")
        path = write(tmp_path / "x.warc.gz", one, record("http://a/2", WARC_Segment_Number="1"), three)
        self.check(path, len(one), "segment")

    def test_endless_header(self, tmp_path: Path, compressed: bool) -> None:
        parts = [
            raw("http://a/1", response()),
            b"WARC/1.0\r\n" + b"A: b\r\n" * MAX_HEAD,
            raw("http://a/3", response()),
        ]
        if compressed:
            parts = [gzip.compress(part, mtime=0) for part in parts]
        self.check(write(tmp_path / "x.warc", *parts), len(parts[0]), "header")

    def test_a_record_in_a_page_is_no_record(self, tmp_path: Path, compressed: bool) -> None:
        inner = response(b"\r\n\r\n" + raw("http://forged/", response()))
        parts = [
            raw("http://a/1", inner),
            raw("http://a/2", b"broken" + inner),
            raw("http://a/3", response()),
        ]
        if compressed:
            parts = [gzip.compress(part, mtime=0) for part in parts]
        with opened(write(tmp_path / "x.warc", *parts)) as archive:
            assert list(archive.urls()) == ["http://a/1", "http://a/3"]

    def test_older_record_stands_in_for_a_damaged_one(self, tmp_path: Path) -> None:
        old = record("http://a/", b"old", date="2024-01-01T00:00:00Z")
        new = record("http://a/", b"new", date="2026-01-01T00:00:00Z")
        with opened(write(tmp_path / "x.warc.gz", old, new[:-8])) as archive:
            assert archive.read("http://a/").body == b"old"

    def test_many_skipped_records_are_all_counted(self, tmp_path: Path) -> None:
        parts = [
            raw("http://a/", response()),
            *(raw(f"http://a/{n}", b"no") for n in range(SKIPPED_KEPT + 5)),
        ]
        with opened(write(tmp_path / "x.warc", *parts)) as archive:
            assert archive.skipped_count == SKIPPED_KEPT + 5
            assert len(archive.skipped) == SKIPPED_KEPT

    def test_file_changed_after_it_was_opened(self, tmp_path: Path, compressed: bool) -> None:
        path = write(tmp_path / "x.warc", record("http://a/1", compressed=compressed))
        with opened(path) as archive:
            for other in (record("http://a/2", compressed=compressed), b"x" * 500, b""):
                write(path, other)
                with pytest.raises(ArchiveError, match=r"x\.warc: the record at 0 is not what it was"):
                    archive.read("http://a/1")

    @settings(deadline=None, max_examples=60)
    @given(data=st.data())
    def test_no_change_of_bytes_breaks_the_reader(
        self, tmp_path_factory: pytest.TempPathFactory, data: st.DataObject
    ) -> None:
        compressed = data.draw(st.booleans())
        parts = [raw(f"http://a/{n}", response(PAGE * n)) for n in range(4)]
        whole = bytearray(b"".join(gzip.compress(part, mtime=0) if compressed else part for part in parts))
        start = data.draw(st.integers(0, len(whole) - 1))
        whole[start : start + data.draw(st.integers(0, 600))] = data.draw(st.binary(max_size=40))
        path = write(tmp_path_factory.mktemp("changed") / "x.warc", bytes(whole))
        try:
            archive = opened(path)
        except ArchiveError as error:
            assert str(path) in str(error)
            assert "\n" not in str(error)
            return
        with archive:
            for url in archive.urls():
                assert archive.read(url).url == url


class TestFileErrors:
    def check(self, path: Path, mend: str, base: str | None = None) -> None:
        with pytest.raises(ArchiveError) as caught:
            opened(path, base=base)
        message = str(caught.value)
        assert message.startswith(f"{path}: ")
        assert mend in message
        assert "\n" not in message

    @pytest.mark.parametrize("count", [2, 50])
    def test_one_stream(self, tmp_path: Path, count: int) -> None:
        plain = b"".join(record(f"http://a/{n}", PAGE * 999, compressed=False) for n in range(count))
        path = write(tmp_path / "x.warc.gz", gzip.compress(plain, mtime=0))
        self.check(path, f"warcio recompress {path} {path}.new")

    def test_missing(self, tmp_path: Path) -> None:
        self.check(tmp_path / "none.warc", "check the path")

    def test_unreadable(self, tmp_path: Path) -> None:
        path = tmp_path / "x.warc"
        path.symlink_to(path)
        self.check(path, "cannot be read")

    @pytest.mark.skipif(os.geteuid() == 0, reason="root may read everything")
    def test_forbidden(self, tmp_path: Path) -> None:
        path = write(tmp_path / "x.warc", record("http://a/"))
        path.chmod(0)
        self.check(path, "check its permissions")

    def test_pipe(self, tmp_path: Path) -> None:
        path = tmp_path / "pipe"
        os.mkfifo(path)
        self.check(path, "neither a file nor a directory")

    def test_empty_file(self, tmp_path: Path) -> None:
        self.check(write(tmp_path / "x.warc"), "empty")

    @pytest.mark.parametrize(
        "content",
        [
            b"<html>",
            PAGE * 9999,
            gzip.compress(PAGE, mtime=0),
            gzip.compress(b"", mtime=0),
            b"WARC/9.9\r\n\r\n",
            b"\x1f\x8b\x08broken",
        ],
    )
    def test_no_warc(self, tmp_path: Path, content: bytes) -> None:
        self.check(write(tmp_path / "x.warc", content), "no WARC file; give")

    def test_folder_without_pages(self, tmp_path: Path) -> None:
        (tmp_path / "a.txt").touch()
        (tmp_path / "folder.html").mkdir()
        self.check(tmp_path, "no HTML file")

    def test_one_bad_file_of_two(self, tmp_path: Path) -> None:
        with pytest.raises(ArchiveError):
            opened(write(tmp_path / "x.warc", record("http://a/")), tmp_path / "none")

    @pytest.mark.parametrize(
        "base", ["example.org", "ftp://example.org/", "http://", "http://[x/", "http://a/?b"]
    )
    def test_base_that_is_no_url(self, tmp_path: Path, base: str) -> None:
        (tmp_path / "a.html").touch()
        with pytest.raises(ArchiveError, match=r"^base=.*give one such as"):
            opened(tmp_path, base=base)

    def test_base_without_folder(self, tmp_path: Path) -> None:
        with pytest.raises(ArchiveError, match=r"^base=http://b/: .*leave it out"):
            opened(write(tmp_path / "x.warc", record("http://a/")), base="http://b/")

    def test_folders_of_two_names_with_one_url(self, tmp_path: Path) -> None:
        folders = [tmp_path / name for name in ("Müller", "Möller", "copies/Müller")]
        for folder in folders:
            folder.mkdir(parents=True)
            write(folder / "a.html", PAGE)
        with pytest.raises(ArchiveError, match=r"Müller and .*Möller: both would be http://m-ller/; rename"):
            opened(*folders)
        for several, base in ((folders[:2], "http://a/"), (folders[::2], None)):
            with opened(*several, base=base) as archive:
                assert len(archive) == 1


class TestFolder:
    def folder(self, tmp_path: Path, *names: str, name: str = "site") -> Path:
        for relative in names:
            file = tmp_path / name / relative
            file.parent.mkdir(parents=True, exist_ok=True)
            file.write_bytes(f"page {relative}".encode())
        return tmp_path / name

    def test_pages_by_name(self, tmp_path: Path) -> None:
        path = self.folder(tmp_path, "b.html", "a/z.htm", "a/b/c.HTML", "index.html", "style.css", "html")
        with opened(path) as archive:
            assert list(archive.urls()) == [
                "http://site/a/b/c.HTML",
                "http://site/a/z.htm",
                "http://site/b.html",
                "http://site/index.html",
            ]
            page = archive.read("http://site/a/z.htm")
            assert (page.status, page.body) == (200, b"page a/z.htm")
            assert page.headers == [("Content-Type", "text/html")]
            assert page.date is not None

    @pytest.mark.parametrize(
        ("name", "path"),
        [
            ("news", "news"),
            ("a/b.php", "a/b.php"),
            ("Page.XHTML", "Page.XHTML"),
            ("page?id=3&u=%2Fa", "page?id=3&u=%2Fa"),
            ("view.asp?file=a?.txt", "view.asp?file=a?.txt"),
            ("a?b/c", "a%3Fb/c"),
            ("page?id=3.html", "page%3Fid=3.html"),
            *((name, None) for name in ("a.css", "a.gz", "index.html.orig", "index.html~")),
        ],
    )
    def test_pages_of_a_mirror_by_content(self, tmp_path: Path, name: str, path: str | None) -> None:
        folder = self.folder(tmp_path, "z.html", *([name] if "/" in name else []))
        begin = b"\xef\xbb\xbf<?xml version='1.0'?> <!-- a --><!-- <p> -->\n"
        write(folder / name, begin + PAGE)
        write(folder / "source.php", b"<?php x(); ?>" + PAGE)
        with opened(folder) as archive:
            urls = {*archive.urls()} - {"http://site/z.html"}
            assert urls == ({f"http://site/{path}"} if path else set())
            assert archive.skipped == []
            if path:
                assert archive.read(f"http://site/{path}").body.endswith(PAGE)
                # As the links of a mirror name the file.
                assert archive.find(f"http://site/{quote(name, safe='/=&')}") == f"http://site/{path}"

    @pytest.mark.parametrize("base", ["https://example.org/docs", "https://example.org/docs/"])
    def test_base(self, tmp_path: Path, base: str) -> None:
        with opened(self.folder(tmp_path, "a.html"), base=base) as archive:
            assert list(archive.urls()) == ["https://example.org/docs/a.html"]

    @pytest.mark.parametrize(
        ("name", "host"),
        [
            ("My Site_2", "my-site-2"),
            ("Example.ORG", "example.org"),
            ("..a..", "a"),
            ("日本", "archive"),
            ("a" * 90, "a" * 63),
        ],
    )
    def test_folder_name_as_host(self, tmp_path: Path, name: str, host: str) -> None:
        with opened(self.folder(tmp_path, "a.html", name=name)) as archive:
            assert list(archive.urls()) == [f"http://{host}/a.html"]

    @pytest.mark.parametrize(
        ("name", "path"),
        [
            ("two words.html", "two%20words.html"),
            ("Müller.html", "M%C3%BCller.html"),
            ("100%.html", "100%25.html"),
            ("a%20b.html", "a%2520b.html"),
            ("a?b=c#d.html", "a%3Fb=c%23d.html"),
            ("a(b),c'd;e.html", "a(b),c'd;e.html"),
            ('a"<b>\\.html', "a%22%3Cb%3E%5C.html"),
        ],
    )
    def test_odd_names(self, tmp_path: Path, name: str, path: str) -> None:
        with opened(self.folder(tmp_path, name)) as archive:
            assert list(archive.urls()) == [f"http://site/{path}"]
            assert archive.read(f"http://site/{path}").body == f"page {name}".encode()
            assert archive.find(f"http://site/{path}") == f"http://site/{path}"

    def test_name_that_is_no_utf8(self, tmp_path: Path) -> None:
        path = self.folder(tmp_path, "a.html")
        Path(os.fsdecode(os.fsencode(path) + b"/\xfc.html")).touch()
        with opened(path) as archive:
            assert list(archive.urls()) == ["http://site/a.html", "http://site/%FC.html"]

    def test_folder_url_is_answered_but_no_page(self, tmp_path: Path) -> None:
        path = self.folder(
            tmp_path, "index.html", "a b/index.html", "a b/index.htm", "c/index.htm", "d/x.html"
        )
        with opened(path) as archive:
            assert archive.find("http://site/") == archive.find("http://site") == "http://site/index.html"
            assert archive.find("http://site/a%20b/") == "http://site/a%20b/index.html"
            assert archive.find("http://site/c/") == "http://site/c/index.htm"
            assert archive.find("http://site/d/") is None
            assert "http://site/" not in archive
            assert len(archive) == 5

    def test_links_out_of_the_folder_are_not_followed(self, tmp_path: Path) -> None:
        path = self.folder(tmp_path, "a.html")
        secret = self.folder(tmp_path, "secret.html", name="elsewhere")
        (path / "file.html").symlink_to(secret / "secret.html")
        write(secret / "unnamed", PAGE)
        (path / "unnamed").symlink_to(secret / "unnamed")
        (path / "folder").symlink_to(secret)
        (path / "within.html").symlink_to("a.html")
        (path / "loop").symlink_to(".")
        (path / "nowhere.html").symlink_to("gone.html")
        os.mkfifo(path / "pipe.html")
        with opened(path) as archive:
            assert list(archive.urls()) == ["http://site/a.html", "http://site/within.html"]
            assert archive.skipped_count == 4
            assert "a link out of the folder" in reasons(archive)

    def test_linked_folder_itself(self, tmp_path: Path) -> None:
        self.folder(tmp_path, "a.html", name="real")
        (tmp_path / "link").symlink_to("real")
        with opened(tmp_path / "link") as archive:
            assert len(archive) == 1

    def test_file_that_went_away(self, tmp_path: Path) -> None:
        path = self.folder(tmp_path, "a.html")
        with opened(path) as archive:
            (path / "a.html").unlink()
            with pytest.raises(ArchiveError, match=r"a\.html: cannot be read"):
                archive.read("http://site/a.html")

    def test_max_size(self, tmp_path: Path) -> None:
        with opened(self.folder(tmp_path, "a.html")) as archive, pytest.raises(BodyTooLarge):
            archive.read("http://site/a.html", 3)

    def test_with_warc_file(self, tmp_path: Path) -> None:
        path = self.folder(tmp_path, "a.html")
        warc = write(tmp_path / "x.warc.gz", record("http://example.org/b.html"))
        with opened(warc, path, base="http://example.org") as archive:
            assert list(archive.urls()) == ["http://example.org/b.html", "http://example.org/a.html"]


class TestFind:
    @pytest.mark.parametrize(
        ("archived", "asked"),
        [
            ("http://Example.ORG/A", "http://example.org/A"),
            ("http://example.org", "http://example.org/"),
            ("http://example.org:80/", "http://example.org/"),
            ("https://example.org/", "https://example.org:443/"),
            ("http://example.org/%7euser", "http://example.org/~user"),
            ("http://example.org/%c3%bc", "http://example.org/ü"),
            ("http://example.org/a b", "http://example.org/a%20b"),
            ("http://example.org/a#top", "http://example.org/a"),
            ("http://example.org/a", "http://example.org/a#end"),
            ("http://bücher.example/", "http://xn--bcher-kva.example/"),
            ("http://example.org/100%", "http://example.org/100%25"),
        ],
    )
    def test_other_spelling(self, tmp_path: Path, archived: str, asked: str) -> None:
        with opened(write(tmp_path / "x.warc", raw(archived, response()))) as archive:
            assert archive.find(asked) == archived

    @pytest.mark.parametrize(
        ("archived", "asked"),
        [
            ("http://example.org/a", "https://example.org/a"),
            ("http://example.org/a", "http://example.org/A"),
            ("http://example.org/a", "http://example.org/a/"),
            ("http://example.org/?a=1&b=2", "http://example.org/?b=2&a=1"),
            ("http://example.org/?a", "http://example.org/?a="),
            ("http://example.org/a%2Fb", "http://example.org/a/b"),
            ("http://example.org:8080/", "http://example.org/"),
            ("https://example.org:80/", "https://example.org/"),
            ("http://example.org/", "http://[broken/"),
        ],
    )
    def test_other_page(self, tmp_path: Path, archived: str, asked: str) -> None:
        with opened(write(tmp_path / "x.warc", raw(archived, response()))) as archive:
            assert archive.find(asked) is None

    def test_exact_url_comes_first(self, tmp_path: Path) -> None:
        urls = ["http://A/", "http://a/", "http://a:80/", "http://B/", "http://b:80/", "http://[broken/"]
        with opened(write(tmp_path / "x.warc", *(raw(url, response()) for url in urls))) as archive:
            assert [archive.find(url) for url in urls] == urls
            assert archive.find("http://b/") == "http://B/"

    @given(
        st.sampled_from(["a.example", "1.2.3.4", "x" * 63, "x" * 64, "a.example:80", "-a.example"]),
        st.text("a/.?#&=%41+~_-A;@ü ", max_size=8),
    )
    def test_a_plain_url_has_the_form_that_parsing_gives_it(self, host: str, rest: str) -> None:
        # Nothing that begins with a capital is taken for plain. What cannot be parsed stays as it is.
        parsed = normal_form(f"HTTP://{host}/{rest}")
        assert parsed in (normal_form(f"http://{host}/{rest}"), f"HTTP://{host}/{rest}")

    @given(st.text(max_size=30).map(lambda text: "http://Example.org:80/" + text))
    def test_normal_form_is_its_own(self, url: str) -> None:
        assert normal_form(normal_form(url)) == normal_form(url)


@pytest.mark.skipif("CORPORA" not in os.environ, reason="needs the corpora")
def test_corpus() -> None:
    path = Path(os.environ["CORPORA"], "sites", "django32.warc.gz")
    gold = path.with_name("django32.gold.jsonl").read_text().splitlines()
    with opened(path) as archive, path.open("rb") as file:
        assert set(archive.urls()) == {json.loads(line)["id"] for line in gold}
        assert len(archive) == len(gold)
        for expected in ArchiveIterator(file):
            page = archive.read(expected.rec_headers["WARC-Target-URI"])
            assert page.body == expected.raw_stream.read()
