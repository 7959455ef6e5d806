"""The PostgreSQL sink, on a real server."""

from __future__ import annotations

import logging
import re
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from search.query import Query
from search.sink import Operation, Place, SinkDown, document_id, unit_ids
from search.sinks.postgresql import PostgresqlSink
from settings.places import PROJECT

if TYPE_CHECKING:
    from tests.postgres import PostgresServer

SITE = "example.org"


def put(url: str, text: str = "some text", **fields: Any) -> Operation:
    document = {
        "url": url,
        "site": SITE,
        "title": "a title",
        "text": text,
        "language": "en",
        "fetched_at": "2026-01-02T03:04:05+00:00",
        "content_hash": f"hash of {text[:20]}",
        **fields,
    }
    return Operation(document_id(url), url, document)  # type: ignore[arg-type]


def drop(url: str, units: int = 1) -> Operation:
    return Operation(document_id(url), url, None, "gone", units)


def held(sink: PostgresqlSink) -> dict[str, str]:
    return dict(sink.held())


def ids(*urls: str) -> set[str]:
    return {document_id(url) for url in urls}


def table_of(sink: PostgresqlSink) -> str:
    return str(sink.given["table"])


def urls_for(server: PostgresServer, database: str, sink: PostgresqlSink, query: str) -> list[str]:
    """What an application finds."""
    table = table_of(sink)
    rows = server.execute(
        database,
        f"SELECT url FROM {table} WHERE tsv @@ websearch_to_tsquery(configuration::regconfig, %s) ORDER BY 1",
        (query,),
    )
    return [url for (url,) in rows]


def terminate(server: PostgresServer, database: str) -> None:
    """Ends all connections to a database."""
    server.execute(
        "postgres",
        "SELECT pg_terminate_backend(pid, 5000) FROM pg_stat_activity WHERE datname = %s",
        (database,),
    )


def poison(server: PostgresServer, database: str, sink: PostgresqlSink) -> None:
    server.execute(
        database, f"ALTER TABLE {table_of(sink)} ADD CONSTRAINT wholesome CHECK (title <> 'poison')"
    )


# --- What is kept ---


@pytest.mark.parametrize("given", ["client_encoding=latin1", "options=-cDateStyle%3DGerman"])
def test_what_a_connection_is_set_to_changes_nothing(made, server, database, given) -> None:
    sink = made(dsn=f"{server.dsn(database)}?{given}")
    sink.open()
    assert sink.write([put("https://e.org/", "some \N{GRINNING FACE}")]) == {}
    (hit,) = sink.search(Query.parse("some")).hits
    assert hit.fetched_at == "2026-01-02T03:04:05+00:00"


def test_a_document_is_a_row_with_all_that_is_known_of_it(server, database, made) -> None:
    sink = made()
    sink.open()
    fields = {
        "published": "2024-05-06T01:00:00+02:00",
        "author": "A. Uthor",
        "canonical_url": "https://example.org/c",
    }
    assert sink.write([put("https://example.org/a%20b", "The text.", **fields)]) == {}
    (row,) = server.execute(
        database,
        "SELECT site, id, document, position, url, path, title, headings, text, language, author, "
        "published AT TIME ZONE 'UTC', published_as_declared, canonical_url, fetched_at AT TIME ZONE 'UTC', "
        f"day, content_hash, configuration FROM {table_of(sink)}",
    )
    document = document_id("https://example.org/a%20b")
    assert row[:11] == (
        SITE, document, document, 0, "https://example.org/a%20b", "/a b", "a title", [], "The text.", "en",
        "A. Uthor",
    )  # fmt: skip
    assert [str(value) for value in row[11:]] == [
        "2024-05-05 23:00:00", "2024-05-06T01:00:00+02:00", "https://example.org/c", "2026-01-02 03:04:05",
        "2024-05-06", "hash of The text.", "pg_catalog.simple",
    ]  # fmt: skip


def test_a_section_is_a_row_with_its_headings(server, database, made) -> None:
    sink = made(units="sections")
    sink.open()
    sections = [{"heading": [], "text": "before"}, {"heading": ["One", "Two"], "text": "after"}]
    sink.write([put("https://e.org/", sections=sections)])
    document = document_id("https://e.org/")
    assert set(held(sink)) == set(unit_ids(document, "sections", 2))
    rows = server.execute(database, f"SELECT position, headings, text FROM {table_of(sink)} ORDER BY 1")
    assert rows == [(0, [], "before"), (1, ["One", "Two"], "after")]
    assert urls_for(server, database, sink, "two") == ["https://e.org/"]
    sink.write([put("https://e.org/", sections=sections[:1])])
    assert set(held(sink)) == set(unit_ids(document, "sections", 1))


