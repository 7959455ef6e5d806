from __future__ import annotations

import os
import sqlite3
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from store.database import FILE
from store.errors import StoreMissing, StoreUnusable, StoreVersion
from store.meta import SCOPE
from store.site import Store, replace_store, restore_store
from tests.store.sites import Pagelet, add, begin, count, fetched, record

PROJECT = Path(__file__).parents[2]


def test_a_missing_store_is_not_made_by_its_readers(tmp_path: Path) -> None:
    with pytest.raises(StoreMissing, match="crawl the site first"):
        Store.open(tmp_path / "site")
    assert not (tmp_path / "site").exists()


def test_who_makes_a_store_waits_for_who_looks_into_it(tmp_path: Path) -> None:
    def make() -> int:
        with Store.open(tmp_path, create=True) as store:
            return count(store, "pagelets")

    looking = sqlite3.connect(tmp_path / FILE, isolation_level=None)
    looking.execute("BEGIN IMMEDIATE")
    assert looking.execute("SELECT * FROM sqlite_master").fetchall() == []
    with ThreadPoolExecutor(1) as pool:
        made = pool.submit(make)
        with pytest.raises(TimeoutError):
            made.result(0.1)
        looking.close()
        assert made.result(10) == 0


def test_what_was_written_is_there_when_it_is_opened_again(tmp_path: Path) -> None:
    with Store.open(tmp_path / "site", create=True) as store:
        record(store, "p", [Pagelet("some words")], begin(store))
    with Store.open(tmp_path / "site", create=True) as store:
        assert count(store, "pagelets") == 1
        assert store.name == "site"


def test_the_database_of_something_else(tmp_path: Path) -> None:
    connection = sqlite3.connect(tmp_path / FILE)
    connection.execute("CREATE TABLE theirs (x)")
    connection.close()
    with pytest.raises(StoreVersion):
        Store.open(tmp_path, create=True)


@pytest.mark.parametrize("content", [b"<html>no database</html>" * 99, b"SQLite format 3\0" + b"\xff" * 5000])
def test_a_file_that_is_no_database(tmp_path: Path, content: bytes) -> None:
    (tmp_path / FILE).write_bytes(content)
    with pytest.raises(StoreUnusable, match=r"store\.sqlite"):
        Store.open(tmp_path, create=True)
    assert (tmp_path / FILE).read_bytes() == content


