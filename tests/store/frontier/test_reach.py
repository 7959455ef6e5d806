from __future__ import annotations

import itertools
from typing import TYPE_CHECKING

import pytest

from store.frontier import Target
from tests.store.sites import Pagelet, begin, due, fetched, record, rows, state, url

if TYPE_CHECKING:
    from store.site import Store


@pytest.fixture
def site(store: Store) -> Store:
    """home -> a -> b; c is linked from nowhere."""
    begin(store)
    record(store, "home", [Pagelet("home", ("a",))])
    record(store, "a", [Pagelet("a", ("b",))])
    record(store, "b", [Pagelet("b")])
    record(store, "c", [Pagelet("c")])
    return store


def page(store: Store, name: str) -> int:
    return store.frontier.add(Target(url(name), None), 0)


def everything(address: str, depth: int) -> str | None:
    return None


def spread(store: Store, depth_limit: int = 0, round_after: int = 0) -> int:
    with store.transaction():
        return store.frontier.extend([page(store, "home")], depth_limit, round_after, everything)


def linked(store: Store) -> list[str]:
    return sorted(url[-1] for (url,) in rows(store, "SELECT url FROM pages WHERE linked"))


def test_links_are_followed_from_the_start(site: Store) -> None:
    spread(site)
    assert linked(site) == ["a", "b", "e"]


def test_a_sitemap_leads_to_pages_too(site: Store) -> None:
    with site.transaction():
        site.sitemaps.replace("http://site.example/sitemap.xml", [page(site, "c")], 1)
    spread(site)
    assert linked(site) == ["a", "b", "c", "e"]


def test_a_page_that_is_gone_leads_nowhere(site: Store) -> None:
    with site.transaction():
        site.outcomes.settle(page(site, "a"), "gone", 1, reason="http 404")
    spread(site)
    assert linked(site) == ["a", "e"]


def test_a_page_that_failed_leads_where_it_led(site: Store) -> None:
    with site.transaction():
        site.outcomes.settle(page(site, "a"), "failed", 1, reason="http 503")
    spread(site)
    assert linked(site) == ["a", "b", "e"]


def test_redirects_lead_on_without_a_step(site: Store) -> None:
    with site.transaction():
        first, second, end = page(site, "first"), page(site, "second"), page(site, "c")
        site.outcomes.settle(first, "redirected", 1, target=second)
        site.outcomes.settle(second, "redirected", 1, target=end)
        site.frontier.extend([first], 1, 0, everything)
    assert "c" in linked(site)


def test_redirects_lead_on_where_the_depth_limit_ends_it(site: Store) -> None:
    with site.transaction():
        site.outcomes.settle(page(site, "a"), "redirected", 1, target=page(site, "c"))
    spread(site, 1)
    assert linked(site) == ["a", "c", "e"]


def test_the_depth_limit_ends_it(site: Store) -> None:
    spread(site, 1)
    assert linked(site) == ["a", "e"]


def test_other_references_of_a_page_lead_on(site: Store) -> None:
    site.record(fetched(site, "home", [Pagelet("home", ("a",))], follow=("c",)), 1)
    spread(site)
    assert linked(site) == ["a", "b", "c", "e"]


def test_what_is_refused_on_sight_is_not_reached(site: Store) -> None:
    with site.transaction():
        site.connection.execute("UPDATE pages SET reason = 'scope' WHERE page = ?", (page(site, "a"),))
    spread(site)
    assert linked(site) == ["e"]


def test_a_page_given_up_that_is_linked_again_is_due(site: Store) -> None:
    with site.transaction():
        site.outcomes.settle(page(site, "b"), "gone", 1, reason="http 404")
        site.connection.execute("UPDATE pages SET linked = 0, due = 0 WHERE page = ?", (page(site, "b"),))
    assert spread(site, round_after=1) == 1
    assert [entry.url[-1] for entry in due(site, 10)] == ["b"]


def miss(store: Store, round_after: int, runs: int = 2) -> int:
    with store.transaction():
        return store.outcomes.miss(round_after, runs)


def test_a_page_is_gone_when_enough_rounds_in_a_row_have_missed_it(site: Store) -> None:
    spread(site)
    assert miss(site, 1) == 0
    assert state(site, "c")[0] == "held"
    assert miss(site, 2) == 1
    assert state(site, "c") == ("gone", "missed")


def test_a_round_counts_once(site: Store) -> None:
    spread(site)
    assert [miss(site, 1), miss(site, 1), miss(site, 1)] == [0, 0, 0]
    assert state(site, "c")[0] == "held"


def test_a_page_that_is_found_again_begins_anew(site: Store) -> None:
    spread(site)
    miss(site, 1)
    record(site, "b", [Pagelet("b", ("c",))])
    spread(site)
    miss(site, 2)
    record(site, "b", [Pagelet("b")])
    spread(site)
    assert miss(site, 3) == 0


@pytest.mark.parametrize(
    ("to", "reason", "gone"),
    [
        ("refused", "robots", 1),
        ("redirected", "temporary", 1),
        ("failed", "http 503", 0),
        ("failed", "robots unreachable", 0),
        ("refused", "size", 0),
    ],
)
def test_what_counts_as_missed(site: Store, to: str, reason: str, gone: int) -> None:
    with site.transaction():
        site.outcomes.settle(page(site, "b"), to, 1, reason=reason)
    spread(site)
    with site.transaction():
        site.connection.execute("DELETE FROM pages WHERE page = ?", (page(site, "c"),))
    assert miss(site, 1, 1) == gone


def test_a_site_twice_as_deep_takes_twice_as_long(store: Store) -> None:
    begin(store)
    names = [f"p{n}" for n in range(160)]
    for depth, (name, following) in enumerate(itertools.pairwise(["home", *names])):
        record(store, name, [Pagelet(f"text of {name}", (following,))], depth=depth)
    steps = []
    for limit in (40, 80, 160):
        counted = [0]

        def count(counted: list[int] = counted) -> int:
            counted[0] += 1
            return 0

        store.connection.set_progress_handler(count, 100)
        spread(store, limit)
        store.connection.set_progress_handler(None, 0)
        steps.append(counted[0])
    # What is done once for all pages is the same for each of the limits.
    assert steps[2] - steps[1] < 3 * (steps[1] - steps[0])
