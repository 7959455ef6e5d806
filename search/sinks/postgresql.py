"""Full text search in a PostgreSQL database (docs/postgresql.md)."""

from __future__ import annotations

import contextlib
import hashlib
import json
import logging
import re
from typing import TYPE_CHECKING, Final

from search.query import Found, NoIndex, Query, check_columns
from search.sink import Operation, Place, Refusal, Sink, SinkDown, resolved, units_of
from settings.errors import ConfigurationError, WrongSetting, removed
from settings.tables import PostgresqlTable

try:
    import psycopg

    from search.sinks.postgres import rows as unit_rows
    from search.sinks.postgres import table
    from search.sinks.postgres.search import TableSearch
    from search.sinks.postgres.server import ConnectedServer, of_a_document
except ImportError as error:
    _MISSING: str | None = " ".join(str(error).split())
else:
    _MISSING = None

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from pagelets.fields import FieldColumn
    from search.sinks.postgres.rows import PlacedField
    from search.sinks.postgres.server import Connection
    from search.sinks.postgres.table import Names

logger = logging.getLogger(__name__)

_TABLE: Final = re.compile(r"(?:[a-z_][a-z0-9_]{0,62}\.)?[a-z_][a-z0-9_]{0,56}")
_FETCHED: Final = 5000
_TOO_LARGE: Final = "54"


