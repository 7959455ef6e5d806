"""Lines of the keys and values of a TOML file."""

from __future__ import annotations

import re
import tomllib
from bisect import bisect_left
from collections.abc import Callable
from typing import Final, NamedTuple

Place = tuple[str | int, ...]
"""The way to a value: names of keys, and the places of elements in lists."""

_SPACE: Final = re.compile(r"[ \t]*+")
_SPACE_AND_LINES: Final = re.compile(r"(?:[ \t\r\n]|#[^\n]*+)*+")
_KEY: Final = re.compile(r"""[A-Za-z0-9_-]++|"(?:\\[^\n]|[^"\\\n])*+"|'[^'\n]*+'""")
_SCALAR: Final = re.compile(
    r'"""(?:\\.|[^\\"]|"{1,2}(?!"))*+"{3,5}'
    r"|'''(?:[^']|'{1,2}(?!'))*+'{3,5}"
    r"""|"(?:\\[^\n]|[^"\\\n])*+"|'[^'\n]*+'|[^,\]}#\n]++""",
    re.DOTALL,
)
_HEADER: Final = re.compile(r"\[\[?")
_END_OF_STATEMENT: Final = re.compile(r"[ \t]*+(?=[\r\n#]|\Z)")


class Statement(NamedTuple):
    """A key with its value, or the header of a table: what it names, its first and its last line."""

    place: Place
    header: bool
    line: int
    end: int


class _Lost(ValueError):
    """Here the text is no TOML."""


class Locations:
    """The lines of the keys, values and elements of a TOML text, counted from 1; line ends are line feeds.

    Of a text that is no TOML, what stands before the mistake is located; ``lost`` is then the line on which
    the statement with the mistake begins.
    """

    def __init__(self, source: str) -> None:
        self.statements: list[Statement] = []
        self.lost: int | None = None
        self._source = source
        self._ends = [match.start() for match in re.finditer("\n", source)]
        self._lines: dict[Place, int] = {}
        self._table: Place = ()
        self._arrays: dict[Place, int] = {}
        self._at = start = 0
        try:
            self._take(_SPACE_AND_LINES)
            while (start := self._at) < len(source):
                header = source.startswith("[", start)
                place = self._header() if header else self._pair(self._table)
                end = self._line(self._at - 1)
                self._take(_END_OF_STATEMENT)
                self.statements.append(Statement(place, header, self._line(start), end))
                self._take(_SPACE_AND_LINES)
        except (_Lost, RecursionError):
            self.lost = self._line(start)

    def line(self, place: Place) -> int:
        """The line of a key or an element; of what is not there, that of the next thing around it."""
        for length in range(len(place), 0, -1):
            if place[:length] in self._lines:
                return self._lines[place[:length]]
        return 1

    def _header(self) -> Place:
        """The table that a header opens: in the last element of each array of tables on the way."""
        start, opening = self._at, self._take(_HEADER)
        *parents, name = self._keys()
        self._expect("]" * len(opening))
        place: Place = ()
        for key in parents:
            place = self._within((*place, key))
        place = (*place, name)
        if len(opening) == 2:
            self._arrays[place] = self._arrays.get(place, -1) + 1
        self._table = self._within(place)
        self._note((), self._table, start)
        return self._table

    def _within(self, place: Place) -> Place:
        return (*place, self._arrays[place]) if place in self._arrays else place

    def _pair(self, table: Place) -> Place:
        start = self._at
        place = (*table, *self._keys())
        self._note(table, place, start)
        self._expect("=")
        self._value(place)
        return place

    def _value(self, place: Place) -> None:
        self._take(_SPACE)
        if self._reached("["):
            self._items("]", lambda number: self._element(place, number))
        elif self._reached("{"):
            self._items("}", lambda _: self._pair(place))
        else:
            self._take(_SCALAR)

    def _element(self, place: Place, number: int) -> None:
        self._note(place, (*place, number), self._at)
        self._value((*place, number))

    def _items(self, closing: str, item: Callable[[int], object]) -> None:
        number = 0
        self._take(_SPACE_AND_LINES)
        while not self._reached(closing):
            item(number)
            self._take(_SPACE_AND_LINES)
            if not self._source.startswith(closing, self._at):
                self._expect(",")
                self._take(_SPACE_AND_LINES)
            number += 1

    def _keys(self) -> list[str]:
        keys: list[str] = []
        while not keys or self._reached("."):
            self._take(_SPACE)
            keys.append(_unquoted(self._take(_KEY)))
            self._take(_SPACE)
        return keys

    def _note(self, before: Place, place: Place, at: int) -> None:
        """Notes the line of what lies on the way from one place to another within it."""
        for length in range(len(before) + 1, len(place) + 1):
            self._lines.setdefault(place[:length], self._line(at))

    def _line(self, at: int) -> int:
        return bisect_left(self._ends, at) + 1

    def _take(self, pattern: re.Pattern[str]) -> str:
        match = pattern.match(self._source, self._at)
        if match is None:
            raise _Lost
        self._at = match.end()
        return match.group()

    def _reached(self, text: str) -> bool:
        reached = self._source.startswith(text, self._at)
        self._at += len(text) * reached
        return reached

    def _expect(self, text: str) -> None:
        self._take(_SPACE)
        if not self._reached(text):
            raise _Lost


def _unquoted(key: str) -> str:
    if key[0] not in "\"'":
        return key
    try:
        return str(tomllib.loads(f"key = {key}")["key"])
    except tomllib.TOMLDecodeError as error:
        raise _Lost from error
