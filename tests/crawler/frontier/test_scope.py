"""Which URLs belong to a crawl."""

from __future__ import annotations

import pytest

from crawler.frontier.scope import Scope, domain_of
from pagelets.patterns import Rules


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


def test_the_folder_of_the_start_url_may_be_escaped_in_another_way_by_links():
    folders = scope("https://example.org/блог/", "https://example.org/%7eann/")
    for path in ("%d0%b1%d0%bb%d0%be%d0%b3/a", "%D0%B1%D0%BB%D0%BE%D0%B3/a", "~ann/a", "%7Eann/a"):
        assert folders.target(f"https://example.org/{path}") == (f"https://example.org/{path}", None)
    assert folders.target("https://example.org/%d0%b2/").refusal == "scope"
    one = scope("https://example.org/", one_escape=True)
    for url in ("%7eann/%d0?%c3", "~ann/%D0?%C3", "a/%2e%2e/~ann/%d0?%c3"):
        assert one.target(f"https://example.org/{url}") == ("https://example.org/~ann/%D0?%C3", None)


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


@pytest.mark.parametrize("path", ["a.html", "a.php", "v1.2", "a.pdf/", "?file=a.pdf", "a.pdf.html", "a.js"])
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


@pytest.mark.parametrize(
    ("url", "domain"),
    [
        ("https://www.example.co.uk/a", "example.co.uk"),
        ("https://Example.ORG.:443/", "example.org"),
        ("http://a.alice.github.io/", "alice.github.io"),
        ("http://github.io/", "github.io"),
        ("http://www.bücher.de/", "xn--bcher-kva.de"),
        ("http://xn--bcher-kva.de/", "xn--bcher-kva.de"),
        ("http://wiki.corp.internal/", "corp.internal"),
        ("http://wiki:8080/", "wiki"),
        ("http://127.0.0.1:81/", "127.0.0.1"),
        ("http://[0:0::1]:81/", "::1"),
        # What looks like a host is none.
        ("http://example.org@evil.test/", "evil.test"),
        ("http://evil.test\\@example.org/", "evil.test"),
        ("http://evil.test/?http://example.org/", "evil.test"),
        ("http://[broken/", ""),
        ("", ""),
    ],
)
def test_the_registrable_domain_of_a_url(url: str, domain: str) -> None:
    assert domain_of(url) == domain
