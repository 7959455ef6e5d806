"""The values of fields in a store: kept with their pages, counted, compared, taken again."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import pytest

from pagelets.reading import read
from pagelets.reading.fields import Extraction
from store.documents import Memory
from store.page_fields import FieldCounts
from store.rederivation import take_again
from tests.store.sites import Pagelet, begin, fetched, rows, url

if TYPE_CHECKING:
    from store.site import Store

EXTRACTION = Extraction({"price": {"css": "b", "type": "number", "required": True}, "tags": "i"})
PRICES = {"a": "1", "b": "2,5", "c": ""}


def put(store: Store, name: str, price: str, run: int, extraction: Extraction = EXTRACTION) -> int:
    body = f"<p>text of {name} <b>{price}</b>".encode()
    values = read(body, url(name), extraction=extraction).extracted
    page = replace(
        fetched(store, name, [Pagelet(f"text of {name}")], body=body),
        extraction=extraction.fingerprint,
        extracted=values,
    )
    store.record(page, run)
    return page.page


def deliver(store: Store, run: int) -> list[int]:
    """Releases what a run has to release, and delivers it; returns the pages."""
    with store.transaction():
        pages = list(store.documents.to_release(run))
        for page in pages:
            found = store.page_fields.fields_hash(page, EXTRACTION.fingerprint)
            store.documents.put(page, run, "hash", "v", [True], {}, Memory(b"", b"", "hash", found))
        store.documents.deliver(run)
    return pages


@pytest.fixture
def pages(store: Store) -> list[int]:
    run = begin(store)
    found = [put(store, name, price, run) for name, price in PRICES.items()]
    with store.transaction():
        store.connection.execute("INSERT INTO meta VALUES ('template_version', 'v')")
    assert deliver(store, run) == found
    return found


def test_values_are_kept_and_counted(store: Store, pages: list[int]) -> None:
    values = [store.page_fields.get(page, EXTRACTION.fingerprint) for page in pages]
    assert [one and one.values["price"] for one in values] == [1, 2.5, None]
    assert store.page_fields.counts() == FieldCounts(3, 1, {"price": 2})
    assert store.page_fields.found() == {"price"}
    assert store.page_fields.samples("price", 2) == [1, 2.5]
    assert store.page_fields.get(pages[0], "other") is None
    assert list(store.page_fields.lacking(EXTRACTION.fingerprint)) == []
    assert list(store.page_fields.lacking("other")) == pages


def test_a_page_with_other_values_is_released(store: Store, pages: list[int]) -> None:
    run = begin(store)
    assert not store.page_fields.changed()
    assert list(store.documents.to_release(run)) == []
    put(store, "a", "1", run)
    put(store, "b", "3", run)
    assert store.page_fields.changed()
    deliver(store, run)
    assert not store.page_fields.changed()


def test_values_are_taken_again_piece_by_piece(store: Store, pages: list[int]) -> None:
    other = Extraction({"price": "b"})
    with store.transaction():
        store.connection.execute("UPDATE bodies SET body = x'00' WHERE page = ?", (pages[1],))
    assert list(take_again(store, other)) == [(3, 3)]
    values = [store.page_fields.get(page, other.fingerprint) for page in pages]
    assert [one and one.values for one in values] == [{"price": "1"}, None, {"price": None}]
    assert list(store.page_fields.lacking(other.fingerprint)) == [pages[1]]
    assert store.page_fields.changed()
    with store.transaction():
        store.page_fields.clear()
    assert store.page_fields.counts() == FieldCounts()


def test_a_round_that_is_undone_leaves_values_to_be_taken_again(store: Store, pages: list[int]) -> None:
    run = begin(store)
    put(store, "b", "7", run)
    with store.transaction():
        store.previous.restore(1)
    assert list(store.page_fields.lacking(EXTRACTION.fingerprint)) == [pages[1]]
    list(take_again(store, EXTRACTION))
    assert store.page_fields.samples("price", 3) == [1, 2.5]
    assert not store.page_fields.changed()
    assert rows(store, "SELECT count(*) FROM page_fields") == [(3,)]
