from __future__ import annotations

import pytest

from store.errors import StoreMissing, StoreUnusable
from store.part import copy_part
from store.site import Store
from tests.store.sites import Pagelet, begin, count, record, rows

MENU = Pagelet("home news about", ("home", "news", "p0"), "html/body/nav")
COUNT = 6


@pytest.fixture
def site(store: Store) -> dict[int, str]:
    """The ids of the store's pages, and their texts."""
    begin(store)
    return {
        record(store, f"p{number}", [MENU, Pagelet(f"text of {number}")], body=b"%d" % number): f"{number}"
        for number in range(COUNT)
    }


def part(store: Store, tmp_path, pages) -> Store:
    copy_part(store.folder, tmp_path / "part" / store.name, pages)
    return Store.open(tmp_path / "part" / store.name)


def test_a_part_has_its_pages_and_no_others(store, site, tmp_path):
    before, chosen = list(store.connection.iterdump()), list(site)[1:4]
    with part(store, tmp_path, chosen) as copy:
        assert sorted(copy.documents.current()) == chosen
        assert [copy.bodies.get(page).text() for page in chosen] == [site[page] for page in chosen]
        for page in chosen:
            assert copy.frontier.url(page) == store.frontier.url(page)
            assert copy.pages.keyed(page) == store.pages.keyed(page)
        # One fragment is on all pages, one on each; links lead to URLs that are known.
        assert count(copy, "fragments") == 1 + len(chosen)
        assert not rows(copy, "SELECT 1 FROM fragment_links WHERE target NOT IN (SELECT page FROM pages)")
        # A page that comes holds what the part does not know.
        record(copy, "p5", [Pagelet("text of 5")])
        assert count(copy, "fragments") == 2 + len(chosen)
    assert list(store.connection.iterdump()) == before


def test_all_pages_are_the_whole_site(store, site, tmp_path):
    with part(store, tmp_path, site) as copy:
        for table in ("pages", "bodies", "fragments", "fragment_links", "pagelets", "meta", "hosts", "runs"):
            assert rows(copy, f"SELECT * FROM {table}") == rows(store, f"SELECT * FROM {table}"), table


def test_what_cannot_be_read_is_told(tmp_path):
    with pytest.raises(StoreMissing):
        copy_part(tmp_path, tmp_path / "part", [1])
    (tmp_path / "store.sqlite").write_bytes(b"no store" * 200)
    with pytest.raises(StoreUnusable, match=r"store\.sqlite"):
        copy_part(tmp_path, tmp_path / "part", [1])
