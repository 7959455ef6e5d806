"""URL patterns and rules."""

from __future__ import annotations

import pytest

from pagelets.patterns import Pattern, PatternError, Rules

BASE = "https://example.org"


@pytest.mark.parametrize(
    ("kind", "text", "url", "matches"),
    [
        ("begins", "/docs/", "/docs/a", True),
        ("begins", "/docs/", "/a/docs/", False),
        ("begins", "https://example.org/docs", "/docs/a", True),
        ("begins", "https://Example.ORG/docs", "/docs/a", True),
        ("begins", "http://example.org/", "/docs/a", False),
        ("begins", "https://b\u00fccher.example/\u00fc", "https://xn--bcher-kva.example/%C3%BC", True),
        ("begins", "/\u00fcber uns", "/%C3%BCber%20uns", True),
        ("begins", "/\u00fcber uns", "/%c3%bcber%20uns", True),
        ("contains", "/%c3%bc", "/%C3%BCber", True),
        ("begins", "/~ann/", "/%7Eann/a", True),
        ("begins", "/a%2Fb", "/a/b", False),
        ("ends", ".php", "/a.php", True),
        ("ends", ".php", "/a.php?b=1", False),
        ("ends", "?print=1", "/a?print=1", True),
        ("contains", "sort=", "/a?b=1&sort=up", True),
        ("contains", "example", "/a", False),
        ("contains", "https://example.org/a", "/a", True),
        ("regex", r"^/\d{4}/", "/2024/a", True),
        ("regex", r"\d{4}/$", "/x/2024/", True),
        ("regex", "^https://example", "/", True),
        ("regex", r"https?:\/\/[a-z]+\.org/a", "/a", True),
        ("regex", "http-status", "/http-status", True),
        ("regex", "http", "/a", False),
        ("regex", "(a+)+$", f"/{'a' * 50_000}b", False),
    ],
)
def test_matches(kind, text, url, matches):
    assert Pattern.of(kind, text).matches(url if "://" in url else BASE + url) is matches


@pytest.mark.parametrize(
    ("kind", "text", "mend"),
    [
        ("starts", "/a", "begins"),
        ("begins", "", "empty"),
        ("contains", "  ", "empty"),
        ("begins", "docs/", "'/docs/'"),
        ("regex", "(?=a)", "lookaround"),
        ("regex", r"(a)\1", "backreferences"),
        ("regex", "[", "RE2"),
        ("regex", "(a{1000}){1000}", "RE2"),
        ("regex", "\u00fc+", "%C3%BC"),
        ("contains", "a" * 5000, "at most"),
        ("begins", "https://" + "\u00fc" * 80 + ".example/", "host"),
    ],
)
def test_what_is_no_pattern(kind, text, mend):
    with pytest.raises(PatternError, match=mend.replace("(", r"\(")):
        Pattern.of(kind, text)


def test_a_wrong_regex_writes_nothing_of_its_own(capfd):
    with pytest.raises(PatternError):
        Pattern.of("regex", "(")
    assert capfd.readouterr() == ("", "")


def test_the_first_rule_that_matches_decides():
    rules = Rules.of(
        [
            {"policy": "allow", "type": "begins", "pattern": "/tag/sea"},
            {"policy": "deny", "type": "begins", "pattern": "/tag/"},
            {"policy": "deny", "type": "ends", "pattern": "/sea"},
        ]
    )
    assert rules.denying(f"{BASE}/tag/sea") is None
    assert rules.denying(f"{BASE}/about") is None
    assert str(rules.denying(f"{BASE}/tag/hill")) == "deny begins '/tag/'"
    assert rules.denying(f"{BASE}/the/sea") is rules.rules[2]


@pytest.mark.parametrize(
    "rule", [{}, {"policy": "deny", "type": "ends"}, {"policy": "no", "type": "ends", "pattern": "a"}]
)
def test_what_is_no_rule(rule):
    with pytest.raises(PatternError):
        Rules.of([rule])
