"""Words and filters find the same on servers as in the index of this machine."""

from __future__ import annotations

from contextlib import ExitStack
from datetime import date
from typing import TYPE_CHECKING, Any

import pytest

from search.query import Query
from search.sink import Place
from search.sinks.elasticsearch import ElasticsearchSink
from search.sinks.opensearch import OpenSearchSink
from search.sinks.postgresql import PostgresqlSink
from search.sinks.tantivy import TantivySink
from tests.indexed import index, marked
from tests.searchserver import search_server

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from search.sink import Operation

UNITS = ("documents", "sections", "pagelets")


def document(path: str, text: str, title: str, **fields: Any) -> Operation:
    """What gives an index a document of one section and one passage."""
    return index(path, text, title, sections=[{"heading": ["Part"], "text": text}], passages=[text], **fields)


DOCUMENTS = [
    document("/", "All about stone.", "Walls", language="en", published="2026-01-05"),
    document("/blog/dry", "A dry stone wall needs no mortar.", "Dry stone", language="en-GB"),
    document(
        "/blog/wet", "Mortar holds a wall together, and no stone is dry.", "Wet", published="2025-12-31"
    ),
    document("/de/mauer", "Eine Mauer aus Stein.", "Trockenmauer", language="de", published="2026-02-01"),
    document("/caf%C3%A9/x", "Stone cake (1.5)*.", "Café", language="de-AT", author="A. Mason"),
]


@pytest.fixture(scope="module")
def sinks(
    tmp_path_factory: pytest.TempPathFactory, request: pytest.FixtureRequest
) -> Iterator[Callable[[str, str], Any]]:
    """Gives filled sinks, by the name of the backend and the units."""
    folder = tmp_path_factory.mktemp("indexes")
    made: dict[tuple[str, str], Any] = {}
    with ExitStack() as open_ones:

        def options(name: str, units: str) -> tuple[type, dict[str, Any]]:
            if name == "tantivy":
                return TantivySink, {}
            if name == "postgresql":
                server = request.getfixturevalue("postgresql")
                return PostgresqlSink, {"dsn": server.dsn(server.database())}
            cluster = open_ones.enter_context(search_server(name))
            backend = {"opensearch": OpenSearchSink, "elasticsearch": ElasticsearchSink}[name]
            return backend, {"hosts": [cluster.base]}

        def sink(name: str, units: str) -> Any:
            if (name, units) not in made:
                backend, given = options(name, units)
                place = Place("site.example", folder / name / units, {**given, "units": units})
                made[name, units] = backend(place)
                open_ones.callback(made[name, units].close)
                made[name, units].open()
                assert not made[name, units].write(DOCUMENTS)
            return made[name, units]

        yield sink


QUERIES: list[tuple[str, dict[str, Any]]] = [
    ("stone", {}),
    ("stone mortar", {}),
    ("+stone mortar", {}),
    ('"dry stone"', {}),
    ('+wall -"dry stone"', {}),
    ("-stone", {}),
    ("mason zebra", {}),
    ("", {}),
    ("-mortar", {"language": "en"}),
    ("stone", {"language": "DE"}),
    ("stone", {"language": "e"}),
    ("stone", {"path": "/blog/"}),
    ("stone", {"path": "/blog/d"}),
    ("stone", {"path": "/café/"}),
    ("stone", {"path": "/caf%C3%A9"}),
    ("stone", {"path": ".*"}),
    ("stone", {"since": date(2026, 1, 5)}),
    ("stone", {"until": date(2026, 1, 5)}),
    ("stone", {"since": date.min, "until": date.max}),
    ("stone mauer", {"since": date(2026, 1, 6), "until": date(2026, 1, 31)}),
]


@pytest.mark.parametrize(
    ("name", "units"),
    [
        ("elasticsearch", "documents"),
        *((name, one) for name in ("postgresql", "opensearch") for one in UNITS),
    ],
)
def test_words_and_filters_find_the_same(sinks, name, units):
    here, there = sinks("tantivy", units), sinks(name, units)
    for text, filters in QUERIES:
        query = Query.parse(text, **filters)
        wanted, found = here.search(query), there.search(query)
        assert {hit.url for hit in found.hits} == {hit.url for hit in wanted.hits}, (text, filters)
        assert found.total == wanted.total
    assert all(hit.score > 0 for hit in there.search(Query.parse("stone")).hits)


@pytest.mark.parametrize("name", ["postgresql", "opensearch"])
def test_hits_are_shown_alike(sinks, name):
    (hit,) = sinks(name, "sections").search(Query.parse('"dry stone"', path="/blog")).hits
    assert (hit.url, hit.title, hit.headings) == ("https://site.example/blog/dry", "Dry stone", ("Part",))
    assert marked(hit) == "A *dry stone* wall needs no mortar."
    assert (hit.language, hit.published, hit.unit) == ("en-GB", None, f"{hit.document}-0")
    assert hit.fetched_at == "2026-01-31T12:00:00+00:00"
    limited = sinks(name, "documents").search(Query.parse("stone", limit=1, offset=1))
    assert (len(limited.hits), limited.total) == (1, 4)
