from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import pytest

from store.deliveries import Delivered
from store.documents import KEYS, Memory
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
        site.documents.confirm(page, run, "hash", "v2", [True], {})
    assert to_release(site, run) == ["a", "c"]
    assert site.documents.get(page).arrived


def test_a_page_fetched_by_a_run_that_broke_off_is_released_by_the_next(site: Store) -> None:
    release(site, 1)
    deliver(site, 1)
    record(site, "a", [Pagelet("new text")], begin(site))
    assert site.documents.pending()
    assert to_release(site, begin(site)) == ["a"]


@pytest.mark.parametrize("to", ["gone", "redirected"])
def test_what_is_no_more_has_no_document(site: Store, to: str) -> None:
    settle(site, "a", to, 1)
    assert to_release(site, 1) == ["b", "c"]
    assert len(list(site.documents.current())) == 2
    assert not site.documents.is_current(add_known(site, "a"))


def test_what_has_moved_for_the_time_being_keeps_its_document(site: Store) -> None:
    settle(site, "a", "redirected", 1, reason="temporary")
    assert site.documents.is_current(add_known(site, "a"))


@pytest.mark.parametrize("to", ["gone", "redirected"])
@pytest.mark.parametrize("then", [("failed", "http 503"), ("refused", "robots"), ("redirected", "temporary")])
def test_what_is_gone_stays_so_until_it_is_seen_again(site: Store, to: str, then: tuple[str, str]) -> None:
    settle(site, "a", to, 1)
    settle(site, "a", then[0], 2, reason=then[1])
    assert not site.documents.is_current(add_known(site, "a"))
    record(site, "a", [Pagelet("text of a")], 3)
    assert site.documents.is_current(add_known(site, "a"))


def obsolete(store: Store, run: int = -1) -> dict[str, str]:
    return {found.url[-1]: found.reason for found in store.documents.obsolete(run)}


def test_what_went_out_and_is_no_more_is_deleted_until_that_has_arrived(site: Store) -> None:
    release(site, 1)
    deliver(site, 1)
    run = begin(site)
    settle(site, "a", "gone", run, reason="http 404")
    settle(site, "b", "redirected", run)
    with site.transaction():
        site.frontier.exclude(add_known(site, "c"), "noindex")
    assert obsolete(site) == {"a": "http 404", "b": "redirect", "c": "noindex"}
    with site.transaction():
        for found in site.documents.obsolete(run):
            site.documents.delete(found.page_id, run, found.reason)
    assert obsolete(site, run) == {}
    # It has not arrived: the next run deletes once more.
    assert obsolete(site, begin(site)) == {"a": "http 404", "b": "redirect", "c": "noindex"}
    deliver(site, run)
    assert obsolete(site) == {}


def test_what_never_went_out_need_not_be_deleted(site: Store) -> None:
    settle(site, "a", "gone", 1, reason="http 404")
    assert obsolete(site) == {}


def test_a_page_that_is_back_goes_out_again(site: Store) -> None:
    release(site, 1)
    deliver(site, 1)
    run = begin(site)
    settle(site, "a", "gone", run, reason="http 404")
    with site.transaction():
        site.documents.delete(add_known(site, "a"), run, "http 404")
    record(site, "a", [Pagelet("text of a")], begin(site))
    assert obsolete(site) == {}
    assert to_release(site, 3) == ["a"]


def test_a_page_that_another_stands_for_is_judged_and_has_no_document(site: Store) -> None:
    page = add_known(site, "a")
    with site.transaction():
        site.frontier.exclude(page, "duplicate")
        site.documents.leave_out(page, 1, "hash", "v1")
    assert to_release(site, 2) == ["b", "c"]
    assert not site.documents.is_current(page)
    assert obsolete(site) == {}
    version(site, "v2")
    assert to_release(site, 2) == ["a", "b", "c"]


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


def test_verdicts_are_found_again_by_the_blocks_they_were_on(site: Store) -> None:
    page = add_known(site, "a")
    keys = np.array([7, 8, 9, 9], KEYS)

    def put(mask: list[bool], run: int = 1, **counts: int) -> None:
        memory = Memory(b"basis", keys.tobytes(), "hash")
        with site.transaction():
            site.documents.put(page, run, "hash", "v", mask, counts, memory)

    def verdicts(*wanted: int, until: int = 1) -> list[int]:
        return site.documents.verdicts(page, np.array(wanted, KEYS), until).tolist()

    assert verdicts(7) == []
    put([True, False, True, True])
    assert verdicts(7, 8, 9, 9) == [1, 0, 1, 1]
    assert verdicts(1, 9, 8, 7, 9, 9) == [-1, 1, 0, 1, 1, 1]
    assert verdicts(7, until=0) == []
    put([True, False, True, False])
    assert verdicts(9, 7) == [-1, 1]
    put([True] * 4, kept_whole=1)
    assert verdicts(7) == []


def test_what_is_worth_no_delivery_leaves_the_hash_that_went_out(site: Store) -> None:
    page = add_known(site, "a")
    with site.transaction():
        site.deliveries.begin_index("sink", "one")
        site.documents.put(page, 1, "with a counter", "v", [True, True], {"blocks": 2})
        [waiting] = site.deliveries.waiting("sink")
        site.deliveries.arrived("sink", [Delivered(waiting.url, waiting.version, 1)], [])
        for text in ("without", "without it"):
            site.documents.confirm(page, 2, text, "v", [True, False], {"blocks": 2})
    assert site.deliveries.hashes("sink") == [(waiting.url, 1, "without it", "with a counter")]
    assert site.deliveries.waiting("sink") == []
    assert site.documents.mask(page, 2) == [True, False]
    with site.transaction():
        site.documents.put(page, 3, "another", "v", [True, False], {"blocks": 2})
    assert site.documents.get(page).content_hash == "another"
    assert [one.url for one in site.deliveries.waiting("sink")] == [waiting.url]
