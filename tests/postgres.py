"""A real PostgreSQL server for tests, thrown away at the end."""

from __future__ import annotations

import os
import pwd
import shutil
import socket
import subprocess
import tempfile
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING
from urllib.parse import quote

import psycopg
import pytest
from psycopg import sql

if TYPE_CHECKING:
    from collections.abc import Iterator


class NoServer(Exception):
    """Raised where this machine has no PostgreSQL server, or cannot start one; the text says why."""


def programs() -> Path:
    """The folder with ``initdb`` and ``pg_ctl``. Raises NoServer."""
    folders = [Path(folder) for folder in os.environ.get("PATH", "").split(os.pathsep) if folder]
    folders += sorted(Path("/usr/lib/postgresql").glob("*/bin"), key=_version, reverse=True)
    if config := shutil.which("pg_config"):
        found = subprocess.run([config, "--bindir"], capture_output=True, text=True, check=False)
        folders.append(Path(found.stdout.strip()))
    for folder in folders:
        if all((folder / name).is_file() for name in ("initdb", "pg_ctl", "postgres")):
            return folder
    raise NoServer("no PostgreSQL server is installed (Debian's package postgresql)")


def _version(folder: Path) -> int:
    return int(folder.parent.name) if folder.parent.name.isdecimal() else 0


def _account() -> str | None:
    """Whom the server belongs to: PostgreSQL does not run as root."""
    if os.geteuid() != 0:
        return None
    for name in ("postgres", "nobody"):
        try:
            pwd.getpwnam(name)
        except KeyError:
            continue
        return name
    raise NoServer("PostgreSQL does not run as root, and there is no other user to run it as")


class PostgresServer:
    """A server on a free port of this machine and on a socket in its folder; ``admin`` may do everything.

    Raises NoServer.
    """

    admin = "admin"

    def __init__(self) -> None:
        self._programs = programs()
        self._account = _account()
        # A path of pytest's would be too long for a socket.
        self.folder = Path(tempfile.mkdtemp(prefix="pg-"))
        if self._account is not None:
            shutil.chown(self.folder, self._account)
        with socket.socket() as free:
            free.bind(("127.0.0.1", 0))
            self.port = free.getsockname()[1]
        self._databases = 0
        try:
            self._initialise()
            self.start()
        except BaseException:
            shutil.rmtree(self.folder, ignore_errors=True)
            raise

    def _initialise(self) -> None:
        self._run(
            *("initdb", "-D", "data", "-U", self.admin, "-A", "trust"),
            *("-E", "UTF8", "--locale=C.UTF-8", "--no-sync"),
        )
        # Whoever comes over TCP needs a password, but for the administrator.
        (self.folder / "data" / "pg_hba.conf").write_text(
            f"local all all trust\nhost all {self.admin} 127.0.0.1/32 trust\n"
            "host all all 127.0.0.1/32 scram-sha-256\n"
        )
        with (self.folder / "data" / "postgresql.conf").open("a") as settings:
            settings.write(
                f"listen_addresses = '127.0.0.1'\nport = {self.port}\n"
                f"unix_socket_directories = '{self.folder}'\n"
                # A server that is killed loses nothing thereby; only a machine would.
                "fsync = off\nfull_page_writes = off\nshared_buffers = 32MB\nautovacuum = off\n"
            )

    def _run(self, program: str, *arguments: str) -> None:
        result = subprocess.run(
            [self._programs / program, *arguments],
            cwd=self.folder,
            user=self._account,
            group=None if self._account is None else pwd.getpwnam(self._account).pw_gid,
            extra_groups=None if self._account is None else [],
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            check=False,
        )
        if result.returncode:
            raise NoServer(f"{program} failed: {' '.join(result.stdout.split())[-500:]}")

    def start(self) -> None:
        """Starts the server, and waits until it takes connections."""
        self._run("pg_ctl", "-D", "data", "-l", str(self.folder / "log"), "-w", "start")

    def stop(self, mode: str = "immediate") -> None:
        """Stops the server: ``immediate`` is as if it was killed."""
        self._run("pg_ctl", "-D", "data", "-m", mode, "-w", "stop")

    def close(self) -> None:
        """Stops the server and throws it away."""
        try:
            self.stop()
        except NoServer:
            pass
        finally:
            shutil.rmtree(self.folder, ignore_errors=True)

    @property
    def pid(self) -> int:
        """The process id of the server."""
        return int((self.folder / "data" / "postmaster.pid").read_text().splitlines()[0])

    def dsn(self, database: str, user: str | None = None, password: str = "") -> str:
        """A connection string over TCP."""
        secret = f":{quote(password, safe='')}" if password else ""
        return f"postgresql://{user or self.admin}{secret}@127.0.0.1:{self.port}/{database}"

    def database(self, template: str | None = None, options: str = "") -> str:
        """Makes a database that no test has had before, and returns its name."""
        self._databases += 1
        name = f"tests_{self._databases}"
        copied = f"TEMPLATE {template}" if template else ""
        self.execute("postgres", f"CREATE DATABASE {name} {copied} {options}")
        return name

    def role(self, name: str, password: str) -> None:
        """Makes a role that may log in, and nothing else."""
        statement = sql.SQL("CREATE ROLE {} LOGIN PASSWORD {}")
        with psycopg.connect(self.dsn("postgres"), autocommit=True) as connection:
            connection.execute(statement.format(sql.Identifier(name), sql.Literal(password)))

    def execute(self, database: str, statement: str, parameters: object = None) -> list[tuple]:
        """Runs a statement as the administrator, and returns its rows."""
        with psycopg.connect(self.dsn(database), autocommit=True) as connection:
            cursor = connection.execute(statement, parameters)
            return cursor.fetchall() if cursor.description else []


@contextmanager
def postgres_server() -> Iterator[PostgresServer]:
    """A server while the context lasts; the test that asks for it is skipped where none can be started."""
    try:
        server = PostgresServer()
    except NoServer as error:
        pytest.skip(str(error))
    try:
        yield server
    finally:
        server.close()
