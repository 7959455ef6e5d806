from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from store import fragments, tag_paths
from store.site import Store
from store.tag_paths import NAMED_TAG_PATHS, TagPaths
from tests.store.sites import Pagelet, add, begin, count, due, fetched, in_memory, record, rows, state, url

MENU = Pagelet("home news about", ("home", "news", "about"), "html/body/nav")
TABLES = ("pages", "bodies", "fragments", "fragment_links", "pagelets", "tag_paths", "hosts", "dictionaries")


def contents_of(store: Store, page: int) -> list[int]:
    return [fragment for (fragment,) in rows(store, "SELECT fragment FROM pagelets WHERE page = ?", page)]


def test_a_page_is_held_with_its_pagelets_and_links(store: Store) -> None:
    page = record(store, "p", [MENU, Pagelet("some words", path="html/body/p")], begin(store), body=b"<p>x")
    assert state(store, "p") == ("held", None)
    assert store.bodies.get(page).data == b"<p>x"
    assert rows(store, "SELECT position, words FROM pagelets JOIN fragments USING (fragment)") == [
        (0, 3),
        (1, 2),
    ]
    targets = (
        "SELECT url, due FROM fragment_links JOIN pages ON page = fragment_links.target ORDER BY position"
    )
    assert rows(store, targets) == [(url(name), 1) for name in MENU.links]
    assert [name for (name,) in rows(store, f"SELECT name FROM {NAMED_TAG_PATHS} ORDER BY tag_path")] == [
        "html",
        "html/body",
        "html/body/nav",
        "html/body/p",
    ]


