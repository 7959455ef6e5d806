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
    assert list(site.deliveries.obsolete(SINK)) == [(url("b"), "http 404")]


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
    assert list(site.deliveries.obsolete(SINK)) == [(url("a"), "gone")]
    with site.transaction():
        site.documents.put(page, 3, "hash of a", "v", [True], {})
    assert (waiting(site), list(site.deliveries.obsolete(SINK))) == (["a"], [])


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
    known = [(name, identity, list(held)) for name, identity, held in site.deliveries.all()]
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
        assert list(fresh.deliveries.held(SINK)) == known[0][2]


def test_what_no_pipeline_took_waits_for_no_index(site: Store) -> None:
    with site.transaction():
        assert site.documents.withdraw(page_of(site, "a"), 1)
    assert waiting(site) == ["b", "c"]


# --- Each sink, and each document in it, for itself ---

OTHER = "another"


@pytest.fixture
def two(site: Store) -> Store:
    """Two sinks that hold the same two documents, and have refused the third."""
    with site.transaction():
        site.deliveries.begin_index(OTHER, "second")
        for sink in (SINK, OTHER):
            site.deliveries.refuse(sink, url("c"), version(site, "c"), "too long")
    for sink in (SINK, OTHER):
        deliver(site, "a", "b", sink=sink)
    return site


def letters(store: Store, sink: str = SINK) -> list[tuple[str, int]]:
    return [(letter.url[-1], letter.discarded) for letter in store.deliveries.dead_letters(sink)]


def test_another_index_of_one_sink_leaves_the_other_alone(two: Store) -> None:
    with two.transaction():
        two.deliveries.begin_index(SINK, "third")
    assert (two.deliveries.counts(SINK), two.deliveries.counts(OTHER)) == ((0, 3), (2, 1))
    assert (letters(two), letters(two, OTHER)) == ([], [("c", 0)])
    assert (two.deliveries.identity(SINK), two.deliveries.identity(OTHER)) == ("third", "second")


def test_what_was_let_go_stays_so_in_another_index(two: Store) -> None:
    with two.transaction():
        assert two.deliveries.discard(SINK) == 1
        assert two.deliveries.discard(SINK) == 0
        two.deliveries.begin_index(SINK, "third")
    assert (letters(two), letters(two, OTHER)) == ([("c", 1)], [("c", 0)])
    assert waiting(two) == ["a", "b"]
    assert waiting(two, OTHER) == ["c"]


def test_what_an_index_has_taken_is_no_dead_letter_any_more(two: Store) -> None:
    with two.transaction():
        two.deliveries.refuse(SINK, url("b"), version(two, "b"), "too long")
        two.deliveries.arrived(SINK, [Delivered(url("c"), version(two, "c"), 4)], [])
    assert (letters(two), letters(two, OTHER)) == ([("b", 0)], [("c", 0)])
    assert two.deliveries.units(SINK, url("c")) == 4
    with two.transaction():
        two.deliveries.arrived(SINK, [], [url("b")])
    assert (letters(two), letters(two, OTHER)) == ([], [("c", 0)])
    assert [held for held, _ in two.deliveries.held(SINK)] == [url("a"), url("c")]
    assert [held for held, _ in two.deliveries.held(OTHER)] == [url("a"), url("b")]


def test_what_is_sent_anew_is_not_sure_until_it_has_arrived(two: Store) -> None:
    assert two.deliveries.counts(SINK) == (2, 1)
    with two.transaction():
        two.deliveries.begin(SINK, [(url("a"), 3), (url("c"), 2)])
    # Two that it held and one that is new may be there; one is so for certain.
    assert two.deliveries.counts(SINK) == (1, 2)
    assert two.deliveries.counts(OTHER) == (2, 1)
    assert list(two.deliveries.held(SINK)) == [(url("a"), 3), (url("b"), 1), (url("c"), 2)]
    with two.transaction():
        two.deliveries.begin(SINK, [(url("a"), 1)])
    assert two.deliveries.units(SINK, url("a")) == 3


def test_a_deletion_that_was_refused_can_be_let_go(two: Store) -> None:
    with two.transaction():
        two.documents.delete(page_of(two, "a"), 2, "http 404")
        two.outcomes.settle(page_of(two, "a"), "gone", 2, reason="http 404")
        two.deliveries.refuse(SINK, url("a"), 0, "read-only")
    assert [one.url for one in two.deliveries.obsolete(SINK)] == [url("a")]
    assert two.deliveries.counts(SINK) == (2, 2)
    with two.transaction():
        assert two.deliveries.discard(SINK) == 2
    # The index holds it still, and nobody asks for it; what was refused otherwise is there as it was.
    assert list(two.deliveries.held(SINK)) == [(url("b"), 1)]
    assert list(two.deliveries.held(OTHER)) == [(url("a"), 1), (url("b"), 1)]
    assert list(two.deliveries.obsolete(SINK)) == []
    assert letters(two) == [("a", 1), ("c", 1)]


def test_a_dead_letter_of_another_sink_takes_nothing_with_it(two: Store) -> None:
    with two.transaction():
        two.deliveries.refuse(OTHER, url("a"), 0, "read-only")
        two.deliveries.refuse(SINK, url("b"), version(two, "b") + 1, "too long")
        two.deliveries.discard(SINK)
    assert list(two.deliveries.held(SINK)) == [(url("a"), 1), (url("b"), 1)]


def test_doubt_is_of_all_that_any_index_holds(two: Store) -> None:
    with two.transaction():
        two.deliveries.doubt()
    for sink in (SINK, OTHER):
        assert two.deliveries.counts(sink) == (0, 3)
        assert len(list(two.deliveries.held(sink))) == 2


def test_hashes_are_of_what_was_delivered_as_it_is(two: Store) -> None:
    assert sorted(two.deliveries.hashes(SINK)) == [
        (url("a"), 1, "hash of a", "hash of a"),
        (url("b"), 1, "hash of b", "hash of b"),
    ]
    with two.transaction():
        two.documents.put(page_of(two, "a"), 2, "another hash", "v", [True], {})
    assert two.deliveries.hashes(SINK) == [(url("b"), 1, "hash of b", "hash of b")]
    with two.transaction():
        two.deliveries.begin_index(OTHER, "third")
    assert two.deliveries.hashes(OTHER) == []
    assert two.deliveries.hashes(SINK) == [(url("b"), 1, "hash of b", "hash of b")]
    assert (two.deliveries.identity("none"), two.deliveries.units("none", url("a"))) == ("", 0)
