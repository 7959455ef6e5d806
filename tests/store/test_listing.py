from __future__ import annotations

import json

import pytest

from store.listing import BARS, SORTS, PageList, PageQuery
from store.site import Store

SHARES = [0, 5, 10, 55, 99, 100]


@pytest.fixture
def pages(tmp_path):
    """The lists of a store of six pages that keep different shares, and one without a document."""
    with Store.open(tmp_path / "site", create=True) as store:
        connection = store.connection
        connection.execute("INSERT INTO hosts VALUES (1, 'a.example', 7)")
        for number, share in enumerate([*SHARES, None], 1):
            connection.execute(
                "INSERT INTO pages (page, url, host, state, fetched_run, title, flags) "
                "VALUES (?, ?, 1, ?, 1, ?, ?)",
                (
                    number,
                    f"https://a.example/{number}",
                    "delivered",
                    "Плагины | Größe" if number == 7 else f"Title {number}",
                    "thin cut" if number == 2 else "",
                ),
            )
            if share is not None:
                counts = json.dumps({"chars": 100, "chars_kept": share})
                connection.execute(
                    "INSERT INTO documents (page, run, content_hash, template_version, mask, reasons) "
                    "VALUES (?, 1, '', '', x'', ?)",
                    (number, counts),
                )
        yield PageList(connection)


def urls(pages, start=0, count=100, **query):
    return [int(row.url.rpartition("/")[2]) for row in pages.rows(PageQuery(**query), start, count)]


def test_pages_are_sorted_those_without_a_share_last(pages):
    assert urls(pages, sort="share") == [1, 2, 3, 4, 5, 6, 7]
    assert urls(pages, sort="share", falling=True) == [6, 5, 4, 3, 2, 1, 7]
    assert urls(pages, start=2, count=2, sort="share") == [3, 4]


@pytest.mark.parametrize("sort", SORTS)
@pytest.mark.parametrize("falling", [False, True])
def test_each_order_has_all_pages_once(pages, sort, falling):
    assert sorted(urls(pages, sort=sort, falling=falling)) == [1, 2, 3, 4, 5, 6, 7]


@pytest.mark.parametrize(
    ("query", "found"),
    [
        ({"words": "TITLE 3"}, [3]),
        ({"words": "a.example/5"}, [5]),
        ({"words": "плагины GRÖSSE"}, [7]),
        ({"words": "%"}, []),
        ({"flag": "cut"}, [2]),
        ({"flag": "cu"}, []),
        ({"state": "gone"}, []),
        ({"least": 0.5}, [4, 5, 6]),
        ({"least": 0.05, "most": 0.1}, [2, 3]),
    ],
)
def test_what_is_asked_for_is_found_and_counted(pages, query, found):
    assert urls(pages, **query) == found
    assert pages.count(PageQuery(**query)) == len(found)


def test_shares_are_counted_by_tenths(pages):
    kept = pages.kept()
    assert (kept.chars, kept.chars_kept) == (100 * len(SHARES), sum(SHARES))
    assert kept.shares == [2, 1, 0, 0, 0, 1, 0, 0, 0, 2]
    assert len(kept.shares) == BARS


def test_flags_are_counted(pages):
    assert pages.flags() == {"cut": 1, "thin": 1}


def test_neighbours_are_those_by_address(pages):
    assert pages.neighbours(1) == (None, "https://a.example/2")
    assert pages.neighbours(7) == ("https://a.example/6", None)
