from __future__ import annotations

import doctest
import gzip
import subprocess
import sys
from dataclasses import replace
from importlib import import_module

import pytest
from hypothesis import given
from hypothesis import strategies as st

import pagelets
from pagelets.document import Origin
from pagelets.extraction import SHORT, _with_heading, now
from pagelets.judging.config import JudgeConfig
from pagelets.judging.engine import Judge
from pagelets.reading import read
from pagelets.reading.source import MAX_SIZE, file_type
from tests.crawls import PROJECT

URL = "https://example.org/bread"
PAGE = (
    "<html lang=en><title>Bread</title><meta name=author content='A. Baker'><body>"
    "<nav><a href=/>Home</a> <a href=/b>Blog</a> <a href=/c>Contact</a></nav>"
    "<main><h1>Bread</h1><p>Flour, <a href=/salt>salt</a>, water and time make a bread that keeps for days, "
    "and the time is what most of it comes from.</p><p>Mix them, wait for a day, and bake it hot.</p></main>"
)


@pytest.mark.parametrize("name", sorted(pagelets.__all__))
def test_each_public_name_has_an_example_that_runs(name):
    thing = getattr(pagelets, name)
    module = import_module(thing.__module__)
    pytest.importorskip({"to_pandas": "pandas", "to_arrow": "pyarrow"}.get(name, "sys"))
    found = [test for test in doctest.DocTestFinder().find(thing, name, module=module) if test.examples]
    assert found
    for test in found:
        assert doctest.DocTestRunner().run(test).failed == 0


def test_every_format_has_the_text_without_the_menu():
    for kind in ("text", "markdown", "html"):
        said = pagelets.extract(PAGE, url=URL, format=kind)
        assert "bake it hot" in said
        assert "Contact" not in said
    assert "[salt](https://example.org/salt)" in pagelets.extract(PAGE, url=URL)
    assert '<a href="https://example.org/salt"' in pagelets.extract(PAGE, url=URL, format="html")


def test_a_document_has_what_the_page_declares():
    document = pagelets.extract(PAGE, url=URL, format="document")
    assert (document["url"], document["site"]) == (URL, "example.org")
    assert (document["title"], document["author"], document["language"]) == ("Bread", "A. Baker", "en")
    assert document["stats"]["flags"] == []


@pytest.mark.parametrize(
    ("body", "content_type"),
    [
        ("größer".encode(), ""),
        ("größer".encode("utf-16"), ""),
        ("größer".encode("latin-1"), "text/html; charset=iso-8859-1"),
        (b"<meta charset=latin1>" + "größer".encode("latin-1"), ""),
    ],
)
def test_the_encoding_of_bytes_is_found(body, content_type):
    assert pagelets.extract(body, format="text", content_type=content_type) == "größer"


def test_odd_pages_are_flagged():
    def flags(html):
        return pagelets.extract(html, format="document")["stats"]["flags"]

    assert flags("") == ["empty"]
    assert flags(b"\x01\x02<p>words") == ["binary"]
    assert flags("<p>words " + " " * MAX_SIZE) == ["truncated"]


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        ({"format": "pdf"}, "format='pdf': there are text, markdown, html, document"),
        ({"method": "magic"}, "method='magic': there are all-text"),
        ({"url": "example.org"}, "url='example.org': no address"),
    ],
)
def test_a_wrong_argument_is_named(arguments, said):
    with pytest.raises(ValueError, match=said):
        pagelets.extract(PAGE, **arguments)


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        ({"html": None}, "html: NoneType; give str or bytes"),
        ({"html": float("nan")}, "html: float; give str or bytes"),
        ({"html": 7}, "html: int; give str or bytes"),
        ({"html": PAGE, "url": None}, "url: NoneType; give str"),
        ({"html": PAGE, "method": None}, "method: NoneType; give str"),
    ],
)
def test_an_argument_of_another_type_is_named(arguments, said):
    with pytest.raises(TypeError, match=said):
        pagelets.extract(**arguments)


