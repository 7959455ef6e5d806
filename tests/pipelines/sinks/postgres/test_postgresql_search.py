"""Searches in PostgreSQL, on a real server."""

from __future__ import annotations

from datetime import date
from typing import TYPE_CHECKING, Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from crawler.indexing.search import NoIndex, Query, Searchable
from crawler.indexing.sink import Operation, SinkDown, document_id

if TYPE_CHECKING:
    from pipelines.sinks.postgresql import PostgresqlSink

BASE = "https://example.org"


def put(path: str, text: str = "", **fields: Any) -> Operation:
    document = {
        "url": BASE + path,
        "site": "example.org",
        "title": "",
        "text": text,
        "language": "en",
        "fetched_at": "2026-01-02T03:04:05+00:00",
        "content_hash": "hash",
        **fields,
    }
    return Operation(document_id(BASE + path), BASE + path, document)  # type: ignore[arg-type]


def paths(sink: PostgresqlSink, text: str, **asked: Any) -> list[str]:
    found = sink.search(Query.parse(text, **asked))
    assert found.total >= len(found.hits)
    return [hit.url.removeprefix(BASE) for hit in found.hits]


DOCUMENTS = (
    put("/cats", "Cats sleep all day.", title="Of cats and their sleep", published="2024-03-01"),
    put("/dogs", f"Dogs sleep at night, a cat not.{' Woof' * 50}", published="2025-01-31T23:30:00-05:00"),
    put("/de/katzen", "Katzen schlafen in großen Häusern.", language="de-AT", published=None),
    put("/fr/chats", "Les chats dorment à l'été.", language="fr"),
    put("/zh/%E7%8C%AB", "猫整天都在睡觉", language="zh-Hant"),
    put("/code", "Write and/or, 1990-1999, <b>bold</b> and e-mail.", language=None),
)  # fmt: skip


@pytest.fixture(scope="module")
def sink(server, database):
    from pathlib import Path

    from crawler.indexing.sink import Place
    from pipelines.sinks.postgresql import PostgresqlSink

    filled = PostgresqlSink(
        Place("example.org", Path("/nowhere"), {"dsn": server.dsn(database), "table": "searched"})
    )
    filled.open()
    assert filled.write(DOCUMENTS) == {}
    yield filled
    filled.close()


def test_it_is_searchable(sink) -> None:
    assert isinstance(sink, Searchable)


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("cat", ["/cats", "/dogs"]),
        ("CATS sleeping", ["/cats", "/dogs"]),
        ("cat +night", ["/dogs"]),
        ("cat -night", ["/cats"]),
        ('"cats sleep"', ["/cats"]),
        ('"sleep cats"', []),
        ('cat -"dogs sleep"', ["/cats"]),
        ("grosses haus", ["/de/katzen"]),
        ("ete", ["/fr/chats"]),
        ("睡觉", ["/zh/%E7%8C%AB"]),
        ("觉睡", []),
        ("or", ["/code"]),
        ("1999 bold", ["/code"]),
        ("e-mail", ["/code"]),
        ("nothing of the kind", []),
        ("", []),
        ("+ - \"\" ''", []),
    ],
)
def test_a_query_finds(sink, text, found) -> None:
    assert paths(sink, text) == found


def test_a_query_that_only_excludes_finds_the_rest(sink) -> None:
    assert sorted(paths(sink, "-cat")) == ["/code", "/de/katzen", "/fr/chats", "/zh/%E7%8C%AB"]


@pytest.mark.parametrize(
    ("asked", "found"),
    [
        ({"since": date(2024, 3, 1)}, ["/cats", "/dogs", "/code"]),
        ({"since": date(2024, 3, 2), "until": date(2025, 1, 31)}, ["/dogs"]),
        ({"until": date(2024, 2, 29)}, []),
        ({"since": date(2026, 1, 2), "until": date(2026, 1, 2)}, ["/code"]),
        ({"language": "EN"}, ["/cats", "/dogs"]),
        ({"language": "e"}, []),
        ({"language": "de"}, []),
        ({"path": "/c"}, ["/cats", "/code"]),
        ({"path": "/%63a"}, ["/cats"]),
        ({"path": "%"}, []),
    ],
)
def test_filters(sink, asked, found) -> None:
    assert sorted(paths(sink, "cat bold", **asked)) == sorted(found)


