"""What goes wrong with the PostgreSQL sink and its server, and what users get wrong."""

from __future__ import annotations

import contextlib
import os
import signal
import subprocess
import sys
import tempfile
import threading
import time
from pathlib import Path
from typing import TYPE_CHECKING

import psycopg
import pytest

from search.sink import Place, SinkDown, document_id
from search.sinks.postgresql import PostgresqlSink
from settings.errors import ConfigurationError
from tests.crawls import PROJECT
from tests.search.sinks.test_postgresql import (
    SITE,
    drop,
    held,
    ids,
    poison,
    put,
    table_of,
    terminate,
)

if TYPE_CHECKING:
    from collections.abc import Iterator

    from tests.postgres import PostgresServer


def on_insert(server: PostgresServer, database: str, sink: PostgresqlSink, does: str, times: int) -> None:
    """Has the server do something at the first inserted rows, whether or not these are committed, but not
    after it was started again.
    """
    name = table_of(sink)
    ((started,),) = server.execute(database, "SELECT pg_postmaster_start_time()")
    server.execute(database, f"CREATE SEQUENCE {name}_count")
    server.execute(
        database,
        f"CREATE FUNCTION {name}_do() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN IF "
        f"pg_postmaster_start_time() = '{started}' AND nextval('{name}_count') <= {times} "
        f"THEN PERFORM {does}; END IF; RETURN NEW; END $$",
    )
    server.execute(
        database, f"CREATE TRIGGER does BEFORE INSERT ON {name} FOR EACH ROW EXECUTE FUNCTION {name}_do()"
    )


def test_a_look_at_what_is_held_may_be_broken_off(server, database, made) -> None:
    sink = made()
    sink.open()
    sink.write([put("https://e.org/1"), put("https://e.org/2")])
    for lost in (False, True):
        looking = sink.held()
        next(looking)
        if lost:
            terminate(server, database)
        looking.close()
    assert len(held(sink)) == 2


def test_a_poisoned_document_is_refused_alone(server, database, made) -> None:
    sink = made()
    sink.open()
    sink.write([put("https://e.org/7", "before")])
    poison(server, database, sink)
    batch = [put(f"https://e.org/{n}", "after", title="poison" if n in (3, 7) else "good") for n in range(20)]
    refusals = sink.write([*batch, drop("https://e.org/none")])
    assert set(refusals) == ids("https://e.org/3", "https://e.org/7")
    assert all(refusal.lasting and "wholesome" in refusal.reason for refusal in refusals.values())
    assert set(held(sink)) == ids(*(f"https://e.org/{n}" for n in range(20) if n != 3))
    # What is not taken leaves what was there.
    assert held(sink)[document_id("https://e.org/7")] == "hash of before"


def test_a_connection_that_is_lost_between_batches_is_made_again(server, database, made) -> None:
    sink = made()
    sink.open()
    sink.write([put("https://e.org/1")])
    terminate(server, database)
    assert sink.write([put("https://e.org/2")]) == {}
    assert set(held(sink)) == ids("https://e.org/1", "https://e.org/2")


def test_a_connection_that_is_lost_in_a_batch_is_made_again_once(server, database, made) -> None:
    sink = made()
    sink.open()
    on_insert(server, database, sink, "pg_terminate_backend(pg_backend_pid())", 1)
    batch = [put("https://e.org/1"), put("https://e.org/2")]
    assert sink.write(batch) == {}
    assert set(held(sink)) == ids("https://e.org/1", "https://e.org/2")


def test_a_connection_that_is_lost_again_and_again_is_a_sink_that_is_down(server, database, made) -> None:
    sink = made()
    sink.open()
    on_insert(server, database, sink, "pg_terminate_backend(pg_backend_pid())", 2)
    with pytest.raises(SinkDown):
        sink.write([put("https://e.org/1")])
    assert held(sink) == {}
    assert sink.write([put("https://e.org/1")]) == {}


def test_a_server_that_is_away_is_down_until_it_is_back(server, made) -> None:
    sink = made()
    name = sink.open()
    sink.write([put("https://e.org/1")])
    server.stop()
    try:
        for attempt in (sink.open, lambda: sink.write([put("https://e.org/2")]), lambda: held(sink)):
            with pytest.raises(SinkDown, match="see that it runs") as caught:
                attempt()
            assert "\n" not in str(caught.value)
    finally:
        server.start()
    assert sink.open() == name
    assert sink.write([put("https://e.org/2")]) == {}
    assert set(held(sink)) == ids("https://e.org/1", "https://e.org/2")


