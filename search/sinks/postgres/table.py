"""The table of a PostgreSQL index, and the table with a row for each site."""

from __future__ import annotations

import contextlib
import hashlib
import secrets
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final, LiteralString

from psycopg import DataError, NotSupportedError, ProgrammingError, sql

from search.sinks.postgres.server import Unfit

if TYPE_CHECKING:
    from search.sinks.postgres.server import Connection

VERSION: Final = 1
_COMMENT: Final = "site-pagelets search units, version "
_OLDEST_SERVER: Final = 130000

COLUMNS: Final = (
    "document text NOT NULL, position integer NOT NULL, id text NOT NULL, url text NOT NULL, "
    "path text NOT NULL, title text NOT NULL, headings text[] NOT NULL, text text NOT NULL, language text, "
    "author text, published timestamptz, published_as_declared text, canonical_url text, "
    "fetched_at timestamptz, day date, content_hash text NOT NULL, configuration text NOT NULL"
)
"""The columns of a unit: not its site, nor the words that searches see."""
_CREATE: Final = (
    f"CREATE TABLE {{table}} (site text NOT NULL, {COLUMNS}, tsv tsvector NOT NULL, "
    "PRIMARY KEY (site, document, position))"
)
_CREATE_SITES: Final = """
CREATE TABLE IF NOT EXISTS {sites} (
    site text PRIMARY KEY,
    identity text NOT NULL,
    made_as text NOT NULL,
    filled boolean NOT NULL DEFAULT false
)
"""
_FIND: Final = """
SELECT coalesce(
    (SELECT n.nspname FROM pg_catalog.pg_class c JOIN pg_catalog.pg_namespace n ON n.oid = c.relnamespace
        WHERE c.oid = to_regclass(%(name)s)),
    CASE %(schema)s WHEN '' THEN current_schema()
        ELSE (SELECT nspname FROM pg_catalog.pg_namespace WHERE nspname = %(schema)s) END
), to_regclass(%(name)s) IS NOT NULL
"""
_CONFIGURATION: Final = """
SELECT quote_ident(n.nspname) || '.' || quote_ident(c.cfgname)
FROM pg_catalog.pg_ts_config c JOIN pg_catalog.pg_namespace n ON n.oid = c.cfgnamespace
WHERE c.oid = %s::regconfig
"""


@dataclass(slots=True, frozen=True)
class Names:
    """A table as SQL names it; ``sites`` is the one beside it, with a row for each site."""

    schema: str
    table: sql.Identifier
    sites: sql.Identifier

    def statement(self, text: LiteralString, **parts: sql.Composable) -> sql.Composed:
        """A statement of our own in which ``{table}`` and ``{sites}`` stand for the names, and others for
        parts of it.
        """
        return sql.SQL(text).format(table=self.table, sites=self.sites, **parts)


def scalar(connection: Connection, select: LiteralString | sql.Composed, *values: Any) -> Any:
    """The first column of the first row of a SELECT; None without a row."""
    row = connection.execute(select, values).fetchone()
    return None if row is None else row[0]


def find(connection: Connection, name: str) -> tuple[Names, bool]:
    """The table of a name, which may have a schema before a dot, and whether it is there. Without a schema
    it is the first of that name in the search path, else it would be made in the first schema of that.

    Raises Unfit, whose text is the mend, where there is no schema for it.
    """
    schema, _, table = name.rpartition(".")
    ((found, there),) = connection.execute(_FIND, {"name": name, "schema": schema}).fetchall()
    if found is None:
        missing = f"has no schema {schema}" if schema else "has no schema in the role's search_path"
        raise Unfit(f"the database {missing}; run CREATE SCHEMA, or name another table in [postgresql]")
    names = Names(found, sql.Identifier(found, table), sql.Identifier(found, f"{table}_sites"))
    return names, there


def make(connection: Connection, name: str) -> Names:
    """Finds a table, or makes it; one process at a time does so.

    Raises Unfit, whose text is the mend, if the database or the table is not fit for it.
    """
    lock(connection, "table", name)
    _check_server(connection)
    names, there = find(connection, name)
    if there:
        check(connection, names)
    else:
        connection.execute(names.statement(_CREATE))
        # Compressed, it would be hardly smaller, and unpacked for every row that is ranked.
        connection.execute(names.statement("ALTER TABLE {table} ALTER COLUMN tsv SET STORAGE EXTERNAL"))
        connection.execute(names.statement("CREATE INDEX ON {table} USING gin (tsv)"))
        connection.execute(
            sql.SQL("COMMENT ON TABLE {} IS {}").format(names.table, sql.Literal(f"{_COMMENT}{VERSION}"))
        )
    sites = names.sites.as_string(connection)
    if not there or scalar(connection, "SELECT to_regclass(%s)", sites) is None:
        connection.execute(names.statement(_CREATE_SITES))
    return names


