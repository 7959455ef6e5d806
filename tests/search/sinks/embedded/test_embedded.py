"""The index in the data folder: what it holds, finds and refuses."""

from __future__ import annotations

import tempfile
import threading
from datetime import date
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from search.query import MAX_CLAUSES, NoIndex, Query, Searchable
from tests.indexed import delete, held, index, marked, opened, paths, search, sink_of, wanted

FOX = index("/blog/fox", "The quick brown fox jumps over the lazy dog.", "A fox", published="2024-05-06")
CAFE = index(
    "/blog/caf%C3%A9",
    "Un café naïf à Zürich, Straße 5.",
    "Café",
    language="fr",
    published="2023-01-02T23:30:00-05:00",
)
TOKYO = index("/tokyo", "東京都は日本の首都である。ภาษาไทยง่ายมาก 학교에서", "東京", language="ja")
COLOUR = index("/uk/colour", "The colour of a fox. Colour! The dog has none.", "Colour", language="en-GB")
PLAIN = index("/us/plain", "Plains have no fences and no walls.", "Plain", language="en-US")
PAGES = [FOX, CAFE, TOKYO, COLOUR, PLAIN]


@pytest.fixture
def pages(tmp_path):
    sink = opened(tmp_path)
    assert sink.write(PAGES) == {}
    yield sink
    sink.close()


@pytest.mark.parametrize(
    ("query", "found"),
    [
        ("fox", ["/blog/fox", "/uk/colour"]),
        ("FOX jumps", ["/blog/fox", "/uk/colour"]),
        ('"brown fox"', ["/blog/fox"]),
        ('"fox brown"', []),
        ("quick-brown", ["/blog/fox"]),
        ("fox -quick", ["/uk/colour"]),
        ("fox +colour", ["/uk/colour"]),
        ('fox -"of a fox"', ["/blog/fox"]),
        ("cafe ZURICH", ["/blog/caf%C3%A9"]),
        ("naif strasse", ["/blog/caf%C3%A9"]),
        ("東京", ["/tokyo"]),
        ("日本の首都", ["/tokyo"]),
        ("京日", []),
        ("ไทยง่าย", ["/tokyo"]),
        ("학교", ["/tokyo"]),
        ("zebra", []),
        ("", []),
        ("-", []),
        ('"" !!! * ( NEAR', []),
    ],
)
def test_what_queries_find(pages, query, found):
    assert paths(pages, query) == found
    assert search(pages, query).total == len(found)


def test_where_words_are_only_excluded_all_else_is_found(pages):
    assert sorted(paths(pages, '-fox -"no walls"')) == ["/blog/caf%C3%A9", "/tokyo"]


@pytest.mark.parametrize(
    ("filters", "found"),
    [
        ({"language": "en"}, ["/uk/colour", "/us/plain"]),
        ({"language": "EN-gb"}, ["/uk/colour"]),
        ({"language": "e"}, []),
        ({"language": "fr"}, ["/blog/caf%C3%A9"]),
        ({"path": "/blog/"}, ["/blog/caf%C3%A9", "/blog/fox"]),
        ({"path": "blog/café"}, ["/blog/caf%C3%A9"]),
        ({"path": "/blog/caf%C3%A9"}, ["/blog/caf%C3%A9"]),
        ({"path": ".*(["}, []),
        ({"path": "/%"}, []),
        ({"path": "/東\\\n"}, []),
        ({"since": date(2024, 5, 6), "until": date(2024, 5, 6)}, ["/blog/fox"]),
        ({"until": date(2023, 1, 2)}, ["/blog/caf%C3%A9"]),
        ({"since": date(2026, 1, 31)}, ["/tokyo", "/uk/colour", "/us/plain"]),
        ({"since": date(2024, 1, 1), "language": "en", "path": "/u"}, ["/uk/colour", "/us/plain"]),
    ],
)
def test_what_filters_leave(pages, filters, found):
    assert sorted(paths(pages, "-zebra", **filters)) == found


def test_a_path_may_be_long(tmp_path):
    sink, folder = opened(tmp_path), "/" + "höhle/" * 90
    sink.write([index(f"{folder}a", "x"), index(f"{folder}b", "x"), index("/höhle/", "x")])
    assert sorted(paths(sink, "x", path=folder)) == [f"{folder}a", f"{folder}b"]
    assert paths(sink, "x", path=f"{folder}c") == []
    assert len(paths(sink, "x", path="/höhle")) == 3
    sink.close()


