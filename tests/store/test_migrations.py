from __future__ import annotations

import re
import resource
import sqlite3
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from store.database import FILE
from store.errors import StoreUnusable, StoreVersion
from store.migrations import STEPS
from store.schema import VERSION
from store.site import Store
from tests.store.sites import Pagelet, add, begin, record, rows

if TYPE_CHECKING:
    from collections.abc import Iterator

VERSIONS = Path(__file__).parent / "versions"
"""Stores of one small crawl, each by the program that had this version, as SQL."""


def stored(folder: Path, version: int) -> Path:
    """A folder with a store as the program of that version left it."""
    folder.mkdir()
    connection = sqlite3.connect(folder / FILE, isolation_level=None)
    connection.execute("PRAGMA journal_mode = WAL")
    connection.executescript((VERSIONS / f"{version}.sql").read_text(encoding="utf-8"))
    connection.close()
    return folder


def content(folder: Path) -> list[str]:
    connection = sqlite3.connect(folder / FILE)
    found = [*connection.iterdump(), str(connection.execute("PRAGMA user_version").fetchone())]
    connection.close()
    return found


def schema(store: Store) -> dict[str, object]:
    """Tables and indexes: their columns, and their SQL without what ALTER TABLE spaces in another way."""
    found: dict[str, object] = {}
    for kind, name, sql in rows(store, "SELECT type, name, sql FROM sqlite_master"):
        told = re.sub(r"\s*([(),])\s*", r"\1", " ".join((sql or "").replace('"', "").split()))
        found[f"{kind} {name}"] = (told, rows(store, f"PRAGMA table_info({name})"))
    return found


def test_a_store_of_an_earlier_version_gets_the_tables_of_a_new_one(tmp_path: Path) -> None:
    with Store.open(tmp_path / "new", create=True) as new:
        wanted = schema(new)
    assert [path.stem for path in sorted(VERSIONS.iterdir())] == [str(version) for version in STEPS]
    for version in STEPS:
        before = content(stored(tmp_path / str(version), version))
        with Store.open(tmp_path / str(version)) as store:
            assert schema(store) == wanted
            assert rows(store, "PRAGMA user_version") == [(VERSION,)]
            assert rows(store, "PRAGMA integrity_check") == [("ok",)]
            assert len(list(store.documents.current())) == 4
            assert not list(store.documents.to_release(2))
            assert b"said nowhere else" in store.bodies.get(2).data
        # Every row of before is there still.
        kept = [line.split("VALUES(")[1][:-2] for line in before if line.startswith("INSERT")]
        after = "\n".join(content(tmp_path / str(version)))
        assert [row for row in kept if row not in after] == []


def test_indexes_are_sent_what_a_store_of_version_3_has(tmp_path: Path) -> None:
    with Store.open(stored(tmp_path / "old", 3)) as store:
        with store.transaction():
            store.deliveries.begin_index("json", "one")
        waiting = list(store.deliveries.waiting("json"))
        assert [one.url.rpartition("/")[2] for one in waiting] == [
            "index.html", "one.html", "three.html", "two.html"
        ]  # fmt: skip
        with store.transaction():
            store.documents.put(waiting[0].page, 2, "other", "v", [True], {})
        # What goes out from now on has a version that nothing had before.
        assert next(store.deliveries.waiting("json")).version > max(one.version for one in waiting)


def test_a_store_of_a_version_that_is_not_known(tmp_path: Path) -> None:
    for version, says in (
        (VERSION + 1, f"version {VERSION + 1}, made by a later program"),
        (2, "version 2, too old to be converted"),
    ):
        with Store.open(tmp_path / "site", create=True) as store:
            store.connection.execute(f"PRAGMA user_version = {version}")
        before = content(tmp_path / "site")
        with pytest.raises(StoreVersion, match=says) as raised:
            Store.open(tmp_path / "site")
        assert "-a fresh=1" in str(raised.value)
        assert content(tmp_path / "site") == before
        connection = sqlite3.connect(tmp_path / "site" / FILE)
        connection.execute(f"PRAGMA user_version = {VERSION}")
        connection.close()


def test_a_step_that_fails_leaves_the_store_as_it_was(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    before = content(stored(tmp_path / "site", 4))
    monkeypatch.setitem(STEPS, 4, f"{STEPS[4]};\nDELETE FROM documents;\nINSERT INTO nowhere VALUES (1);\n")
    with pytest.raises(
        StoreUnusable, match=r"store\.sqlite: no such table: nowhere; .* of version 4 as before"
    ):
        Store.open(tmp_path / "site")
    assert content(tmp_path / "site") == before
    monkeypatch.undo()
    Store.open(tmp_path / "site").close()


@pytest.fixture
def full_disk() -> Iterator[None]:
    """No file may grow beyond what the index of the log needs."""
    limits = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (1 << 15, limits[1]))
    yield
    resource.setrlimit(resource.RLIMIT_FSIZE, limits)


MANY_PAGES = """
WITH RECURSIVE numbers (number) AS (SELECT 1 UNION ALL SELECT number + 1 FROM numbers WHERE number < 999)
INSERT INTO pages (url, host, state) SELECT 'http://small.example/' || number, 1, 'held' FROM numbers;
"""


def test_a_full_disk_leaves_the_store_as_it_was(tmp_path: Path, request: pytest.FixtureRequest) -> None:
    befores = {}
    # The step from 5 makes a table without rows, which there is room for.
    for version in (3, 4):
        connection = sqlite3.connect(stored(tmp_path / str(version), version) / FILE)
        connection.executescript(MANY_PAGES)
        connection.close()
        befores[version] = content(tmp_path / str(version))
    request.getfixturevalue("full_disk")
    for version, before in befores.items():
        with pytest.raises(StoreUnusable, match=f"are of version {version}.*the disk has room"):
            Store.open(tmp_path / str(version))
        assert content(tmp_path / str(version)) == before


def test_pages_whose_text_changes_are_told_from_those_fetched(store: Store) -> None:
    runs = [begin(store) for _ in range(3)]
    page = add(store, "p")
    for run, text, changed in zip(runs, ("one", "one", "two"), (runs[0], runs[0], runs[2]), strict=True):
        record(store, "p", [Pagelet(text)], run)
        assert rows(store, "SELECT changed_run FROM pages WHERE page = ?", page) == [(changed,)]