def check(connection: Connection, names: Names) -> None:
    """Raises Unfit, whose text is the mend, where a table is not one of ours, or of another version."""
    name = names.table.as_string(connection)
    comment = scalar(connection, "SELECT obj_description(to_regclass(%s), 'pg_class')", name) or ""
    if not comment.startswith(_COMMENT):
        raise Unfit(f"the table {name} is somebody else's; name another table in [postgresql]")
    if comment != f"{_COMMENT}{VERSION}":
        raise Unfit(
            f"the table {name} is of another version of site-pagelets; run DROP TABLE {name}, and the next "
            "crawl makes it again, or name another table in [postgresql]"
        )


def configuration(connection: Connection, name: str) -> str:
    """The full name of a text search configuration. Raises Unfit, whose text is the mend."""
    full_name = None
    with contextlib.suppress(DataError, ProgrammingError, NotSupportedError), connection.transaction():
        full_name = scalar(connection, _CONFIGURATION, name)
    if full_name is None:
        raise Unfit(
            f"there is no text search configuration {name!r}; write 'simple', or one that \\dF of psql lists"
        )
    return str(full_name)


def _check_server(connection: Connection) -> None:
    if connection.info.server_version < _OLDEST_SERVER:
        raise Unfit("the server is older than PostgreSQL 13; upgrade it")
    if (encoding := scalar(connection, "SHOW server_encoding")) != "UTF8":
        raise Unfit(
            f"the database has the encoding {encoding}, which does not know every character; make one "
            "with createdb --encoding=UTF8 --template=template0"
        )


def lock(connection: Connection, *what: str) -> None:
    """Waits until no other transaction holds the lock of a name, and holds it until the end of this one."""
    key = hashlib.blake2b("\0".join(("site-pagelets", *what)).encode(), digest_size=8).digest()
    connection.execute("SELECT pg_advisory_xact_lock(%s)", (int.from_bytes(key, signed=True),))


def lock_site(connection: Connection, names: Names, site: str) -> None:
    """Waits on a ``connection`` until no other transaction writes for a ``site`` to the tables ``names``."""
    lock(connection, "site", names.table.as_string(connection), site)


@dataclass(slots=True)
class SiteRow:
    """A site's row in a database. ``made_as`` names how its units were made and, after a space, their fields;
    ``filled`` is True if there were units.
    """

    identity: str
    made_as: str
    filled: bool

    @classmethod
    def read(cls, connection: Connection, names: Names, site: str) -> SiteRow | None:
        """Reads the row of a ``site`` by a ``connection`` from the table in ``names``, or None."""
        select = names.statement("SELECT identity, made_as, filled FROM {sites} WHERE site = %s")
        row = connection.execute(select, (site,)).fetchone()
        return None if row is None else cls(*row)

    def write(self, connection: Connection, names: Names, site: str) -> None:
        """Writes the row of a ``site`` by a ``connection`` to the table in ``names``, in place of the old
        one.
        """
        connection.execute(
            names.statement(
                "INSERT INTO {sites} (site, identity, made_as, filled) "
                "VALUES (%s, %s, %s, %s) ON CONFLICT (site) DO UPDATE "
                "SET identity = excluded.identity, made_as = excluded.made_as, filled = excluded.filled"
            ),
            (site, self.identity, self.made_as, self.filled),
        )


def new_identity() -> str:
    """A name that no index had before."""
    return secrets.token_hex(8)


def site_row(connection: Connection, names: Names, site: str, made_as: str) -> SiteRow:
    """Returns the row of a ``site``, a new one if it is missing.

    If somebody has dropped or emptied the table of units, the row is that of a new index. Takes a
    ``connection``, the ``names`` of the tables, and ``made_as``, the name of how units are made.
    """
    lock_site(connection, names, site)
    row = SiteRow.read(connection, names, site)
    any_unit = names.statement("SELECT EXISTS (SELECT FROM {table} WHERE site = %s)")
    if row is not None and (not row.filled or scalar(connection, any_unit, site)):
        return row
    row = SiteRow(new_identity(), made_as, False)
    row.write(connection, names, site)
    return row
