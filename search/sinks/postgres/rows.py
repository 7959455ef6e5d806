"""Units as rows of a PostgreSQL table: their columns, those of fields which are not ours among them, and the
words that its searches see.
"""

from __future__ import annotations

import hashlib
import json
import re
import unicodedata
from dataclasses import dataclass
from datetime import datetime
from itertools import chain, count
from typing import TYPE_CHECKING, Any, Final

from psycopg import sql

from pagelets.fields import FieldColumn, moment_of
from search.columns import TEXT_CHARS, as_moment, keys, one_or_many
from search.query import day_of, path_of
from search.sink import Unit, clean
from search.sinks.postgres.table import COLUMNS
from search.sinks.text.words import segmented

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from search.sinks.postgres.server import Connection
    from search.sinks.postgres.table import Names

_NAMES: Final = ", ".join(column.split()[0] for column in COLUMNS.split(", "))
INSERT: Final = f"""
INSERT INTO {{table}} (site, {_NAMES}, tsv{{fields}})
SELECT %(site)s, {_NAMES},
    ts_delete(
        setweight(to_tsvector(configuration::regconfig, title_words), 'A') || $$' ':1$$::tsvector
        || setweight(to_tsvector(configuration::regconfig, headings_words), 'B') || $$' ':1$$::tsvector
        || setweight(to_tsvector(configuration::regconfig, text_words), 'D'),
        ' '){{values}}
FROM json_to_recordset(%(rows)s::json) AS unit ({COLUMNS.replace(" NOT NULL", "")}, title_words text,
    headings_words text, text_words text{{types}})
"""
"""Takes a site and rows as JSON, which is faster than a row at a time and needs no table to copy into.

No phrase goes from the title on into the text: a word is between them, which is taken out in the end."""

WORDS_LIMITS: Final = (1_000_000, 200_000, 40_000, 8_000)
"""How many characters of a unit's text searches see. PostgreSQL takes a megabyte of words and positions: what
has more different words than that fits with one of the smaller limits."""

_TRAPS: Final = re.compile(r"[/<>\xad]|-(?=\d)")

TYPES: Final = {"number": "double precision", "date": "timestamptz", "boolean": "boolean"}
"""The types of columns of one value that hold no texts."""
_COMMENT: Final = "site-pagelets field "
_LONGEST: Final = 40
"""Bytes of a field's name in that of its column: PostgreSQL has 63, and indexes are named by it."""
_COLUMNS: Final = """
SELECT a.attname, coalesce(col_description(a.attrelid, a.attnum), '') FROM pg_catalog.pg_attribute a
WHERE a.attrelid = to_regclass(%s) AND a.attnum > 0 AND NOT a.attisdropped
"""
_LOCK_TIMEOUT: Final = "1s"
"""For what another run may do as well."""


def row(unit: Unit, configuration: str, limit: int) -> dict[str, Any]:
    """Returns a unit's columns but for the site, and its words for a text search ``configuration``; of the
    text those in ``limit`` characters.
    """
    day = day_of(unit.published, unit.fetched_at)
    return {
        "document": unit.document,
        "position": unit.position,
        "id": unit.id,
        "url": kept(unit.url),
        "path": kept(path_of(unit.url)),
        "title": kept(unit.title),
        "headings": [kept(heading) for heading in unit.headings],
        "text": kept(unit.text),
        "language": _optional(unit.language),
        "author": _optional(unit.author),
        "published": _moment(unit.published),
        "published_as_declared": _optional(unit.published),
        "canonical_url": _optional(unit.canonical_url),
        "fetched_at": _moment(unit.fetched_at),
        "day": day and day.isoformat(),
        "content_hash": kept(unit.content_hash),
        "configuration": configuration,
        "title_words": words(unit.title[:limit]),
        "headings_words": words("\n".join(unit.headings)[:limit]),
        "text_words": words(unit.text[:limit]),
    }


