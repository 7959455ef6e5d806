from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from crawler.frontier import topical
from crawler.frontier.topical import TopicalPages
from pagelets.ranking.relevance import Topic
from store.site import Store
from tests.store.sites import Pagelet, begin, record, url

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path


@pytest.fixture
def store(tmp_path: Path) -> Iterator[Store]:
    with Store.open(tmp_path / "site.example", create=True) as opened:
        begin(opened)
        yield opened


def seen(store: Store, pages: TopicalPages, name: str, *pagelets: Pagelet) -> int:
    number = record(store, name, [*pagelets])
    pages.see(number, [one.text for one in pagelets])
    return number


def worth(store: Store, pages: TopicalPages, count: int, templates: set[int]) -> dict[str, float]:
    found = pages.priorities(store.connection, count, templates)
    return {store.frontier.url(page).removeprefix(url("")): score for page, score in found.items()}


def test_what_relevant_pagelets_link_to_has_a_priority(store: Store) -> None:
    pages = TopicalPages(Topic.of("falcon"))
    menu = Pagelet("a menu with a falcon in it", ("menu",), "menu")
    first = seen(
        store, pages, "one", menu, Pagelet("the falcon flies", ("nest",)), Pagelet("also", ("other",))
    )
    seen(store, pages, "two", menu, Pagelet("nothing of that kind", ("far",)))
    templates = {store.pages.sketches(first)[0]}
    found = worth(store, pages, 2, templates)
    assert found["nest"] > found["other"] > 0
    assert set(found) == {"nest", "other"}
    assert pages.relevant == 1
    # As long as it is not known for a template, the menu counts.
    assert worth(store, pages, 2, set())["menu"] > 0


def test_a_page_fits_at_once_by_what_is_known(store: Store) -> None:
    pages = TopicalPages(Topic.of("falcon nest"))
    fits = pages.see(1, ["nothing", "a falcon on a nest", "the falcon"])
    assert fits is not None
    assert fits[1] > fits[2] > fits[0] > 0
    assert fits.max() == 1.5
    assert pages.see(2, ["nothing"]) is None
    assert pages.fit("a nest") == 0.5
    assert pages.relevant == 1


def test_a_page_that_lost_its_words_is_relevant_no_more(store: Store) -> None:
    pages = TopicalPages(Topic.of("falcon"))
    seen(store, pages, "one", Pagelet("the falcon flies", ("nest",)))
    assert worth(store, pages, 1, set())
    seen(store, pages, "one", Pagelet("it has flown", ("nest",)))
    assert worth(store, pages, 1, set()) == {}
    assert pages.relevant == 0


def test_only_the_most_relevant_pages_are_held(store: Store, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(topical, "MOST_PAGES", 2)
    pages = TopicalPages(Topic.of("falcon"))
    for number in range(4):
        seen(store, pages, f"p{number}", Pagelet("falcon " * number + f"and {number}", (f"n{number}",)))
    worth(store, pages, 4, set())
    assert set(worth(store, pages, 4, set())) == {"n3", "n2"}
    assert pages.relevant == 3