def test_hits_can_be_had_in_parts(pages):
    every = paths(pages, "the fox café")
    assert [*paths(pages, "the fox café", limit=2), *paths(pages, "the fox café", limit=9, offset=2)] == every
    assert search(pages, "fox", limit=0).total == 2
    assert paths(pages, "fox", limit=0) == paths(pages, "fox", limit=10**20, offset=10**20) == []


def test_a_hit_tells_where_it_is_and_why(pages):
    hit = search(pages, "zurich").hits[0]
    assert (hit.url, hit.title, hit.language) == (CAFE.url, "Café", "fr")
    assert (hit.unit, hit.document, hit.published) == (CAFE.id, CAFE.id, "2023-01-02T23:30:00-05:00")
    assert marked(hit) == "Un café naïf à *Zürich*, Straße 5."
    assert marked(search(pages, "京都").hits[0]).startswith("東*京都*は")
    assert hit.score > 0


def test_a_word_counts_more_in_the_title(tmp_path):
    filler = [index(f"/{number}", f"filler number {number}", f"Title {number}") for number in range(9)]
    sink = opened(tmp_path)
    sink.write([index("/text", "granite and more", "stones"), index("/title", "stones and more", "granite")])
    sink.write(filler)
    assert paths(sink, "granite") == ["/title", "/text"]
    sink.close()


def test_sections_are_found_with_the_path_of_their_headings(tmp_path):
    sections = [{"heading": [], "text": "before"}, {"heading": ["Walls", "Dry"], "text": "no mortar"}]
    sink = opened(tmp_path, units="sections")
    sink.write([index("/wall", "", "Walls", sections=sections), index("/none", "", sections=[])])
    hit = search(sink, "mortar").hits[0]
    assert (hit.unit, hit.document, hit.headings) == (f"{hit.document}-1", hit.document, ("Walls", "Dry"))
    assert search(sink, "dry").total == 1
    assert len(held(sink)) == 3
    sink.write([index("/wall", "", "Walls", sections=sections[:1]), delete("/none")])
    assert [unit.partition("-")[2] for unit in held(sink)] == ["0"]
    sink.close()


PAGE = st.integers(0, 5)
OPERATION = st.one_of(
    st.builds(lambda page, text: index(f"/{page}", text), PAGE, st.sampled_from("abc")),
    st.builds(lambda page: delete(f"/{page}"), PAGE),
)


@settings(max_examples=8, deadline=None)
@given(
    batches=st.lists(st.lists(OPERATION, max_size=5, unique_by=lambda one: one.id), max_size=5),
    rebuilt=st.lists(st.lists(OPERATION, max_size=4, unique_by=lambda one: one.id), max_size=2),
    after=st.lists(OPERATION, max_size=3, unique_by=lambda one: one.id),
)
def test_any_operations_in_any_batches_leave_what_they_say(batches, rebuilt, after):
    # Tantivy's own threads may write a last file while it is emptied.
    with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as folder:
        sink = opened(Path(folder))
        for batch in batches:
            sink.write(batch)
            sink.write(batch[:2])
        # A batch that is sent again after a later one undoes what that did, until that comes again, too.
        said = [operation for batch in batches for operation in batch]
        assert held(sink) == wanted(said)
        if rebuilt:
            with sink.rebuild():
                for batch in rebuilt:
                    sink.write(batch)
                assert held(sink) == wanted(said)
            said = [operation for batch in rebuilt for operation in batch]
            assert held(sink) == wanted(said)
        sink.write(after)
        sink.close()
        again = opened(Path(folder))
        assert held(again) == wanted([*said, *after])
        assert search(again, "a b c").total == len(held(again))
        again.close()


HOSTILE = [
    index("/nul", "a\0b", "NUL\0", author="\0"),
    index("/surrogate", "x \ud800\udfff y\udc80", "\udc80"),
    index("/bidi", "\u202eabc\u202c \u2066x\u2069", "\u200f"),
    index("/long", "word " * 1_000_000, "t" * 100_000),
    index("/token", "x" * 1_000_000),
    index("/query", "", "'; DROP TABLE units; --\" OR 1"),
    index("/\ud800?\0", "surrogate in a URL", published="soon", fetched_at="never"),
]


def test_hostile_texts_are_held_and_found(tmp_path):
    sink = opened(tmp_path)
    assert sink.write(HOSTILE) == {}
    assert held(sink) == wanted(HOSTILE)
    assert {hit.document for hit in search(sink, "-zebra", limit=50).hits} == {one.id for one in HOSTILE}
    assert paths(sink, "word") == ["/long"]
    assert paths(sink, "drop table") == ["/query"]
    assert sink.write(HOSTILE) == {}
    assert sink.write([delete("/long")]) == {}
    assert "/long" not in paths(sink, "-zebra", limit=50)
    sink.close()


