"""Reads a TOML file with all its mistakes, and the line of each value."""

from __future__ import annotations

import re
import tomllib
from itertools import count, takewhile
from typing import TYPE_CHECKING, Any, Final, NamedTuple

if TYPE_CHECKING:
    from settings.values import Place

_TOKEN: Final = re.compile(
    r"(?P<space>[ \t\r]++|#[^\n]*+)"
    r'|"""(?:\\.|[^\\"]|"{1,2}(?!"))*+"{3,5}'
    r"|'''(?:[^']|'{1,2}(?!'))*+'{3,5}"
    r"""|(?P<open>\"{3}|'{3})|"(?:\\[^\n]|[^"\\\n])*+"|'[^'\n]*+'|[A-Za-z0-9_-]++|.""",
    re.DOTALL,
)
"""What TOML is made of: ``open`` begins a text of several lines that does not end."""
_CLOSING: Final = {"[": "]", "{": "}"}
_MOST: Final = 50
"""Mistakes of syntax that are looked for."""
_POSITION: Final = re.compile(r" \(at (?:line (\d+), column (\d+)|end of document)\)\Z")
_BEGINS_STATEMENT: Final = re.compile(r"\s*(?:\[|[\w\"'-][^=\n]*=)")
_MEND: Final = 'write NAME = "text", numbers and true or false without quotes, and lists as ["one", "two"]'


class Statement(NamedTuple):
    """A key with its value, or the header of a table: what it names, its first and its last line."""

    place: Place
    header: bool
    line: int
    end: int


class _Lost(ValueError):
    """Here the text is no TOML."""


class Locations:
    """The lines of the keys, values and elements of a TOML text, counted from 1; line ends are line feeds. Of
    a text that is no TOML, what stands before the mistake is located; ``lost`` is then the line on which the
    statement with the mistake begins.
    """

    def __init__(self, source: str) -> None:
        self.statements: list[Statement] = []
        self.lost: int | None = None
        self._lines: dict[Place, int] = {}
        self._table: Place = ()
        self._arrays: dict[Place, int] = {}
        self._tokens: list[tuple[str, int]] = []
        self._at, line = 0, 1
        for match in _TOKEN.finditer(source):
            if match.lastgroup != "space":
                self._tokens.append(("" if match.lastgroup else match[0], line))
            line += match[0].count("\n")
        self._tokens += [("\n", line), ("", line)]
        try:
            while self._skip_lines() < len(self._tokens) - 1:
                line = self._line
                header = self._reached("[")
                place = self._header(line) if header else self._pair(self._table)
                text, last = self._tokens[self._at - 1]
                self._expect("\n")
                self.statements.append(Statement(place, header, line, last + text.count("\n")))
        except (_Lost, RecursionError):
            self.lost = line

    def line(self, place: Place) -> int:
        """The line of a key or an element; of what is not there, that of the next thing around it."""
        around = (place[:length] for length in range(len(place), 0, -1))
        return next((self._lines[outer] for outer in around if outer in self._lines), 1)

    def _header(self, line: int) -> Place:
        """The table that a header opens: in the last element of each array of tables on the way."""
        closing = "]" * (1 + self._reached("["))
        *parents, name = self._keys()
        place: Place = ()
        for key in parents:
            place = self._within((*place, key))
        place = (*place, name)
        for mark in closing:
            self._expect(mark)
        if len(closing) == 2:
            self._arrays[place] = self._arrays.get(place, -1) + 1
        self._table = self._within(place)
        self._note((), self._table, line)
        return self._table

    def _within(self, place: Place) -> Place:
        return (*place, self._arrays[place]) if place in self._arrays else place

    def _pair(self, table: Place) -> Place:
        line = self._line
        place = (*table, *self._keys())
        self._note(table, place, line)
        self._expect("=")
        self._value(place)
        return place

    def _value(self, place: Place) -> None:
        closing = _CLOSING.get(self._here)
        while closing is None:
            if self._here in ("", "\n", ",", "]", "}"):
                return
            self._at += 1
        self._at += 1
        for number in count():
            self._skip_lines()
            if self._reached(closing):
                return
            if closing == "}":
                self._pair(place)
            else:
                self._note(place, (*place, number), self._line)
                self._value((*place, number))
            self._skip_lines()
            if not self._reached(","):
                self._expect(closing)
                return

    def _keys(self) -> list[str]:
        keys: list[str] = []
        while not keys or self._reached("."):
            keys.append(_unquoted(self._here))
            self._at += 1
        return keys

    def _note(self, before: Place, place: Place, line: int) -> None:
        """Notes the line of what lies on the way from one place to another within it."""
        for length in range(len(before) + 1, len(place) + 1):
            self._lines.setdefault(place[:length], line)

    @property
    def _here(self) -> str:
        return self._tokens[self._at][0]

    @property
    def _line(self) -> int:
        return self._tokens[self._at][1]

    def _skip_lines(self) -> int:
        while self._here == "\n":
            self._at += 1
        return self._at

    def _reached(self, text: str) -> bool:
        reached = self._here == text
        self._at += reached
        return reached

    def _expect(self, text: str) -> None:
        if not self._reached(text):
            raise _Lost