def words(text: str) -> str:
    """A text in which PostgreSQL's parser sees every word, in lower case.

    As it is, the parser would take ``and/or`` for a file and ``<b>`` for a tag, read 1990-1999 as a number
    and a negative one, and a Chinese sentence as one word. Queries go the same way.
    """
    text = _TRAPS.sub(lambda trap: "" if trap[0] == "\N{SOFT HYPHEN}" else " ", kept(text))
    if text.isascii():
        return text.lower()
    # İ in lower case is an i with a dot of its own, which no composed character stands for.
    text = unicodedata.normalize("NFKC", text).lower().replace("i\N{COMBINING DOT ABOVE}", "i")
    return segmented(text)


def kept(text: str) -> str:
    """A text as PostgreSQL can keep it: NUL and lone surrogates become U+FFFD."""
    return clean(text).replace("\0", "\N{REPLACEMENT CHARACTER}")


def _optional(text: str | None) -> str | None:
    return None if text is None else kept(text)


def _moment(text: str | None) -> str | None:
    """A date or date-time of ISO 8601 as PostgreSQL reads it, in UTC where it names no time zone."""
    moment = moment_of(text or "")
    return None if moment is None else moment.isoformat()


@dataclass(slots=True, frozen=True)
class PlacedField:
    """A field, and the column of the table that holds it: its name and type are ``column``'s."""

    field: FieldColumn
    column: str

    @property
    def type(self) -> str:
        """The type of the column."""
        return TYPES.get(self.field.type, "text") + "[]" * self.field.many

    @property
    def said(self) -> str:
        """The comment of the column, which names the field."""
        return f"{_COMMENT}{self.field.name} {self.field.type}{' many' * self.field.many}"

    def value(self, value: Any) -> Any:
        """A value as JSON gives it to the column."""
        if self.field.type not in TYPES and not self.field.many:
            return kept(value) if isinstance(value, str) else None
        values: list[Any] = list(keys(self.field, value))
        if self.field.type == "date":
            values = [as_moment(key).isoformat() for key in values]
        return one_or_many(self.field, values)


def text_of(fields: Iterable[PlacedField]) -> str:
    """Fields as a site's row keeps them: empty without any."""
    rows = [[entry.field.name, entry.field.type, entry.field.many, entry.column] for entry in fields]
    return json.dumps(rows, ensure_ascii=False) if rows else ""


def fields_in(made_as: str) -> list[PlacedField]:
    """The fields that `SiteRow.made_as` ends with, as `text_of` has made them."""
    text = made_as.partition(" ")[2]
    return [PlacedField(FieldColumn(*field), column) for *field, column in json.loads(text)] if text else []


def all_there(connection: Connection, names: Names, fields: Iterable[PlacedField]) -> bool:
    """Reads on a ``connection`` if the table in ``names`` has the columns of all ``fields``."""
    there = _columns(connection, names)
    return all(there.get(entry.column) == entry.said for entry in fields)


def _columns(connection: Connection, names: Names) -> dict[str, str]:
    """The columns of a table, each with its comment."""
    rows = connection.execute(_COLUMNS, (names.table.as_string(connection),))
    return {str(name): str(comment) for name, comment in rows}


def placed(
    connection: Connection, names: Names, fields: Iterable[FieldColumn], before: Sequence[PlacedField]
) -> list[PlacedField]:
    """Finds the columns of fields, and makes those that are missing.

    A field whose name is another column's gets one with its type in its name. The columns of other types,
    which other sites or the index as it is may use, stay.

    Args:
        connection: the database, in a transaction.
        names: the table.
        fields: the fields.
        before: the fields that the site's rows have: a field that is among them keeps its column.

    Returns:
        The fields with their columns, in the order of their names.

    """
    there = _columns(connection, names)
    result = []
    for field in sorted(fields, key=lambda entry: entry.name):
        same = (entry for entry in before if entry.field == field and there.get(entry.column) == entry.said)
        others = (PlacedField(field, name) for name in _candidates(field))
        # Of the names without end one is free, or holds the same field for another site.
        fit = (entry for entry in others if there.get(entry.column, entry.said) == entry.said)
        entry = next(chain(same, fit))
        if entry.column not in there:
            _add(connection, names, entry)
            there[entry.column] = entry.said
        result.append(entry)
    return result


