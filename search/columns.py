"""The columns that indexes have beside their texts: what searches filter, sort and count by.

A column's values are compared as *keys*, the same in every index: a number is a 64-bit float, a date the
milliseconds since 1970 in UTC, a text its first `TEXT_CHARS` characters in the order of code points.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from typing import Any, Final

from pagelets.fields import FieldColumn, moment_of
from search.sink import clean

Key = str | float | int | bool

OWN: Final = tuple(
    FieldColumn(name, type_)
    for name, type_ in (
        ("url", "url"), ("site", "text"), ("title", "text"), ("language", "text"), ("author", "text"),
        ("published", "date"), ("fetched_at", "date"), ("canonical_url", "url"),
    )
)  # fmt: skip
"""The fields of ours that are columns of every index."""

TEXT_CHARS: Final = 600
"""Characters of a text that are compared: servers index no long ones."""
_EPOCH: Final = datetime(1970, 1, 1, tzinfo=UTC)
_MILLISECOND: Final = timedelta(milliseconds=1)


def shown(value: Any) -> Any:
    """A value as indexes keep it for showing: texts without lone surrogates, numbers that are finite."""
    if isinstance(value, float) and not math.isfinite(value):
        return None
    if isinstance(value, str):
        return clean(value)
    return [shown(item) for item in value] if isinstance(value, list) else value


def keys(column: FieldColumn, value: Any) -> list[Key]:
    """Returns the keys of a column's value: an empty list without a value that its type can have."""
    if value is None:
        return []
    converted = (key(column.type, item) for item in (value if isinstance(value, list) else [value]))
    return [item for item in converted if item is not None]


def one_or_many(column: FieldColumn, values: list[Any]) -> Any:
    """Values as an index keeps them in a column: a list or one of them, None without any."""
    if column.many:
        return values or None
    return values[0] if values else None


def key(type_: str, value: Any) -> Key | None:
    """Returns the key of one value of a type, None for a value of another type."""
    if type_ == "boolean":
        return value if isinstance(value, bool) else None
    if type_ == "number":
        return number_key(value) if isinstance(value, int | float) else None
    if not isinstance(value, str):
        return None
    return date_key(value) if type_ == "date" else text_key(value)


def text_key(text: str) -> str:
    """The part of a text that is compared."""
    # Two lone surrogates may become one character.
    cleaned = clean(text[: 2 * TEXT_CHARS])[:TEXT_CHARS]
    return cleaned.replace("\0", "\N{REPLACEMENT CHARACTER}")


def number_key(number: float) -> float | None:
    """Returns a number as all indexes keep it; None if it is infinite, too large, or NaN."""
    try:
        value = float(number)
    except OverflowError:
        return None
    # Zero has no sign, or indexes would tell two zeros apart.
    return value + 0.0 if math.isfinite(value) else None


def date_key(text: str) -> int | None:
    """Returns the milliseconds of `moment_of` a text, None for another text."""
    moment = moment_of(text)
    return None if moment is None else (moment - _EPOCH) // _MILLISECOND


def as_moment(milliseconds: int) -> datetime:
    """The moment of a date's key, in UTC."""
    return _EPOCH + timedelta(milliseconds=milliseconds)


def date_of(milliseconds: int) -> str:
    """Returns the date of a key as ISO 8601, without a time if that is midnight in UTC."""
    moment = as_moment(milliseconds)
    whole_day = (moment - _EPOCH) % timedelta(days=1) == timedelta(0)
    return moment.date().isoformat() if whole_day else moment.isoformat(timespec="auto")


def counted(column: FieldColumn, counts: Mapping[Key, int]) -> list[tuple[Any, int]]:
    """Counts by key as values and counts, the most frequent first, then in the order of keys. Engines count
    dates and truth values as numbers.
    """
    rows = sorted(counts.items(), key=lambda item: (-item[1], item[0]))
    return [(_counted_value(column.type, item), count) for item, count in rows]


def _counted_value(type_: str, key: Any) -> Any:
    if type_ == "boolean":
        return bool(key)
    if type_ == "date":
        return date_of(int(key))
    return int(key) if type_ == "number" and float(key).is_integer() else key


@dataclass(slots=True, frozen=True)
class Sort:
    """An order of what is found: by a column of one value, then by URL; what lacks a value comes last."""

    column: FieldColumn
    descending: bool = False


def as_rows(columns: Iterable[FieldColumn]) -> list[list[Any]]:
    """Columns as JSON keeps them, in the order of their names."""
    return [
        [column.name, column.type, column.many] for column in sorted(columns, key=lambda column: column.name)
    ]


def of_rows(rows: Iterable[Sequence[Any]]) -> tuple[FieldColumn, ...]:
    """Columns of what `as_rows` has made."""
    return tuple(FieldColumn(str(name), str(type_), bool(many)) for name, type_, many in rows)


def difference(before: Iterable[FieldColumn], now: Iterable[FieldColumn]) -> str:
    """Tells in words which columns are new, gone or of another type; empty where none is."""
    old, new = ({column.name: column for column in columns} for columns in (before, now))
    parts = [f"{name} ({_kind(new[name])}) is new" for name in sorted(new.keys() - old.keys())]
    parts += [f"{name} is gone" for name in sorted(old.keys() - new.keys())]
    parts += [
        f"{name} is {_kind(new[name])}, was {_kind(old[name])}"
        for name in sorted(old.keys() & new.keys())
        if old[name] != new[name]
    ]
    return ", ".join(parts)


def _kind(column: FieldColumn) -> str:
    return f"{column.type}, many" if column.many else column.type
