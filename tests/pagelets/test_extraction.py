from __future__ import annotations

import doctest
import subprocess
import sys
from importlib import import_module

import pytest

import pagelets
from pagelets.reading.source import MAX_SIZE
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
