"""A release in several processes sends what one sends, in its order; whatever is killed, nothing is lost."""

from __future__ import annotations

import json
import os
import signal
import time

import pytest

from release import workers
from release.detection import Detector
from store.site import Store
from tests import forked
from tests.crawls import arguments_of, crawl, without_time
from tests.processes import have_ended, workers_of
from tests.served import page, served

NAMES = [f"/{number}" for number in range(16)]
SAME = (
    "What several pages say in just these words, and at some length: only one of them stands for the others."
)
MENU = "".join(f"<li><a href='/menu/{number}'>Menu entry {number}</a></li>" for number in range(5))
SITE = {
    "/": page("home", *NAMES),
    **{name: page(name, around=f"<nav><ul>{MENU}</ul></nav>") for name in NAMES},
    **{name: page("same", text=SAME) for name in NAMES[3:6]},
}
SLOW = {"tests.pipelines.slow.SlowPipeline": 250}


@pytest.fixture
def soon(monkeypatch):
    """Worker processes for sites as small as those of tests."""
    monkeypatch.setattr(workers, "PAGES_A_PROCESS", 5)


def tables(folder):
    asked = (
        "SELECT url, content_hash, documents.template_version, mask, reasons, basis, keys, steady_hash, "
        "documents.version, documents.run, delivered, op FROM documents JOIN pages USING (page) ORDER BY url",
        "SELECT url, signature, stands_for FROM signatures JOIN pages USING (page) ORDER BY url",
        "SELECT url, state, reason, excluded, interval FROM pages ORDER BY url",
    )
    with Store.open(folder) as store:
        return [store.connection.execute(one).fetchall() for one in asked]


def test_documents_and_store_are_those_of_one_process(tmp_path, soon, quick_servers):
    overrides = [{"type": "ends", "pattern": "/7", "method": "all-text", "fields": ["url", "markdown"]}]
    found = []
    with served(SITE) as site:
        for processes in (1, 2):
            settings = {"RELEASE_PROCESSES": processes, "OVERRIDES": overrides}
            first = crawl(tmp_path / str(processes), settings=settings, url=f"{site.base}/", site="s")
            with Store.open(first.folder) as store, store.transaction():
                # A page that cannot be judged any more has its error, and costs no other page its document.
                store.connection.execute(
                    "DELETE FROM bodies WHERE page = (SELECT page FROM pages WHERE url LIKE '%/8')"
                )
            # Nothing but the home page is fetched again; all are judged in another way.
            settings = {**settings, "DROP_SELECTORS": "h1", "DUPLICATES": {"leave_out": True}}
            second = crawl(
                tmp_path / str(processes), settings=settings, url=f"{site.base}/", site="s", max_pages=1
            )
            assert first.stats["release/processes"] == second.stats["release/processes"] == processes
            assert second.stats["pages/faults/judging"] == 1
            found.append(
                [
                    *([list(one.items()) for one in in_order(run)] for run in (first, second)),
                    [(run.deleted, run.outcome, counted(run.stats)) for run in (first, second)],
                    tables(first.folder),
                ]
            )
    assert len(found[0][0]) == len(SITE)
    assert found[0] == found[1]


def test_processes_end_where_nothing_is_released(tmp_path, soon, monkeypatch):
    def fail(detector, store):
        started.extend(workers_of(os.getpid()))
        raise RuntimeError("bug")

    started = []
    monkeypatch.setattr(Detector, "find", fail)
    with served(SITE) as site:
        crawled = crawl(tmp_path, settings={"RELEASE_PROCESSES": 2}, url=f"{site.base}/")
    assert (crawled.outcome, crawled.documents) == ("interrupted", [])
    assert have_ended(started, 5)
    assert workers_of(os.getpid()) == []


def in_order(run):
    """The documents as they came, without the moment they were fetched at."""
    return [{name: value for name, value in one.items() if name != "fetched_at"} for one in run.documents]


def counted(stats):
    ours = ("pages/", "pagelets/", "templates/count", "documents/")
    return {name: value for name, value in stats.items() if name.startswith(ours)}


def few_pages() -> None:
    workers.PAGES_A_PROCESS = 5
    workers.WINDOW = 1


class Crawl:
    """The command at work on a site, with two processes for its release."""

    def __init__(self, folder, base):
        self.log = folder / "log"
        options = {"RELEASE_PROCESSES": 2, "ITEM_PIPELINES": json.dumps(SLOW), "LOG_LEVEL": "WARNING"}
        arguments = arguments_of(folder, "-a", f"url={base}/", "-a", "site=s")
        arguments += [part for name, value in options.items() for part in ("-s", f"{name}={value}")]
        self.folder = folder / "s"
        self.process = forked.Running(arguments, err=self.log, prepare=few_pages)

    def workers(self):
        return workers_of(self.process.pid)

    def both_workers(self):
        """The processes, once both are there: one may have released pages before the other has begun."""
        while len(workers := self.workers()) < 2:
            assert self.process.poll() is None, self.log.read_text()
            time.sleep(0.01)
        return workers

    def released(self):
        if not (self.folder / "store.sqlite").exists():
            return 0
        with Store.open(self.folder) as store:
            return store.connection.execute("SELECT count(*) FROM documents").fetchone()[0]

    def wait_until_released(self, documents):
        while self.released() < documents:
            assert self.process.poll() is None, self.log.read_text()
            time.sleep(0.01)


def test_a_worker_is_killed_and_then_the_crawl(tmp_path):
    with served(SITE) as site:
        running = Crawl(tmp_path, site.base)
        running.wait_until_released(2)
        first, second = running.both_workers()
        os.kill(first, signal.SIGKILL)
        running.wait_until_released(8)
        assert running.workers() == [second]
        running.process.send_signal(signal.SIGKILL)
        running.process.wait()
        assert have_ended([second])
        again = crawl(tmp_path, url=f"{site.base}/", site="s")
        whole = crawl(tmp_path / "whole", url=f"{site.base}/", site="s")
    (line,) = running.log.read_text().splitlines()
    assert "A process that judges pages has ended early, perhaps for want of memory; others go on: 1" in line
    assert again.outcome == "complete"
    assert without_time(again.documents) == without_time(whole.documents)


def test_ctrl_c_lets_the_release_go_on_and_the_second_one_ends_all_at_once(tmp_path):
    with served(SITE) as site:
        running = Crawl(tmp_path, site.base)
        running.wait_until_released(2)
        started = running.both_workers()
        running.process.send_signal(signal.SIGINT)
        running.wait_until_released(running.released() + 4)
        running.process.send_signal(signal.SIGINT)
        assert running.process.wait() == 4
        assert have_ended(started)
        assert 6 <= running.released() < len(SITE)
        again = crawl(tmp_path, url=f"{site.base}/", site="s")
    assert again.urls == sorted(site.base + path for path in SITE)
    assert "Traceback" not in running.log.read_text()
