from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import pytest

from store.deliveries import Delivered
from store.documents import KEYS, Memory
from store.meta import TEMPLATE_VERSION
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
        store.set_meta(TEMPLATE_VERSION, name)


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
        store.outcomes.settle(add_known(store, name), to, run, **details)


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
        site.documents.put(page, run, "hash", "v2", [True], {}, confirmed=True)
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
        site.outcomes.exclude(add_known(site, "c"), "noindex")
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
        site.outcomes.exclude(page, "duplicate")
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
    # A run that was cut short leaves those of the round before.
    put([True, False, True, True])
    with site.transaction():
        site.runs.finish(1, "complete", {})
    for run in (2, 3):
        put([False, True, False, False], run)
        assert verdicts(7, 8) == [1, 0]
    with site.transaction():
        memory = Memory(b"basis", keys.tobytes(), "hash")
        site.documents.put(page, 4, "hash", "v", [False] * 4, {}, memory, confirmed=True)
    assert verdicts(7, 8) == [1, 0]
    assert verdicts(7, 8, until=4) == [0, 0]


def test_verdicts_outlive_a_document_that_a_run_has_deleted_that_was_cut_short(site: Store) -> None:
    page, other = add_known(site, "a"), add_known(site, "b")
    keys = np.array([7, 8], KEYS)

    def put(run: int, mask: list[bool], of: int = page) -> None:
        with site.transaction():
            site.documents.put(of, run, "hash", "v", mask, {}, Memory(b"basis", keys.tobytes(), "hash"))

    def verdicts(until: int, of: int = page) -> list[int]:
        return site.documents.verdicts(of, keys, until).tolist()

    for run, mask in ((1, [True, False]), (2, [False, True])):
        if run > 1:
            begin(site)
        put(run, mask)
        with site.transaction():
            site.runs.finish(run, "complete", {})
    with site.transaction():
        site.documents.delete(page, 3, "gone")
    assert verdicts(2) == [0, 1]
    put(4, [True, True])
    assert verdicts(2) == [0, 1]
    # One that a whole round has deleted says nothing any more.
    with site.transaction():
        site.documents.delete(page, 5, "gone")
    assert verdicts(5) == []
    put(4, [True, True], other)
    with site.transaction():
        site.documents.forget_verdicts(page)
    assert (verdicts(2), verdicts(4, other)) == ([], [1, 1])
    with site.transaction():
        site.documents.forget_verdicts()
    assert verdicts(4, other) == []


def test_what_is_worth_no_delivery_leaves_the_hash_that_went_out(site: Store) -> None:
    page = add_known(site, "a")
    with site.transaction():
        site.deliveries.begin_index("sink", "one")
        site.documents.put(page, 1, "with a counter", "v", [True, True], {"blocks": 2})
        [waiting] = site.deliveries.waiting("sink")
        site.deliveries.arrived("sink", [Delivered(waiting.url, waiting.version, 1)], [])
        for text in ("without", "without it"):
            site.documents.put(page, 2, text, "v", [True, False], {"blocks": 2}, confirmed=True)
    assert site.deliveries.hashes("sink") == [(waiting.url, 1, "without it", "with a counter")]
    assert list(site.deliveries.waiting("sink")) == []
    assert site.documents.mask(page, 2) == [True, False]
    with site.transaction():
        site.documents.put(page, 3, "another", "v", [True, False], {"blocks": 2})
    assert site.documents.get(page).content_hash == "another"
    assert [one.url for one in site.deliveries.waiting("sink")] == [waiting.url]


# --- Each document for itself ---


def document(store: Store, name: str) -> tuple[int, int, str]:
    return rows(store, "SELECT run, delivered, op FROM documents WHERE page = ?", add_known(store, name))[0]


def test_what_a_run_confirms_is_no_other_pages(site: Store) -> None:
    release(site, 1)
    deliver(site, 1)
    site.connection.execute("UPDATE pages SET state = 'held'")
    with site.transaction():
        site.documents.put(add_known(site, "a"), 2, "hash", "v2", [True], {}, confirmed=True)
    assert [state(site, name)[0] for name in "abc"] == ["delivered", "held", "held"]
    assert [document(site, name)[0] for name in "abc"] == [2, 1, 1]
    with site.transaction():
        site.documents.put(add_known(site, "b"), 2, "other", "v2", [True], {})
    assert [state(site, name)[0] for name in "abc"] == ["delivered", "released", "held"]


def test_what_a_run_delivers_is_its_own(site: Store) -> None:
    page = {name: add_known(site, name) for name in "abc"}
    release(site, 1)
    with site.transaction():
        site.documents.put(page["b"], 2, "hash", "v1", [True], {})
    assert deliver(site, 2) == 1
    assert [state(site, name)[0] for name in "abc"] == ["released", "delivered", "released"]
    assert [document(site, name)[1] for name in "abc"] == [0, 1, 0]
    assert deliver(site, 1) == 2
    assert deliver(site, 1) == 0
    assert [state(site, name)[0] for name in "abc"] == ["delivered"] * 3