QUERIES = [
    "\0", "\ud800 wall", '"' * 500, "-" * 2000, "+" * 10, "a" * 100_000, "w " * 5000,
    "* ? [ ( ) ] { } ^ ~ \\ : /",
    'NEAR("a b", 3) AND OR NOT', "title:fox", "'; --", "京" * 900, "\u202e", "x\ud83d",
]  # fmt: skip


@pytest.mark.parametrize("query", QUERIES)
def test_every_text_can_be_looked_for(pages, query):
    for text in (query, f'"{query}"', f"-{query}", f"+{query} fox"):
        assert search(pages, text).total >= 0
    assert search(pages, "-zebra", path=query, language=query).total >= 0


def test_as_many_clauses_as_may_be(pages):
    many = " ".join(f'"fox {number}"' for number in range(MAX_CLAUSES))
    assert search(pages, many).total == 0
    assert search(pages, " ".join(f"w{number}" for number in range(MAX_CLAUSES - 1)) + " fox").total == 2


def test_what_cannot_be_taken_is_refused_alone(tmp_path):
    sink = opened(tmp_path)
    poisoned = index("/poisoned", "text", language="\ud800")
    sink.write([index("/poisoned", "before")])
    refusals = sink.write([FOX, poisoned, CAFE])
    assert list(refusals) == [poisoned.id]
    assert refusals[poisoned.id].lasting
    assert "surrogates not allowed" in refusals[poisoned.id].reason
    assert paths(sink, "fox") == ["/blog/fox"]
    assert paths(sink, "zurich") == ["/blog/caf%C3%A9"]
    with sink.rebuild():
        assert list(sink.write([poisoned, FOX])) == [poisoned.id]
    assert held(sink) == wanted([FOX])
    sink.close()


def test_the_name_of_an_index_stays_until_it_is_another(tmp_path):
    sink = opened(tmp_path)
    first = sink.open()
    sink.write([FOX])
    assert sink.open() == first
    sink.close()
    sink.close()
    assert sink.open() == first
    with sink.rebuild():
        sink.write([CAFE])
    second = sink.open()
    assert second != first
    sink.close()
    other = sink_of(tmp_path / "other")
    assert other.open() not in (first, second)
    other.close()


def test_an_index_with_other_options_is_a_new_one(tmp_path, caplog):
    sink = opened(tmp_path)
    first = sink.open()
    sink.write([FOX])
    sink.close()
    other = sink_of(tmp_path, units="sections")
    with pytest.raises(NoIndex, match="--rebuild"):
        search(other, "fox")
    assert other.open() != first
    assert "made with other options" in caplog.text
    assert held(other) == {}
    other.close()


def test_a_rebuild_that_fails_leaves_the_index_as_it_was(tmp_path):
    sink = opened(tmp_path)
    first = sink.open()
    sink.write([FOX])
    with pytest.raises(RuntimeError, match="enough"), sink.rebuild():
        sink.write([CAFE])
        raise RuntimeError("enough")
    assert sink.open() == first
    assert held(sink) == wanted([FOX])
    sink.write([CAFE])
    assert held(sink) == wanted([FOX, CAFE])
    sink.close()


def test_before_there_is_an_index_nothing_is_held_and_a_search_says_how_to_make_one(tmp_path):
    sink = sink_of(tmp_path)
    assert list(sink.held()) == []
    with pytest.raises(NoIndex, match=r"scrapy index site\.example --rebuild"):
        search(sink, "fox")
    assert not list(tmp_path.iterdir())
    sink.open()
    assert search(sink, "fox").total == search(sink, "-fox").total == 0
    sink.close()


def test_an_index_can_be_searched_while_it_is_written(tmp_path):
    writer, reader = opened(tmp_path), sink_of(tmp_path)
    assert isinstance(reader, Searchable)
    stop, totals, errors = threading.Event(), [], []

    def read() -> None:
        try:
            while not stop.is_set():
                totals.append(reader.search(Query.parse("granite")).total)
        except BaseException as error:
            errors.append(error)

    thread = threading.Thread(target=read)
    thread.start()
    for number in range(0, 60, 5):
        writer.write([index(f"/{one}", f"granite {one}") for one in range(number, number + 5)])
    with writer.rebuild():
        writer.write([index(f"/{one}", f"granite {one}") for one in range(60)])
    writer.write([delete("/0")])
    stop.set()
    thread.join()
    assert not errors
    # Whole batches: never a part of one, never less than before.
    assert all(total % 5 == 0 for total in totals if total < 59)
    assert [total for total in totals if total < 59] == sorted(total for total in totals if total < 59)
    assert search(reader, "granite").total == 59
    writer.close()
    reader.close()
