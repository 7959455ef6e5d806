"""Conditions, orders and counts by fields: every index answers as plain Python does."""

from __future__ import annotations

import os
import signal
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from pagelets.fields import FieldColumn
from search.columns import OWN, difference
from search.query import Query
from search.sink import Place
from search.sinks.elasticsearch import ElasticsearchSink
from search.sinks.opensearch import OpenSearchSink
from search.sinks.postgresql import PostgresqlSink
from search.sinks.tantivy import TantivySink
from search.where import WhereError, parse_column, parse_sort, parse_where
from tests import shop
from tests.forked import begin
from tests.indexed import delete
from tests.searchserver import search_server

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from search.query import Found
    from tests.postgres import PostgresServer

SIZE = 600
FEW = shop.products(200)
ORDERS = st.sampled_from(
    ["price", "-price", "sku", "-sku", "in_stock", "-closes", "url", "-published", "language"]
)
COUNTED = st.sampled_from(["tags", "price", "closes", "in_stock", "sku"])


def asked(sink: Any, text: str = "", where: str = "", sort: str = "", count: str = "", **more: Any) -> Found:
    """What a search finds whose options are texts, as on the command line."""
    columns = sink.searched_columns()
    return sink.search(
        Query.parse(
            text,
            where=parse_where(where, columns) if where else None,
            sort=parse_sort(sort, columns) if sort else None,
            counts=[parse_column("--count", count, columns)] if count else (),
            **{"limit": 10_000, **more},
        )
    )


def urls(found: Found) -> list[str]:
    return [hit.url for hit in found.hits]


def counted(found: Found, name: str) -> dict[Any, int]:
    rows = found.counts[name]
    assert [count for _, count in rows] == sorted((count for _, count in rows), reverse=True)
    if name in ("closes", "published"):
        return {shop.moment(value).isoformat(): count for value, count in rows}  # type: ignore[union-attr]
    return dict(rows)


@pytest.fixture(scope="module")
def documents() -> shop.Shop:
    """A shop after changes and deletions."""
    made = shop.products(SIZE)
    made.update((one["url"], one) for one in (shop.product(number, 1) for number in range(0, SIZE, 7)))
    return shop.Shop((url, one) for number, (url, one) in enumerate(made.items()) if number % 11)


def fill(sink: Any, documents: shop.Shop) -> None:
    """Brings a shop into an index, changes it, and takes from it."""
    first = shop.products(SIZE)
    batch = shop.operations(first.values())
    for start in range(0, SIZE, 500):
        assert not sink.write(batch[start : start + 500])
    changed = shop.operations(one for url, one in documents.items() if one != first[url])
    gone = [delete(url.removeprefix("https://site.example")) for url in first.keys() - documents.keys()]
    assert not sink.write([*changed, *gone])


@pytest.fixture(scope="module")
def embedded(tmp_path_factory: pytest.TempPathFactory, documents: shop.Shop) -> Iterator[TantivySink]:
    sink = TantivySink(Place("site.example", tmp_path_factory.mktemp("index"), {}, columns=shop.COLUMNS))
    sink.open()
    fill(sink, documents)
    yield sink
    sink.close()


@pytest.fixture(scope="module")
def database(postgresql: PostgresServer, documents: shop.Shop) -> Iterator[PostgresqlSink]:
    options = {"dsn": postgresql.dsn(postgresql.database())}
    sink = PostgresqlSink(Place("site.example", Path("/nowhere"), options, columns=shop.COLUMNS))
    sink.open()
    fill(sink, documents)
    yield sink
    sink.close()


@pytest.fixture(scope="module", params=["opensearch", "elasticsearch"])
def cluster(request: pytest.FixtureRequest) -> Iterator[Any]:
    with search_server(request.param) as server:
        backend = {"opensearch": OpenSearchSink, "elasticsearch": ElasticsearchSink}[request.param]
        options = {"hosts": [server.base]}
        sink = backend(Place("site.example", Path("/nowhere"), options, columns=shop.COLUMNS))
        sink.open()
        assert not sink.write(shop.operations(FEW.values()))
        yield sink
        sink.close()


def check(sink: Any, documents: shop.Shop, condition: shop.Condition, sort: str, count: str) -> None:
    """Compares what an index answers with what plain Python does."""
    text, holds = condition
    wanted = [one for one in documents.values() if holds(one)]
    found = asked(sink, where=text, sort=sort, count=count, limit=50)
    assert [hit.url for hit in found.hits] == shop.in_order(wanted, sort)[:50], text
    assert found.total == len(wanted)
    assert counted(found, count) == shop.counts(wanted, count), text


@given(shop.CONDITIONS, ORDERS, COUNTED)
def test_the_embedded_index_answers_as_plain_python(embedded, documents, condition, sort, count):
    check(embedded, documents, condition, sort, count)


@given(shop.CONDITIONS, ORDERS, COUNTED)
def test_postgresql_answers_as_plain_python(database, documents, condition, sort, count):
    check(database, documents, condition, sort, count)


