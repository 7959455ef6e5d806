"""The columns of a PostgreSQL table that hold fields which are not ours."""

from __future__ import annotations

import hashlib
import json
from dataclasses import dataclass
from datetime import datetime
from typing import TYPE_CHECKING, Any, Final, Self

import psycopg
from psycopg import sql

from pagelets.fields import FieldColumn
from search.columns import TEXT_CHARS, as_moment, keys
from search.sinks.postgres.units import kept

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from search.sinks.postgres.table import Names

    Connection = psycopg.Connection[tuple[Any, ...]]

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
        if self.field.many:
            return values or None
        return values[0] if values else None

    def as_row(self) -> list[Any]:
        """The field as JSON keeps it."""
        return [self.field.name, self.field.type, self.field.many, self.column]

    @classmethod
    def of_row(cls, row: Sequence[Any]) -> Self:
        """The field of what `as_row` has made."""
        name, type_, many, column = row
        return cls(FieldColumn(name, type_, many), column)


def text_of(fields: Iterable[PlacedField]) -> str:
    """Fields as a site's row keeps them: empty without any."""
    rows = [field.as_row() for field in fields]
    return json.dumps(rows, ensure_ascii=False) if rows else ""


def of_text(text: str) -> list[PlacedField]:
    """The fields of what `text_of` has made."""
    return [PlacedField.of_row(row) for row in json.loads(text)] if text else []


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
    table = names.table.as_string(connection)
    there = {str(name): str(comment) for name, comment in connection.execute(_COLUMNS, (table,))}
    result = []
    for field in sorted(fields, key=lambda entry: entry.name):
        same = [entry for entry in before if entry.field == field and there.get(entry.column) == entry.said]
        others = (PlacedField(field, name) for name in _candidates(field))
        # Of the names without end one is free, or holds the same field for another site.
        entry = (
            same[0]
            if same
            else next(entry for entry in others if there.get(entry.column, entry.said) == entry.said)
        )
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
    number = 2
    while True:
        yield f"{typed}_{number}"
        number += 1


def _add(connection: Connection, names: Names, new: PlacedField) -> None:
    column, type_ = sql.Identifier(new.column), sql.SQL(new.type)
    table = names.table
    connection.execute(sql.SQL("ALTER TABLE {} ADD COLUMN {} {}").format(table, column, type_))
    connection.execute(sql.SQL("COMMENT ON COLUMN {}.{} IS {}").format(table, column, sql.Literal(new.said)))
    if new.field.type == "html":
        return
    if new.field.many:
        index = sql.SQL("CREATE INDEX ON {} USING gin ({}) WHERE {} IS NOT NULL").format(
            table, column, column
        )
    else:
        index = sql.SQL("CREATE INDEX ON {} (site, ({})) WHERE {} IS NOT NULL").format(
            table, compared(new.field, column), column
        )
    connection.execute(index)


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
        for entry in of_text(made_as.partition(" ")[2])
    }
    connection.execute("SELECT set_config('lock_timeout', %s, true)", (_LOCK_TIMEOUT,))
    for entry in before:
        if entry.column not in used:
            connection.execute(
                sql.SQL("ALTER TABLE {} DROP COLUMN IF EXISTS {}").format(
                    names.table, sql.Identifier(entry.column)
                )
            )


def insert_parts(fields: Sequence[PlacedField]) -> Mapping[str, sql.Composable]:
    """Returns the parts of `search.sinks.postgres.units.INSERT` that name fields.

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
