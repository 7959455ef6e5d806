"""The expressions of ``scrapy search --where``: parsed into a tree that each index translates.

    price < 20 and (in_stock or tags in ('used', "old")) and not closes < 2026-05-01 and sku is not null

A comparison with a missing value is false, ``!=`` too; ``not`` turns any truth value around. A column of many
values compares by any of them, with ``!=`` and ``not in`` by all of them.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from difflib import get_close_matches
from functools import partial
from typing import TYPE_CHECKING, Any, Final, NamedTuple

from search.columns import Key, Sort, date_key, number_key, text_key
from settings.errors import ConfigurationError

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Iterator, Sequence

    from pagelets.fields import FieldColumn

MAX_CHARS: Final = 10_000
MAX_DEPTH: Final = 50
"""Parentheses and ``not`` inside one another."""
_TOKEN: Final = re.compile(
    r"""\s*(?:
    (?P<date>\d{4}-\d\d-\d\d(?:[Tt]\d\d(?::?\d\d(?::?\d\d(?:\.\d+)?)?)?(?:[Zz]|[+-]\d\d(?::?\d\d)?)?)?(?![\w-]))
    |(?P<number>[+-]?(?:\d+(?:\.\d*)?|\.\d+)(?:[eE][+-]?\d+)?(?![\w-]))
    |(?P<text>'(?:[^']|'')*'|"(?:[^"]|"")*")
    |(?P<quoted>`[^`]+`)
    |(?P<name>\w[\w-]*)
    |(?P<sign><=|>=|!=|[=<>(),])
    )""",
    re.VERBOSE,
)
_WORDS: Final = frozenset({"and", "or", "not", "in", "is", "null", "true", "false"})
_DAY: Final = 24 * 60 * 60 * 1000
_DAY_CHARS: Final = 10
_SHOWN: Final = 40


class WhereError(ConfigurationError):
    """Raised for an expression that cannot be understood; the text names the place."""


@dataclass(slots=True, frozen=True)
class Missing:
    """True where a column has no value."""

    column: FieldColumn


@dataclass(slots=True, frozen=True)
class Among:
    """True where a value of a column is one of ``values``."""

    column: FieldColumn
    values: tuple[Key, ...]


@dataclass(slots=True, frozen=True)
class Between:
    """True where a value of a column is within bounds; None leaves a side open, not both."""

    column: FieldColumn
    low: Key | None = None
    high: Key | None = None
    with_low: bool = True
    with_high: bool = True

    def holds(self, value: Any) -> bool:
        """Returns True if a key is within the bounds."""
        low, high = self.low, self.high
        above = low is None or value > low or (self.with_low and value == low)
        below = high is None or value < high or (self.with_high and value == high)
        return bool(above and below)


@dataclass(slots=True, frozen=True)
class Not:
    """True where another condition is false."""

    one: Where


@dataclass(slots=True, frozen=True)
class All:
    """True where all conditions are."""

    parts: tuple[Where, ...]


@dataclass(slots=True, frozen=True)
class Any_:
    """True where one of several conditions is."""

    parts: tuple[Where, ...]


Where = Missing | Among | Between | Not | All | Any_


def parse_where(text: str, columns: Sequence[FieldColumn], coming: Collection[str] = ()) -> Where:
    """Returns the condition that an expression states.

    Args:
        text: the expression.
        columns: those of the index.
        coming: names of fields that the site has, and its index does not have yet.

    Raises:
        WhereError: the expression cannot be understood.

    """
    if len(text) > MAX_CHARS:
        raise WhereError(f"--where has {len(text):,} characters; write at most {MAX_CHARS:,}")
    return _Parser(text, columns, coming).whole()


def parse_sort(text: str, columns: Sequence[FieldColumn], coming: Collection[str] = ()) -> Sort:
    """Returns the order that an option states.

    Args:
        text: the name of a column, with ``-`` before it for the descending order.
        columns: those of the index.
        coming: names of fields that the site has, and its index does not have yet.

    Raises:
        WhereError: there is no such column, or nothing can be sorted by it.

    """
    descending, name = text.startswith("-"), text.removeprefix("-")
    column = parse_column("--sort", name, columns, coming)
    if column.many:
        raise WhereError(f"--sort {name}: the field has many values, by which nothing can be sorted")
    return Sort(column, descending)


def parse_column(
    option: str, name: str, columns: Sequence[FieldColumn], coming: Collection[str] = ()
) -> FieldColumn:
    """Returns the column of a name.

    Args:
        option: the option that names it, for messages.
        name: the name, which may stand in backquotes.
        columns: those of the index.
        coming: names of fields that the site has, and its index does not have yet.

    Raises:
        WhereError: there is no such column, or it holds HTML.

    """
    named = {column.name: column for column in columns}.get(name.strip("`"))
    if named is None:
        raise WhereError(f"{option} {_unknown(name, columns, coming)}")
    if named.type == "html":
        raise WhereError(f"{option} {name}: the field is HTML, which is neither sorted nor counted")
    return named