@pytest.mark.parametrize(
    ("html", "name"),
    [
        (b"%PDF-1.7\n", "a PDF"),
        ("%PDF-1.7 read as text", "a PDF"),
        (b"\x89PNG\r\n\x1a\n\0\0", "a PNG image"),
        (b"RIFF\x12\0\0\0WEBPVP8 ", "a WebP image"),
        (gzip.compress(PAGE.encode()), "a gzip archive"),
        (b"PK\x03\x04word", "a ZIP archive"),
        (bytes(257) + b"ustar", "a tar archive"),
        (b"PAR1\x15\x04\x15", "a Parquet file"),
        (b"SQLite format 3\0\x10\0", "an SQLite database"),
        ("From: <Saved by Blink>\nSnapshot-Content-Location: https://example.org/", "a page in MHTML"),
    ],
)
def test_a_file_that_is_no_page_is_named(html, name):
    with pytest.raises(ValueError, match=f"html is {name}"):
        pagelets.extract(html)


@given(st.text() | st.binary())
def test_what_is_no_such_file_is_a_page(html):
    if file_type(html) is None:
        assert isinstance(pagelets.extract(html, format="text"), str)


@given(
    st.sampled_from(["Bread", "How to bake bread", "About us", "Hello"]),
    st.sampled_from(["", "<nav><a href=/>Home</a> <a href=/b>Blog</a></nav>", "<p><a href=/>Example</a>"]),
    st.sampled_from(["{menu}{head}{text}", "<header>{menu}{head}</header><main>{text}</main>"]),
    st.integers(1, 12),
)
def test_the_heading_of_a_short_page_is_kept(head, menu, form, sentences):
    text = "<p>" + "The dough rests for a day, and then it is baked until it is brown. " * sentences
    html = form.format(menu=menu, head=f"<h1>{head}</h1>", text=text)
    assert head in pagelets.extract(f"<body>{html}", format="text").split("\n")
    assert f"# {head}" in pagelets.extract(f"<body>{html}").split("\n")


def test_the_heading_of_a_long_page_is_left_to_the_model():
    judged = Judge(JudgeConfig()).judge
    page = read("<h1>Head</h1>" + "<p>One sentence of many." * SHORT, "")
    subject = Judge(JudgeConfig()).subject(page)
    found = judged(subject, 0, Origin("", 200, now()))
    without = replace(found, selection=replace(found.selection, mask=[False] + [True] * SHORT))
    assert _with_heading(without) is without


def test_a_name_that_is_not_there_is_told():
    assert set(pagelets.__all__) <= set(dir(pagelets))
    with pytest.raises(AttributeError, match="has no attribute 'extrakt'"):
        pagelets.extrakt  # noqa: B018


def test_an_import_loads_nothing():
    code = (
        "import sys, pagelets; loaded = set(sys.modules) & {'numpy', 'lxml', 'duckdb'}; "
        "loaded.update(name for name in sys.modules if name.startswith('pagelets.')); "
        "sys.exit(str(loaded) if loaded else 0)"
    )
    done = subprocess.run(
        [sys.executable, "-c", code], cwd=PROJECT, capture_output=True, text=True, check=False
    )
    assert (done.returncode, done.stderr) == (0, "")


def test_links_of_pictures_have_their_alternative_text():
    shown = "<p><a href=/a>water</a> <a href=/b><b><img src=b.png alt=' A\n loaf '></b></a><a href=/c></a>"
    links = pagelets.extract(shown, url=URL, format="document")["links"]
    assert [link["text"] for link in links] == ["water", "A loaf", ""]
    area = "<map name=m><area href=/d alt='The\n mill'><area></map><template><area href=/e></template>"
    links = pagelets.extract(f"{shown}<img usemap=#m>{area}", url=URL, format="document")["links"]
    assert links[3:] == [{"url": "https://example.org/d", "text": "The mill", "template": False}]
