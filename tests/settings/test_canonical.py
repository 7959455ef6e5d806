"""The one form of a URL."""

from __future__ import annotations

from urllib.parse import urlsplit

import pytest
from hypothesis import given
from hypothesis import strategies as st

from settings.canonical import canonical


@pytest.mark.parametrize(
    ("url", "form"),
    [
        ("HTTP://Example.ORG", "http://example.org/"),
        ("http://example.org:80/a", "http://example.org/a"),
        ("https://example.org:443/a", "https://example.org/a"),
        ("https://example.org:8443/a", "https://example.org:8443/a"),
        ("http://example.org/a#top", "http://example.org/a"),
        ("http://example.org/a?", "http://example.org/a"),
        ("http://example.org/a/./b/../c", "http://example.org/a/c"),
        ("http://example.org/a/..", "http://example.org/"),
        ("http://example.org/../../a", "http://example.org/a"),
        ("http://example.org/a/.", "http://example.org/a/"),
        ("http://example.org//a/../b", "http://example.org//b"),
        ("http://example.org/a.b/..c/.d", "http://example.org/a.b/..c/.d"),
        ("http://example.org/ä b", "http://example.org/%C3%A4%20b"),
        ("http://bücher.example/", "http://xn--bcher-kva.example/"),
        ("http://example.org/a;jsessionid=1A2B?x=1", "http://example.org/a?x=1"),
        ("http://example.org/(S(r3gkxrbtkvfofnxv2gpxs1ra))/a.aspx", "http://example.org/a.aspx"),
        ("http://example.org/b/(X(1)S(r3gkxrbtkvfofnxv2gpxs1ra))/", "http://example.org/b/"),
        ("http://example.org/f(x)/(S(3))/Orders(1)", "http://example.org/f(x)/(S(3))/Orders(1)"),
        ("http://example.org/a?b=1&PHPSESSID=9&a=2", "http://example.org/a?b=1&a=2"),
        ("http://example.org/a?utm_source=x&fbclid=y", "http://example.org/a"),
        ("http://example.org/a?b=2&a=1", "http://example.org/a?b=2&a=1"),
        ("http://example.org/a?&&x", "http://example.org/a?x"),
        (" http://example.org/a\n", "http://example.org/a"),
        ("http://example.org./a", "http://example.org/a"),
        ("https://example.org.:443", "https://example.org/"),
        ("http://example.org.:81/", "http://example.org:81/"),
        ("http://example.org../", "http://example.org../"),
        ("http://ex%61mple.org:80/%61", "http://example.org/%61"),
        ("HTTP://b%C3%BCcher.example?x", "http://xn--bcher-kva.example/?x"),
        ("http://a%2Fb%2Fexample.org/", "http://a%2fb%2fexample.org/"),
        ("http://example.org%40evil.example/", "http://example.org%40evil.example/"),
        ("http://example.org%3A81/", "http://example.org%3a81/"),
        ("http://b%FCcher.example/", "http://b%fccher.example/"),
    ],
)
def test_canonical(url, form):
    assert canonical(url) == form


URLS = st.builds(
    "{}://{}{}{}{}".format,
    st.sampled_from(["http", "https", "HTTP"]),
    st.sampled_from(
        [
            "example.org",
            "Example.ORG:80",
            "ü.example",
            "example.org:443",
            "[::1]:8000",
            "a%62.c.",
            "%2E.",
            "ü%2Eb..:80",
        ]
    ),
    st.text("/.ab;%ü =&#?", max_size=20).map(lambda text: f"/{text}"),
    st.sampled_from(["", "?", "?a=1&b=2", "?sid=1", "?a&&b", "?a=ü"]),
    st.sampled_from(["", "#", "#x"]),
)


@given(
    st.sampled_from(["a.example", "h", "1.2.3.4", "x" * 63, "x" * 64, "a.example:80", "-a.example"]),
    st.lists(
        st.sampled_from("a /a /. /.. // . ? # & = sid=1 &a=b %41 %e4 % + ~ _ - A ; @ ü".split()), max_size=6
    ),
)
def test_a_plain_url_has_the_form_that_parsing_gives_it(host, rest):
    url = f"//{host}/{''.join(rest)}"
    for scheme in ("http", "https"):
        # Nothing that begins with a capital is taken for plain.
        assert told(f"{scheme}:{url}") == told(f"{scheme.upper()}:{url}")


def told(url):
    try:
        return canonical(url)
    except ValueError as error:
        return type(error)


@given(URLS)
def test_the_canonical_form_is_its_own(url):
    form = canonical(url)
    assert canonical(form) == form
    parts = urlsplit(form)
    assert parts.path.startswith("/")
    assert not {".", ".."}.intersection(parts.path.split("/"))
    assert "#" not in form
