from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from tests.store.sites import Pagelet, add, begin, record, rows, state

if TYPE_CHECKING:
    from store.site import Store


@pytest.fixture
def site(store: Store) -> Store:
    run = begin(store)
    for name in ("b", "a", "c"):
        record(store, name, [Pagelet(f"text of {name}")], run)
    version(store, "v1")
    return store


def version(store: Store, name: str) -> None:
    with store.transaction():
        store.set_meta("template_version", name)


def release(store: Store, run: int, version: str = "v1") -> list[str]:
    names = to_release(store, run)
    with store.transaction():
        for page in store.documents.to_release(run):
            store.documents.put(page, run, "hash", version, [True, False, True], {"blocks": 3})
    return names


def deliver(store: Store, run: int) -> int:
    with store.transaction():
        return store.documents.deliver(run)


def to_release(store: Store, run: int) -> list[str]:
    return [store.frontier.url(page)[-1] for page in store.documents.to_release(run)]


def settle(store: Store, name: str, to: str, run: int, **details) -> None:
    with store.transaction():
        store.frontier.settle(add_known(store, name), to, run, **details)


def add_known(store: Store, name: str) -> int:
    return rows(store, "SELECT page FROM pages WHERE url LIKE ?", f"%/{name}")[0][0]


def test_what_was_fetched_is_released_once_in_order_of_urls(site: Store) -> None:
    assert release(site, 1) == ["a", "b", "c"]
    assert to_release(site, 1) == []
    assert state(site, "a") == ("released", None)
    assert deliver(site, 1) == 3
    assert state(site, "a") == ("delivered", None)
    assert not site.documents.pending()


def test_what_never_arrived_is_released_by_the_next_run(site: Store) -> None:
    assert site.documents.pending()
    release(site, 1)
    assert site.documents.pending()
    assert release(site, begin(site)) == ["a", "b", "c"]
    assert deliver(site, 1) == 0
    assert deliver(site, 2) == 3
    assert to_release(site, begin(site)) == []


def test_a_run_releases_what_it_fetched_and_what_other_templates_may_change(site: Store) -> None:
    release(site, 1)
    deliver(site, 1)
    run = begin(site)
    record(site, "a", [Pagelet("new text")], run)
    assert to_release(site, run) == ["a"]
    version(site, "v2")
    assert to_release(site, run) == ["a", "b", "c"]
    page = add_known(site, "b")
    with site.transaction():
        site.documents.confirm(page, "v2")
    assert to_release(site, run) == ["a", "c"]
    assert not site.documents.get(page).pending


def test_a_page_fetched_by_a_run_that_broke_off_is_released_by_the_next(site: Store) -> None:
    release(site, 1)
    deliver(site, 1)
    record(site, "a", [Pagelet("new text")], begin(site))
    assert site.documents.pending()
    assert site.documents.get(add_known(site, "a")).pending
    assert to_release(site, begin(site)) == ["a"]


@pytest.mark.parametrize("to", ["gone", "redirected"])
def test_what_is_no_more_has_no_document(site: Store, to: str) -> None:
    settle(site, "a", to, 1)
    assert to_release(site, 1) == ["b", "c"]
    assert len(list(site.documents.current())) == 2
    assert not site.documents.is_current(add_known(site, "a"))


@pytest.mark.parametrize("to", ["failed", "refused"])
def test_what_could_not_be_fetched_again_keeps_its_document(site: Store, to: str) -> None:
    settle(site, "a", to, 1, reason="http 500")
    assert to_release(site, 1) == ["a", "b", "c"]
    assert site.documents.is_current(add_known(site, "a"))


def test_what_was_never_fetched_has_no_document(site: Store) -> None:
    page = add(site, "known")
    assert not site.documents.is_current(page)
    assert site.documents.get(page) is None


def test_a_document_that_did_not_arrive_is_withdrawn(site: Store) -> None:
    release(site, 1)
    page = add_known(site, "a")
    with site.transaction():
        assert site.documents.withdraw(page, 1)
        assert not site.documents.withdraw(page, 1)
    assert deliver(site, 1) == 2
    assert to_release(site, begin(site)) == ["a"]


def test_masks_and_counts_are_kept(site: Store) -> None:
    release(site, 1)
    (mask, reasons), *_ = rows(site, "SELECT mask, reasons FROM documents")
    assert mask == bytes([0b1010_0000])
    assert reasons == '{"blocks": 3}'


def test_duplicates_are_pages_of_a_host_with_one_text(store: Store) -> None:
    run = begin(store)
    for name in ("a", "b", "c", "http://other.example/a"):
        record(store, name, [Pagelet("the same text")], run)
    record(store, "d", [Pagelet("another text")], run)
    assert store.documents.duplicates() == 2


def test_releases_do_not_read_the_bodies(site: Store) -> None:
    statements: list[str] = []
    site.connection.set_trace_callback(statements.append)
    to_release(site, 1)
    list(site.documents.current())
    site.documents.pending()
    site.connection.set_trace_callback(None)
    assert statements
    for statement in statements:
        plan = rows(site, f"EXPLAIN QUERY PLAN {statement}")
        assert not any("bodies" in row[3] for row in plan)