def _candidates(field: FieldColumn) -> Iterable[str]:
    name = kept(field.name)
    if len(name.encode()) > _LONGEST:
        digest = hashlib.blake2b(name.encode(), digest_size=4).hexdigest()
        name = f"{name.encode()[: _LONGEST - 9].decode(errors='ignore')}_{digest}"
    yield name
    typed = f"{name}_{field.type}{'s' * field.many}"
    yield typed
    yield from (f"{typed}_{number}" for number in count(2))


def _add(connection: Connection, names: Names, new: PlacedField) -> None:
    column, type_ = sql.Identifier(new.column), sql.SQL(new.type)
    table = names.table
    connection.execute(sql.SQL("ALTER TABLE {} ADD COLUMN {} {}").format(table, column, type_))
    connection.execute(sql.SQL("COMMENT ON COLUMN {}.{} IS {}").format(table, column, sql.Literal(new.said)))
    if new.field.type == "html":
        return
    if new.field.many:
        index = sql.SQL("CREATE INDEX ON {} USING gin ({}) WHERE {} IS NOT NULL")
        connection.execute(index.format(table, column, column))
    else:
        index = sql.SQL("CREATE INDEX ON {} (site, ({})) WHERE {} IS NOT NULL")
        connection.execute(index.format(table, compared(new.field, column), column))


def compared(field: FieldColumn, column: sql.Composable) -> sql.Composable:
    """Returns the expression by which a column of one value is compared, sorted and counted."""
    if field.type in TYPES:
        return column
    # A longer text does not go into an index.
    return sql.SQL('left({}, {}) COLLATE "C"').format(column, sql.Literal(TEXT_CHARS))


def drop_unused(connection: Connection, names: Names, before: Iterable[PlacedField]) -> None:
    """Drops columns that no site has any more.

    Args:
        connection: the database, in a transaction.
        names: the table.
        before: the fields that a site had before.

    """
    used = {
        entry.column
        for (made_as,) in connection.execute(names.statement("SELECT made_as FROM {sites}"))
        for entry in fields_in(made_as)
    }
    connection.execute("SELECT set_config('lock_timeout', %s, true)", (_LOCK_TIMEOUT,))
    drop = sql.SQL("ALTER TABLE {} DROP COLUMN IF EXISTS {}")
    for entry in before:
        if entry.column not in used:
            connection.execute(drop.format(names.table, sql.Identifier(entry.column)))


def insert_parts(fields: Sequence[PlacedField]) -> Mapping[str, sql.Composable]:
    """Returns the parts of `INSERT` that name fields.

    ``fields`` are their columns, ``values`` their names in the JSON rows, which no other column has, and
    ``types`` these names with types.
    """
    names = [sql.Identifier(f"field {place}") for place in range(len(fields))]
    types = zip(names, fields, strict=True)
    return {
        "fields": _listed(sql.Identifier(entry.column) for entry in fields),
        "values": _listed(names),
        "types": _listed(sql.SQL("{} {}").format(name, sql.SQL(entry.type)) for name, entry in types),
    }


def _listed(parts: Iterable[sql.Composable]) -> sql.Composed:
    return sql.Composed([sql.SQL(", ") + part for part in parts])


def row_values(fields: Sequence[PlacedField], values: Mapping[str, Any]) -> dict[str, Any]:
    """The fields of a unit as its row has them."""
    return {f"field {place}": entry.value(values.get(entry.field.name)) for place, entry in enumerate(fields)}


def as_key(value: Any) -> Any:
    """A value of a column as a key (`search.columns`)."""
    return keys(FieldColumn("", "date"), value.isoformat())[0] if isinstance(value, datetime) else value