@pytest.mark.parametrize("gone", [True, False])
def test_a_deletion_is_over_when_its_own_run_has_delivered_it(site: Store, gone: bool) -> None:
    release(site, 1)
    deliver(site, 1)
    with site.transaction():
        for name in "ab":
            site.documents.delete(add_known(site, name), 2, "http 404")
    if gone:
        settle(site, "a", "gone", 2, reason="http 404")
        settle(site, "b", "gone", 2, reason="http 404")
    # Another run's deliveries say nothing of it.
    deliver(site, 3)
    assert [document(site, name) for name in "abc"] == [(2, 0, "delete"), (2, 0, "delete"), (1, 1, "index")]
    deliver(site, 2)
    left = [row for (row,) in rows(site, "SELECT page FROM documents ORDER BY page")]
    # What is back by then has to go out.
    assert len(left) == (1 if gone else 3)


def test_what_is_left_out_counts_as_deleted_for_good(site: Store) -> None:
    page = add_known(site, "a")
    with site.transaction():
        site.outcomes.exclude(page, "duplicate")
        site.documents.leave_out(page, 1, "hash", "v1")
    assert document(site, "a") == (1, 1, "delete")
    assert list(site.documents.obsolete()) == []
    found = site.documents.get(page)
    assert found is not None
    assert (found.content_hash, found.template_version, found.arrived) == ("hash", "v1", False)


def test_what_is_known_of_a_document(site: Store) -> None:
    page, other = add_known(site, "a"), add_known(site, "b")
    assert not site.documents.any()
    assert (site.documents.get(page), site.documents.made(page), site.documents.mask(page, 3)) == (None,) * 3
    with site.transaction():
        site.documents.put(page, 1, "hash", "v1", [True, False, True], {"blocks": 3})
    assert site.documents.any()
    assert (site.documents.get(other), site.documents.made(other)) == (None, None)
    assert site.documents.mask(other, 3) is None
    found = site.documents.get(page)
    assert found is not None
    assert found[:3] == ("hash", "v1", False)
    assert found.run == 1
    made = site.documents.made(page)
    assert made is not None
    assert made[:3] == ("hash", "v1", {"blocks": 3})
    assert site.documents.mask(page, 3) == [True, False, True]
    assert site.documents.mask(page, 4) is None
    deliver(site, 1)
    assert site.documents.get(page).arrived  # type: ignore[union-attr]
    with site.transaction():
        site.documents.delete(page, 2, "noindex")
    assert site.documents.made(page) is None
    assert site.documents.mask(page, 3) is None
    assert not site.documents.get(page).arrived  # type: ignore[union-attr]
    assert site.documents.count() == 3


def test_versions_are_numbered_on(site: Store) -> None:
    pages = [add_known(site, name) for name in "abc"]
    with site.transaction():
        for page in (*pages, pages[0]):
            site.documents.put(page, 1, "hash", "v1", [True], {})
    versions = [rows(site, "SELECT version FROM documents WHERE page = ?", page)[0][0] for page in pages]
    assert versions == [4, 2, 3]


def test_what_a_pipeline_has_dropped_is_kept_back_alone(site: Store) -> None:
    release(site, 1)
    with site.transaction():
        site.documents.keep_back(add_known(site, "a"))
    kept = rows(site, "SELECT kept_back FROM documents JOIN pages USING (page) ORDER BY url")
    assert kept == [(1,), (0,), (0,)]


def test_a_withdrawn_document_is_of_no_run(site: Store) -> None:
    release(site, 1)
    with site.transaction():
        assert not site.documents.withdraw(add_known(site, "a"), 2)
        assert site.documents.withdraw(add_known(site, "a"), 1)
    assert [document(site, name)[0] for name in "abc"] == [0, 1, 1]
    deliver(site, 1)
    with site.transaction():
        assert not site.documents.withdraw(add_known(site, "b"), 1)


def test_the_pages_that_evidence_is_of_tell_when_they_are_others(site: Store) -> None:
    before = site.documents.evidence_pages()
    assert before.split()[0] == "3"
    assert before.split()[2] == "1"
    settle(site, "a", "gone", 2, reason="http 404")
    other = site.documents.evidence_pages()
    assert other.split()[0] == "2"
    assert other.split()[1] != before.split()[1]
    site.connection.execute("UPDATE pages SET state = 'gone'")
    assert site.documents.evidence_pages() == "0 0 0"
    assert (site.documents.duplicates(), site.documents.count()) == (0, 0)
