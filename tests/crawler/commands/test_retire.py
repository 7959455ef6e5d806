"""`scrapy retire`: a site leaves the indexes, and then the disk."""

from __future__ import annotations

import io
import json
import shutil

import pytest

from store.deliveries import Delivered
from store.lock import SiteLock
from store.site import Store
from tests import jsonsink
from tests.crawler.commands.conftest import BASE

SINKS = ["-s", "SINKS=json,tantivy,operations"]


@pytest.fixture
def fed(scrapy, crawled, tmp_path):
    """A copy of the crawled site whose documents are in three indexes, and the commands on it."""
    data, sites, metrics = (tmp_path / name for name in ("data", "sites", "metrics"))
    shutil.copytree(crawled.data / "stones", data / "stones")
    for folder in (sites, metrics):
        folder.mkdir()
    backends = json.dumps(
        {
            **jsonsink.BACKENDS,
            "tantivy": "search.sinks.tantivy.TantivySink",
            "operations": "search.sinks.operations.OperationsSink",
        }
    )

    def run(*arguments, sinks=SINKS):
        folders = (
            f"DATA_DIR={data}",
            f"SITES_DIR={sites}",
            f"METRICS_DIR={metrics}",
            f"SINK_BACKENDS={backends}",
        )
        return scrapy(*arguments, *sinks, *(part for one in folders for part in ("-s", one)))

    run.data, run.sites, run.folder = data, sites, data / "_index" / "stones"
    (metrics / "pagelets_stones.prom").touch()
    run.metrics = metrics
    assert run("redeliver", "stones").code == 0
    return run


def test_a_site_leaves_all_indexes_and_the_disk(fed):
    (fed.data / ".stones.old").mkdir()
    (fed.folder / "fts5.sqlite").touch()
    (fed.sites / "stones.toml").write_text(f'url = "{BASE}/"\n')
    with Store.open(fed.data / "stones") as store, store.transaction():
        # What an index has taken that there is no more.
        store.deliveries.begin_index("fts5", "1", [Delivered(f"{BASE}/1", 1, 1)])
    done = fed("retire", "stones", "--yes")
    assert (done.code, done.err) == (0, "")
    parts = [f"8 documents taken out of {name}" for name in ("json", "tantivy", "operations")]
    assert done.out.splitlines() == [
        f"stones: {', '.join(parts)}, the store is removed",
        f"{fed.sites / 'stones.toml'} stays",
    ]
    assert jsonsink.texts(fed.folder) == {}
    last = [json.loads(line) for line in (fed.folder / "operations.jsonl").read_text().splitlines()][-8:]
    assert {(one["op"], one["reason"]) for one in last} == {("delete", "retired")}
    assert len({one["url"] for one in last}) == 8
    assert {path.name for path in fed.folder.iterdir()} == {"json.json", "operations.jsonl"}
    assert {path.name for path in fed.data.iterdir()} == {"_index", "stones.lock"}
    assert not list(fed.metrics.iterdir())
    fed("retire", "stones", "--yes").refused("unknown site 'stones'")


def test_the_store_stays_until_every_index_has_let_go_and_a_rerun_goes_on(fed):
    jsonsink.order(fed.folder, write=2)
    held = set(jsonsink.texts(fed.folder))
    done = fed("retire", "stones", "--yes", "--json")
    assert done.code == 7
    assert done.rows == [
        {"site": "stones", "deleted": {"json": None, "tantivy": 8, "operations": 8}, "removed": False}
    ]
    assert "sink json: the index is down for write" in done.err
    assert set(jsonsink.texts(fed.folder)) == held
    assert len(fed("export", "stones").out.splitlines()) == 8
    # Down again after a part: what it has let go is known.
    again = fed("retire", "stones", "--yes")
    assert again.code == 7
    assert "scrapy retire stones again" in again.err
    # A site that is to stay after all gets back what it had.
    assert fed("redeliver", "stones").code == 0
    assert set(jsonsink.texts(fed.folder)) == held
    done = fed("retire", "stones", "--yes", "--json", sinks=["-s", "SINKS="])
    # The settings name none of them any more, and the store knows of them all the same.
    assert (done.code, done.rows[0]["deleted"]) == (0, {"json": 8, "tantivy": 8, "operations": 8})


def test_what_the_store_does_not_know_of_goes_as_well(fed):
    with Store.open(fed.data / "stones") as store, store.transaction():
        store.deliveries.arrived("json", (), [f"{BASE}/1"])
        store.connection.execute("DELETE FROM sinks WHERE name = 'tantivy'")
    state = json.loads((fed.folder / "json.json").read_text())
    state["units"]["e" * 32] = {"url": "https://else.example/", "text": "", "hash": ""}
    (fed.folder / "json.json").write_text(json.dumps(state))
    done = fed("retire", "stones", "--yes", "--json")
    assert done.rows[0]["deleted"] == {"json": 9, "tantivy": 8, "operations": 8}
    assert jsonsink.texts(fed.folder) == {}


def test_an_index_that_is_gone_for_good_is_left(fed):
    jsonsink.order(fed.folder, open=9)
    fed("retire", "stones", "--yes", "--leave", "jsn").refused(
        "unknown sink of this site 'jsn'; did you mean 'json'?"
    )
    assert fed("retire", "stones", "--yes", "--leave", "json").code == 0
    assert len(jsonsink.texts(fed.folder)) == 8


def test_an_index_that_the_settings_do_not_reach_is_named(fed):
    with Store.open(fed.data / "stones") as store, store.transaction():
        store.deliveries.begin_index("postgresql", "1", [Delivered(f"{BASE}/1", 1, 1)])
    fed("retire", "stones", "--yes").refused("delivered to postgresql", "--leave postgresql")
    assert fed("retire", "stones", "--yes", "--leave", "postgresql").code == 0


def test_a_question_comes_before(fed, monkeypatch):
    fed("retire", "stones").refused(
        "8 documents in json, 8 documents in tantivy", "Nobody is there to ask: give --yes"
    )

    monkeypatch.setattr("sys.stdin", None)
    fed("retire", "stones").refused("Nobody is there to ask")

    class Terminal(io.StringIO):
        def isatty(self) -> bool:
            return True

    for answer, code in (("\n", 1), ("n\n", 1), ("y\n", 0)):
        assert len(jsonsink.texts(fed.folder)) == 8
        monkeypatch.setattr("sys.stdin", Terminal(answer))
        done = fed("retire", "stones")
        assert done.code == code
        assert "Remove all of it? [y/N]" in done.err
        assert ("nothing was done" in done.err) == bool(code)
    assert not (fed.data / "stones").exists()


def test_what_is_crawled_or_will_be_is_not_retired(fed):
    path = fed.sites / "stones.toml"
    path.write_text(f'url = "{BASE}/"\nschedule = "@daily"\n')
    fed("retire", "stones", "--yes").refused("stones.toml: the site has a schedule", "write schedule = ''")
    path.write_text(f'url = "{BASE}/"\n')
    fed("retire", "stones", "--yes", "-s", "SCHEDULE=@daily").refused("the site has a schedule")
    path.write_text(f'url = "{BASE}/"\nschedule = ""\n')
    lock = SiteLock(fed.data / "stones.lock")
    try:
        assert fed("retire", "stones", "--yes").code == 6
    finally:
        lock.release()
    assert len(jsonsink.texts(fed.folder)) == 8
    assert fed("retire", "stones", "--yes").code == 0