def test_pages_can_be_ranked_by_their_best_pagelets_as_well(server, database, made) -> None:
    sink = made(units="pagelets", site="demo")
    sink.open()
    menu = "Harbour news and weather for all who sail " * 20
    pages = {
        "a": ["Linen is sold here.", menu, "Cotton thread is sold there."],
        "b": [menu, "Waxed linen thread for books."],
        "c": [menu],
    }
    for name, passages in pages.items():
        sink.write([put(f"https://e.org/{name}", "\n".join(passages), passages=passages)])
    statements = re.findall(r"```sql\n(.*?)```", (PROJECT / "docs" / "postgresql.md").read_text(), re.DOTALL)
    asked = (
        next(one for one in statements if "best" in one)
        .replace("pagelets_units", table_of(sink))
        .replace("'english'", "'simple'")
    )
    found = server.execute(database, asked.rstrip().rstrip(";"))
    assert [row[1] for row in found] == ["https://e.org/b", "https://e.org/a"]


NUL, LONE = "\0", "\ud800"


def test_every_text_is_taken(server, database, made) -> None:
    sink = made()
    sink.open()
    hostile = f"a{NUL}b {LONE} \\N \\. \t\" ' {{}} %s $1 \u202e\ufeff 😀 <script> & | ! :* " + "x" * 5000
    operation = put(
        f"https://e.org/%00{LONE}", hostile, title=hostile, author=hostile, language=hostile,
        published=hostile, canonical_url=hostile, fetched_at="never", content_hash="h",
    )  # fmt: skip
    assert sink.write([operation]) == {}
    (row,) = server.execute(
        database, f"SELECT text, title, author, published, fetched_at FROM {table_of(sink)}"
    )
    said = hostile.replace(NUL, "\ufffd").replace(LONE, "\ufffd")
    assert row == (said, said, said, None, None)


def test_a_text_with_more_words_than_postgresql_takes_is_kept_whole(server, database, made, caplog) -> None:
    text = "firstword " + " ".join(f"{number:x}ghijk" for number in range(1 << 20, (1 << 20) + 100_000))
    sink = made()
    sink.open()
    with caplog.at_level(logging.WARNING):
        assert sink.write([put("https://e.org/small"), put("https://e.org/large", text)]) == {}
    told = "PostgreSQL: searches see the first 200000 characters of https://e.org/large"
    assert [record.getMessage() for record in caplog.records] == [told]
    assert set(held(sink)) == ids("https://e.org/small", "https://e.org/large")
    assert urls_for(server, database, sink, "firstword") == ["https://e.org/large"]
    assert server.execute(database, f"SELECT max(length(text)) FROM {table_of(sink)}") == [(len(text),)]


STEPS = st.lists(
    st.one_of(
        st.lists(
            st.tuples(st.integers(0, 4), st.none() | st.integers(0, 3)), max_size=5, unique_by=lambda s: s[0]
        ),
        st.sampled_from(["again", "new", "rebuild"]),
    ),
    max_size=6,
)


@settings(max_examples=20, deadline=None, database=None)
@given(steps=STEPS, units=st.sampled_from(["documents", "sections", "pagelets"]))
def test_any_operations_leave_what_a_dictionary_of_them_holds(
    server, database, numbers, steps, units
) -> None:
    def sink_of(site: str) -> PostgresqlSink:
        options = {"dsn": server.dsn(database), "table": "model", "units": units}
        return PostgresqlSink(Place(site, Path("/nowhere"), options))

    def operation(page: int, sections: int | None) -> Operation:
        url = f"https://e.org/{page}"
        if sections is None:
            return drop(url, 5)
        texts = [f"{part}" for part in range(sections)]
        parts = [{"heading": [], "text": text} for text in texts]
        return put(url, f"{page} {sections}", sections=parts, passages=texts)

    site = f"site {next(numbers)}"
    model: dict[int, int] = {}
    last: list[Operation] = []
    sink = sink_of(site)
    try:
        sink.open()
        for step in steps:
            if step == "again":
                sink.write(last)
            elif step == "new":
                sink.close()
                sink = sink_of(site)
                sink.open()
            elif step == "rebuild":
                with sink.rebuild():
                    sink.write([operation(*pair) for pair in model.items()])
            else:
                last = [operation(*pair) for pair in step]
                assert sink.write(last) == {}
                for page, sections in step:
                    model.pop(page, None)
                    if sections is not None:
                        model[page] = sections
        expected = {
            unit
            for page, sections in model.items()
            for unit in unit_ids(
                document_id(f"https://e.org/{page}"),
                units,
                sections + 1 if units == "pagelets" else max(1, sections),
            )
        }
        assert set(held(sink)) == expected
    finally:
        sink.close()


