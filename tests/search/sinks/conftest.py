"""A PostgreSQL server for those tests that ask for one, started once."""

from __future__ import annotations

import itertools
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from search.sink import Place
from search.sinks.postgresql import PostgresqlSink

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from pagelets.fields import FieldColumn
    from tests.postgres import PostgresServer


@pytest.fixture(scope="session")
def server(postgresql: PostgresServer) -> PostgresServer:
    return postgresql


@pytest.fixture(scope="session")
def database(server: PostgresServer) -> str:
    return server.database()


@pytest.fixture(scope="session")
def numbers() -> Iterator[int]:
    """Numbers that nothing else in the database has."""
    return itertools.count()


@pytest.fixture
def made(
    server: PostgresServer, database: str, numbers: Iterator[int]
) -> Iterator[Callable[..., PostgresqlSink]]:
    """Makes sinks, of one table for each test unless others are asked for."""
    sinks: list[PostgresqlSink] = []
    table = f"units_{next(numbers)}"

    def make(
        site: str = "example.org", timeout: float = 10, columns: tuple[FieldColumn, ...] = (), **options: Any
    ) -> PostgresqlSink:
        given = {"dsn": server.dsn(database), "table": table, **options}
        sinks.append(PostgresqlSink(Place(site, Path("/nowhere"), given, timeout, columns)))
        return sinks[-1]

    yield make
    for sink in sinks:
        sink.close()
