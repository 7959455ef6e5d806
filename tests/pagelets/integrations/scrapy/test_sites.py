"""Pages of a crawl by sites."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from pagelets.integrations.scrapy import sites
from pagelets.integrations.scrapy.sites import JudgedSite, KnownSites, domain, parts, site_of
from pagelets.integrations.scrapy.waiting import FetchedPage, Waiting
from tests.pagelets.integrations.scrapy.crawled import clean, story

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

PARAMETERS = {"method": "templates"}


def fetched(number: int, host: str = "example.org", **other: object) -> FetchedPage:
    page = FetchedPage(
        f"https://{host}/{number}",
        200,
        {},
        story(number).encode(),
        "utf-8",
        "2026-01-01T00:00:00+00:00",
        [],
        "GET",
    )
    return page._replace(**other)  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("host", "found"),
    [
        ("www.example.co.uk", "example.co.uk"),
        ("alice.github.io", "alice.github.io"),
        ("127.0.0.1", "127.0.0.1"),
        ("localhost", "localhost"),
        ("", ""),
    ],
)
def test_hosts_of_a_registrable_domain_are_a_site(host: str, found: str) -> None:
    assert domain(host) == found
    if host:
        assert site_of(f"https://{host}:81/a") == site_of(f"http://{found}/b")


@pytest.fixture
def waiting(tmp_path: Path) -> Iterator[Waiting]:
    made = Waiting(tmp_path / "waiting")
    yield made
    made.stop()


def put(waiting: Waiting, pages: str, *, items: str = "") -> None:
    """Puts a page for each letter, which is its site, and an item for those in ``items``."""
    for letter in pages:
        number = waiting.put_page(ord(letter), fetched(1))
        if letter in (items or pages):
            waiting.put_item(number, letter)


def test_sites_are_judged_in_the_order_of_their_items_with_all_their_pages(waiting: Waiting) -> None:
    put(waiting, "acbab", items="ab")
    assert [(part.pages, part.items) for part in parts(waiting, 0)] == [
        ([0, 3], [(0, 0), (2, 3)]),
        ([2, 4], [(1, 2), (3, 4)]),
    ]


def test_of_many_pages_as_many_count_as_fit(waiting: Waiting, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sites, "MOST_PAGES", 6)
    put(waiting, "a" * 10)
    found = list(parts(waiting, 0))
    assert [item for part in found for item, _ in part.items] == list(range(10))
    assert all({page for _, page in part.items} <= set(part.pages) and len(part.pages) == 6 for part in found)


def test_of_pages_before_some_count(waiting: Waiting, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sites, "_MOST_EARLIER", 2)
    put(waiting, "aaaaaa")
    for number in range(4):
        waiting.release(number)
    (part,) = parts(waiting, 4)
    assert part.pages == [0, 3, 4, 5]
    assert [page for _, page in part.items] == [4, 5]


def test_pages_that_tell_of_errors_or_have_no_address_say_nothing_of_others() -> None:
    site = JudgedSite(PARAMETERS)
    site.add(fetched(number, status=404) for number in range(1, 6))
    site.add([fetched(6), fetched(7)._replace(url="file:///7.html")])
    site.learn()
    assert len(site) == 1
    assert "soap" in site.document(fetched(1), ["text"])["text"]
    with pytest.raises(ValueError, match="no address of a page"):
        site.document(fetched(7)._replace(url="file:///7.html"), ["text"])
    site.close()


def test_the_encoding_is_that_of_the_response() -> None:
    site = JudgedSite(PARAMETERS)
    page = fetched(1)._replace(
        body="<p>Größe und Maß".encode(), headers={b"Content-Type": [b"text/html; charset=latin-1"]}
    )
    site.add([page])
    site.learn()
    assert site.document(page, ["text"])["text"] == "Größe und Maß"
    site.close()


def test_what_is_known_of_a_site_grows_and_that_of_few_is_kept(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sites, "_MOST_SITES", 2)
    known = KnownSites(PARAMETERS)

    def text(number: int, host: str) -> str:
        return str(known.document(fetched(number, host), ["text"])["text"])

    assert "soap" in text(1, "a.org")
    assert [text(number, "a.org") for number in range(2, 9)][-1] == clean(8)
    assert "soap" in text(1, "b.org")
    assert text(9, "a.org") == clean(9)
    assert "soap" in text(1, "c.org")
    assert text(10, "a.org") == clean(10)
    assert "soap" in text(2, "b.org")
    known.close()


def test_what_is_known_stays_as_it_is_when_a_site_is_large(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sites, "MOST_PAGES", 5)
    known = KnownSites(PARAMETERS)
    texts = [known.document(fetched(number), ["text"])["text"] for number in range(1, 12)]
    assert texts[5:] == [clean(number) for number in range(6, 12)]
    known.close()


def test_an_error_page_alone_has_a_document() -> None:
    known = KnownSites(PARAMETERS)
    assert "Story 1" in known.document(fetched(1, status=404), ["text"])["text"]
    known.close()
