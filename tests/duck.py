"""One DuckDB for all that a test process asks: to begin one takes longer than what tests ask of it."""

from __future__ import annotations

import atexit
import contextlib
from functools import cache
from itertools import count
from typing import TYPE_CHECKING, Any

import duckdb

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

_BEGIN = duckdb.connect
_DATABASES = count()
_LITTLE = 100
"""MiB of memory; with less of it, a database may have to use its folder."""


@cache
def _shared() -> duckdb.DuckDBPyConnection:
    con = _BEGIN()
    # To optimize queries over some pages takes a seventh of a small crawl; commands do (`tests.forked`).
    found = con.execute("SELECT string_agg(name) FROM duckdb_optimizers()").fetchone()
    con.execute(f"SET disabled_optimizers = '{found[0]}'")
    # One that is left at the end counts as leaked.
    atexit.register(_shared.cache_clear)
    return con


def connect(database: str = ":memory:", config: Mapping[str, Any] | None = None) -> Any:
    """As `duckdb.connect`; what the project begins, which names a folder, is a new database in a DuckDB that
    stays.
    """
    given = dict(config or {})
    memory = given.get("memory_limit", "1000MiB")
    if "temp_directory" not in given or int(memory.removesuffix("MiB")) < _LITTLE:
        return _BEGIN(database, config=given)
    return _database(memory, given.get("threads", 1))


@contextlib.contextmanager
def _database(memory: str, threads: int) -> Iterator[duckdb.DuckDBPyConnection]:
    name = f"database{next(_DATABASES)}"
    with _shared().cursor() as con:
        for command in (
            f"SET memory_limit = '{memory}'",
            f"SET threads = {threads}",
            f"ATTACH ':memory:' AS {name}",
            f"USE {name}",
        ):
            con.execute(command)
        try:
            yield con
        finally:
            con.execute("USE memory")
            con.execute(f"DETACH {name}")
