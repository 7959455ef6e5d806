"""Reads a TOML file with all its mistakes, and the line of each value."""

from __future__ import annotations

import re
import tomllib
from typing import Any, Final, NamedTuple

from settings.locate import Locations, Place, Statement

_MOST: Final = 50
"""Mistakes of syntax that are looked for."""
_POSITION: Final = re.compile(r" \(at (?:line (\d+), column (\d+)|end of document)\)\Z")
_BEGINS_STATEMENT: Final = re.compile(r"\s*(?:\[|[\w\"'-][^=\n]*=)")
_MEND: Final = 'write NAME = "text", numbers and true or false without quotes, and lists as ["one", "two"]'


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
    _leave_out_repeated(lines, mistakes)
    values = _parsed(lines, mistakes)
    return Read(values, Locations("\n".join(lines)), sorted(mistakes, key=lambda mistake: mistake.line))


def _leave_out_repeated(lines: list[str], mistakes: list[Mistake]) -> None:
    statements = Locations("\n".join(lines)).statements
    first: dict[Place, int] = {}
    for number, statement in enumerate(statements):
        before = first.setdefault(statement.place, statement.line)
        if before == statement.line:
            continue
        mistakes.append(
            Mistake(statement.place, statement.line, f"is given twice, first on line {before}; keep one")
        )
        _leave_out(lines, statements, number)


def _leave_out(lines: list[str], statements: list[Statement], number: int) -> None:
    """Empties the lines of a statement; with a header those of its table, which would be another's."""
    last = number
    if statements[number].header:
        while last + 1 < len(statements) and not statements[last + 1].header:
            last += 1
    for line in range(statements[number].line, statements[last].end + 1):
        lines[line - 1] = ""


def _parsed(lines: list[str], mistakes: list[Mistake]) -> dict[str, Any] | None:
    for _ in range(_MOST):
        source = "\n".join(lines)
        try:
            return tomllib.loads(source)
        except (ValueError, RecursionError) as error:
            locations = Locations(source)
            line = _line_of(error, source, locations)
            # One that is well formed, and yet is wrong: by a value, or by another.
            numbered = enumerate(locations.statements)
            number = next((at for at, told in numbered if told.line <= line <= told.end), None)
            what = _what(error)
            if number is not None:
                statement = locations.statements[number]
                mistakes.append(Mistake(statement.place, statement.line, what))
                _leave_out(lines, locations.statements, number)
                continue
            mistakes.append(Mistake((), line, what))
            if not _stands_alone(lines, line):
                return None
            lines[line - 1] = ""
    return None


def _line_of(error: Exception, source: str, locations: Locations) -> int:
    position = _POSITION.search(str(error))
    if position is not None and position[1]:
        return int(position[1])
    if locations.lost is not None:
        return locations.lost
    # Numbers of too many digits, and tables in tables in tables: the error says not where.
    lines = source.split("\n")
    for statement in locations.statements:
        try:
            tomllib.loads("\n".join(lines[statement.line - 1 : statement.end]))
        except (ValueError, RecursionError):
            return statement.line
    return 1


def _what(error: Exception) -> str:
    if isinstance(error, RecursionError):
        return "is nested too deeply; take brackets away"
    message = _POSITION.sub("", str(error))
    if message.startswith("Cannot"):
        return f"{message[0].lower()}{message[1:]}; keep one of the two"
    if "integer string conversion" in message:
        return "is a number of too many digits; give a smaller one"
    position = _POSITION.search(str(error))
    column = f" at column {position[2]}" if position is not None and position[2] else ""
    return f"no TOML: {message[0].lower()}{message[1:]}{column}; {_MEND}"


def _stands_alone(lines: list[str], line: int) -> bool:
    """Returns True if a wrong line can be left out: a statement begins on it, and another after it."""
    if lines[line - 1].lstrip().startswith("["):
        return False
    try:
        tomllib.loads("\n".join(lines[: line - 1]))
    except (ValueError, RecursionError):
        return False
    following = (text for text in lines[line:] if text.strip() and not text.lstrip().startswith("#"))
    text = next(following, None)
    return text is None or bool(_BEGINS_STATEMENT.match(text))