def columns_in(where: Where) -> Iterator[FieldColumn]:
    """The columns that a condition asks for."""
    if isinstance(where, Not):
        yield from columns_in(where.one)
    elif isinstance(where, All | Any_):
        for part in where.parts:
            yield from columns_in(part)
    else:
        yield where.column


class _Token(NamedTuple):
    kind: str
    text: str
    place: int


class _Parser:
    """Recursive descent over the tokens of one expression."""

    def __init__(self, text: str, columns: Sequence[FieldColumn], coming: Collection[str]) -> None:
        self._text, self._columns, self._coming = text, columns, coming
        self._tokens = list(self._read())
        self._next = self._depth = 0

    def whole(self) -> Where:
        condition = self._any()
        if self._token.kind != "end":
            raise self._wrong(f"{self._said()} is not expected; write and, or, or nothing")
        return condition

    def _read(self) -> Iterator[_Token]:
        place = 0
        while rest := self._text[place:].lstrip():
            place = len(self._text) - len(rest)
            match = _TOKEN.match(self._text, place)
            if match is None:
                what = "the quote is not closed" if rest[0] in "'\"`" else f"{rest[0]!r} is not expected"
                raise self._wrong(what, place)
            kind = match.lastgroup or ""
            word = match[kind].lower()
            yield _Token(word if kind == "name" and word in _WORDS else kind, match[kind], match.start(kind))
            place = match.end()
        yield _Token("end", "", len(self._text))

    @property
    def _token(self) -> _Token:
        return self._tokens[self._next]

    def _takes(self, *what: str) -> bool:
        """Moves on where the next token is one of these words or signs."""
        token = self._token
        taken = token.kind in what or (token.kind == "sign" and token.text in what)
        self._next += taken
        return taken

    def _any(self) -> Where:
        parts = self._parted(self._all, "or")
        return parts[0] if len(parts) == 1 else Any_(parts)

    def _all(self) -> Where:
        parts = self._parted(self._one, "and")
        return parts[0] if len(parts) == 1 else All(parts)

    def _parted(self, part: Callable[[], Where], by: str) -> tuple[Where, ...]:
        """Reads parts that a word or sign is between."""
        parts = [part()]
        while self._takes(by):
            parts.append(part())
        return tuple(parts)

    def _one(self) -> Where:
        negated = self._takes("not")
        if not negated and not self._takes("("):
            return self._comparison()
        self._depth += 1
        if self._depth > MAX_DEPTH:
            raise self._wrong(f"more than {MAX_DEPTH} parentheses and nots are inside one another")
        condition = Not(self._one()) if negated else self._any()
        if not negated and not self._takes(")"):
            raise self._wrong(f"a ) is missing before {self._said()}")
        self._depth -= 1
        return condition

    def _comparison(self) -> Where:
        column = self._column()
        if self._takes("is"):
            negated = self._takes("not")
            if not self._takes("null"):
                raise self._wrong(f"write null in place of {self._said()}")
            return Not(Missing(column)) if negated else Missing(column)
        if column.type == "html":
            raise self._wrong(f"{column.name} is HTML; write {column.name} is null, or is not null")
        negated = self._takes("not")
        if self._takes("in"):
            condition = self._in(column)
            return All((Not(Missing(column)), Not(condition))) if negated else condition
        if negated:
            raise self._wrong(f"write in and values in parentheses in place of {self._said()}")
        for sign in ("<=", ">=", "!=", "=", "<", ">"):
            if self._takes(sign):
                return self._compared(column, sign)
        if column.type == "boolean" and not column.many:
            return Among(column, (True,))
        raise self._wrong(f"after {column.name}, write = != < <= > >= in or is in place of {self._said()}")

    def _column(self) -> FieldColumn:
        token = self._token
        if token.kind not in ("name", "quoted", "number", "date"):
            raise self._wrong(f"the name of a field is missing before {self._said()}")
        name = token.text.strip("`")
        named = next((column for column in self._columns if column.name == name), None)
        if named is None:
            raise self._wrong(_unknown(name, self._columns, self._coming))
        self._next += 1
        return named

    def _in(self, column: FieldColumn) -> Where:
        if not self._takes("("):
            raise self._wrong(f"write ( and values after in, in place of {self._said()}")
        parts = self._parted(partial(self._equal, column), ",")
        if not self._takes(")"):
            raise self._wrong(f"a comma or ) is missing before {self._said()}")
        among = [part for part in parts if isinstance(part, Among)]
        if len(among) == len(parts):
            return Among(column, tuple(dict.fromkeys(value for part in among for value in part.values)))
        return Any_(parts)

    def _compared(self, column: FieldColumn, sign: str) -> Where:
        if sign == "=":
            return self._equal(column)
        if sign == "!=":
            return All((Not(Missing(column)), Not(self._equal(column))))
        if column.type == "boolean":
            raise self._wrong(f"{column.name} is true or false; compare it by = or !=")
        first, last = self._value(column)
        if sign == "<":
            return Between(column, high=first, with_high=False)
        if sign == ">=":
            return Between(column, low=first)
        # A day is all of its moments: what is later than it begins where it ends.
        if sign == "<=":
            return Between(column, high=last, with_high=first == last)
        return Between(column, low=last, with_low=first != last)

    def _equal(self, column: FieldColumn) -> Where:
        first, last = self._value(column)
        if column.type != "date":
            return Among(column, (first,))
        return Between(column, first, last, with_high=first == last)

    def _value(self, column: FieldColumn) -> tuple[Key, Key]:
        """The key of the value that is next; of a day, where it begins and where the next one does."""
        token = self._token
        key: Key | None = None
        if column.type == "boolean" and token.kind in ("true", "false"):
            key = token.kind == "true"
        elif column.type == "number" and token.kind == "number":
            key = number_key(float(token.text))
        elif column.type == "date" and token.kind in ("date", "text"):
            text = _unquoted(token)
            key = date_key(text)
            if key is not None and len(text) == _DAY_CHARS:
                self._next += 1
                return key, int(key) + _DAY
        elif column.type in ("text", "url") and token.kind == "text":
            key = text_key(_unquoted(token))
        if key is None:
            raise self._wrong(f"{column.name} is compared with {_EXAMPLES[column.type]}, not {self._said()}")
        self._next += 1
        return key, key

    def _said(self) -> str:
        return repr(self._token.text[:_SHOWN]) if self._token.text else "the end"

    def _wrong(self, what: str, place: int | None = None) -> WhereError:
        place = self._token.place if place is None else place
        before = f"after {self._text[:place][-_SHOWN:]!r}: " if place else ""
        return WhereError(f"--where, character {place + 1}: {before}{what}")


_EXAMPLES: Final = {
    "text": "a text in quotes",
    "url": "a URL in quotes",
    "number": "a number up to 1.7e308",
    "boolean": "true or false",
    "date": "a date such as 2026-05-31",
}


def _unquoted(token: _Token) -> str:
    if token.kind != "text":
        return token.text
    quote = token.text[0]
    return token.text[1:-1].replace(quote * 2, quote)


def _unknown(name: str, columns: Sequence[FieldColumn], coming: Collection[str]) -> str:
    if name in coming:
        return f"{name!r}: the index does not have this field yet; scrapy index SITE --rebuild brings it in"
    names = [column.name for column in columns]
    near = get_close_matches(name, names, 1)
    mend = f"did you mean {near[0]!r}?" if near else f"there are: {', '.join(sorted(names))}"
    return f"unknown field {name[:_SHOWN]!r}; {mend}"
