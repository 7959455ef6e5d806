from __future__ import annotations

from typing import TYPE_CHECKING

from store.frontier import Target
from tests.store.sites import rows

if TYPE_CHECKING:
    from store.site import Store


def listed(store: Store) -> list[str]:
    found = rows(store, "SELECT url FROM sitemap_pages JOIN pages USING (page) ORDER BY url")
    return [url[-1] for (url,) in found]


def replace(store: Store, url: str, *names: str) -> None:
    with store.transaction():
        store.sitemaps.replace(url, [add_inside(store, name) for name in names], 1)


def add_inside(store: Store, name: str) -> int:
    return store.frontier.add(Target(f"http://site.example/{name}", None), 1)


def test_a_sitemap_lists_what_it_was_last_read_with(store: Store) -> None:
    replace(store, "s", "a", "b")
    replace(store, "s", "b", "c")
    assert listed(store) == ["b", "c"]


def test_sitemaps_do_not_know_each_other(store: Store) -> None:
    replace(store, "s", "a")
    replace(store, "t", "a", "b")
    with store.transaction():
        store.sitemaps.remove("t")
    assert listed(store) == ["a"]
    assert store.sitemaps.urls() == {"s"}


def test_what_is_named_no_more_lists_nothing(store: Store) -> None:
    replace(store, "s", "a")
    replace(store, "t", "b")
    with store.transaction():
        store.sitemaps.keep_only(["t", "never read"])
    assert listed(store) == ["b"]
