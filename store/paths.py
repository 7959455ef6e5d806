"""DOM paths of pagelets: the table PATHS, a tree of steps, for most paths begin as others do."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    import sqlite3
    from collections.abc import Iterator

_ROOT: Final = 0
_KNOWN: Final = 1 << 13


class Paths:
    """Numbers paths, whose steps are parted by ``/``; writes belong to the caller's transaction."""

    def __init__(self, connection: sqlite3.Connection) -> None:
        self._connection = connection
        self._numbers: dict[str, int] = {}
        self._children: dict[tuple[int, str], int] = {}

    def forget(self) -> None:
        """Drops what is remembered of the table: a transaction was rolled back."""
        self._numbers.clear()
        self._children.clear()

    def number(self, name: str) -> int:
        """The number of a path, which it is given here where it has none."""
        path = self._numbers.get(name)
        if path is None:
            path = _ROOT
            for step in name.split("/"):
                path = self._child(path, step)
            _make_room(self._numbers)
            self._numbers[name] = path
        return path

    def name(self, path: int) -> str:
        """The path of a number. Raises KeyError where there is none."""
        steps: list[str] = []
        while path != _ROOT:
            row = self._connection.execute(
                "SELECT parent, step FROM paths WHERE path = ?", (path,)
            ).fetchone()
            if row is None:
                raise KeyError(path)
            path, step = row
            steps.append(step)
        return "/".join(reversed(steps))

    def _child(self, parent: int, step: str) -> int:
        path = self._children.get((parent, step))
        if path is None:
            key = parent, step
            row = self._connection.execute(
                "SELECT path FROM paths WHERE parent = ? AND step = ?", key
            ).fetchone()
            if row is None:
                cursor = self._connection.execute("INSERT INTO paths (parent, step) VALUES (?, ?)", key)
                path = cursor.lastrowid
                assert path is not None
            else:
                path = int(row[0])
            _make_room(self._children)
            self._children[key] = path
        return path


def named_paths(connection: sqlite3.Connection) -> Iterator[tuple[int, str]]:
    """All paths, inner steps of others too, as (number, path) in order of their numbers."""
    names: dict[int, str] = {}
    paths = Paths(connection)
    for path, parent, step in connection.execute("SELECT path, parent, step FROM paths ORDER BY path"):
        if parent == _ROOT:
            name = step
        else:
            above = names.get(parent)
            name = f"{paths.name(parent) if above is None else above}/{step}"
        _make_room(names)
        names[path] = name
        yield path, name


def _make_room(memory: dict[int, str] | dict[str, int] | dict[tuple[int, str], int]) -> None:
    if len(memory) >= _KNOWN:
        memory.clear()
