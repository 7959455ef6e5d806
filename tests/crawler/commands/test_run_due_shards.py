"""``scrapy run-due --shard``: many sites on many machines, each of which crawls its own."""

from __future__ import annotations

import json
import os
import signal
import threading
from typing import TYPE_CHECKING

import pytest

from crawler.scheduling.due import Shard
from store.site import Store
from tests.crawls import QUICK
from tests.forked import Running
from tests.processes import children, have_ended, wait_until
from tests.served import page, served

if TYPE_CHECKING:
    from pathlib import Path

PAGES = {"/": page("Home", "/1", "/2", "/3"), **{f"/{number}": page(str(number)) for number in range(1, 4)}}
SITES = [f"quarry-{number}" for number in range(12)]


def options(sites: Path, data: Path) -> list[str]:
    values = {**QUICK, "SINKS": "", "LOG_LEVEL": "INFO", "SITES_DIR": sites, "DATA_DIR": data}
    values |= {name: int(value) for name, value in values.items() if isinstance(value, bool)}
    return [part for name, value in values.items() for part in ("-s", f"{name}={value}")]


def write(folder: Path, name: str, url: str) -> None:
    text = f'url = "{url}"\nschedule = "0 2 * * *"\ntimezone = "UTC"\n'
    (folder / f"{name}.toml").write_text(text, encoding="utf-8")


@pytest.fixture
def sites(tmp_path):
    folder = tmp_path / "sites"
    folder.mkdir()
    return folder


def test_shards_are_disjoint_complete_and_stay_when_sites_are_added(sites, tmp_path, scrapy, monkeypatch):
    def listed() -> list[set[str]]:
        shards = []
        for shard in ("0/3", "1/3", "3"):
            done = scrapy(
                "run-due", "--dry-run", "--json", "--shard", shard, *options(sites, tmp_path / "data")
            )
            assert (done.code, done.err) == (0, "")
            shards.append({row["site"] for row in done.rows})
        return shards

    monkeypatch.setenv("JOB_COMPLETION_INDEX", "2")
    for name in SITES[:8]:
        write(sites, name, "http://127.0.0.1:9/")
    before = listed()
    assert sorted(name for shard in before for name in shard) == sorted(SITES[:8])
    for name in SITES[8:]:
        write(sites, name, "http://127.0.0.1:9/")
    after = listed()
    assert sorted(name for shard in after for name in shard) == sorted(SITES)
    assert all(old <= new for old, new in zip(before, after, strict=True))


def test_a_wrong_site_file_is_told_by_its_own_shard_alone(sites, tmp_path, scrapy):
    (sites / "wrong.toml").write_text("url = 1\n", encoding="utf-8")
    runs = [
        scrapy("run-due", "--shard", f"{index}/2", *options(sites, tmp_path / "data")) for index in range(2)
    ]
    own = [Shard(index, 2).has("wrong") for index in range(2)]
    assert [run.code for run in runs] == [2 if it_is else 0 for it_is in own]
    assert ["wrong.toml:1" in run.err for run in runs] == own
    assert f"no site of --shard {own.index(False)}/2 has a schedule\n" in (
        scrapy(
            *("run-due", "--dry-run", "--shard", f"{own.index(False)}/2"), *options(sites, tmp_path / "data")
        ).err
    )


def test_a_wrong_shard_is_refused(scrapy):
    scrapy("run-due", "--shard", "3/3").refused("--shard 3/3: shard 3 of 3; they are counted from 0")


def test_two_shards_on_one_machine_one_of_which_is_killed_and_started_again(sites, tmp_path):
    killed, other = (next(name for name in SITES if Shard(index, 2).has(name)) for index in range(2))
    shards = [["run-due", "--shard", f"{i}/2", *options(sites, tmp_path / str(i))] for i in range(2)]
    go_on = threading.Event()

    def held_back(path: str) -> str:
        go_on.wait(120)
        return PAGES[path]

    with served({**PAGES, "/3": held_back}) as slow, served(PAGES) as quick:
        write(sites, killed, f"{slow.base}/")
        write(sites, other, f"{quick.base}/")
        first, second = (Running(arguments) for arguments in shards)
        wait_until(lambda: slow.asked["/3"])
        wait_until(lambda: documents(tmp_path / "0" / killed, "held") == 3)
        (crawl,) = children(first.pid)
        for process in (first.pid, crawl):
            os.kill(process, signal.SIGKILL)
        assert first.wait() == -signal.SIGKILL
        assert second.wait() == 0
        assert have_ended([crawl])
        go_on.set()
        slow.forget()
        assert Running(shards[0]).wait() == 0
        # What it had fetched was not fetched again.
        assert set(slow.asked) & set(PAGES) == {"/3"}
    for index, (mine, others) in enumerate(((killed, other), (other, killed))):
        assert documents(tmp_path / str(index) / mine, "delivered") == 4
        assert not (tmp_path / str(index) / others).exists()
        told = json.loads((tmp_path / str(index) / mine / "runs" / f"{2 - index}.json").read_bytes())
        assert told["outcome"] == "complete"


def documents(home: Path, state: str) -> int:
    """How many pages of a store are in a state."""
    with Store.open(home) as store:
        rows = store.connection.execute("SELECT count(*) FROM pages WHERE state = ?", (state,))
        return int(rows.fetchone()[0])
