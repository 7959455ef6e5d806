"""Where the headers of a page lead."""

from __future__ import annotations

import time

import pytest

from crawler.fetching.directives import addresses_in
from pagelets.reading import read

URL = "https://example.org/a/b"


@pytest.mark.parametrize(
    ("header", "follow", "canonical"),
    [
        ('<https://example.org/c>; rel="canonical"', [], "https://example.org/c"),
        ("</c?d=1,2>;rel=Canonical; title=x", [], "https://example.org/c?d=1,2"),
        (
            '<c>; title="; rel=next, <x>"; rel="up canonical", <d>; rel=canonical',
            [],
            "https://example.org/a/c",
        ),
        ('</2>; rel="next", </s>; rel=shortlink', ["https://example.org/2"], None),
        ("</c>; rel=canonical; anchor='#x', <>; rel=canonical, </d>, rel=next", [], None),
        ("<mailto:a@b>; rel=canonical, <//[>; rel=next, <c; rel=next", [], None),
        ('</c>; rel="canonical', [], None),
    ],
)
def test_links_of_headers(header, follow, canonical):
    page = read("<base href=/base/><p>A page", URL)
    assert addresses_in([("LINK", header), ("X-Link", "</no>; rel=next")], page) == (follow, canonical)


def test_a_refresh_is_relative_to_the_base_and_links_are_not():
    headers = [("Refresh", "5; url=c"), ("Link", "<c>; rel=next")]
    page = read("<base href=/base/><p>A page", URL)
    assert addresses_in(headers, page)[0] == ["https://example.org/base/c", "https://example.org/a/c"]


@pytest.mark.parametrize("text", ["<", "<a>", '<a>;x="', '";', "<a>;rel=next;", "<a>; ", " "])
def test_hostile_headers_take_no_time(text):
    started = time.monotonic()
    addresses_in([("Link", text * 100_000)], read("<p>A page", URL))
    assert time.monotonic() - started < 5