# --- Languages ---


@pytest.mark.parametrize(
    ("language", "text", "query"),
    [
        ("english", "the horses were running", "horse run"),
        ("german", "Die schönen Häuser", "SCHÖN haus"),
        ("russian", "Москва больших городов", "больший город"),
        ("simple", "Überraschung und/oder 1990-1999 <b>fett</b>", "überraschung oder 1999 fett b"),
        ("simple", "İstanbul ＦＵＬＬ ﬁne", "istanbul full fine"),
        ("simple", "Donau\u00addampf", "donaudampf"),
    ],
)
def test_words_are_found_in_the_language_of_the_index(server, database, made, language, text, query) -> None:
    sink = made(language=language)
    sink.open()
    sink.write([put("https://e.org/", text), put("https://e.org/other", "else")])
    assert urls_for(server, database, sink, query) == ["https://e.org/"]


def test_the_locale_of_the_database_makes_no_difference(server, made) -> None:
    database = server.database("template0", "LOCALE 'C'")
    sink = made(dsn=server.dsn(database))
    sink.open()
    sink.write([put("https://e.org/", "ÜBERGRÖSSE МОСКВА 中文分词 İstanbul")])
    for query in ("übergrösse", "москва", '"分 词"', "istanbul"):
        assert urls_for(server, database, sink, query) == ["https://e.org/"]


def test_a_configuration_of_ones_own_takes_accents_off(server, made) -> None:
    database = server.database()
    server.execute(database, "CREATE EXTENSION unaccent")
    server.execute(database, "CREATE TEXT SEARCH CONFIGURATION german_unaccented (COPY = german)")
    server.execute(
        database,
        "ALTER TEXT SEARCH CONFIGURATION german_unaccented "
        "ALTER MAPPING FOR word, hword, hword_part WITH unaccent, german_stem",
    )
    sink = made(dsn=server.dsn(database), language="german_unaccented")
    sink.open()
    sink.write([put("https://e.org/", "Die schönen Häuser")])
    assert urls_for(server, database, sink, "schon HAUS") == ["https://e.org/"]
    (row,) = server.execute(database, f"SELECT configuration FROM {table_of(sink)}")
    assert row == ("public.german_unaccented",)


@pytest.mark.parametrize("name", ["englsh", "no.such", "a b'c", ".", '"', "a.b.c.d"])
def test_a_configuration_that_is_not_there_is_named(made, name) -> None:
    with pytest.raises(SinkDown) as caught:
        made(language=name).open()
    assert name in str(caught.value)
    assert "'simple'" in str(caught.value)


def test_an_index_of_another_configuration_is_another_index(server, database, made) -> None:
    before = made()
    name = before.open()
    before.write([put("https://e.org/", "running")])
    after = made(language="english")
    assert after.open() != name
    after.write([put("https://e.org/new", "running")])
    assert urls_for(server, database, after, "run") == ["https://e.org/new"]


def test_a_table_that_tells_the_configurations_of_its_sites_is_used_further(server, database, made) -> None:
    sink = made()
    name = sink.open()
    server.execute(
        database,
        f"ALTER TABLE {table_of(sink)}_sites ADD configurations text[] NOT NULL DEFAULT '{{}}'",
    )
    assert made().open() == name
    assert sink.write([put("https://e.org/")]) == {}
    assert made(site="another").write([put("https://e.org/")]) == {}


# --- Which index it is ---


def test_an_index_keeps_its_name(made) -> None:
    name = made().open()
    assert made().open() == name
    sink = made()
    sink.write([put("https://e.org/")])
    assert sink.open() == made().open() == name
    sink.write([drop("https://e.org/")])
    assert held(sink) == {}
    assert made(site="another").open() != name


@pytest.mark.parametrize("statement", ["DROP TABLE {}", "DROP TABLE {0}, {0}_sites", "TRUNCATE {}"])
def test_an_index_that_was_lost_has_another_name_afterwards(server, database, made, statement) -> None:
    sink = made()
    name = sink.open()
    sink.write([put("https://e.org/")])
    server.execute(database, statement.format(table_of(sink)))
    again = made()
    assert again.open() != name
    assert held(again) == {}
    assert again.write([put("https://e.org/")]) == {}


