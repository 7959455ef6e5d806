"""What bytes say, as Scrapy decodes them."""

from __future__ import annotations

import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from scrapy.http import HtmlResponse

from pagelets.reading import read
from pagelets.reading.source import decoded, encoding_of, encoding_of_response, flags_of, source_of

KINDS = [
    "",
    "text/html",
    *(f"text/html; charset={name}" for name in ("utf-8", "utf-16", "latin1", "gb2312", "x")),
]
PIECES = st.one_of(
    st.binary(max_size=20),
    st.sampled_from(
        ["größer".encode(), "größer".encode("latin-1"), b"<p>words", b"\xff\xfe", b"\xef\xbb\xbf"]
    ),
    st.sampled_from([b"<meta charset=utf-16>", b"<meta charset=shift_jis>", b"<meta charset=none>"]),
)


@given(st.lists(PIECES, max_size=6).map(b"".join), st.sampled_from(KINDS))
@example("größer, schöner, weiter – und zurück".encode("cp1252"), "text/html")
def test_the_encoding_and_the_text_are_those_that_scrapy_finds(body: bytes, kind: str) -> None:
    response = HtmlResponse("http://a/", headers={"Content-Type": kind} if kind else {}, body=body)
    encoding = encoding_of(body, kind)
    assert encoding == encoding_of_response(response.encoding, body, kind)
    assert encoding == response.encoding or response.encoding.startswith("utf-16")
    source = source_of(body, encoding)
    text = decoded(body, encoding)
    assert (source.decode() if isinstance(source, bytes) else source) == text


def test_single_bytes_are_never_wide_whatever_the_page_says_of_itself() -> None:
    for name in ("utf-16", "UTF-16LE", "utf-16be", "utf-32"):
        body = f'<meta http-equiv="Content-Type" content="text/html; charset={name}"><p>größer'.encode()
        assert encoding_of(body) == encoding_of(body, "text/html") == "utf-8"
        response = HtmlResponse("http://a/", body=body)
        assert encoding_of_response(response.encoding, body, "text/html") == "utf-8"
        wide = "<p>größer".encode("utf-16")
        assert encoding_of_response("utf-16-le", wide, f"text/html; charset={name}").startswith("utf-16")


@pytest.mark.parametrize(
    ("source", "flags"),
    [
        ("<p>words", set()),
        ("", {"empty"}),
        (b" \n", {"empty"}),
        (b"\x02\x03", {"binary"}),
        (b"be\0fore", {"binary"}),
        ("x" * 9000 + "\0", {"binary"}),
        (decoded("Größe".encode(), "windows-1252"), {"garbled"}),
        (decoded("Größe".encode("windows-1252"), "utf-8"), {"garbled"}),
        (decoded("Größe".encode("windows-1252"), "windows-1252"), set()),
        (decoded("Größe".encode("utf-8-sig"), "utf-8"), set()),
        (decoded("Größe".encode()[:3], "utf-8"), set()),
        ("<p>short<div hidden>" + "much of the text " * 9, {"unhidden"}),
        ("<b>" * 3000, {"truncated"}),
    ],
)
def test_what_is_odd_about_a_page_is_told(source: str | bytes, flags: set[str]) -> None:
    page = read(source, "http://a/")
    assert flags_of(source, page) == flags
    assert flags_of(source, page, cut=True) == {*flags, "truncated"}
