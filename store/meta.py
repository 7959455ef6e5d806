"""Values that a store keeps of itself, such as the parameters its sketches were made with."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import sqlite3


class Meta:
    """Texts by their key. Each write belongs to the caller's transaction."""

    def __init__(self, connection: sqlite3.Connection) -> None:
        self._connection = connection

    def get(self, key: str) -> str | None:
        """The value of a key, None where there is none."""
        row = self._connection.execute("SELECT value FROM meta WHERE key = ?", (key,)).fetchone()
        return None if row is None else str(row[0])

    def set(self, key: str, value: str) -> None:
        """Keeps a value in place of the one before."""
        self._connection.execute("INSERT OR REPLACE INTO meta VALUES (?, ?)", (key, value))

    def forget(self, key: str) -> None:
        """Removes a value."""
        self._connection.execute("DELETE FROM meta WHERE key = ?", (key,))
