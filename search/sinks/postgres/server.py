"""One connection to a PostgreSQL server, and what its errors mean to a sink."""

from __future__ import annotations

import contextlib
import math
import socket
import threading
from typing import TYPE_CHECKING, Any, Final, TypeVar

import psycopg
from psycopg.conninfo import conninfo_to_dict

from search.sink import SinkDown
from settings.errors import WrongSetting

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    Connection = psycopg.Connection[tuple[Any, ...]]

T = TypeVar("T")

_OF_A_DOCUMENT: Final = ("22", "23", "54", "P0")
"""Classes of SQLSTATE that tell of the data: bad data, a constraint, too large, raised by a trigger."""
_SECRETS: Final = ("password", "sslpassword")
_DEADLINE: Final = 3
"""A transaction may take so many times what a statement may, before its connection is given up: a server
that is frozen keeps no timeout of its own."""
_PATIENCE: Final = 50
_LONGEST: Final = 32_767
"""The seconds, nine hours, of which Linux takes no more between two signs of life."""
_GONE: Final = ("08", "57P")
"""Where SQLSTATE begins so, the server has closed the connection, or does so now."""
_MAX_MESSAGE: Final = 400
_MEND_LOST: Final = "see that it runs, and that dsn in [postgresql] is right"
_MENDS: Final = {
    "25006": "name a server that takes writes as dsn in [postgresql]",
    "42501": "give the role the permissions that docs/postgresql.md lists",
    "42703": "add the column again, or drop the table: the next crawl makes it again",
    "42P01": "the next crawl makes the table again",
    "53100": "make room on its disk",
    "55P03": "wait until the other process that writes to this site's index is done",
    "57014": "see what keeps it busy, or raise SINK_TIMEOUT",
}
"""The mend by SQLSTATE, of a server that is there."""

_SETTINGS: Final = """
SELECT set_config(name, CASE name
        WHEN 'statement_timeout' THEN %(timeout)s
        WHEN 'lock_timeout' THEN %(lock_timeout)s
        WHEN 'client_min_messages' THEN 'error'
        WHEN 'synchronous_commit' THEN CASE setting WHEN 'off' THEN 'on' ELSE setting END
        WHEN 'transaction_isolation' THEN 'read committed'
        WHEN 'TimeZone' THEN 'UTC'
        WHEN 'DateStyle' THEN 'ISO'
        ELSE '0'
    END, true)
FROM pg_catalog.pg_settings
WHERE name IN ('statement_timeout', 'lock_timeout', 'client_min_messages', 'synchronous_commit',
    'idle_in_transaction_session_timeout', 'transaction_timeout', 'TimeZone', 'DateStyle')
"""
"""Set for each transaction, not for the session, which a connection pooler may share out."""


class Unfit(Exception):
    """Raised for a server or database that no index can be made in as it is; the text is the mend."""


