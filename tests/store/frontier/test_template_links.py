from __future__ import annotations

from typing import TYPE_CHECKING

from store.frontier.template_links import known_templates, template_links
from tests.store.sites import Pagelet, begin, record, rows, state, url

if TYPE_CHECKING:
    from store.site import Store

MENU = Pagelet("a menu that all of the pages have", ("m1", "m2", "m3", "both"), "menu")


def names(store: Store, pages: list[int]) -> list[str]:
    return [store.frontier.url(page).rpartition("/")[2] for page in pages]


def sketch(store: Store, page: int) -> int:
    return store.pages.sketches(page)[0]


def test_what_templates_alone_link_to_is_found(store: Store) -> None:
    begin(store)
    home = record(store, "home", [MENU, Pagelet("what home says of itself", ("a", "both"))])
    with store.transaction():
        store.sitemaps.replace("sitemap", [add_within(store, "m2")], 1)
    links = template_links(store.connection, {sketch(store, home)})
    assert names(store, links.only) == ["m1", "m3"]
    assert (links.unasked, links.no_more) == (links.only, [])
    assert template_links(store.connection, set()).only == []


def add_within(store: Store, name: str) -> int:
    page = store.frontier.find(url(name))
    assert page is not None
    return page


def test_what_was_asked_for_once_is_told_apart(store: Store) -> None:
    begin(store)
    home = record(store, "home", [MENU])
    record(store, "m1", [Pagelet("what m1 says")], depth=1)
    with store.transaction():
        store.frontier.begin_round()
    links = template_links(store.connection, {sketch(store, home)})
    assert names(store, links.only) == ["m1", "m2", "m3", "both"]
    assert names(store, links.unasked) == ["m2", "m3", "both"]


def test_what_was_left_out_comes_back_when_content_links_to_it(store: Store) -> None:
    begin(store)
    home = record(store, "home", [MENU])
    templates = {sketch(store, home)}
    with store.transaction():
        store.outcomes.leave_out(template_links(store.connection, templates).unasked)
        store.frontier.forget()
    assert state(store, "m1") == ("refused", "template")
    assert store.outcomes.left_out() == 4
    assert store.frontier.count_due() == 0
    # A page of content links to it: at once.
    record(store, "home", [MENU, Pagelet("more of what home says", ("m1",))])
    assert state(store, "m1") == ("known", None)
    # What is no template any more, when that is found out.
    assert template_links(store.connection, templates).no_more == []
    back = template_links(store.connection, set()).no_more
    assert names(store, back) == ["m2", "m3", "both"]
    with store.transaction():
        store.frontier.readmit(back)
    assert state(store, "both") == ("known", None)
    assert store.frontier.count_due() == 4


def test_another_scope_takes_in_what_was_left_out(store: Store) -> None:
    begin(store)
    record(store, "home", [MENU])
    with store.transaction():
        store.outcomes.leave_out(page for (page,) in rows(store, "SELECT page FROM pages"))
        store.frontier.judge_again(lambda of, depth: "scope" if of == url("m1") else None)
    assert state(store, "m1") == ("refused", "scope")
    assert state(store, "m2") == ("known", None)


def test_people_and_key_pages_know_templates_as_well(store: Store) -> None:
    begin(store)
    home = record(store, "home", [MENU, Pagelet("what is pinned"), Pagelet("what is rejected")])
    menu, pinned, rejected = store.pages.sketches(home)
    with store.transaction():
        store.decisions.apply([f"{pinned & (1 << 64) - 1:016x}"], [f"{rejected & (1 << 64) - 1:016x}"])
    found = known_templates(store.connection, [menu, rejected])
    assert menu in found
    assert rejected not in found
    assert pinned in found
