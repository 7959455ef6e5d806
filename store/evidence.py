"""The relations that detection reads, as a store has them at one moment."""

from __future__ import annotations

import contextlib
from itertools import chain, groupby
from operator import itemgetter
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final, TypeAlias

import numpy as np

from pagelets.block_keys import BLOCK_KEYS
from pagelets.sketch import page_shingle
from store.states import ALIVE

if TYPE_CHECKING:
    import sqlite3
    from collections.abc import Iterator, Mapping

    import duckdb
    from numpy.typing import NDArray

EVIDENCE: Final = ("pages", "pagelets", "fragments", "fragment_links", "fragment_blocks")
"""The relations, and the tables that have them."""
SHINGLES: Final = "shingles"
"""The relation of pages and what near-duplicates of each share, where these count as duplicates."""
MOST_ROWS: Final = 500_000
"""Rows of a relation, and keys of blocks: a site with more is handed to DuckDB in files."""

Columns: TypeAlias = "Mapping[str, NDArray[Any]]"
Relations: TypeAlias = "Mapping[str, Columns] | Path"
"""The columns of each relation, or the folder of its files."""

_PAGES: Final = (
    "SELECT page, host, fingerprint, url FROM pages "
    f"WHERE {ALIVE} AND page IN (SELECT page FROM pagelets) ORDER BY page"
)
_VALUES: Final = (
    "SELECT page, sketch_values FROM pagelets JOIN fragments USING (fragment) "
    f"WHERE page IN (SELECT page FROM pages WHERE {ALIVE}) AND sketch_values <> x'' ORDER BY page"
)
_ROWS: Final = {
    "pagelets": (
        f"SELECT page, position, fragment FROM pagelets WHERE page IN (SELECT page FROM pages WHERE {ALIVE})",
        ("page", "position", "fragment"),
    ),
    "fragments": ("SELECT fragment, sketch FROM fragments", ("fragment", "sketch")),
    "fragment_links": ("SELECT fragment, target FROM fragment_links", ("fragment", "target")),
}


def is_small(connection: sqlite3.Connection) -> bool:
    """Returns True if all relations of a store have at most `MOST_ROWS` rows."""
    rows = [f"SELECT COUNT(*) > ?1 FROM (SELECT 1 FROM {name} LIMIT ?1 + 1)" for name in _ROWS]
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
    for name, (select, names) in _ROWS.items():
        numbers = np.fromiter(chain.from_iterable(connection.execute(select)), np.int64)
        found[name] = dict(zip(names, numbers.reshape(-1, len(names)).T.copy(), strict=True))
    packed = connection.execute("SELECT fragment, block_keys FROM fragments").fetchall()
    keys = np.frombuffer(b"".join([one for _, one in packed]), BLOCK_KEYS)
    fragments, sizes = (
        np.array([fragment for fragment, _ in packed], np.int64),
        [len(one) // BLOCK_KEYS.itemsize for _, one in packed],
    )
    found["fragment_blocks"] = {
        "fragment": np.repeat(fragments, sizes),
        "block": keys["block"].astype(np.int64),
        "tag_path_key": keys["tag_path"].astype(np.int64),
        "placed": keys["placed"].astype(np.int64),
    }
    return found


@contextlib.contextmanager
def asked(given: Relations, *, spill: Path, memory: int, threads: int) -> Iterator[duckdb.DuckDBPyConnection]:
    """Opens DuckDB over the relations; pages without a pagelet take no part. `SHINGLES`, where there is a
    file of them, take the place of fingerprints.

    Args:
        given: the relations, or the folder of their files.
        spill: an existing folder; data beyond the memory is in files there meanwhile.
        memory: the MB of memory that it may use.
        threads: the threads that it may use.

    Raises:
        OSError, duckdb.Error: the folder has no room, or the memory is not enough.

    """
    # DuckDB takes as long to load as two small sites to detect.
    from store.asked import limited

    with limited(spill, memory=memory, threads=threads) as con:
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
