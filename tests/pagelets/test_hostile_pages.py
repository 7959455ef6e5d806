"""The library and hostile pages: whatever is given as HTML gives a document, and what is no HTML is said."""

from __future__ import annotations

import gzip
import json
from typing import TYPE_CHECKING, Any

import pytest

import pagelets
from pagelets.__main__ import main
from pagelets.reading.source import is_text_encoding
from tests.hostile import ANSWERS, BODY, CHARSETS, NOT_OF_TEXT, UNDECODABLE, WORDS, answer, record

if TYPE_CHECKING:
    from pathlib import Path

URL = "http://a.example/"


def test_every_answer_gives_a_document() -> None:
    with pagelets.Site(method="templates") as site:
        for number, payload in enumerate(ANSWERS.values()):
            body = payload.partition(b"\r\n\r\n")[2]
            site.add(f"{URL}{number}", body)
            site.add(f"{URL}{number}/text", body.decode("latin-1"))
            site.add(f"{URL}{number}/surrogates", body.decode("utf-8", "surrogateescape"))
        assert len(list(site.documents())) == 3 * len(ANSWERS)


def test_a_page_is_read_whatever_encoding_it_says() -> None:
    for name in CHARSETS:
        for html, kind in (
            (BODY + UNDECODABLE, f"text/html; charset={name}"),
            (f"<meta charset='{name}'>".encode() + BODY + UNDECODABLE, ""),
        ):
            document = pagelets.extract(html, URL, format="document", method="all-text", content_type=kind)
            if name in NOT_OF_TEXT:
                assert WORDS in document["text"], name


def test_only_encodings_of_text_are_believed() -> None:
    assert {name for name in NOT_OF_TEXT if is_text_encoding(name)} == {"utf-7"}
    assert all(map(is_text_encoding, ("utf-8", "utf-16-be", "cp1252", "gb18030", "shift_jis", "mac-roman")))
    assert not is_text_encoding("a\0b")


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        ({"html": None}, "html: NoneType; give str or bytes"),
        ({"html": bytearray(b"<p>x")}, "html: bytearray; give str or bytes"),
        ({"url": None}, "url: NoneType; give str"),
        ({"url": b"http://a.example/"}, "url: bytes; give str"),
        ({"content_type": b"text/html"}, "content_type: bytes; give str"),
    ],
)
def test_an_argument_of_another_type_is_said(arguments: dict[str, Any], said: str) -> None:
    given = {"html": "<p>words", "url": URL, **arguments}
    with pytest.raises(TypeError, match=said):
        pagelets.extract(**given)
    with pagelets.Site() as site, pytest.raises(TypeError, match=said):
        site.add(**given)


@pytest.mark.parametrize("status", [0, 99, 1000, 2147483648, -1, None, "200", 200.5])
def test_a_status_that_http_has_not_is_said(status: Any) -> None:
    with pagelets.Site() as site, pytest.raises(ValueError, match=r"^status="):
        site.add(URL, "<p>words", status=status)


def test_an_address_of_half_a_character_is_said() -> None:
    with pytest.raises(ValueError, match="no address of a page"):
        pagelets.extract("<p>words", "http://a.example/\ud800")


def test_a_record_of_an_address_that_is_none_is_skipped(tmp_path: Path, capsys: Any) -> None:
    records = [record(url, answer()) for url in (b"http://[", URL.encode(), b"http:///x", b"http://[::1")]
    (tmp_path / "a.warc.gz").write_bytes(b"".join(map(gzip.compress, records)))
    assert main([str(tmp_path / "a.warc.gz")]) == 0
    said = capsys.readouterr()
    assert [json.loads(line)["url"] for line in said.out.splitlines()] == [URL]
    assert said.err.count("no address of a page") == 3
