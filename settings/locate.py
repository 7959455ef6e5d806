"""Lines of the keys and values of a TOML file."""

from __future__ import annotations

import re
import tomllib
from bisect import bisect_left
from typing import Final, NamedTuple

Place = tuple[str | int, ...]
"""The way to a value: names of keys, and the places of elements in lists."""

_SPACE: Final = re.compile(r"[ \t]*+")
_SPACE_AND_LINES: Final = re.compile(r"(?:[ \t\r\n]|#[^\n]*+)*+")
_BARE_KEY: Final = re.compile(r"[A-Za-z0-9_-]++")
_KEY_STRINGS: Final = (re.compile(r'"(?:\\[^\n]|[^"\\\n])*+"'), re.compile(r"'[^'\n]*+'"))
_STRINGS: Final = (
    re.compile(r'"""(?:\\.|[^\\"]|"{1,2}(?!"))*+"{3,5}', re.DOTALL),
    re.compile(r"'''(?:[^']|'{1,2}(?!'))*+'{3,5}"),
    *_KEY_STRINGS,
)
_SCALAR: Final = re.compile(r"[^,\]}#\n]++")


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
        self._at = 0
        start = 0
        try:
            while self._skip(_SPACE_AND_LINES) < len(source):
                start = self._at
                self._statement()
        except (_Lost, RecursionError):
            self.lost = self._line(start)

    def line(self, place: Place) -> int:
        """The line of a key or an element; of what is not there, that of the next thing around it."""
        for length in range(len(place), 0, -1):
            if place[:length] in self._lines:
                return self._lines[place[:length]]
        return 1

    def _statement(self) -> None:
        start = self._at
        header = self._source.startswith("[", start)
        if header:
            array = self._source.startswith("[[", start)
            self._at += 2 if array else 1
            keys = self._keys()
            self._expect("]]" if array else "]")
            place = self._table = self._opened(keys, array)
            self._note((), place, start)
        else:
            place = self._pair(self._table)
        end = self._line(self._at - 1)
        self._skip(_SPACE)
        if self._at < len(self._source) and self._source[self._at] not in "\r\n#":
            raise _Lost
        self.statements.append(Statement(place, header, self._line(start), end))

    def _opened(self, keys: list[str], array: bool) -> Place:
        """The table that a header opens: in the last element of each array of tables on the way."""
        place: Place = ()
        for key in keys[:-1]:
            place = self._within((*place, key))
        place = (*place, keys[-1])
        if array:
            self._arrays[place] = self._arrays.get(place, -1) + 1
        return self._within(place)

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
        self._skip(_SPACE)
        opening = self._source[self._at : self._at + 1]
        if opening == "[":
            self._array(place)
        elif opening == "{":
            self._inline_table(place)
        else:
            self._take((*_STRINGS, _SCALAR))

    def _array(self, place: Place) -> None:
        self._at += 1
        element = 0
        self._skip(_SPACE_AND_LINES)
        while not self._reached("]"):
            self._note(place, (*place, element), self._at)
            self._value((*place, element))
            self._comma("]")
            element += 1

    def _inline_table(self, place: Place) -> None:
        self._at += 1
        self._skip(_SPACE_AND_LINES)
        while not self._reached("}"):
            self._pair(place)
            self._comma("}")

    def _comma(self, closing: str) -> None:
        self._skip(_SPACE_AND_LINES)
        if not self._source.startswith(closing, self._at):
            self._expect(",")
            self._skip(_SPACE_AND_LINES)

    def _keys(self) -> list[str]:
        keys = []
        while True:
            self._skip(_SPACE)
            written = self._take((_BARE_KEY, *_KEY_STRINGS))
            keys.append(_unquoted(written))
            self._skip(_SPACE)
            if not self._reached("."):
                return keys

    def _note(self, before: Place, place: Place, at: int) -> None:
        """Notes the line of what lies on the way from one place to another within it."""
        for length in range(len(before) + 1, len(place) + 1):
            self._lines.setdefault(place[:length], self._line(at))

    def _line(self, at: int) -> int:
        return bisect_left(self._ends, at) + 1

    def _skip(self, pattern: re.Pattern[str]) -> int:
        match = pattern.match(self._source, self._at)
        assert match is not None
        self._at = match.end()
        return self._at

    def _take(self, patterns: tuple[re.Pattern[str], ...]) -> str:
        for pattern in patterns:
            match = pattern.match(self._source, self._at)
            if match is not None:
                self._at = match.end()
                return match.group()
        raise _Lost

    def _reached(self, text: str) -> bool:
        if self._source.startswith(text, self._at):
            self._at += len(text)
            return True
        return False

    def _expect(self, text: str) -> None:
        self._skip(_SPACE)
        if not self._reached(text):
            raise _Lost


def _unquoted(key: str) -> str:
    if key[0] not in "\"'":
        return key
    try:
        return str(tomllib.loads(f"key = {key}")["key"])
    except tomllib.TOMLDecodeError as error:
        raise _Lost from error