def test_a_server_that_is_killed_in_the_middle_of_a_batch_has_all_or_nothing_of_it(
    server, database, made
) -> None:
    sink = made()
    sink.open()
    sink.write([put("https://e.org/1", "before")])
    on_insert(server, database, sink, "pg_sleep(60)", 1)
    batch = [put(f"https://e.org/{n}", "after") for n in range(3)]
    outcome: list[object] = []

    def write() -> None:
        try:
            outcome.append(sink.write(batch))
        except SinkDown as error:
            outcome.append(error)

    writer = threading.Thread(target=write)
    writer.start()
    while not server.execute("postgres", "SELECT 1 FROM pg_stat_activity WHERE wait_event = 'PgSleep'"):
        assert writer.is_alive()
        time.sleep(0.01)
    server.stop()
    server.start()
    writer.join(30)
    assert len(outcome) == 1
    if isinstance(outcome[0], SinkDown):
        assert held(sink) == {document_id("https://e.org/1"): "hash of before"}
        assert sink.write(batch) == {}
    assert held(sink) == {document_id(f"https://e.org/{n}"): "hash of after" for n in range(3)}


def test_a_server_that_is_frozen_does_not_hold_the_sink_for_ever(server, database, made) -> None:
    sink = made(timeout=0.2)
    sink.open()
    frozen = server.execute(
        "postgres", "SELECT pid FROM pg_stat_activity WHERE application_name = 'site-pagelets'"
    )
    for (pid,) in frozen:
        os.kill(pid, signal.SIGSTOP)
    try:
        with pytest.raises(SinkDown):
            sink.write([put("https://e.org/")])
    finally:
        for (pid,) in frozen:
            os.kill(pid, signal.SIGCONT)
    assert sink.write([put("https://e.org/")]) == {}


def test_a_timeout_may_be_as_long_as_settings_allow(made) -> None:
    assert made(timeout=3650 * 86_400).open()


def test_another_process_that_writes_to_the_same_site_is_waited_for(made) -> None:
    first, second = made(), made(timeout=0.1)
    first.open()
    second.open()
    with first.rebuild():
        with pytest.raises(SinkDown, match="wait until the other process"):
            second.write([put("https://e.org/2")])
        first.write([put("https://e.org/1")])
    assert second.write([put("https://e.org/2")]) == {}
    assert set(held(first)) == ids("https://e.org/1", "https://e.org/2")


