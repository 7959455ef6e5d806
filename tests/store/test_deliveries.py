"""What an index should hold, what it holds, and the difference."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from store.deliveries import Delivered
from tests.store.sites import Pagelet, begin, record, url

if TYPE_CHECKING:
    from store.site import Store

SINK = "json"


@pytest.fixture
def site(store: Store) -> Store:
    run = begin(store)
    for name in ("b", "a", "c"):
        page = record(store, name, [Pagelet(f"text of {name}")], run)
        with store.transaction():
            store.documents.put(page, run, f"hash of {name}", "v", [True], {})
    with store.transaction():
        store.deliveries.begin_index(SINK, "first")
    return store


def page_of(store: Store, name: str) -> int:
    return store.connection.execute("SELECT page FROM pages WHERE url = ?", (url(name),)).fetchone()[0]


def version(store: Store, name: str) -> int:
    found = store.deliveries.version(url(name))
    assert found is not None
    return found


def waiting(store: Store, sink: str = SINK) -> list[str]:
    return [one.url[-1] for one in store.deliveries.waiting(sink)]


def deliver(store: Store, *names: str, sink: str = SINK) -> None:
    with store.transaction():
        store.deliveries.begin(sink, [(url(name), 1) for name in names])
        held = [Delivered(url(name), version(store, name), 1) for name in names]
        store.deliveries.arrived(sink, held, [])


def test_everything_waits_for_a_new_index_in_order_of_urls(site: Store) -> None:
    assert waiting(site) == ["a", "b", "c"]
    assert waiting(site, "one that nothing is known of") == ["a", "b", "c"]
    assert site.deliveries.counts(SINK) == (0, 3)
    deliver(site, "a", "c")
    assert waiting(site) == ["b"]
    assert site.deliveries.counts(SINK) == (2, 1)


def test_each_sink_knows_its_own(site: Store) -> None:
    with site.transaction():
        site.deliveries.begin_index("other", "first")
    deliver(site, "a", "b", "c", sink="other")
    assert (waiting(site), waiting(site, "other")) == (["a", "b", "c"], [])


def test_what_was_sent_and_not_heard_of_waits_and_may_be_held(site: Store) -> None:
    deliver(site, "a")
    with site.transaction():
        site.deliveries.begin(SINK, [(url("a"), 3), (url("b"), 2)])
    assert waiting(site) == ["a", "b", "c"]
    assert [site.deliveries.units(SINK, url(name)) for name in "abc"] == [3, 2, 0]
    with site.transaction():
        site.documents.delete(page_of(site, "b"), 2, "http 404")
    assert site.deliveries.obsolete(SINK) == [(url("b"), "http 404")]


def test_a_document_that_goes_out_again_waits_again(site: Store) -> None:
    deliver(site, "a", "b", "c")
    before = version(site, "a")
    with site.transaction():
        site.documents.put(page_of(site, "a"), 1, "hash of a", "v", [True], {})
    assert version(site, "a") > before
    assert waiting(site) == ["a"]


def test_one_that_was_deleted_and_is_back_has_another_version(site: Store) -> None:
    deliver(site, "a", "b", "c")
    page = page_of(site, "a")
    with site.transaction():
        site.documents.delete(page, 2, "http 404")
        site.connection.execute("DELETE FROM documents WHERE page = ?", (page,))
    assert site.deliveries.obsolete(SINK) == [(url("a"), "gone")]
    with site.transaction():
        site.documents.put(page, 3, "hash of a", "v", [True], {})
    assert (waiting(site), site.deliveries.obsolete(SINK)) == (["a"], [])


def test_what_has_gone_is_forgotten(site: Store) -> None:
    deliver(site, "a", "b", "c")
    with site.transaction():
        site.documents.keep_back(page_of(site, "c"))
    assert [one.url for one in site.deliveries.obsolete(SINK)] == [url("c")]
    with site.transaction():
        site.deliveries.arrived(SINK, [], [url("c")])
    assert site.deliveries.counts(SINK) == (2, 0)


def test_a_dead_letter_counts_its_attempts_with_one_version(site: Store) -> None:
    def refuse(reason: str) -> tuple:
        with site.transaction():
            site.deliveries.refuse(SINK, url("a"), version(site, "a"), reason)
        (letter,) = site.deliveries.dead_letters(SINK)
        return letter.reason, letter.attempts, bool(letter.discarded)

    assert refuse("one") == ("one", 1, False)
    assert refuse("two") == ("two", 2, False)
    with site.transaction():
        assert site.deliveries.discard(SINK) == 1
        assert site.deliveries.discard(SINK) == 0
    assert (waiting(site), [one.url[-1] for one in site.deliveries.wanted(SINK)]) == (["b", "c"], ["b", "c"])
    with site.transaction():
        site.documents.put(page_of(site, "a"), 1, "hash", "v", [True], {})
    assert waiting(site) == ["a", "b", "c"]
    assert refuse("three") == ("three", 1, False)


def test_another_index_holds_what_is_said_of_it(site: Store) -> None:
    deliver(site, "a", "b", "c")
    with site.transaction():
        site.deliveries.refuse(SINK, url("a"), version(site, "a"), "no")
        site.deliveries.begin_index(SINK, "second", [Delivered(url("b"), version(site, "b"), 1)])
    assert site.deliveries.identity(SINK) == "second"
    assert (waiting(site), site.deliveries.dead_letters(SINK)) == (["a", "c"], [])


def test_a_store_that_takes_anothers_place_delivers_all_of_it_again(site: Store, tmp_path) -> None:
    deliver(site, "a", "b")
    with site.transaction():
        site.deliveries.doubt()
    known = site.deliveries.all()
    assert known == [(SINK, "first", [(url("a"), 1), (url("b"), 1)])]
    assert waiting(site) == ["a", "b", "c"]
    with type(site).open(tmp_path / "fresh", create=True) as fresh:
        run = begin(fresh)
        page = record(fresh, "b", [Pagelet("text of b")], run)
        with fresh.transaction():
            fresh.documents.put(page, run, "hash", "v", [True], {})
            fresh.deliveries.adopt(known)
        assert fresh.deliveries.identity(SINK) == "first"
        assert waiting(fresh) == ["b"]
        assert [one.url for one in fresh.deliveries.obsolete(SINK)] == [url("a")]
        assert fresh.deliveries.all()[0][2] == known[0][2]


def test_what_no_pipeline_took_waits_for_no_index(site: Store) -> None:
    with site.transaction():
        assert site.documents.withdraw(page_of(site, "a"), 1)
    assert waiting(site) == ["b", "c"]
