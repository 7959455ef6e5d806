from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import pytest

from inspection.duplicates import DuplicateSearch, Sites, find_duplicates
from pagelets.duplicates import VALUES
from store.site import Store
from tests.store.sites import Pagelet, begin, record, url

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

    from inspection.duplicates import DuplicateGroups

DATES: dict[str, str | None] = {}


class Judge:
    """Tells of each page the date that a test has set."""

    def __init__(self, store: Store) -> None:
        self._store = store

    def document(self, page: int, fields: tuple[str, ...]) -> dict[str, str | None]:
        assert fields == ("published",)
        return {"published": DATES[self._store.frontier.url(page)[-1]]}


def no_failure(address: str, error: Exception) -> None:
    raise error


def made(*changes: int) -> np.ndarray:
    """A signature that differs from the one of all zeros at the places of ``changes``."""
    values = np.zeros(VALUES, np.uint32)
    values[list(changes)] = np.array(changes, np.uint32) + 1
    return values


def compared(
    folder: Path, sites: Mapping[str, Mapping[str, np.ndarray]], threshold: float = 0.9
) -> DuplicateGroups:
    for site, pages in sites.items():
        with Store.open(folder / site, create=True) as store:
            begin(store)
            for name, values in pages.items():
                page = record(store, name, [Pagelet(f"text of {name}")])
                with store.transaction():
                    store.documents.put(page, 1, "hash", "v1", [True], {})
                    store.duplicates.put(page, values)
    known = Sites(list(sites), lambda site: Store.open(folder / site), Judge, no_failure)  # type: ignore[arg-type]
    return find_duplicates(known, DuplicateSearch(threshold, [72], folder), lambda *_: None)


def listed(found: DuplicateGroups, most: int = 0, each: int = 0) -> list[tuple[int, str, str]]:
    return [(page.group, page.site, page.url[-1]) for page in found.pages(most, each)]


def test_pages_in_a_chain_are_one_group(tmp_path):
    # Each is like the next, and the ends are not alike.
    step = {name: made(*range(5 * number)) for number, name in enumerate("abc")}
    found = compared(
        tmp_path, {"one": {"a": step["a"], "b": step["b"]}, "two": {"c": step["c"]}}, threshold=0.9
    )
    assert listed(found) == [(1, "one", "a"), (1, "one", "b"), (1, "two", "c")]
    pages = list(found.pages())
    assert [page.similarity for page in pages] == [None, 59 / 64, 59 / 64]
    assert {(page.pages, page.sites) for page in pages} == {(3, 2)}
    assert pages[0].title == "Title of a"
    assert {page.published for page in pages} == {None}


def test_what_one_site_has_twice_is_shared_by_none(tmp_path):
    other = np.arange(100, 100 + VALUES, dtype=np.uint32)
    sites = {
        "one": {"a": made(), "b": made(), "c": other, "d": other + 70},
        "two": {"e": other, "f": other, "g": other + 70},
        "three": {"h": other + 70},
    }
    found = compared(tmp_path, sites)
    assert len(found) == 2
    most_sites = [(1, "one", "d"), (1, "two", "g"), (1, "three", "h")]
    assert listed(found) == [*most_sites, (2, "one", "c"), (2, "two", "e"), (2, "two", "f")]
    assert listed(found, most=1) == most_sites
    assert listed(found, each=1) == [*most_sites, (2, "one", "c"), (2, "two", "e")]


def test_of_one_site_all_are_groups(tmp_path):
    assert listed(compared(tmp_path, {"one": {"a": made(), "b": made()}})) == [
        (1, "one", "a"),
        (1, "one", "b"),
    ]
    assert len(compared(tmp_path / "more", {"none": {}})) == 0


@pytest.mark.parametrize(
    ("dates", "original"),
    [
        (("2026-03-02", "2026-03-09", "2026-03-05"), "a"),
        (("2026-03-02T10:00:00+02:00", "2026-03-02T09:00:00+00:00", "2026-03-07"), "a"),
        (("2026-03-02T12:00:00+02:00", "2026-03-02T09:00:00+00:00", "2026-03-07"), "b"),
        # Of the same day or of two that touch, either may be the first; so may one that says none.
        (("2026-03-02", "2026-03-02", "2026-03-05"), None),
        (("2026-03-02", "2026-03-03", "2026-03-05"), None),
        (("2026-03-02T10:00:00", "2026-03-02T13:00:00", "2026-03-05"), None),
        (("2026-03-02", None, "2026-03-05"), None),
    ],
)
def test_the_original_is_the_one_published_before_all_others(tmp_path, dates, original):
    found = compared(tmp_path, {"one": {"a": made()}, "two": {"b": made(), "c": made()}})
    DATES.update(zip("abc", dates, strict=True))
    pages = list(found.pages(published=True))
    assert tuple(page.published for page in pages) == dates
    first = None if original is None else url(original)
    assert [page.original for page in pages] == [first and page.url == first for page in pages]
    assert {page.original for page in found.pages(each=1, published=True)} == {None}, "one is not listed"