def test_sites_that_start_at_once_make_one_table(server, made) -> None:
    dsn = server.dsn(server.database())
    sinks = [made(site=f"site {n}", dsn=dsn) for n in range(4)]
    start = threading.Barrier(len(sinks))
    errors: list[BaseException] = []

    def work(sink: PostgresqlSink, number: int) -> None:
        try:
            start.wait()
            sink.open()
            for batch in range(3):
                assert sink.write([put(f"https://e.org/{batch}", f"{number}")]) == {}
        except BaseException as error:
            errors.append(error)

    threads = [threading.Thread(target=work, args=(sink, n)) for n, sink in enumerate(sinks)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert not errors
    for number, sink in enumerate(sinks):
        assert held(sink) == {document_id(f"https://e.org/{n}"): f"hash of {number}" for n in range(3)}


@contextlib.contextmanager
def small_disk(size: str, owner: int) -> Iterator[Path]:
    """A file system that is soon full."""
    folder = Path(tempfile.mkdtemp(prefix="pg-disk-"))
    options = f"size={size},uid={owner},mode=700"
    mounted = os.geteuid() == 0 and subprocess.run(
        ["mount", "-t", "tmpfs", "-o", options, "none", folder], capture_output=True, check=False
    )
    if not mounted or mounted.returncode:
        folder.rmdir()
        pytest.skip("a small file system cannot be mounted here")
    try:
        yield folder
    finally:
        subprocess.run(["umount", folder], check=True)
        folder.rmdir()


def test_a_full_disk_is_a_sink_that_is_down(server, made) -> None:
    with small_disk("16m", server.folder.stat().st_uid) as folder:
        server.execute("postgres", f"CREATE TABLESPACE small LOCATION '{folder}'")
        database = server.database(options="TABLESPACE small")
        sink = made(dsn=server.dsn(database))
        sink.open()
        assert sink.write([put("https://e.org/before", "before")]) == {}
        large = [put(f"https://e.org/{n}", os.urandom(500_000).hex()) for n in range(12)]
        with pytest.raises(SinkDown, match="make room on its disk"):
            sink.write(large)
        assert held(sink) == {document_id("https://e.org/before"): "hash of before"}
        assert sink.write([put("https://e.org/before", "after")]) == {}
        sink.close()
        server.execute("postgres", f"DROP DATABASE {database}")
        server.execute("postgres", "DROP TABLESPACE small")


# --- What a user gets wrong ---


def dsns(server: PostgresServer, database: str) -> dict[str, tuple[str, str]]:
    return {
        "password": (server.dsn(database, "reader", "geh?eim"), "password authentication failed"),
        "role": (server.dsn(database, "nobody_of_that_name", "geheim"), "authentication failed"),
        "database": (server.dsn("nowhere"), 'database "nowhere" does not exist'),
        "port": ("postgresql://u:geheim@127.0.0.1:1/d", "127.0.0.1:1"),
        "host": ("host=no.such.host.invalid dbname=d password=geheim", "no.such.host.invalid"),
    }


@pytest.mark.parametrize("what", ["password", "role", "database", "port", "host"])
def test_a_database_that_lets_nobody_in_is_named_in_one_line(server, database, made, what, caplog) -> None:
    with contextlib.suppress(psycopg.errors.DuplicateObject):
        server.role("reader", "geheim")
    dsn, said = dsns(server, database)[what]
    sink = made(dsn=dsn)
    with pytest.raises(SinkDown) as caught:
        sink.open()
    assert said in str(caught.value)
    assert "dsn in [postgresql]" in str(caught.value)
    assert "\n" not in str(caught.value)
    for told in (str(caught.value), repr(sink), repr(sink.place), caplog.text):
        assert "geheim" not in told
        assert "geh?eim" not in told


@pytest.mark.parametrize(
    ("options", "said"),
    [
        ({"dsn": ""}, "POSTGRESQL.dsn"),
        ({"dsn": "geheim"}, "POSTGRESQL.dsn"),
        ({"dsn": "postgresql://u:gehe%zzim@h/d"}, "POSTGRESQL.dsn"),
        ({"dsn": "postgresql://u:geheim@h/d?no_such=1"}, "POSTGRESQL.dsn"),
        ({"dsn": "postgresql://u:ganz@geheim@h/d"}, "POSTGRESQL.dsn"),
        ({"dsn": "postgresql://u:1/geheim@h/d"}, "POSTGRESQL.dsn"),
        ({"dsn": {"env": "NO_SUCH_VARIABLE"}}, "NO_SUCH_VARIABLE"),
        ({"table": "Units"}, "POSTGRESQL.table"),
        ({"table": "a.b.c"}, "POSTGRESQL.table"),
        ({"table": "x; DROP TABLE y"}, "POSTGRESQL.table"),
        ({"table": "x" * 58}, "POSTGRESQL.table"),
    ],
)
def test_a_wrong_option_is_named_in_one_line(options, said) -> None:
    given = {"dsn": "postgresql://h/d", **options}
    with pytest.raises(ConfigurationError) as caught:
        PostgresqlSink(Place(SITE, Path("/nowhere"), given))
    assert said in str(caught.value)
    assert "\n" not in str(caught.value)
    assert "gehe" not in str(caught.value)


def test_the_connection_string_may_be_in_the_environment(server, database, made, monkeypatch) -> None:
    monkeypatch.setenv("SEARCH_DSN", server.dsn(database))
    sink = made(dsn={"env": "SEARCH_DSN"})
    sink.open()
    assert held(sink) == {}


def test_a_missing_package_is_named_in_one_line() -> None:
    code = (
        "import sys; sys.modules['psycopg'] = None\n"
        "from pathlib import Path\n"
        "from settings.errors import ConfigurationError\n"
        "from search.sink import Place\n"
        "from search.sinks.postgresql import PostgresqlSink\n"
        "try: PostgresqlSink(Place('s', Path('/'), {'dsn': 'postgresql://h/d'}))\n"
        "except ConfigurationError as error: print(error)\n"
    )
    ran = subprocess.run(
        [sys.executable, "-c", code], cwd=PROJECT, capture_output=True, text=True, check=True
    )
    assert ran.stdout.count("\n") == 1
    assert "pip install -r requirements-sinks.txt" in ran.stdout


@pytest.fixture(scope="module")
def guarded(server: PostgresServer) -> str:
    """A database in which a role may make tables, and no extension."""
    server.role("crawler", "a password")
    database = server.database()
    server.execute(database, "CREATE SCHEMA search; GRANT USAGE, CREATE ON SCHEMA search TO crawler")
    return database


def test_a_role_that_may_only_write_is_enough_where_the_table_is_there(server, guarded, made) -> None:
    server.role("writer", "a password")
    made(dsn=server.dsn(guarded), table="search.shared").open()
    dsn = server.dsn(guarded, "writer", "a password")
    with pytest.raises(SinkDown, match=r"give the role the permissions that docs/postgresql\.md lists"):
        made(dsn=dsn, table="search.shared").open()
    server.execute(
        guarded,
        "GRANT USAGE ON SCHEMA search TO writer; "
        "GRANT SELECT, INSERT, UPDATE, DELETE ON search.shared, search.shared_sites TO writer",
    )
    sink = made(dsn=dsn, table="search.shared", site="new")
    sink.open()
    assert sink.write([put("https://e.org/")]) == {}
    with pytest.raises(SinkDown, match="permission"):
        made(dsn=dsn, table="search.not_there").open()


def test_a_database_of_another_encoding_is_named(server, made) -> None:
    database = server.database("template0", "ENCODING 'LATIN1' LOCALE 'C'")
    with pytest.raises(SinkDown, match=r"encoding LATIN1.*createdb --encoding=UTF8"):
        made(dsn=server.dsn(database)).open()


def test_a_database_that_takes_no_writes_is_named(server, made) -> None:
    database = server.database()
    server.execute("postgres", f"ALTER DATABASE {database} SET default_transaction_read_only = on")
    with pytest.raises(SinkDown, match="name a server that takes writes"):
        made(dsn=server.dsn(database)).open()


def test_a_sink_is_closed_as_often_as_one_likes(made) -> None:
    sink = made()
    sink.close()
    sink.open()
    sink.close()
    sink.close()
    assert held(sink) == {}