def _unquoted(key: str) -> str:
    """The name that a key is as it is written."""
    try:
        return str(next(iter(tomllib.loads(f"{key} = 1"))))
    except tomllib.TOMLDecodeError as error:
        raise _Lost from error


class Mistake(NamedTuple):
    """A mistake in a TOML text: its key (``()`` for the text itself), its line, its text, and the mend."""

    place: Place
    line: int
    text: str


class Read(NamedTuple):
    """A TOML text as it was understood: its values, None where it could not be read at all."""

    values: dict[str, Any] | None
    locations: Locations
    mistakes: list[Mistake]


def read(data: bytes) -> Read:
    """Reads TOML. A statement that is wrong is left out, so that those after it are read and judged too."""
    mistakes: list[Mistake] = []
    try:
        source = data.decode()
    except UnicodeDecodeError as error:
        line = data.count(b"\n", 0, error.start) + 1
        byte = data[error.start]
        mistakes.append(Mistake((), line, f"byte 0x{byte:02x} is not UTF-8; save the file as UTF-8"))
        if b"\0" in data:
            return Read(None, Locations(""), mistakes)
        source = data.decode(errors="replace")
    # A byte order mark is what some editors write before UTF-8.
    source = source.replace("\r\n", "\n").removeprefix("\ufeff")
    lines = source.split("\n")
    values = _parsed(lines, mistakes)
    return Read(values, Locations("\n".join(lines)), sorted(mistakes, key=lambda mistake: mistake.line))


def _parsed(lines: list[str], mistakes: list[Mistake]) -> dict[str, Any] | None:
    for _ in range(_MOST):
        source = "\n".join(lines)
        try:
            return tomllib.loads(source)
        except (ValueError, RecursionError) as error:
            locations = Locations(source)
            line, statements = _line_of(error, lines, locations), locations.statements
            numbers = [number for number, at in enumerate(statements) if at.line <= line <= at.end]
            # One that is well formed, and yet is wrong: by a value, or by another.
            place, _, line, _ = statements[numbers[0]] if numbers else Statement((), False, line, line)
            first = next((at.line for at in statements if at.place == place), line)
            repeated = f"is given twice, first on line {first}; keep one"
            mistakes.append(Mistake(place, line, repeated if first < line else _what(error)))
            if numbers:
                first_wrong, *others = statements[numbers[0] :]
                # With a header those of its table, which would be another's.
                below = takewhile(lambda at: not at.header, others if first_wrong.header else ())
                *_, last = first_wrong, *below
                lines[line - 1 : last.end] = [""] * (last.end + 1 - line)
            elif _stands_alone(lines, line):
                lines[line - 1] = ""
            else:
                return None
    return None


def _line_of(error: Exception, lines: list[str], locations: Locations) -> int:
    position = _POSITION.search(str(error))
    if position is not None and position[1]:
        return int(position[1])
    if locations.lost is not None:
        return locations.lost
    # Numbers of too many digits, and tables in tables in tables: the error says not where.
    wrong = (at.line for at in locations.statements if _fails(lines[at.line - 1 : at.end]))
    return next(wrong, 1)


def _fails(lines: list[str]) -> bool:
    try:
        tomllib.loads("\n".join(lines))
    except (ValueError, RecursionError):
        return True
    return False


def _what(error: Exception) -> str:
    if isinstance(error, RecursionError):
        return "is nested too deeply; take brackets away"
    message = _POSITION.sub("", str(error))
    message = f"{message[0].lower()}{message[1:]}"
    if message.startswith("cannot"):
        return f"{message}; keep one of the two"
    if "integer string conversion" in message:
        return "is a number of too many digits; give a smaller one"
    position = _POSITION.search(str(error))
    column = f" at column {position[2]}" if position is not None and position[2] else ""
    return f"no TOML: {message}{column}; {_MEND}"


def _stands_alone(lines: list[str], line: int) -> bool:
    """Returns True if a wrong line can be left out: a statement begins on it, and another after it."""
    if lines[line - 1].lstrip().startswith("[") or _fails(lines[: line - 1]):
        return False
    following = (text for text in lines[line:] if text.strip() and not text.lstrip().startswith("#"))
    text = next(following, None)
    return text is None or bool(_BEGINS_STATEMENT.match(text))
