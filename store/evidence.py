"""The relations that detection reads, as a store has them at one moment, and DuckDB, asked within limits."""

from __future__ import annotations

import contextlib
from itertools import chain, groupby
from operator import itemgetter
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final, TypeAlias, TypeVar

import numpy as np

from pagelets.block_keys import BLOCK_KEYS
from pagelets.sketch import page_shingle
from store.errors import NotEnoughMemory, StoreUnusable
from store.scratch import scratch
from store.states import ALIVE

if TYPE_CHECKING:
    import sqlite3
    from collections.abc import Callable, Iterator, Mapping, Sequence

    import duckdb
    from numpy.typing import NDArray

EVIDENCE: Final = ("pages", "pagelets", "fragments", "fragment_links", "fragment_blocks")
"""The relations, and the tables that have them."""
SHINGLES: Final = "shingles"
"""The relation of pages and what near-duplicates of each share, where these count as duplicates."""
MOST_ROWS: Final = 500_000
"""Rows of a relation, and keys of blocks: a site with more is handed to DuckDB in files."""

Answer = TypeVar("Answer")
Columns: TypeAlias = "Mapping[str, NDArray[Any]]"
Relations: TypeAlias = "Mapping[str, Columns] | Path"
"""The columns of each relation, or the folder of its files."""

_BLOCK_COLUMNS: Final = ("fragment", "block", "tag_path_key", "placed")

_PAGES: Final = (
    "SELECT page, host, fingerprint, url FROM pages "
    f"WHERE {ALIVE} AND page IN (SELECT page FROM pagelets) ORDER BY page"
)
_VALUES: Final = (
    "SELECT page, sketch_values FROM pagelets JOIN fragments USING (fragment) "
    f"WHERE page IN (SELECT page FROM pages WHERE {ALIVE}) AND sketch_values <> x'' ORDER BY page"
)
COLUMNS: Final = {
    "pagelets": ("page", "position", "fragment"),
    "fragments": ("fragment", "sketch"),
    "fragment_links": ("fragment", "target"),
}
"""The columns that detection reads, of relations that are tables of the store."""


def is_small(connection: sqlite3.Connection) -> bool:
    """Returns True if all relations of a store have at most `MOST_ROWS` rows."""
    rows = [f"SELECT COUNT(*) > ?1 FROM (SELECT 1 FROM {name} LIMIT ?1 + 1)" for name in COLUMNS]
    keys = f"SELECT COALESCE(SUM(LENGTH(block_keys)), 0) > ?1 * {BLOCK_KEYS.itemsize} FROM fragments"
    return not any(connection.execute(test, (MOST_ROWS,)).fetchone()[0] for test in (*rows, keys))


def shingles(connection: sqlite3.Connection) -> dict[int, int]:
    """Reads `SHINGLES`, of pages with a sketch, inside a transaction."""
    rows = groupby(connection.execute(_VALUES), key=itemgetter(0))
    found = ((page, page_shingle([values for _, values in of_page])) for page, of_page in rows)
    return {page: shingle for page, shingle in found if shingle is not None}


def relations(connection: sqlite3.Connection, shingled: Mapping[int, int]) -> dict[str, Columns]:
    """Reads the relations of a small store into memory, inside a transaction; those ``shingled`` take the
    place of pages' fingerprints.
    """
    found: dict[str, Columns] = {}
    *columns, urls = list(zip(*connection.execute(_PAGES), strict=True)) or [(), (), (), ()]
    page, host, fingerprint = (np.array(column, np.int64) for column in columns)
    if shingled:
        fingerprint = np.array(list(map(shingled.get, columns[0], columns[2])), np.int64)
    found["pages"] = {"page": page, "host": host, "url": np.array(urls, object), "fingerprint": fingerprint}
    for name, names in COLUMNS.items():
        alive = f"WHERE page IN (SELECT page FROM pages WHERE {ALIVE})" if "page" in names else ""
        rows = connection.execute(f"SELECT {', '.join(names)} FROM {name} {alive}")
        numbers = np.fromiter(chain.from_iterable(rows), np.int64)
        found[name] = dict(zip(names, numbers.reshape(-1, len(names)).T.copy(), strict=True))
    packed = connection.execute("SELECT fragment, block_keys FROM fragments").fetchall()
    found["fragment_blocks"] = dict(zip(_BLOCK_COLUMNS, unnested(packed), strict=True))
    return found