@pytest.mark.parametrize(
    ("text", "asked", "found"),
    [
        ("katzen", {"language": "de_at"}, ["/de/katzen"]),
        ("猫", {"language": "zh-hant"}, ["/zh/%E7%8C%AB"]),
        ("猫", {"path": "/zh/猫"}, ["/zh/%E7%8C%AB"]),
    ],
)
def test_filters_take_a_part_of_a_language_and_a_readable_path(sink, text, asked, found) -> None:
    assert paths(sink, text, **asked) == found


def test_hits_are_counted_beyond_those_that_are_asked_for(sink) -> None:
    whole = sink.search(Query.parse("sleep cat katze chats"))
    assert whole.total == len(whole.hits) == 4
    scores = [hit.score for hit in whole.hits]
    assert scores == sorted(scores, reverse=True)
    for offset in range(6):
        part = sink.search(Query.parse("sleep cat katze chats", limit=1, offset=offset))
        assert part.total == 4
        assert part.hits == whole.hits[offset : offset + 1]
    assert sink.search(Query.parse("cat", limit=0)).total == 2


def test_a_hit_tells_what_the_index_has(sink) -> None:
    hit = sink.search(Query.parse("night cats")).hits[-1]
    assert (hit.document, hit.unit) == (document_id(BASE + "/dogs"), document_id(BASE + "/dogs"))
    assert (hit.language, hit.published) == ("en", "2025-01-31T23:30:00-05:00")
    assert hit.fetched_at == "2026-01-02T03:04:05+00:00"


@pytest.mark.parametrize(
    ("text", "marked"),
    [("sleeping cat", ["sleep", "cat"]), ("grosse hauser", ["großen", "Häusern"]), ("睡觉", ["睡觉"])],
)
def test_a_snippet_marks_the_words_as_the_text_has_them(sink, text, marked) -> None:
    snippet = sink.search(Query.parse(text, path=None)).hits[-1].snippet
    assert [piece.text for piece in snippet if piece.hit] == marked


def test_sections_are_found_with_their_headings(made) -> None:
    sink = made(units="sections")
    sink.open()
    sections = [
        {"heading": ["Guide", "Feeding"], "text": "Twice a day."},
        {"heading": ["Guide"], "text": "Of feeding."},
    ]
    sink.write([put("/guide", sections=sections)])
    hits = sink.search(Query.parse("feeding")).hits
    assert [(hit.headings, hit.unit) for hit in hits] == [
        (("Guide", "Feeding"), f"{document_id(BASE + '/guide')}-0"),
        (("Guide",), f"{document_id(BASE + '/guide')}-1"),
    ]


HOSTILE = st.text() | st.text(alphabet="ab \"'+-&|!:*<>()\\%{}\0\ud800猫é0123./@_", max_size=40)


@settings(max_examples=60, deadline=None, database=None)
@given(
    text=HOSTILE,
    language=st.none() | HOSTILE,
    path=st.none() | HOSTILE,
    limit=st.integers(-1, 1 << 70),
    offset=st.integers(-1, 1 << 70),
)
def test_every_text_is_a_query(sink, text, language, path, limit, offset) -> None:
    sink.search(Query.parse(text, language=language, path=path, limit=limit, offset=offset))


def test_without_an_index_the_error_says_so(server, database, made) -> None:
    sink = made()
    with pytest.raises(NoIndex, match="the site example"):
        sink.search(Query.parse("cat"))
    made(site="other").open()
    with pytest.raises(NoIndex, match="the site example"):
        sink.search(Query.parse("cat"))
    made().open()
    assert sink.search(Query.parse("cat")).total == 0


def test_a_table_of_somebody_else_is_not_searched(server, database, made) -> None:
    sink = made()
    server.execute(database, f"CREATE TABLE {sink.given['table']} (mine text)")
    with pytest.raises(SinkDown, match="somebody else's"):
        sink.search(Query.parse("cat"))


def test_a_search_works_while_an_index_is_rebuilt_and_with_the_right_to_read_alone(
    server, database, made
) -> None:
    writer = made()
    writer.open()
    writer.write([put("/old", "cats")])
    server.role("searcher", "geheim")
    table = writer.given["table"]
    server.execute(database, f"GRANT SELECT ON {table}, {table}_sites TO searcher")
    reader = made(dsn=server.dsn(database, "searcher", "geheim"), timeout=1)
    with writer.rebuild():
        writer.write([put("/new", "cats")])
        assert paths(reader, "cat") == ["/old"]
    assert paths(reader, "cat") == ["/new"]