def test_a_folder_that_cannot_be_made(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    with pytest.raises(StoreUnusable):
        Store.open(tmp_path / "file" / "site", create=True)


@pytest.mark.skipif(os.geteuid() == 0, reason="root may write everywhere")
def test_a_folder_that_cannot_be_written(tmp_path: Path) -> None:
    tmp_path.chmod(0o500)
    with pytest.raises(StoreUnusable):
        Store.open(tmp_path, create=True)


def test_a_read_only_database(store: Store) -> None:
    run = begin(store)
    page = fetched(store, "p", [Pagelet("some words")])
    store.connection.execute("PRAGMA query_only = 1")
    with pytest.raises(StoreUnusable, match="see that the folder is writable"):
        store.record(page, run)
    store.connection.execute("PRAGMA query_only = 0")
    store.record(page, run)


def test_a_full_disk_loses_the_page_at_hand_and_nothing_else(store: Store) -> None:
    run = begin(store)
    record(store, "first", [Pagelet("some words")], run, body=b"first")
    used = store.connection.execute("PRAGMA page_count").fetchone()[0]
    store.connection.execute(f"PRAGMA max_page_count = {used + 1}")
    large = fetched(store, "large", [Pagelet("other words")], body=os.urandom(100_000))
    with pytest.raises(StoreUnusable, match="full"):
        store.record(large, run)
    assert (count(store, "bodies"), count(store, "fragments"), count(store, "pagelets")) == (1, 1, 1)
    # With room it goes on where it was.
    store.connection.execute("PRAGMA max_page_count = 100000")
    store.record(large, run)
    assert count(store, "bodies") == 2
    assert store.connection.execute("PRAGMA integrity_check").fetchone() == ("ok",)


class NeverCommits:
    """A connection to a disk that is full when all is to be written."""

    def __init__(self, connection: sqlite3.Connection) -> None:
        self.connection = connection

    def execute(self, statement: str) -> sqlite3.Cursor:
        if statement == "COMMIT":
            raise sqlite3.OperationalError("database or disk is full")
        return self.connection.execute(statement)

    @property
    def in_transaction(self) -> bool:
        return self.connection.in_transaction


def test_a_commit_that_fails_leaves_no_transaction_open(store: Store) -> None:
    connection = store.connection
    store.connection = NeverCommits(connection)  # type: ignore[assignment]
    with pytest.raises(StoreUnusable), store.transaction():
        connection.execute("INSERT INTO meta VALUES ('scope', 'b')")
    store.connection = connection
    assert not connection.in_transaction
    assert store.meta(SCOPE) is None
    add(store, "p")


def test_a_transaction_is_all_or_nothing(store: Store) -> None:
    with pytest.raises(ZeroDivisionError), store.transaction():
        store.set_meta(SCOPE, "b")
        raise ZeroDivisionError
    assert store.meta(SCOPE) is None


def test_a_caller_s_mistake_is_not_the_disk_s(store: Store) -> None:
    with pytest.raises(sqlite3.IntegrityError), store.transaction():
        store.connection.execute("INSERT INTO meta VALUES ('a', NULL)")


def test_readers_see_one_moment_while_a_crawl_writes(store: Store) -> None:
    run = begin(store)
    record(store, "p", [Pagelet("some words")], run)
    with Store.open(store.folder) as reader:
        with reader.snapshot():
            assert count(reader, "pagelets") == 1
            record(store, "q", [Pagelet("other words")], run)
            assert count(reader, "pagelets") == 1
        assert count(reader, "pagelets") == 2


KILLED = """
import os, sys
from pathlib import Path
from store.site import Store
from tests.store.sites import Pagelet, begin, fetched, record
store = Store.open(Path(sys.argv[1]), create=True)
run = begin(store)
for number in range(5):
    record(store, f"p{number}", [Pagelet(f"text {number}", ("a", "b"))], run)
page = fetched(store, "last", [Pagelet("last text", ("c",))])
with store.transaction():
    store.pages.record(page, run)
    os.kill(os.getpid(), 9)
"""


def test_a_killed_process_leaves_whole_pages(tmp_path: Path) -> None:
    done = subprocess.run([sys.executable, "-c", KILLED, str(tmp_path)], cwd=PROJECT, check=False)
    assert done.returncode == -9
    with Store.open(tmp_path) as store:
        assert (count(store, "bodies"), count(store, "fragments"), count(store, "fragment_links")) == (
            5,
            5,
            10,
        )
        assert store.frontier.counts() == {"held": 5, "known": 3}
        assert store.connection.execute("PRAGMA integrity_check").fetchone() == ("ok",)
        record(store, "last", [Pagelet("last text", ("c",))])


def test_a_new_store_takes_the_place_of_the_old(tmp_path: Path) -> None:
    for name in ("new", "old"):
        Store.open(tmp_path / name, create=True).close()
        (tmp_path / name / "name").write_text(name)
    replace_store(tmp_path / "new", tmp_path / "old")
    assert [path.name for path in tmp_path.iterdir()] == ["old"]
    assert (tmp_path / "old" / "name").read_text() == "new"
    replace_store(tmp_path / "old", tmp_path / "first")
    assert (tmp_path / "first" / "name").read_text() == "new"


def test_a_replacement_that_was_cut_short_is_undone(tmp_path: Path) -> None:
    Store.open(tmp_path / ".site.old", create=True).close()
    restore_store(tmp_path / "site")
    Store.open(tmp_path / "site").close()
    restore_store(tmp_path / "site")
    assert [path.name for path in tmp_path.iterdir()] == ["site"]


def test_a_replacement_that_was_cut_short_at_its_end_loses_no_file_of_a_run(tmp_path: Path) -> None:
    Store.open(tmp_path / "site", create=True).close()
    files = {"changes/1.jsonl", "changes/2.jsonl", "runs/2.json"}
    for name in files:
        (tmp_path / ".site.old" / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / ".site.old" / name).write_text("{}")
    restore_store(tmp_path / "site")
    assert [path.name for path in tmp_path.iterdir()] == ["site"]
    assert {str(path.relative_to(tmp_path / "site")) for path in (tmp_path / "site").glob("*/*")} == files
