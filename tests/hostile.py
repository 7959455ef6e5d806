"""Answers of servers that are hostile or broken, by name: all bytes of each, status line and headers too."""

from __future__ import annotations

import encodings.aliases
import gzip
import zlib
from itertools import chain
from typing import Final

import brotli
import zstandard

WORDS: Final = "Some words of a page that is hostile, and of no other."
BODY: Final = f"<html><title>Hostile</title><body><h1>Hostile</h1><p>{WORDS}</p></body></html>".encode()
NOT_OF_TEXT: Final = (
    *(
        "base64",
        "bz2",
        "hex",
        "quopri",
        "rot13",
        "uu",
        "zip",
        "zlib",
        "utf-7",
        "idna",
        "punycode",
        "undefined",
    ),
    *("unicode_escape", "raw_unicode_escape", "mbcs", "oem", "nonsense", "utf-99", "x-user-defined", "_"),
)
"""Names that are of no encoding of a page: Python knows some of them all the same."""
CHARSETS: Final = (
    *sorted({*encodings.aliases.aliases, *encodings.aliases.aliases.values(), *NOT_OF_TEXT}),
    *("utf-8; charset=zip", '"zip', "\xff\xfe", "\0", "a" * 5000),
)
"""Every encoding that Python has a name for, of text or not, and some that it does not know."""
UNDECODABLE: Final = b"\x80\xff\x00\xfe+AGE- =?zip? \\x \\d \\N{nothing} \\ud800 xn--99999999 \xed\xa0\x80"


def answer(
    body: bytes = BODY,
    *headers: bytes,
    status: bytes = b"HTTP/1.1 200 OK",
    kind: bytes | None = b"text/html; charset=utf-8",
    length: bytes | None = None,
) -> bytes:
    """A response; without a Content-Type where ``kind`` is None, and with any Content-Length."""
    own = [] if kind is None else [b"Content-Type: " + kind]
    own.append(b"Content-Length: " + (b"%d" % len(body) if length is None else length))
    return b"\r\n".join([status, *own, *headers, b"", body])


def record(
    url: bytes,
    payload: bytes,
    *headers: bytes,
    kind: bytes = b"response",
    date: bytes = b"2026-01-01T00:00:00Z",
    length: bytes | None = None,
    version: bytes = b"WARC/1.0",
) -> bytes:
    """A record of a WARC file, not compressed; all of it may be wrong."""
    lines = [version, b"WARC-Type: " + kind, b"WARC-Target-URI: " + url, b"WARC-Date: " + date, *headers]
    lines.append(b"Content-Type: application/http; msgtype=response")
    lines.append(b"Content-Length: " + (b"%d" % len(payload) if length is None else length))
    return b"\r\n".join([*lines, b"", payload, b"", b""])


def _statuses() -> dict[str, bytes]:
    numbers = ["-1", "0", "7", "99", "199", "304", "600", "999", "1000", "2147483648", "10000000000"]
    numbers += ["9" * 30, "9" * 5000, "200.5", "two hundred", "", "0x200", "\u0662\u0660\u0660"]
    return {f"status {n[:30]}": answer(status=f"HTTP/1.1 {n} x".encode()) for n in numbers}


def _bodies() -> dict[str, bytes]:
    hrefs = (
        b"http://[",
        b"http://a:99999/",
        b"//",
        b"\xff",
        b"data:,x",
        b"javascript:x",
        b"http://\xed\xa0\x80/",
    )
    hrefs += (
        b"http://" + b"a" * 300 + b"/",
        b"http://a..b/",
        b"http://xn--/",
        b"/\0",
        b"http://127.0.0.1:-1/",
    )
    bodies = {
        "empty": b"",
        "blank": b" \r\n\t ",
        "no body": b"<html><body></body></html>",
        "scripts": b"<html><script>let words = 1</script><style>p {}</style></html>",
        "one byte": b"x",
        "NUL": b"\0",
        "NULs": b"\0" * 5000,
        "NULs between": b"\0".join(BODY[place : place + 1] for place in range(len(BODY))),
        "attributes": b"<p " + b" ".join(b"a%d" % n for n in range(40_000)) + b">" + BODY,
        "nested": b"<div>" * 20_000 + BODY,
        "nested links": b"<a href=/x>" * 3_000 + BODY,
        "comment": b"<!--" + b"-" * 5000,
        "binary": bytes(range(256)) * 20,
        "surrogates": BODY + b"\xed\xa0\x80&#xD800;&#55296;&#x110000;&#0;",
        "byte order mark": b"\xff\xfe\x00\x00" + BODY,
        "odd utf-16": b"\xff\xfe" + BODY,
        "xml": b"<?xml version='9' encoding='zip'?><!DOCTYPE x [<!ENTITY a 'aa'>]><p>&a;" + BODY,
        "json-ld": b"<script type='application/ld+json'>" + b"[" * 20_000 + b"</script>" + BODY,
        "dates": b"<time datetime='99999-99-99T99:99'>1</time><meta name=date content='0000-00-00'>" + BODY,
        "number": b"<meta property='article:published_time' content='" + b"9" * 5000 + b"'>" + BODY,
        "language": b"<html lang='" + b"\xff-" * 3000 + b"'>" + BODY,
        "base": b"<base href='http://['><a href='x'>1</a><a href='http://[::1'>2</a>" + BODY,
        "links": b"".join(b"<a href='%b'>x</a>" % href for href in hrefs) + BODY,
        "canonical": b"<link rel=canonical href='http://['>" + BODY,
        "refresh": b"<meta http-equiv=refresh content='0;url=http://['>" + BODY,
        "robots": b"<meta name=robots content='\xff, unavailable_after: 99 Foo 99999, max-snippet:9e9'>"
        + BODY,
    }
    return {f"body {name}": answer(body) for name, body in bodies.items()}