def test_units_of_another_kind_are_another_index(made) -> None:
    before = made()
    name = before.open()
    before.write([put("https://e.org/old")])
    after = made(units="sections")
    assert after.open() != name
    after.write([put("https://e.org/new")])
    assert set(held(after)) == set(unit_ids(document_id("https://e.org/new"), "sections", 1))


def test_a_table_that_disappears_in_between_is_made_again(server, database, made) -> None:
    sink = made()
    name = sink.open()
    sink.write([put("https://e.org/")])
    server.execute(database, f"DROP TABLE {table_of(sink)}")
    with pytest.raises(SinkDown, match="makes the table again"):
        sink.write([put("https://e.org/")])
    assert sink.open() != name


def test_a_column_that_was_dropped_is_named(server, database, made) -> None:
    sink = made()
    sink.open()
    server.execute(database, f"ALTER TABLE {table_of(sink)} DROP COLUMN author")
    with pytest.raises(SinkDown, match=r'"author".*; add the column again, or drop the table'):
        sink.write([put("https://e.org/")])


def test_the_table_of_somebody_else_is_left_alone(server, database, made) -> None:
    sink = made()
    server.execute(database, f"CREATE TABLE {table_of(sink)} (mine text)")
    with pytest.raises(SinkDown, match="somebody else's; name another table in"):
        sink.open()


def test_a_table_of_another_version_is_named(server, database, made) -> None:
    sink = made()
    sink.open()
    server.execute(database, f"COMMENT ON TABLE {table_of(sink)} IS 'site-pagelets search units, version 0'")
    with pytest.raises(SinkDown, match="another version of site-pagelets; run DROP TABLE"):
        made().open()


def test_a_table_may_be_in_a_schema(server, made) -> None:
    database = server.database()
    dsn = server.dsn(database)
    with pytest.raises(SinkDown, match="no schema search; run CREATE SCHEMA"):
        made(dsn=dsn, table="search.units").open()
    server.execute(database, "CREATE SCHEMA search")
    sink = made(dsn=dsn, table="search.units", language="english")
    sink.open()
    sink.write([put("https://e.org/", "houses")])
    assert server.execute(database, "SELECT configuration FROM search.units") == [("pg_catalog.english",)]
    assert urls_for(server, database, sink, "house") == ["https://e.org/"]


# --- Rebuilding ---


def test_a_rebuilt_index_is_seen_when_it_is_whole(made) -> None:
    reader, other, sink = made(), made(site="other"), made()
    name = sink.open()
    reader.open()
    sink.write([put("https://e.org/old")])
    with sink.rebuild():
        sink.write([put("https://e.org/new")])
        assert set(held(reader)) == ids("https://e.org/old")
        # Another site's crawl does not wait for it.
        assert other.write([put("https://e.org/other")]) == {}
        sink.write([put("https://e.org/newer")])
    assert set(held(reader)) == ids("https://e.org/new", "https://e.org/newer")
    assert set(held(other)) == ids("https://e.org/other")
    assert sink.open() == reader.open() != name


def test_a_rebuild_that_fails_leaves_the_index_as_it_was(made) -> None:
    sink = made()
    name = sink.open()
    sink.write([put("https://e.org/old")])
    with pytest.raises(KeyError), sink.rebuild():
        sink.write([put("https://e.org/new")])
        raise KeyError
    assert set(held(sink)) == ids("https://e.org/old")
    assert sink.open() == name


def test_a_rebuild_whose_connection_is_lost_leaves_the_index_as_it_was(server, database, made) -> None:
    sink = made()
    name = sink.open()
    sink.write([put("https://e.org/old")])
    with pytest.raises(SinkDown), sink.rebuild():
        sink.write([put("https://e.org/new")])
        terminate(server, database)
        sink.write([put("https://e.org/newer")])
    assert set(held(sink)) == ids("https://e.org/old")
    assert sink.open() == name


def test_a_rebuild_refuses_a_poisoned_document_alone(server, database, made) -> None:
    sink = made()
    sink.open()
    poison(server, database, sink)
    with sink.rebuild():
        refusals = sink.write([put("https://e.org/1"), put("https://e.org/2", title="poison")])
    assert set(refusals) == ids("https://e.org/2")
    assert set(held(sink)) == ids("https://e.org/1")
