from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from pagelets.block_keys import BLOCK_KEYS
from pagelets.detection.blocks import RepeatedBlocks, Support
from pagelets.judging.page_facts import BlockSupport
from tests.store.sites import Pagelet, begin, count, in_memory, record, rows

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from store.site import Store

Counted = tuple[int, int, float]


def repeated(
    blocks: Iterable[Counted] = (),
    placed: Iterable[Counted] = (),
    places: Iterable[tuple[int, int, float, float, float]] = (),
    hosts: Iterable[tuple[int, int]] = (),
) -> RepeatedBlocks:
    """Counts as detection gives them: (key, pages, share), of places fresh and repeats as well, and of
    hosts their pages.
    """

    def columns(counted: Iterable[Sequence[float]], width: int) -> list[list[float]]:
        ordered = sorted(counted)
        return [[row[column] for row in ordered] for column in range(width)]

    def support(counted: Iterable[Sequence[float]]) -> Support:
        key, pages, share = columns(counted, 3)
        return Support(np.array(key, np.int64), np.array(pages, np.int32), np.array(share, np.float64))

    *_, fresh, repeats = columns(places := list(places), 5)
    numbers, sizes = columns(hosts, 2)
    return RepeatedBlocks(
        support(blocks),
        support(placed),
        support(row[:3] for row in places),
        np.array(fresh, np.float64),
        np.array(repeats, np.float64),
        np.array(numbers, np.int32),
        np.array(sizes, np.int32),
    )


def keep(store: Store, found: RepeatedBlocks) -> None:
    with store.transaction():
        store.support.replace(found)


def of(store: Store, *keys: tuple[int, int, int]) -> BlockSupport:
    return store.support.tables().of(np.array(list(keys), BLOCK_KEYS))


def columns(support: BlockSupport) -> list[list[float]]:
    return [getattr(support, name).tolist() for name in BlockSupport.__slots__]


BIG = 2**63 - 1
LAST = 2**32 - 1
COUNTS = repeated(
    blocks=[(-BIG - 1, 2, 0.25), (-3, 3, 0.5), (BIG, 4, 0.75)],
    placed=[(0, 5, 0.125), (LAST, 6, 0.375)],
    places=[(7, 8, 0.625, 0.5, 1.5), (LAST, 9, 0.875, 0.25, 2.5)],
)


def test_each_block_is_looked_up_by_its_three_keys(store: Store) -> None:
    keep(store, COUNTS)
    support = of(store, (-3, 7, LAST), (BIG, LAST, 1), (-BIG - 1, 6, 0), (5, 8, 2))
    assert columns(support) == [
        *([3, 4, 2, 0], [0.5, 0.75, 0.25, 0]),
        *([6, 0, 5, 0], [0.375, 0, 0.125, 0]),
        *([8, 9, 0, 0], [0.625, 0.875, 0, 0], [0.5, 0.25, 0, 0], [1.5, 2.5, 0, 0]),
    ]


def test_of_a_block_without_text_nothing_is_known(store: Store) -> None:
    keep(store, repeated(placed=[(7, 5, 1)], places=[(7, 5, 1, 0, 5)]))
    assert not any(map(any, columns(of(store, (0, 7, 7)))))
    assert of(store, (1, 7, 7)).tag_path_pages.tolist() == [5]


def test_a_store_without_detection_knows_nothing(store: Store) -> None:
    assert columns(of(store, (1, 2, 3), (4, 5, 6))) == columns(BlockSupport.none(2))
    assert columns(of(store)) == columns(BlockSupport.none(0))
    assert store.support.host_pages() == {}


def test_its_arrays_are_of_the_types_that_are_promised(store: Store) -> None:
    none = BlockSupport.none(2)
    for counts in (repeated(), COUNTS):
        keep(store, counts)
        support = of(store, (-3, 7, 0), (1, 2, 3))
        for name in BlockSupport.__slots__:
            assert getattr(support, name).dtype == getattr(none, name).dtype, name
            assert getattr(support, name).shape == (2,), name


