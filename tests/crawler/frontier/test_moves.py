from __future__ import annotations

import pytest

from crawler.frontier.moves import domain_of


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