NEW = (*shop.COLUMNS[1:4], FieldColumn("price", "text"), FieldColumn("closes_at", "date"))
"""Columns of which one is gone, one of another type, and one new."""


def otherwise(documents: shop.Shop) -> shop.Shop:
    """A shop with the fields of `NEW`."""
    made = shop.Shop()
    for url, one in documents.items():
        price = one["price"]
        made[url] = one | {"price": None if price is None else f"{price:g}", "closes_at": one["closes"]}
        del made[url]["closes"]
    return made


class Index:
    """A site's index, in a folder or a database, as sinks with any columns open it."""

    def __init__(self, make: Callable[[Place], Any], folder: Path, options: dict[str, Any]) -> None:
        self.make, self.folder, self.options = make, folder, options

    @contextmanager
    def sink(self, columns: tuple[FieldColumn, ...]) -> Iterator[Any]:
        sink = self.make(Place("site.example", self.folder, self.options, columns=columns))
        try:
            yield sink
        finally:
            sink.close()

    def rebuild(self, columns: tuple[FieldColumn, ...], documents: shop.Shop, dies_after: int = 0) -> str:
        """Rebuilds the index as a delivery does, and returns its name; may kill its process after so many
        batches.
        """
        with self.sink(columns) as sink:
            sink.open()
            batch = shop.operations(documents.values())
            with sink.rebuild():
                for number, start in enumerate(range(0, len(batch), 250), 1):
                    assert not sink.write(batch[start : start + 250])
                    if number == dies_after:
                        os.kill(os.getpid(), signal.SIGKILL)
            name: str = sink.open()
            return name


@pytest.fixture(params=["tantivy", "postgresql"])
def made(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Index]:
    """An index with the shop, and with nothing else."""
    if request.param == "tantivy":
        yield Index(TantivySink, tmp_path, {})
        return
    server = request.getfixturevalue("postgresql")
    yield Index(PostgresqlSink, tmp_path, {"dsn": server.dsn(server.database())})


def first_of(sink: Any, where: str, sort: str) -> list[str]:
    return urls(asked(sink, where=where, sort=sort, limit=50))


def test_other_fields_take_the_place_of_the_old_ones_at_once(made, documents):
    now = otherwise(documents)
    few = [one for one in documents.values() if [] < shop.values(one, "price") < [20]]
    cheap = shop.in_order(few, "closes")[:50]
    with made.sink(shop.COLUMNS) as first:
        before = first.open()
        fill(first, documents)
        assert first.open() == before
    with made.sink(NEW) as sink:
        assert sink.open() != before
        assert difference(sink.columns_there(), NEW) == (
            "closes_at (date) is new, closes is gone, price is text, was number"
        )
        # Searches go on by the fields that the index has.
        assert first_of(sink, "price < 20", "closes") == cheap
        with pytest.raises(WhereError, match="'closes_at': the index does not have this field yet"):
            parse_where("closes_at is null", sink.searched_columns(), ["closes_at"])
    killed = begin(made.rebuild, NEW, now, 3)
    killed.join(60)
    assert killed.exitcode == -signal.SIGKILL
    with made.sink(shop.COLUMNS) as first:
        assert first.open() == before
        assert first_of(first, "price < 20", "closes") == cheap
    with made.sink(NEW) as sink, pytest.raises(ZeroDivisionError), sink.rebuild():
        assert not sink.write(shop.operations([*now.values()][:9]))
        raise ZeroDivisionError
    name = made.rebuild(NEW, now)
    with made.sink(NEW) as sink:
        assert sink.open() == name
        assert sink.columns_there() == tuple(sorted(NEW, key=lambda one: one.name))
        (again,) = shop.operations([*now.values()][:1])
        assert not sink.write([again])
        assert sink.open() == name
        assert len(dict(sink.held())) == len(now)
        texts = [one for one in now.values() if one["price"] is not None and one["price"] >= "2"]
        assert first_of(sink, "price >= '2'", "-closes_at") == shop.in_order(texts, "-closes_at")[:50]
        with pytest.raises(WhereError, match="unknown field 'closes'; did you mean 'closes_at'"):
            asked(sink, where="closes is null")
        with pytest.raises(WhereError, match="price is compared with a text"):
            asked(sink, where="price < 20")
    made.rebuild((), documents)
    with made.sink(()) as sink:
        assert sink.searched_columns() == OWN
        assert (
            first_of(sink, "language = 'de'", "url")
            == shop.in_order((one for one in documents.values() if one["language"] == "de"), "url")[:50]
        )
    made.rebuild(shop.COLUMNS, documents)
    with made.sink(shop.COLUMNS) as sink:
        assert first_of(sink, "price < 20", "closes") == cheap


@settings(max_examples=20)
@given(shop.CONDITIONS, ORDERS, COUNTED)
def test_clusters_are_asked_for_the_same(cluster, condition, sort, count):
    check(cluster, FEW, condition, sort, count)
