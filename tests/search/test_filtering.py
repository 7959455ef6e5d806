"""Conditions, orders and counts by fields: every index answers as plain Python does."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from search.query import Query
from search.sink import Place
from search.sinks.postgresql import PostgresqlSink
from search.sinks.tantivy import TantivySink
from search.where import parse_column, parse_sort, parse_where
from tests import shop
from tests.indexed import delete
from tests.postgres import postgres_server

if TYPE_CHECKING:
    from collections.abc import Iterator

    from search.query import Found

SIZE = 2000
SORTS = ["price", "-price", "sku", "-sku", "in_stock", "-closes", "url", "-published", "language"]


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
    assert found.total == len(found.hits)
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
def database(documents: shop.Shop) -> Iterator[PostgresqlSink]:
    with postgres_server() as server:
        given_ = {"dsn": server.dsn(server.database())}
        sink = PostgresqlSink(Place("site.example", Path("/nowhere"), given_, columns=shop.COLUMNS))
        sink.open()
        fill(sink, documents)
        yield sink
        sink.close()


EXAMPLES = settings(
    max_examples=150, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture]
)


def check(sink: Any, documents: shop.Shop, condition: shop.Condition, sort: str, count: str) -> None:
    """Compares what an index answers with what plain Python does."""
    text, holds = condition
    wanted = [one for one in documents.values() if holds(one)]
    found = asked(sink, where=text, sort=sort, count=count, limit=50)
    assert [hit.url for hit in found.hits] == shop.in_order(wanted, sort)[:50], text
    assert found.total == len(wanted)
    assert counted(found, count) == shop.counts(wanted, count), text


@EXAMPLES
@given(
    shop.CONDITIONS, st.sampled_from(SORTS), st.sampled_from(["tags", "price", "closes", "in_stock", "sku"])
)
def test_the_embedded_index_answers_as_plain_python(embedded, documents, condition, sort, count):
    check(embedded, documents, condition, sort, count)


@EXAMPLES
@given(
    shop.CONDITIONS, st.sampled_from(SORTS), st.sampled_from(["tags", "price", "closes", "in_stock", "sku"])
)
def test_postgresql_answers_as_plain_python(database, documents, condition, sort, count):
    check(database, documents, condition, sort, count)
