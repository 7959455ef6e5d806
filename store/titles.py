"""The titles of a site's pages."""

from __future__ import annotations

from typing import TYPE_CHECKING

from store.states import ALIVE

if TYPE_CHECKING:
    import sqlite3
    from collections.abc import Iterator


class Titles:
    """The titles of the pages that a site has, read anew from the store each time."""

    def __init__(self, connection: sqlite3.Connection) -> None:
        self._connection = connection

    def __iter__(self) -> Iterator[str]:
        rows = self._connection.execute(f"SELECT title FROM pages WHERE {ALIVE}")
        return (title or "" for (title,) in rows)
