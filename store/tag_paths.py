"""Tag paths of pagelets: the table TAG_PATHS, a tree of steps, for most of them begin as others do."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterable
from typing import Final

from store.table import Table

_ROOT: Final = 0
_KNOWN: Final = 1 << 13


class TagPaths(Table):
    """Numbers tag paths, whose steps are parted by ``/``; writes belong to the caller's transaction."""

    def __init__(self, connection: sqlite3.Connection) -> None:
        super().__init__(connection)
        self._numbers: dict[str, int] = {}
        # Tag paths made here: those below them are all among the numbers.
        self._made: set[int] = set()
        # Those that are not written yet, and the number of the next.
        self._new: list[tuple[int, int, str]] = []
        self._next = 0

    def forget(self) -> None:
        """Drops what is remembered of the table: a transaction was rolled back."""
        self._numbers.clear()
        self._made.clear()
        self._new.clear()

    def numbers(self, names: Iterable[str]) -> list[int]:
        """Returns the numbers of tag paths, new ones for new paths; these are written together."""
        self._next = self._number("SELECT coalesce(max(tag_path), 0) + 1 FROM tag_paths")
        numbers = list(map(self._number_of, names))
        self._write()
        return numbers

    def _write(self) -> None:
        self._executemany("INSERT INTO tag_paths VALUES (?, ?, ?)", self._new)
        self._new.clear()

    def _number_of(self, name: str) -> int:
        tag_path = self._numbers.get(name)
        if tag_path is not None:
            return tag_path
        if len(self._numbers) + name.count("/") >= _KNOWN:
            self._write()
            self.forget()
        # From the longest beginning that is known.
        unknown, above, mark = [], name, "/"
        while mark and above not in self._numbers:
            unknown.append(above)
            above, mark, _ = above.rpartition("/")
        tag_path = self._numbers[above] if mark else _ROOT
        for path in reversed(unknown):
            tag_path = self._numbers[path] = self._child(tag_path, path.rpartition("/")[2])
        return tag_path

    def name(self, tag_path: int) -> str:
        """Returns the tag path of a number. Raises KeyError for an unknown one."""
        steps: list[str] = []
        while tag_path != _ROOT:
            select = "SELECT parent, step FROM tag_paths WHERE tag_path = ?"
            tag_path, step = self._get(lambda *row: row, select, tag_path)
            steps.append(step)
        return "/".join(reversed(steps))

    def _child(self, parent: int, step: str) -> int:
        if parent not in self._made:
            select = "SELECT tag_path FROM tag_paths WHERE parent = ? AND step = ?"
            if (known := self._first(int, select, parent, step)) is not None:
                return known
        made, self._next = self._next, self._next + 1
        self._new.append((made, parent, step))
        self._made.add(made)
        return made


NAMED_TAG_PATHS: Final = (
    f"(WITH RECURSIVE named (tag_path, name) AS (SELECT tag_path, step FROM tag_paths WHERE parent = {_ROOT} "
    "UNION ALL SELECT below.tag_path, name || '/' || step FROM named "
    "JOIN tag_paths AS below ON below.parent = named.tag_path) SELECT * FROM named)"
)
"""All tag paths, inner steps of others too, with the columns ``tag_path`` and ``name``."""