def _charsets() -> dict[str, bytes]:
    named = {
        f"charset {name[:30]}": answer(BODY + UNDECODABLE, kind=b"text/html; charset=" + name.encode())
        for name in (*NOT_OF_TEXT, "a" * 5000)
    }
    declared = {
        f"meta {name}": answer(b"<meta charset=%b>" % name.encode() + BODY + UNDECODABLE, kind=b"text/html")
        for name in ("zip", "idna", "punycode", "undefined")
    }
    return named | declared


def _headers() -> dict[str, bytes]:
    high = bytes(range(128, 256))
    headers = {
        "ETag long": [b'ETag: "' + b"x" * 8000 + b'"'],
        "ETag binary": [b'ETag: "' + high + b'\x01"'],
        "Last-Modified long": [b"Last-Modified: " + b"9" * 8000],
        "Last-Modified binary": [b"Last-Modified: " + high],
        "dates": [b"Date: Mon, 99 Foo 99999 99:99:99 GMT", b"Age: 99999999999999999999", b"Expires: -1"],
        "Retry-After": [b"Retry-After: " + b"9" * 400],
        "10,000": [b"X-%d: %d" % (n, n) for n in range(10_000)],
        "1 MB": [b"X-Large: " + b"x" * (1 << 20)],
        "no colon": [b"there is no colon here"],
        "no name": [b": nothing"],
        "folded": [b"X-Folded: a\r\n b\r\n\tc"],
        "folded first": [b" folded: of nothing"],
        "bare CR and LF": [b"X: a\rb", b"Y: a\nb"],
        "binary": [b"\xff\xfe\x80: \xff\xed\xa0\x80"],
        "NUL": [b"X: a\0b"],
        "robots": [b"X-Robots-Tag: \xff, unavailable_after: 99999-99-99, :::, max-snippet: x"],
        "Link": [b"Link: <http://[>; rel=canonical, <\xff"],
        "Set-Cookie": [b"Set-Cookie: \xff=\0; Expires=never; Domain=["],
        "Content-Disposition": [b'Content-Disposition: attachment; filename="\xff\xed\xa0\x80.pdf'],
        "Content-Language": [b"Content-Language: \xff" + b"x" * 5000],
        "Transfer-Encoding": [b"Transfer-Encoding: \xffnonsense"],
    }
    return {f"header {name}": answer(BODY, *lines) for name, lines in headers.items()}


def _redirects() -> dict[str, bytes]:
    places = [
        b"http://[",
        b"http://[::1",
        b"http://127.0.0.1:99999/",
        b"http://127.0.0.1:x/",
        b"\xff\xfe\x80",
    ]
    places += [
        b"\xed\xa0\x80",
        b"data:text/html,x",
        b"javascript:alert(1)",
        b"",
        b"//",
        b"file:///etc/passwd",
    ]
    places += [
        b"http://" + b"a" * 300 + b"/",
        b"http://a..b/",
        b"/" + b"x" * 9000,
        b"/\0",
        b"http://\xc3\xbc\xff/",
    ]
    return {
        f"Location {place[:30]!r}": answer(b"", b"Location: " + place, status=b"HTTP/1.1 301 Moved")
        for place in places
    }


