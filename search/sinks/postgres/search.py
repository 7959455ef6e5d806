"""Searches in the table of a PostgreSQL index."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from psycopg import sql

from search.columns import OWN, Key, as_moment, counted, date_of
from search.query import Clause, Found, Hit, Occur, Query, language_prefixes
from search.sink import PAGELETS
from search.sinks.postgres.rows import TYPES, PlacedField, as_key, compared, kept, words
from search.sinks.postgres.table import Names, scalar
from search.sinks.text import words as embedded
from search.sinks.text.snippets import snippet, wanted
from search.where import All, Among, Any_, Missing, Not, Where

if TYPE_CHECKING:
    from collections.abc import Sequence

    from pagelets.fields import FieldColumn
    from search.sinks.postgres.server import Connection

_SHOWN: Final = (
    "id", "document", "url", "title", "headings", "text", "language", "published_as_declared", "fetched_at",
)  # fmt: skip


class TableSearch:
    """Searches in the rows of a site.

    Args:
        names: the table.
        site: the name of the site, as rows have it.
        configuration: the text search configuration.
        units: what the rows are: of pagelets, documents alone are found.
        fields: the fields that are not ours.

    """

    def __init__(
        self, names: Names, site: str, configuration: str, units: str, fields: Sequence[PlacedField]
    ) -> None:
        self._names, self._site, self._configuration, self._units = names, site, configuration, units
        self._fields = fields
        self._columns = {entry.field.name: sql.Identifier(entry.column) for entry in fields}
        self._columns |= {column.name: sql.Identifier(column.name) for column in OWN}

    @property
    def columns(self) -> tuple[FieldColumn, ...]:
        """The columns that a query can name."""
        return (*OWN, *(entry.field for entry in self._fields))

    def search(self, connection: Connection, query: Query) -> Found:
        """The hits of a query, whose columns there are."""
        parameters: list[Any] = []
        matches = self._found(query, parameters)
        total: int = scalar(connection, sql.SQL("SELECT count(*)") + matches, *parameters)
        rank: list[Any] = []
        clauses = [item for item in query.clauses if item.occur is not Occur.NOT]
        score: sql.Composable = sql.SQL("0.0")
        if clauses and query.sort is None:
            score = sql.SQL("ts_rank(tsv, {})").format(self._any(clauses, rank))
        shown = [sql.Identifier(name) for name in _SHOWN] + [
            sql.Identifier(item.column) for item in self._fields
        ]
        statement = sql.SQL(
            'SELECT {} AS score, {}{} ORDER BY {}, url COLLATE "C", position LIMIT %s OFFSET %s'
        )
        rows = connection.execute(
            statement.format(score, sql.SQL(", ").join(shown), matches, self._order(query)),
            [*rank, *parameters, max(0, query.limit), max(0, query.offset)],
        ).fetchall()
        phrases = wanted(query, embedded.words)
        counts = {item.name: self._counts(connection, matches, parameters, item) for item in query.counts}
        return Found([self._hit(row, phrases) for row in rows], total, counts=counts)

    def _found(self, query: Query, parameters: list[Any]) -> sql.Composable:
        """The part of a statement from its FROM to the end of its conditions."""
        parts: list[sql.Composable] = [sql.SQL("site = %s")]
        parameters.append(self._site)
        if self._units == PAGELETS:
            parts.append(sql.SQL("position = 0"))
        if not query.everything:
            parts.append(sql.SQL("tsv @@ ({})").format(self._asked(query, parameters)))
        for sign, day in (("day >= %s", query.since), ("day <= %s", query.until)):
            if day is not None:
                parts.append(sql.SQL(sign))
                parameters.append(day)
        if query.language:
            tag = kept((language_prefixes(query.language) or [""])[-1])
            parts.append(sql.SQL("starts_with(lower(replace(language, '_', '-')) || '-', %s)"))
            parameters.append(f"{tag}-")
        if query.path:
            parts.append(sql.SQL("starts_with(path, %s)"))
            parameters.append(kept(query.path))
        if query.where is not None:
            parts.append(self._condition(query.where, parameters))
        return sql.SQL(" FROM {} WHERE ").format(self._names.table) + sql.SQL(" AND ").join(parts)

    def _asked(self, query: Query, parameters: list[Any]) -> sql.Composable:
        """Returns the tsquery of a query: all that a text must have, or else one thing that it may have, and
        nothing that it must not have.
        """
        by_occur = {occur: [clause for clause in query.clauses if clause.occur is occur] for occur in Occur}
        needed = [[clause] for clause in by_occur[Occur.MUST]]
        if not needed and by_occur[Occur.MAY]:
            needed = [by_occur[Occur.MAY]]
        parts = [self._any(clauses, parameters) for clauses in needed]
        parts += [
            sql.SQL("(!! {})").format(self._any([clause], parameters)) for clause in by_occur[Occur.NOT]
        ]
        return sql.SQL(" && ").join(parts) if parts else sql.SQL("''::tsquery")

    def _any(self, clauses: Sequence[Clause], parameters: list[Any]) -> sql.Composable:
        phrase = sql.SQL("phraseto_tsquery(%s::regconfig, %s)")
        for clause in clauses:
            parameters += [self._configuration, words(clause.text)]
        return sql.SQL("({})").format(sql.SQL(" || ").join([phrase] * len(clauses)))

    def _order(self, query: Query) -> sql.Composable:
        if query.sort is not None:
            order = sql.SQL("{} DESC NULLS LAST" if query.sort.descending else "{} ASC NULLS LAST")
            return order.format(self._compared(query.sort.column))
        return sql.SQL("score DESC")

    def _compared(self, column: FieldColumn) -> sql.Composable:
        place = self._columns[column.name]
        if column in OWN and column.type == "date":
            # A page may declare it finer than columns are compared.
            return sql.SQL("date_trunc('milliseconds', {})").format(place)
        return compared(column, place)

    def _condition(self, where: Where, parameters: list[Any]) -> sql.Composable:
        """A condition, which is not true where a value is missing, but may be NULL."""
        if isinstance(where, Not):
            return sql.SQL("({} IS NOT TRUE)").format(self._condition(where.one, parameters))
        if isinstance(where, All | Any_):
            word = sql.SQL(" AND " if isinstance(where, All) else " OR ")
            parts = [self._condition(part, parameters) for part in where.parts]
            return sql.SQL("({})").format(word.join(parts))
        column, place = where.column, self._columns[where.column.name]
        if isinstance(where, Missing):
            return sql.SQL("{} IS NULL").format(place)
        type_ = TYPES.get(column.type, "text")
        if isinstance(where, Among):
            parameters.append([_bound(column, operand) for operand in where.values])
            values = sql.SQL(f"%s::{type_}[]")
            if column.many:
                return sql.SQL("{} && {}").format(place, values)
            return sql.SQL("{} = ANY ({})").format(self._compared(column), values)
        operand = compared(column, sql.Identifier("value")) if column.many else self._compared(column)
        bounds = []
        for sign, value, included in ((">", where.low, where.with_low), ("<", where.high, where.with_high)):
            if value is not None:
                parameters.append(_bound(column, value))
                bounds.append(sql.SQL(f"{{}} {sign}{'=' * included} %s::{type_}").format(operand))
        within = sql.SQL(" AND ").join(bounds)
        if column.many:
            return sql.SQL("EXISTS (SELECT FROM unnest({}) AS value WHERE {})").format(place, within)
        return sql.SQL("({})").format(within)

    def _counts(
        self, connection: Connection, matches: sql.Composable, parameters: Sequence[Any], column: FieldColumn
    ) -> list[tuple[Any, int]]:
        if column.many:
            statement = sql.SQL(
                "SELECT value, count(DISTINCT (document, position)) FROM (SELECT document, position, "
                "unnest({}) AS value {}) AS found GROUP BY value"
            ).format(self._columns[column.name], matches)
        else:
            statement = sql.SQL(
                "SELECT value, count(*) FROM (SELECT {} AS value {}) AS found GROUP BY value"
            ).format(self._compared(column), matches)
        rows = connection.execute(statement, parameters).fetchall()
        return counted(column, {as_key(value): count for value, count in rows if value is not None})

    def _hit(self, row: Sequence[Any], phrases: Sequence[tuple[str, ...]]) -> Hit:
        score, unit, document, url, title, headings, text, language, published, fetched_at = row[:10]
        values = zip(self._fields, row[10:], strict=True)
        return Hit(
            float(score),
            unit,
            document,
            url,
            title,
            tuple(headings),
            snippet(text, phrases, embedded.words),
            language,
            published,
            None if fetched_at is None else fetched_at.isoformat(),
            {entry.field.name: _shown(entry.field, value) for entry, value in values},
        )


def _bound(column: FieldColumn, key: Key) -> Any:
    try:
        return as_moment(int(key)) if column.type == "date" else key
    except OverflowError:
        # The end of the last day of the year 9999, which Python has no moment for.
        return "infinity"


def _shown(column: FieldColumn, value: Any) -> Any:
    if isinstance(value, list):
        return [_shown(column, item) for item in value]
    return date_of(as_key(value)) if column.type == "date" and value is not None else value