@pytest.mark.parametrize("unindexed", [1, 3, 1 << 15])
def test_known_content_costs_no_rows(store: Store, unindexed: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(fragments, "UNINDEXED", unindexed)
    run = begin(store)
    first = record(store, "a", [MENU, Pagelet("only a")], run)
    before = [count(store, table) for table in ("fragments", "fragment_links")]
    second = record(store, "b", [MENU, MENU], run)
    assert [count(store, table) for table in ("fragments", "fragment_links")] == before
    assert contents_of(store, second) == [contents_of(store, first)[0]] * 2


@pytest.mark.parametrize("unindexed", [1, 2, 5, 1 << 15])
def test_contents_are_found_by_whoever_opens_the_store_next(
    store: Store, unindexed: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(fragments, "UNINDEXED", unindexed)
    run = begin(store)
    for number in range(4):
        record(store, f"p{number}", [MENU, Pagelet(f"text of {number}")], run)
    with Store.open(store.folder) as other:
        page = fetched(other, "q", [MENU, Pagelet("text of 2"), Pagelet("text of 9")])
        assert len(page.new) == 1
        other.record(page, run)
    assert count(store, "fragments") == 6


def test_a_rollback_leaves_nothing_and_is_forgotten(store: Store) -> None:
    run = begin(store)
    page = fetched(store, "p", [MENU, Pagelet("some words")], body=b"x")
    before = [count(store, table) for table in TABLES]
    broken = fetched(store, "p", [MENU, Pagelet("some words")], body=b"x", follow=("more",))
    broken.follow.append(None)  # type: ignore[attr-defined]
    with pytest.raises(AttributeError):
        store.record(broken, run)
    assert [count(store, table) for table in TABLES] == before
    assert store.pages.unknown(page.fragments) == set(page.fragments)
    assert state(store, "p") == ("known", None)
    store.record(page, run)
    assert contents_of(store, page.page)
    assert state(store, "home") == ("known", None)


def test_a_content_that_is_neither_stored_nor_new_is_a_mistake(store: Store) -> None:
    run = begin(store)
    page = fetched(store, "p", [MENU])
    other = fetched(store, "q", [Pagelet("other")])
    store.record(other, run)
    with pytest.raises(KeyError):
        store.record(type(page)(**{**{n: getattr(page, n) for n in page.__slots__}, "new": []}), run)
    assert count(store, "pagelets") == 1


def test_a_page_recorded_twice_is_there_once(store: Store) -> None:
    run = begin(store)
    page = fetched(store, "p", [MENU, MENU])
    store.record(page, run)
    before = [count(store, table) for table in TABLES]
    store.record(page, run)
    assert [count(store, table) for table in TABLES] == before


def test_a_changed_page_takes_the_place_of_the_one_before(store: Store) -> None:
    run = begin(store)
    page = record(store, "p", [MENU, Pagelet("old words")], run, body=b"old")
    record(store, "q", [MENU, Pagelet("lasting words")], run)
    record(store, "p", [Pagelet("new words"), Pagelet("lasting words")], run, body=b"new")
    assert store.bodies.get(page).data == b"new"
    assert count(store, "fragments") == 4
    with store.transaction():
        store.pages.fragments.clear_unused()
    assert rows(store, "SELECT words, links FROM fragments ORDER BY fragment") == [(3, 3), (2, 0), (2, 0)]
    record(store, "q", [Pagelet("new words")], run)
    with store.transaction():
        store.pages.fragments.clear_unused()
    assert count(store, "fragments") == 2
    assert count(store, "fragment_links") == 0
    assert count(store, "dropped_fragments") == 0


@pytest.mark.parametrize("unindexed", [1, 1 << 15])
def test_ids_of_removed_contents_bring_nothing_back(
    store: Store, unindexed: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(fragments, "UNINDEXED", unindexed)
    run = begin(store)
    record(store, "p", [Pagelet("first words")], run)
    for words in ("second words", "third words", "first words"):
        page = record(store, "p", [Pagelet(words)], run)
        with store.transaction():
            store.pages.fragments.clear_unused()
        with Store.open(store.folder) as other:
            print_ = fetched(other, "p", [Pagelet(words)]).fragments[0]
            assert other.pages.unknown([print_]) == set()
        assert count(store, "fragments") == 1
        assert len(contents_of(store, page)) == 1
        assert rows(store, "SELECT fingerprint FROM fragments") == [(print_,)]


def test_links_too_deep_are_readmitted_by_a_nearer_page(store: Store) -> None:
    run = begin(store)
    page = fetched(store, "deep", [MENU], depth=3, limit=3)
    store.record(page, run)
    assert state(store, "news") == ("refused", "depth")
    record(store, "near", [MENU], run, depth=1)
    assert state(store, "news") == ("known", None)
    assert [entry.depth for entry in due(store, 3)] == [2, 2, 2]
    # A page that lies farther away changes nothing.
    record(store, "far", [MENU], run, depth=5)
    assert rows(store, "SELECT depth FROM fragments") == [(1,)]


def test_links_outside_of_pagelets_are_followed(store: Store) -> None:
    run = begin(store)
    store.record(fetched(store, "p", [], depth=2, follow=("refresh",)), run)
    assert [(entry.url, entry.depth) for entry in due(store, 1)] == [(url("refresh"), 3)]


def test_a_page_derived_again_keeps_its_state(store: Store) -> None:
    run = begin(store)
    page = record(store, "p", [MENU], run, body=b"x")
    with store.transaction():
        store.outcomes.settle(page, "gone", run)
        new = fetched_inside(store, "p", [Pagelet("some words")])
        store.pages.record(new, None)
    assert state(store, "p") == ("gone", None)
    assert len(store.pages.sketches(page)) == 1
    assert store.bodies.get(page).data == b"x"


def fetched_inside(store: Store, name: str, pagelets: list[Pagelet]):
    """A page of a store whose transaction is open."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("tests.store.sites.add", lambda store, name, depth: store.frontier.find(url(name)))
        return fetched(store, name, pagelets)


def test_sketches_are_in_the_order_of_the_pagelets(store: Store) -> None:
    run = begin(store)
    page = record(store, "p", [MENU, Pagelet("some other words"), MENU], run)
    first, second, third = store.pages.sketches(page)
    assert first == third != second


def test_the_path_of_a_pagelet_that_still_has_its_sketch(store: Store) -> None:
    page = record(store, "p", [MENU], begin(store))
    (sketch,) = store.pages.sketches(page)
    assert store.pages.path(page, 0, sketch) == "html/body/nav"
    assert store.pages.path(page, 0, sketch + 1) is None
    assert store.pages.path(page, 1, sketch) is None


@settings(deadline=None, max_examples=30)
@given(
    names=st.lists(st.text("ab/", max_size=8) | st.just("/".join(["d"] * 1200)), max_size=12),
    first=st.integers(0, 12),
    known=st.sampled_from([1, 4, 1 << 13]),
)
def test_paths_come_back_as_they_were(names: list[str], first: int, known: int) -> None:
    with (
        in_memory() as store,
        store.transaction(),
        pytest.MonkeyPatch.context() as patch,
    ):
        patch.setattr(tag_paths, "_KNOWN", known)
        paths = TagPaths(store.connection)
        numbers = paths.numbers(names[:first]) + paths.numbers(names[first:])
        assert TagPaths(store.connection).numbers(names) == numbers
        named = dict(rows(store, f"SELECT tag_path, name FROM {NAMED_TAG_PATHS}"))
        for name, number in zip(names, numbers, strict=True):
            assert paths.name(number) == named[number] == name


def test_an_unknown_path_is_a_key_error(store: Store) -> None:
    with pytest.raises(KeyError):
        TagPaths(store.connection).name(7)


def test_whether_anything_was_seen_since_a_run(store: Store) -> None:
    run = begin(store)
    add(store, "p")
    assert not store.pages.seen_since(run - 1)
    record(store, "p", [MENU], run)
    assert store.pages.seen_since(run - 1)
    assert not store.pages.seen_since(run)