def _lengths() -> dict[str, bytes]:
    values = [b"999999", b"5", b"-1", b"x", b"", b"9" * 30, b"9" * 5000, b"5, 5", b"5, 7", b"0x5", b"+5"]
    found = {f"Content-Length {value[:30].decode()}": answer(length=value) for value in values}
    return {**found, "two lengths": answer(BODY, b"Content-Length: 7")}


def _chunks() -> dict[str, bytes]:
    head = b"HTTP/1.1 200 OK\r\nContent-Type: text/html\r\nTransfer-Encoding: chunked\r\n\r\n"
    chunks = [b"", b"ZZ\r\n", b"3\r\n<p>\r\nZZ\r\n", b"-1\r\nx", b"f" * 20 + b"\r\nx", b"5\r\nab"]
    chunks += [b"5;" + b"x" * 9000 + b"\r\nabcde\r\n0\r\n\r\n", b"0\r\nX: \xff\r\n\r\n", b"3\nabc\n0\n\n"]
    return {f"chunks {chunk[:30]!r}": head + chunk for chunk in chunks}


def _codings() -> dict[str, bytes]:
    large = b"<p>" + b"word " * 200_000
    bombs = {
        "gzip": gzip.compress(large),
        "deflate": zlib.compress(large),
        "br": brotli.compress(large, quality=1),
        "zstd": zstandard.compress(large),
    }
    lies = [
        "gzip",
        "deflate",
        "br",
        "zstd",
        "nonsense",
        "",
        "\xff",
        "gzip, gzip",
        "gzip, nonsense",
        "gzip;q=1",
        ", ,",
    ]
    twice = gzip.compress(gzip.compress(BODY))
    found = {
        f"bomb {name}": answer(data, b"Content-Encoding: " + name.encode()) for name, data in bombs.items()
    }
    found |= {
        f"coding {name}": answer(BODY, b"Content-Encoding: " + name.encode("latin-1"))
        for name in (*lies, "g" * 5000)
    }
    return found | {
        "cut br": answer(bombs["br"][:99], b"Content-Encoding: br"),
        "coding of nothing": answer(b"", b"Content-Encoding: gzip"),
        "coding twice": answer(twice, b"Content-Encoding: gzip", b"Content-Encoding: gzip"),
        "coding 5,000 times": answer(twice, b"Content-Encoding: " + b", ".join([b"gzip"] * 5000)),
        "coding and more": answer(gzip.compress(BODY) + b"\xff" * 99, b"Content-Encoding: gzip"),
    }


def _kinds() -> dict[str, bytes]:
    kinds = [None, b"", b"\0", b"text/html\0", b"text/html; charset=\0", b"text/html; charset=utf-8\0zip"]
    kinds += [
        b"x" * 10_000,
        b"text/html;" + b" x=y;" * 2_000,
        b"\xff\xfe",
        b'text/html; charset="',
        b"/",
        b";;;",
    ]
    kinds += [
        b"text/html, text/html",
        b"application/xhtml+xml; charset=zip",
        b"multipart/form-data; boundary=",
    ]
    return {f"Content-Type {(kind or str(kind).encode())[:30]!r}": answer(kind=kind) for kind in kinds}


def _lines() -> dict[str, bytes]:
    lines = [b"HTTP/0.9 200 OK", b"HTTP/9.9 200 OK", b"HTTP/1 200 OK", b"HTTP/99999999999999999999.1 200 OK"]
    lines += [
        b"HTTP/x.y 200 OK",
        b"HTTP/1.1",
        b"HTTP/1.1 200",
        b"ICY 200 OK",
        b"\xff\xfe",
        b"\r\n\r\nHTTP/1.1 200 OK",
    ]
    lines += [b"HTTP/1.1 200 \xff\xed\xa0\x80", b"HTTP/1.1 200 " + b"x" * 70_000]
    return {f"line {line[:30]!r}": answer(status=line) for line in lines} | {
        "closed": b"",
        "HTTP/0.9": BODY,
        "head alone": b"HTTP/1.1 200 OK\r\nContent-Type: text/html\r\n",
        "garbage": bytes(range(256)) * 40,
        "no end": b"x" * 200_000,
        "continue": b"HTTP/1.1 100 Continue\r\n\r\n" * 2000 + answer(),
        "switching": b"HTTP/1.1 101 Switching Protocols\r\nUpgrade: x\r\n\r\n",
        "no content": b"HTTP/1.1 204 No Content\r\n\r\n",
        "two": answer() + answer(b"another"),
    }


ANSWERS: Final[dict[str, bytes]] = dict(
    chain.from_iterable(
        rows().items()
        for rows in (
            *(_statuses, _bodies, _charsets, _headers, _redirects),
            *(_lengths, _chunks, _codings, _kinds, _lines),
        )
    )
)