class PostgresqlSink(Sink):
    """Keeps the units of all sites in one table, where applications find them with SQL.

    Options: ``dsn`` is a connection string; ``table`` the table's name, which may have a schema before a dot;
    ``language`` the name of a text search configuration.
    """

    options = PostgresqlTable.filled()

    def __init__(self, place: Place) -> None:
        super().__init__(place)
        if _MISSING is not None:
            raise ConfigurationError(
                f"the sink postgresql needs psycopg: {_MISSING}; run pip install -r requirements-sinks.txt"
            )
        self._table = str(self.given["table"])
        if not _TABLE.fullmatch(self._table):
            raise WrongSetting(
                "POSTGRESQL.table",
                f"{self._table[:80]!r} is not the name of a table; write lower-case "
                "letters, digits and _, 57 at most, and a schema before a dot where another is meant",
            )
        if gone := removed("text search configuration", str(self.given["language"])):
            raise WrongSetting("POSTGRESQL.language", f"{self.given['language']!r} {gone}")
        dsn = resolved(self.given["dsn"], "POSTGRESQL.dsn").strip()
        if not dsn:
            raise WrongSetting(
                "POSTGRESQL.dsn", "says no database; set dsn in the table [postgresql] of the site file"
            )
        self._server = ConnectedServer(dsn, place.timeout)
        self._site = unit_rows.kept(place.site)
        self._names: Names | None = None
        self._configuration = ""
        self._made_as = ""
        self._fields: list[PlacedField] = []
        self._before: list[PlacedField] = []
        self._rebuilding: tuple[Connection, table.SiteRow] | None = None

    def open(self) -> str:
        """As `Sink.open`; several sinks may do so at once."""
        self._names, self._configuration, self._fields = names, _, fields = self._server.run(self._set_up)
        made_as = _digest(json.dumps([table.VERSION, self.units, self._configuration]))
        fields_text = unit_rows.text_of(fields)
        self._made_as = f"{made_as} {fields_text}".rstrip()
        here = self._server.run(
            lambda connection: table.site_row(connection, names, self._site, self._made_as)
        )
        self._before = unit_rows.fields_in(here.made_as if here.filled else self._made_as)
        return f"{here.identity}-{made_as}" + (f"-{_digest(fields_text)}" if fields_text else "")

    def _set_up(self, connection: Connection) -> tuple[Names, str, list[PlacedField]]:
        names = table.make(connection, self._table)
        language = table.configuration(connection, str(self.given["language"]))
        if not self.place.columns:
            return names, language, []
        # A new column gets an index, for which a large table is read.
        here = table.SiteRow.read(connection, names, self._site)
        before = unit_rows.fields_in(here.made_as) if here else []
        if not unit_rows.all_there(connection, names, before):
            # Somebody has dropped a column, with what the units had in it: they are filled in anew.
            connection.execute(names.statement("DELETE FROM {sites} WHERE site = %s"), (self._site,))
        with self._server.patient(connection):
            return names, language, unit_rows.placed(connection, names, self.place.columns, before)

    def columns_there(self) -> tuple[FieldColumn, ...]:
        """As `Sink.columns_there`."""
        return tuple(entry.field for entry in self._before)

    def searched_columns(self) -> tuple[FieldColumn, ...]:
        """As `search.query.Filtered`."""
        return self._server.run(lambda connection: self._reader(connection).columns)

    def search(self, query: Query) -> Found:
        """As `search.query.Searchable`."""

        def search(connection: Connection) -> Found:
            reader = self._reader(connection)
            check_columns(query, reader.columns, self.mend)
            with self._server.bounded():
                return reader.search(connection, query)

        return self._server.run(search)

    def _reader(self, connection: Connection) -> TableSearch:
        """Returns a search in the site's rows as they are now. Raises NoIndex, SinkDown."""
        names, there = table.find(connection, self._table)
        if there:
            table.check(connection, names)
        here = table.SiteRow.read(connection, names, self._site) if there else None
        language = table.configuration(connection, str(self.given["language"]))
        if here is None:
            raise NoIndex(f"{self._server.where}: no index of {self.place.site}; {self.mend}")
        return TableSearch(names, self._site, language, self.units, unit_rows.fields_in(here.made_as))

    def write(self, operations: Sequence[Operation]) -> Mapping[str, Refusal]:
        """As `Sink.write`, in one transaction; what is refused leaves the index as it was."""
        if self._rebuilding is not None:
            connection, here = self._rebuilding
            with self._server.errors(), self._server.bounded():
                return self._write(connection, operations, here)
        return self._server.run(lambda connection: self._write_alone(connection, operations))

    def _write_alone(self, connection: Connection, operations: Sequence[Operation]) -> dict[str, Refusal]:
        names = self._opened()
        table.lock_site(connection, names, self._site)
        here = table.SiteRow.read(connection, names, self._site)
        if here is None or here.made_as != self._made_as:
            # What was made another way is not for searches beside what is made this way.
            here = table.SiteRow(
                table.new_identity() if here is None else here.identity, self._made_as, False
            )
            self._begin(connection, here)
        with self._server.bounded():
            return self._write(connection, operations, here)

    def _write(
        self, connection: Connection, operations: Sequence[Operation], here: table.SiteRow
    ) -> dict[str, Refusal]:
        refusals: dict[str, Refusal] = {}
        if self._put(connection, operations, refusals) and not here.filled:
            here.filled = True
            here.write(connection, self._opened(), self._site)
        return refusals

    def _put(
        self, connection: Connection, operations: Sequence[Operation], refusals: dict[str, Refusal]
    ) -> int:
        """Takes what the server does not refuse; returns how many units that are. A document that has too
        many words alone is taken with fewer.
        """
        said = ""
        for limit in unit_rows.WORDS_LIMITS if len(operations) == 1 else unit_rows.WORDS_LIMITS[:1]:
            try:
                return self._put_all(connection, operations, limit)
            except psycopg.Error as error:
                if not of_a_document(error):
                    raise
                said = self._server.said(error)
                if not (error.sqlstate or "").startswith(_TOO_LARGE):
                    break
        if len(operations) == 1:
            refusals[operations[0].id] = Refusal(f"PostgreSQL does not take it: {said}")
            return 0
        half = len(operations) // 2
        first = self._put(connection, operations[:half], refusals)
        return first + self._put(connection, operations[half:], refusals)

    def _put_all(self, connection: Connection, operations: Sequence[Operation], limit: int) -> int:
        """Takes all of a batch or nothing; of a text, searches see so many characters."""
        names = self._opened()
        columns = self.place.columns
        units = [unit for operation in operations for unit in units_of(operation, self.units, columns)]
        rows = [
            unit_rows.row(unit, self._configuration, limit) | unit_rows.row_values(self._fields, unit.fields)
            for unit in units
        ]
        with connection.transaction():
            connection.execute(
                names.statement("DELETE FROM {table} WHERE site = %s AND document = ANY(%s)"),
                (self._site, [operation.id for operation in operations]),
            )
            if rows:
                statement = names.statement(unit_rows.INSERT, **unit_rows.insert_parts(self._fields))
                given = {"site": self._site, "rows": json.dumps(rows, ensure_ascii=False)}
                connection.execute(statement, given)
        for unit in units:
            if len(unit.text) > limit:
                logger.warning("PostgreSQL: searches see the first %d characters of %s", limit, unit.url)
        return len(rows)

    @contextlib.contextmanager
    def rebuild(self) -> Iterator[None]:
        """As `Sink.rebuild`, in one transaction: searches see nothing of it before the end."""
        names = self._opened()
        with self._server.transaction() as connection:
            with self._server.bounded():
                table.lock_site(connection, names, self._site)
            here = table.SiteRow(table.new_identity(), self._made_as, False)
            self._begin(connection, here)
            self._rebuilding = connection, here
            try:
                yield
            finally:
                self._rebuilding = None
        # A column that somebody's view reads, or that is locked, stays, empty.
        with contextlib.suppress(SinkDown):
            self._server.run(lambda connection: unit_rows.drop_unused(connection, names, self._before))

    def _begin(self, connection: Connection, here: table.SiteRow) -> None:
        """Empties the site's part of the table, which may take long, and says so in its row."""
        names = self._opened()
        with self._server.patient(connection):
            connection.execute(names.statement("DELETE FROM {table} WHERE site = %s"), (self._site,))
        here.write(connection, names, self._site)

    def held(self) -> Iterator[tuple[str, str]]:
        """As `Sink.held`, read through a cursor."""
        names = self._opened()
        declared = names.statement(
            "DECLARE held NO SCROLL CURSOR FOR SELECT id, content_hash FROM {table} WHERE site = %s"
        )
        fetch = psycopg.sql.SQL("FETCH {} FROM held").format(_FETCHED)
        with self._server.transaction() as connection:
            with self._server.bounded():
                # The server takes no parameters here.
                psycopg.ClientCursor(connection).execute(declared, (self._site,))
            while True:
                with self._server.bounded():
                    rows = connection.execute(fetch).fetchall()
                if not rows:
                    break
                yield from ((unit, content_hash) for unit, content_hash in rows)
            connection.execute("CLOSE held")

    def close(self) -> None:
        """As `Sink.close`."""
        self._server.close()

    def _opened(self) -> Names:
        if self._names is None:
            self.open()
        assert self._names is not None
        return self._names


def _digest(text: str) -> str:
    return hashlib.blake2b(text.encode(), digest_size=6).hexdigest()
