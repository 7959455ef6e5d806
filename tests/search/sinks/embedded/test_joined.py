"""Pages ranked by themselves and by their best pagelets, in real indexes."""

from __future__ import annotations

from pathlib import Path
from tempfile import TemporaryDirectory

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from search.sinks.embedded.joined import ADDED, RERANKED, joined, words_of
from tests.indexed import delete, held, index, marked, opened, paths, search, wanted

MENU = "Harbour news, weather, tides and moorings for all who sail these waters. "


def page(path: str, *passages: str, title: str = "", **fields: str):
    return index(path, "\n".join(passages), title, passages=list(passages), **fields)


SCATTERED = page("/scattered", "Linen is sold here.", MENU, "Cotton thread is sold there.", "Linen.")
TOGETHER = page("/together", MENU * 2, MENU, "Waxed linen thread", title="Books", language="de")
OTHERS = [page(f"/{number}", MENU * 3, f"number {number}") for number in range(5)]
PAGES = [SCATTERED, TOGETHER, *OTHERS]


@pytest.fixture
def pages(tmp_path: Path):
    sink = opened(tmp_path, units="pagelets")
    assert sink.write(PAGES) == {}
    yield sink
    sink.close()


def test_a_page_with_one_place_that_says_it_all_is_first(pages, tmp_path):
    documents = opened(tmp_path / "other")
    documents.write(PAGES)
    assert paths(documents, "linen thread") == ["/scattered", "/together"]
    assert paths(pages, "linen thread") == ["/together", "/scattered"]
    documents.close()


def test_a_hit_is_a_page_and_shows_its_best_pagelet(pages):
    hit = search(pages, "linen thread").hits[0]
    assert (hit.document, hit.unit) == (TOGETHER.id, f"{TOGETHER.id}-3")
    assert (hit.title, hit.language) == ("Books", "de")
    assert marked(hit) == "Waxed *linen* *thread*"
    assert 0 < hit.score <= 1
    # The title is the page's: no pagelet of it has the word.
    by_title = search(pages, "books").hits[0]
    assert (by_title.unit, by_title.document) == (TOGETHER.id, TOGETHER.id)


@pytest.mark.parametrize(
    ("query", "found"),
    [
        ("+cotton +linen", ["/scattered"]),
        ("+books thread", ["/together"]),
        ("linen -cotton", ["/together"]),
        ('"linen thread"', ["/together"]),
        ('+tides "linen thread" waxed', ["/together"]),
        ("zebra", []),
        ("", []),
    ],
)
def test_which_pages_are_found_pages_alone_decide(pages, query, found):
    assert paths(pages, query) == found
    assert search(pages, query).total == len(found)


def test_filters_hold_for_pages(pages):
    assert paths(pages, "linen", language="de") == ["/together"]
    assert paths(pages, "linen", path="/sc") == ["/scattered"]
    assert len(paths(pages, "-linen")) == 5


def test_hits_can_be_had_in_parts(tmp_path):
    sink = opened(tmp_path, units="pagelets")
    many = RERANKED + 20
    sink.write(
        [page(f"/{one}", *["stone wall"] * (one % 3), "a wall " * (one % 7 + 1)) for one in range(many)]
    )
    every = paths(sink, "stone wall", limit=many)
    assert len(set(every)) == many
    parts = [paths(sink, "stone wall", limit=50, offset=offset) for offset in range(0, many, 50)]
    assert [path for part in parts for path in part] == every
    assert paths(sink, "stone", limit=0) == paths(sink, "stone", limit=5, offset=10**9) == []
    sink.close()


def test_words_of_the_best_pagelets_are_looked_for_as_well(tmp_path):
    sink = opened(tmp_path, units="pagelets")
    thread = [page(f"/{name}", MENU * 3, f"linen thread waxed with beeswax {name}") for name in "ab"]
    sink.write([*thread, page("/c", MENU * 3, "beeswax candles"), *OTHERS])
    assert paths(sink, "linen") == ["/a", "/b"]
    found = search(sink, "linen", expand=True)
    assert {"thread", "waxed", "beeswax"} <= set(found.added)
    assert "linen" not in found.added
    assert [hit.url.rpartition("/")[2] for hit in found.hits] == ["a", "b", "c"]
    assert paths(sink, "+linen", expand=True) == ["/a", "/b"]
    assert paths(sink, "linen -thread", expand=True) == []
    for nothing in ("zebra", "", "-linen"):
        assert search(sink, nothing, expand=True).added == ()
    sink.close()


