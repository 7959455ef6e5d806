"""A part of a store: some of its pages, as a site of its own."""

from __future__ import annotations

import contextlib
import sqlite3
from collections.abc import Collection
from pathlib import Path
from typing import Final

from store.database import FILE, connect, transaction, unusable
from store.errors import StoreMissing
from store.frontier import Outcomes

_EVIDENCE: Final = frozenset({"blocks", "placed_blocks", "tag_path_support"})
"""What all pages together say: detection finds it again in the part."""


def copy_part(source: Path, target: Path, pages: Collection[int]) -> None:
    """Copies a store as it is at this moment with these pages alone. URLs that lead to others are known
    there, and not fetched.

    Args:
        source: the folder of the store, which a crawl may be writing to.
        target: the folder of the copy, which is made.
        pages: the ids of the pages.

    Raises:
        StoreMissing: there is no store.
        StoreUnusable: the store cannot be read, or the copy not be written.

    """
    path = source / FILE
    if not path.exists():
        # Attached, it would be made.
        raise StoreMissing(f"{path}: there is no store any more")
    with contextlib.closing(connect(target, create=True)) as connection:
        try:
            connection.execute("ATTACH ? AS source", (str(path),))
            with transaction(connection):
                _copy(connection, pages)
        except sqlite3.Error as error:
            raise unusable(target / FILE, error) from error


def _copy(connection: sqlite3.Connection, pages: Collection[int]) -> None:
    connection.execute("CREATE TEMP TABLE chosen (page INTEGER PRIMARY KEY)")
    connection.executemany("INSERT INTO chosen VALUES (?)", [(page,) for page in pages])
    tables = _columns(connection)
    # Pagelets come first, as they say which fragments are copied.
    for name in sorted(tables.keys() - _EVIDENCE, key=lambda name: "page" not in tables[name]):
        rows = ""
        if name != "pages" and "page" in tables[name]:
            rows = "WHERE page IN (SELECT page FROM chosen)"
        elif "fragment" in tables[name]:
            rows = "WHERE fragment IN (SELECT fragment FROM main.pagelets)"
        # Some have the names of words of SQL.
        columns = ", ".join(f'"{column}"' for column in tables[name])
        connection.execute(f"INSERT INTO main.{name} ({columns}) SELECT {columns} FROM source.{name} {rows}")
    Outcomes(connection).forget_others(pages)


def _columns(connection: sqlite3.Connection) -> dict[str, list[str]]:
    """The columns of each table."""
    names = connection.execute(
        "SELECT name FROM main.sqlite_master WHERE type = 'table' AND name NOT LIKE 'sqlite\\_%' ESCAPE '\\'"
    ).fetchall()
    return {
        name: [column for _, column, *_ in connection.execute(f"PRAGMA main.table_info({name})")]
        for (name,) in names
    }