def unnested(rows: Sequence[tuple[int, bytes]]) -> list[NDArray[np.int64]]:
    """The columns of `_BLOCK_COLUMNS`, given fragments and the keys of their blocks."""
    fragments = np.array([fragment for fragment, _ in rows], np.int64)
    sizes = [len(packed) // BLOCK_KEYS.itemsize for _, packed in rows]
    keys = np.frombuffer(b"".join([packed for _, packed in rows]), BLOCK_KEYS)
    return [np.repeat(fragments, sizes), *(keys[name].astype(np.int64) for name in BLOCK_KEYS.names or ())]


@contextlib.contextmanager
def limited(folder: Path, *, memory: int, threads: int) -> Iterator[duckdb.DuckDBPyConnection]:
    """DuckDB with so many MB of ``memory`` and so many ``threads``; what goes beyond the memory is in a
    folder meanwhile. Raises OSError.
    """
    # DuckDB takes as long to load as two small sites to detect.
    import duckdb

    with (
        scratch(folder) as spilled,
        duckdb.connect(
            config={"memory_limit": f"{memory}MiB", "threads": threads, "temp_directory": str(spilled)}
        ) as con,
    ):
        con.execute("SET preserve_insertion_order = false")
        yield con


def within_budgets(budgets: Sequence[int], ask: Callable[[int], Answer], folder: Path, wanted: str) -> Answer:
    """Returns what DuckDB answers with the first budget of memory that is enough.

    Args:
        budgets: MB of memory, one try after the other.
        ask: asks DuckDB, given one of them.
        folder: where DuckDB puts what does not fit into memory.
        wanted: the beginning of the sentence that says what takes more than the last budget.

    Raises:
        NotEnoughMemory: no budget was enough.
        StoreUnusable: the folder has no room.

    """
    import duckdb

    for memory in budgets:
        try:
            return ask(memory)
        # The second is what a commit raises that has no memory.
        except (duckdb.OutOfMemoryException, duckdb.TransactionException):
            continue
        except duckdb.Error as error:
            said = str(error).partition("\n")[0]
            raise StoreUnusable(f"{folder}: {said}; see that it has room") from error
    raise NotEnoughMemory(
        f"{wanted} more than {budgets[-1]} MB of memory; give it more "
        f"(-s DETECTION_MEMORY={2 * budgets[-1]}), or name fewer sites"
    )


@contextlib.contextmanager
def asked(given: Relations, *, spill: Path, memory: int) -> Iterator[duckdb.DuckDBPyConnection]:
    """Opens DuckDB over the relations; pages without a pagelet take no part. `SHINGLES`, where there is a
    file of them, take the place of fingerprints.

    Args:
        given: the relations, or the folder of their files.
        spill: an existing folder; data beyond the memory is in files there meanwhile.
        memory: the MB of memory that it may use.

    Raises:
        OSError, duckdb.Error: the folder has no room, or the memory is not enough.

    """
    with limited(spill, memory=memory, threads=1) as con:
        if not isinstance(given, Path):
            for name, columns in given.items():
                con.register(f"given_{name}" if name == "pages" else name, dict(columns))
            con.execute("CREATE TABLE pages AS SELECT * FROM given_pages")
        else:
            names = (*EVIDENCE[1:], *([SHINGLES] if (given / f"{SHINGLES}.parquet").exists() else ()))
            for name in names:
                con.execute(f"CREATE VIEW {name} AS SELECT * FROM {_parquet(given, name)}")
            con.execute(
                "CREATE TABLE pages AS SELECT page, host, url, fingerprint "
                f"FROM {_parquet(given, 'pages')} WHERE page IN (SELECT page FROM pagelets)"
            )
            if SHINGLES in names:
                con.execute(
                    "CREATE OR REPLACE TABLE pages AS SELECT page, host, url, "
                    f"COALESCE({SHINGLES}.fingerprint, pages.fingerprint) AS fingerprint "
                    f"FROM pages LEFT JOIN {SHINGLES} USING (page)"
                )
        yield con


def _parquet(folder: Path, name: str) -> str:
    path = str(folder / f"{name}.parquet").replace("'", "''")
    return f"read_parquet('{path}')"