class ConnectedServer:
    """A server of PostgreSQL, connected to at the first transaction.

    ``where`` names host and database, and tells no secret; neither does any error.
    """

    def __init__(self, dsn: str, timeout: float) -> None:
        """Takes a connection string of libpq's, and the seconds that connecting, a statement, and waiting for
        a lock may take. Raises WrongSetting for what is no connection string.
        """
        try:
            given: dict[str, Any] = conninfo_to_dict(dsn)
            # With @ or / as they are in a password, its rest would be in the name of the host or database.
            fits = "://" not in dsn or not any(
                "@" in given.get(name, "") and given[name] in dsn for name in ("host", "dbname")
            )
        except (psycopg.Error, UnicodeError):
            # The message of libpq quotes what it does not understand, which may be the password.
            fits = False
        if not fits:
            raise WrongSetting(
                "POSTGRESQL.dsn",
                "is not a connection string of PostgreSQL; write it as "
                "postgresql://user:password@host:5432/database, with % for special characters",
            )
        timeout = min(timeout, _LONGEST)
        milliseconds = max(1, math.ceil(timeout * 1000))
        self._timeout = timeout
        # Waiting for a lock ends first, so that the error says what it was.
        self._settings = {"timeout": str(milliseconds), "lock_timeout": str(max(1, milliseconds * 9 // 10))}
        self._parameters: dict[str, Any] = {
            "application_name": "site-pagelets",
            # libpq waits for two seconds at least.
            "connect_timeout": max(2, math.ceil(timeout)),
            "keepalives_idle": max(1, math.ceil(timeout)),
            "keepalives_interval": max(1, math.ceil(timeout / 3)),
            "keepalives_count": 3,
            "tcp_user_timeout": milliseconds,
            **given,
            # Whatever the connection string, the role or PGCLIENTENCODING says: others lack characters.
            "client_encoding": "UTF8",
        }
        self._secrets = [str(given[name]) for name in _SECRETS if given.get(name)]
        host = given.get("host") or given.get("hostaddr") or "localhost"
        port = f":{given['port']}" if given.get("port") else ""
        self.where = self._hidden(
            f"PostgreSQL at {host}{port}, database {given.get('dbname') or 'of the user'}"
        )
        self._connection: Connection | None = None
        self._cut = threading.Event()

    def run(self, work: Callable[[Connection], T]) -> T:
        """Does work in a transaction, and once more on a new connection where this one turns out to be lost.

        Raises SinkDown.
        """
        was_connected = self._connection is not None
        try:
            with self.transaction() as connection:
                return work(connection)
        except SinkDown:
            if not was_connected or self._connection is not None or self._cut.is_set():
                raise
        with self.transaction() as connection:
            return work(connection)

    @contextlib.contextmanager
    def transaction(self) -> Iterator[Connection]:
        """A transaction, which is committed at the end. Raises SinkDown, with every error of the server."""
        with self.errors():
            connection = self._connected()
            transaction = connection.transaction()
            with self.bounded():
                transaction.__enter__()
            try:
                with self.bounded():
                    connection.execute(_SETTINGS, self._settings)
                yield connection
            except BaseException as error:
                with self.bounded():
                    transaction.__exit__(type(error), error, error.__traceback__)
                raise
            with self.bounded():
                transaction.__exit__(None, None, None)

    @contextlib.contextmanager
    def bounded(self, times: int = 1) -> Iterator[None]:
        """Inside, the connection is cut where the server takes far too long to answer."""
        connection = self._connection
        if connection is None or connection.closed:
            yield
            return
        timer = threading.Timer(self._timeout * _DEADLINE * times, self._cut_off, (connection.fileno(),))
        timer.daemon = True
        timer.start()
        try:
            yield
        finally:
            timer.cancel()

    @contextlib.contextmanager
    def patient(self, connection: Connection) -> Iterator[None]:
        """Inside a transaction, statements may take long, but not for ever."""
        connection.execute("SELECT set_config('statement_timeout', '0', true)")
        with self.bounded(_PATIENCE):
            yield
        connection.execute("SELECT set_config('statement_timeout', %s, true)", (self._settings["timeout"],))

    @contextlib.contextmanager
    def errors(self) -> Iterator[None]:
        """Inside, errors of the server become SinkDown, and so does Unfit; a lost connection is let go."""
        try:
            yield
        except Unfit as error:
            raise SinkDown(f"{self.where}: {error}") from None
        except psycopg.Error as error:
            connection = self._connection
            lost = connection is None or connection.closed or (error.sqlstate or "").startswith(_GONE)
            if lost:
                self.close()
            raise self.down(error, lost=lost) from None

    def _cut_off(self, descriptor: int) -> None:
        self._cut.set()
        with contextlib.suppress(OSError):
            connection = socket.socket(fileno=descriptor)
            try:
                connection.shutdown(socket.SHUT_RDWR)
            finally:
                connection.detach()

    def down(self, error: psycopg.Error, *, lost: bool = False) -> SinkDown:
        """Returns the error for those who wait for the sink."""
        mend = _MENDS.get(error.sqlstate or "", "see its log")
        return SinkDown(f"{self.where}: {self.said(error)}; {_MEND_LOST if lost else mend}")

    def said(self, error: psycopg.Error) -> str:
        """Returns the server's message, in one line without secrets."""
        text = " ".join((error.diag.message_primary or str(error) or type(error).__name__).split())
        return self._hidden(text)[:_MAX_MESSAGE]

    def close(self) -> None:
        """Ends the connection. Safe to call twice."""
        connection, self._connection = self._connection, None
        if connection is not None:
            connection.close()

    def _connected(self) -> Connection:
        if self._connection is None or self._connection.closed:
            # Statements are few and large: preparing them gains nothing, and poolers do not like it.
            self._cut.clear()
            self._connection = psycopg.connect(**self._parameters, autocommit=True, prepare_threshold=None)
        return self._connection

    def _hidden(self, text: str) -> str:
        for secret in self._secrets:
            text = text.replace(secret, "(hidden)")
        return text


def of_a_document(error: psycopg.Error) -> bool:
    """Returns True if a server refuses a document, so that others may go through."""
    return (error.sqlstate or "")[:2] in _OF_A_DOCUMENT
