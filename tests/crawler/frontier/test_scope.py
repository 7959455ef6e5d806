"""Which URLs belong to a crawl, and the one form of each."""

from __future__ import annotations

from urllib.parse import urlsplit

import pytest
from hypothesis import given
from hypothesis import strategies as st

from crawler.frontier.scope import Scope, canonical
from settings.patterns import Rules


def scope(*starts, **limits):
    values = {
        "max_length": 200,
        "max_segments": 8,
        "max_repeats": 3,
        "max_parameters": 3,
        "max_queries": 5,
        **limits,
    }
    return Scope(list(starts), **values)


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
        ("http://example.org/a?b=1&PHPSESSID=9&a=2", "http://example.org/a?b=1&a=2"),
        ("http://example.org/a?utm_source=x&fbclid=y", "http://example.org/a"),
        ("http://example.org/a?b=2&a=1", "http://example.org/a?b=2&a=1"),
        ("http://example.org/a?&&x", "http://example.org/a?x"),
        (" http://example.org/a\n", "http://example.org/a"),
    ],
)
def test_canonical(url, form):
    assert canonical(url) == form


URLS = st.builds(
    "{}://{}{}{}{}".format,
    st.sampled_from(["http", "https", "HTTP"]),
    st.sampled_from(["example.org", "Example.ORG:80", "ü.example", "example.org:443", "[::1]:8000"]),
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


def test_scope_is_the_folder_of_the_start_url():
    docs = scope("https://example.org/docs/index.html", "http://two.example/")
    assert docs.target("https://example.org/docs/a#x") == ("https://example.org/docs/a", None)
    assert docs.target("http://example.org/docs/").refusal is None
    assert docs.target("http://two.example/anything").refusal is None
    for url in (
        "https://example.org/",
        "https://example.org/docsearch",
        "https://example.org/docs/../a",
        "https://www.example.org/docs/",
        "https://example.org:8443/docs/",
        "https://example.org.evil.example/docs/",
        "https://example.org@evil.example/docs/",
        "ftp://example.org/docs/",
        "http://[broken/",
    ):
        assert docs.target(url).refusal == "scope"


def test_a_scope_that_grows_judges_again():
    one = scope("https://example.org/")
    assert one.target("https://www.example.org/a").refusal == "scope"
    before = one.describe()
    one.include("https://www.example.org/")
    assert one.target("https://www.example.org/a").refusal is None
    assert one.describe() != before


@pytest.mark.parametrize("path", ["a.pdf", "a.JPG", "x/logo.svg", "style.css", "a.tar.gz"])
def test_files_that_are_no_pages(path):
    assert scope("https://example.org/").target(f"https://example.org/{path}").refusal == "type"


@pytest.mark.parametrize("path", ["a.html", "a.php", "v1.2", "a.pdf/", "?file=a.pdf", "a.pdf.html"])
def test_files_that_may_be_pages(path):
    assert scope("https://example.org/").target(f"https://example.org/{path}").refusal is None


@pytest.mark.parametrize(
    "path", ["a/a/a/a", "a/b/a/b/a/b/a/b", "1/2/3/4/5/6/7/8/9", "x" * 200, "?a=1&b=2&c=3&d=4"]
)
def test_traps(path):
    assert scope("https://example.org/").target(f"https://example.org/{path}").refusal == "trap"


@pytest.mark.parametrize("path", ["a/a/a", "1/2/3/4/5/6/7/8", "?a=1&b=2&c=3", "//////////////a"])
def test_no_traps(path):
    assert scope("https://example.org/").target(f"https://example.org/{path}").refusal is None


RULES = Rules.of(
    [
        {"policy": "allow", "type": "begins", "pattern": "/tag/sea"},
        {"policy": "deny", "type": "begins", "pattern": "/tag/"},
        {"policy": "deny", "type": "contains", "pattern": "sort="},
        {"policy": "deny", "type": "begins", "pattern": "https://two.example/"},
    ]
)


def test_rules_judge_what_the_scope_lets_in():
    one = scope("https://example.org/", "https://two.example/", rules=RULES)
    refusals = {
        url: one.target(url).refusal
        for url in (
            "https://example.org/tag/sea/1",
            "https://example.org/tag/hill",
            "https://example.org/tag/hill.pdf",
            "https://example.org/a?x=1&sort=up",
            "https://example.org/a?sid=1",
            "https://two.example/tag/sea",
            "https://two.example/a",
            "https://three.example/tag/",
        )
    }
    assert [*refusals.values()] == [None, "rule", "rule", "rule", None, None, "rule", "scope"]


def test_rules_are_part_of_a_scope():
    assert scope("https://example.org/", rules=RULES).describe() != scope("https://example.org/").describe()
    turned = Rules(RULES.rules[::-1])
    assert scope(rules=turned).describe() != scope(rules=RULES).describe()