def test_an_empty_index_finds_nothing(tmp_path):
    sink = opened(tmp_path, units="pagelets")
    assert search(sink, "linen", expand=True).total == search(sink, "-linen").total == 0
    sink.write([page("/none"), page("/title", title="Linen")])
    assert paths(sink, "linen", expand=True) == ["/title"]
    sink.close()


def test_scores_are_joined_as_shares_of_the_highest():
    found = joined({"a": 8.0, "b": 4.0, "c": 2.0}, {"b": 3.0, "c": 1.5}, 0.5)
    assert found == {"b": 0.75, "a": 0.5, "c": 0.375}
    assert list(found) == ["b", "a", "c"]
    assert joined({"a": 2.0, "b": 2.0}, {}, 0.0) == {"a": 0.0, "b": 0.0}
    assert joined({}, {}, 0.5) == {}


@given(st.dictionaries(st.sampled_from("abcdef"), st.floats(0.01, 50)), st.floats(0, 1))
def test_the_page_alone_or_its_pagelet_alone_keeps_its_order(scores, weight):
    pages = dict(sorted(scores.items(), key=lambda one: -one[1]))
    assert list(joined(pages, {}, 1.0)) == list(pages)
    assert list(joined(dict.fromkeys(pages, 1.0), pages, 0.0)) == list(pages)
    assert all(0 <= score <= 1.000001 for score in joined(pages, pages, weight).values())


def test_words_that_tell_texts_from_others_come_first():
    frequencies = {"rare": 2, "half": 50, "often": 99, "once": 1, "known": 1}
    texts = ["Rare half often KNOWN a", "rare half often once 字"]
    assert words_of(texts, {"known"}, lambda run: [run.lower()], frequencies.__getitem__, 100)[:2] == [
        "rare", "once"
    ]  # fmt: skip
    many = [" ".join(f"w{number}" for number in range(99))]
    assert len(words_of(many, (), lambda run: [run], lambda _: 1, 100)) == ADDED
    assert words_of([], (), lambda run: [run], lambda _: 1, 100) == []


OPERATION = st.one_of(
    st.builds(
        lambda path, passages: page(f"/{path}", *passages),
        st.integers(0, 4),
        st.lists(st.sampled_from(["linen", "thread", "linen thread", "wax"]), max_size=4),
    ),
    st.builds(lambda path: delete(f"/{path}"), st.integers(0, 4)),
)


@settings(max_examples=8, deadline=None)
@given(
    batches=st.lists(st.lists(OPERATION, max_size=5, unique_by=lambda one: one.id), max_size=4),
    rebuilt=st.lists(OPERATION, max_size=4, unique_by=lambda one: one.id),
)
def test_any_operations_leave_the_pages_and_pagelets_that_they_say(batches, rebuilt):
    with TemporaryDirectory() as folder:
        sink = opened(Path(folder), units="pagelets")
        for batch in batches:
            sink.write(batch)
        said = [operation for batch in batches for operation in batch]
        assert held(sink) == wanted(said, "pagelets")
        left = wanted(said, "documents")
        assert {hit.document for hit in search(sink, "linen thread wax").hits} <= left.keys()
        with sink.rebuild():
            sink.write(rebuilt)
            assert held(sink) == wanted(said, "pagelets")
        assert held(sink) == wanted(rebuilt, "pagelets")
        sink.close()


def test_an_index_that_lost_its_pagelets_is_made_anew(pages, tmp_path, caplog):
    first = pages.open()
    pages.close()
    part = tmp_path / "tantivy" / first / "pagelets" / "meta.json"
    part.write_text("{")
    again = opened(tmp_path, units="pagelets")
    assert again.open() != first
    assert "is damaged" in caplog.text
    assert held(again) == {}
    again.close()