def test_a_detection_takes_the_place_of_the_one_before(store: Store) -> None:
    run = begin(store)
    hosts = [store.pages.host(record(store, f"http://{name}.example/", [Pagelet("x")], run)) for name in "ab"]
    keep(store, repeated([(1, 2, 0.5)], [(2, 2, 0.5)], [(3, 2, 0.5, 1, 1)], zip(hosts, (5, 6), strict=True)))
    assert store.support.host_pages() == dict(zip(hosts, (5, 6), strict=True))
    keep(store, repeated([(4, 3, 0.5)], hosts=[(hosts[1], 7)]))
    assert rows(store, "SELECT * FROM blocks") == [(4, 3, 0.5)]
    assert count(store, "placed_blocks") == count(store, "tag_path_support") == 0
    assert store.support.host_pages() == {hosts[0]: 0, hosts[1]: 7}


def test_a_transaction_that_fails_leaves_the_counts_as_they_were(store: Store) -> None:
    keep(store, COUNTS)
    digest = store.support.digest()
    with pytest.raises(RuntimeError), store.transaction():
        store.support.replace(repeated())
        raise RuntimeError
    assert store.support.digest() == digest


def test_more_rows_than_are_written_at_once(store: Store) -> None:
    numbers = range(25_000)
    keep(
        store,
        repeated(
            ((number, 2, 0.5) for number in numbers),
            ((number, 3, 0.5) for number in numbers),
            [(number, 4, 0.5, 0.5, number) for number in numbers],
        ),
    )
    for table in ("blocks", "placed_blocks", "tag_path_support"):
        assert count(store, table) == 25_000
    assert of(store, (24_999, 20_001, 3)).tag_path_frequencies.tolist() == [20_001]


def test_the_digest_names_the_counts(store: Store) -> None:
    run = begin(store)
    for name in ("one", "two"):
        record(store, f"http://{name}.example/", [Pagelet("text")], run)
    one, two = (store.pages.host(page) for (page,) in rows(store, "SELECT page FROM pages ORDER BY page"))

    def digest(**counts) -> bytes:
        keep(store, repeated(**counts))
        return store.support.digest()

    digests = [
        digest(),
        digest(blocks=[(1, 2, 0.5)]),
        digest(blocks=[(2, 2, 0.5)]),
        digest(blocks=[(1, 3, 0.5)]),
        digest(blocks=[(1, 2, 0.6)]),
        digest(placed=[(1, 2, 0.5)]),
        digest(blocks=[(1, 2, 0.5)], placed=[(1, 2, 0.5)]),
        digest(places=[(1, 2, 0.5, 0, 2)]),
        digest(places=[(1, 2, 0.5, 1, 2)]),
        digest(places=[(1, 2, 0.5, 0, 3)]),
        digest(hosts=[(one, 2)]),
        digest(hosts=[(two, 2)]),
        digest(hosts=[(one, 2), (two, 2)]),
    ]
    assert len(set(digests)) == len(digests)
    assert digest(blocks=[(1, 2, 0.5)]) == digests[1]


def test_the_digest_does_not_depend_on_the_ids_of_hosts() -> None:
    names = ("http://one.example/", "http://two.example/")
    digests = []
    for order in (names, names[::-1]):
        store = in_memory()
        begin(store)
        hosts = {name: store.pages.host(record(store, name, [Pagelet("text")])) for name in order}
        keep(store, repeated(hosts=[(hosts[names[0]], 2), (hosts[names[1]], 3)]))
        digests.append(store.support.digest())
    assert digests[0] == digests[1]


KEYS = st.integers(-5, 5) | st.sampled_from([-BIG - 1, BIG])
PLACES = st.integers(0, 9) | st.just(LAST)
PAGES = st.integers(2, 99)
SHARES = st.integers(0, 8).map(lambda eighths: eighths / 8)


@settings(deadline=None)
@given(
    st.dictionaries(KEYS.filter(bool), st.tuples(PAGES, SHARES)),
    st.dictionaries(PLACES, st.tuples(PAGES, SHARES)),
    st.dictionaries(PLACES, st.tuples(PAGES, SHARES, SHARES, SHARES)),
    st.lists(st.tuples(KEYS, PLACES, PLACES), max_size=8),
)
def test_what_was_stored_is_found(blocks, placed, places, keys) -> None:
    store = in_memory()
    tables = ([(key, *counts) for key, counts in table.items()] for table in (blocks, placed, places))
    keep(store, repeated(*tables))
    nothing = [0] * 8
    assert [list(row) for row in zip(*columns(of(store, *keys)), strict=True)] == [
        [*blocks.get(block, (0, 0)), *placed.get(at, (0, 0)), *places.get(place, (0, 0, 0, 0))]
        if block
        else nothing
        for block, place, at in keys
    ]
