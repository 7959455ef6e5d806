"""Worker processes judge as this one does, in the order of the pages; nothing is lost with one of them."""

from __future__ import annotations

import asyncio
import logging
import os
import signal
from contextlib import aclosing

import pytest

from pagelets.judging.config import JudgeConfig
from release import workers
from release.judging import PageJudge
from release.workers import Workers, processes_for
from store.flat_pages import FILE
from store.site import Store
from tests.crawls import crawl
from tests.processes import have_ended, workers_of
from tests.served import page, served

NAMES = [f"/{number}" for number in range(12)]
UNKNOWN = 999
CONFIG = JudgeConfig(method="templates", site="s", fields=("url", "text", "html", "links"))
JUDGING = CONFIG, -1, {}


@pytest.fixture(scope="module")
def store(tmp_path_factory):
    with served({"/": page("home", *NAMES), **{name: page(name) for name in NAMES}}) as site:
        crawled = crawl(tmp_path_factory.mktemp("data"), url=f"{site.base}/", site="s")
    with Store.open(crawled.folder) as store:
        # As if no document had gone out: each page has one to send.
        with store.transaction():
            store.connection.execute("DELETE FROM documents")
        yield store


def plain(page, judged, document):
    values = {name: getattr(judged, name) for name in judged.__slots__}
    return page, {**values, "signature": values["signature"].tolist()}, document


def expected(store):
    judge, found = PageJudge(store, CONFIG), []
    for number in store.documents.current():
        judged, make = judge.record(number)
        found.append(plain(number, judged, make()))
    return found


async def judged(store, count, pages, each=lambda page: None):
    found = []
    async with aclosing(
        Workers(store.folder, count, CONFIG, tells_language=True).judged(JUDGING, pages)
    ) as given:
        async for number, ready in given:
            each(number)
            found.append((number,) if ready is None else plain(number, *ready))
    return found


def test_pages_come_in_order_as_this_process_judges_them(store, monkeypatch, caplog):
    monkeypatch.setattr(workers, "WINDOW", 2)
    monkeypatch.setattr(workers, "MOST_BYTES", 1)
    pages, before, started = list(store.documents.current()), workers_of(os.getpid()), set()

    def stop(number):
        # As Ctrl-C on a terminal, and a service that is stopped, for the crawl alone to hear.
        for process in {*workers_of(os.getpid())} - {*before}:
            started.add(process)
            os.kill(process, signal.SIGINT)
            os.kill(process, signal.SIGTERM)

    found = asyncio.run(judged(store, 2, [*pages[:3], UNKNOWN, *pages[3:]], stop))
    # What fails there is left to this process, which has the page's own error.
    assert found.pop(3) == (UNKNOWN,)
    assert found == expected(store)
    assert len(started) == 2
    assert have_ended(started)
    assert caplog.records == []


def test_a_process_that_is_killed_costs_no_page(store, caplog):
    gone, given = {*workers_of(os.getpid())}, []

    def kill(number):
        given.append(number)
        if len(given) in (1, 20):
            # One that was killed is there until its parent hears of it.
            worker = min({*workers_of(os.getpid())} - gone)
            gone.add(worker)
            os.kill(worker, signal.SIGKILL)

    # Many times the same: when the last one is killed much is still to do.
    pages = list(store.documents.current())
    found = asyncio.run(judged(store, 2, pages * 8, kill))
    assert [page for page, *_ in found] == pages * 8
    wanted = {one[0]: one for one in expected(store)}
    assert all(one == wanted[one[0]] for one in found if len(one) > 1)
    assert found[-1] == (pages[-1],)
    said = [record.getMessage() for record in caplog.records if record.name == "release.workers"]
    ended = "A process that judges pages has ended early, perhaps for want of memory; {}; no page is lost"
    assert said == [ended.format("others go on: 1"), ended.format("this process goes on alone")]


def test_who_wants_no_more_pages_ends_the_processes_and_hears_what_they_have_logged(store, caplog):
    async def first():
        workers = Workers(store.folder, 1, CONFIG, tells_language=False)
        async with aclosing(workers.judged(JUDGING, store.documents.current())) as given:
            number, _ = await anext(given)
            return number, {*workers_of(os.getpid())} - {*before}

    before, kept = workers_of(os.getpid()), store.folder / FILE
    kept.write_bytes(b"no database" * 100)
    number, started = asyncio.run(first())
    kept.unlink()
    assert number == next(store.documents.current())
    assert len(started) == 1
    assert have_ended(started)
    (record,) = [record for record in caplog.records if record.name == "store.flat_pages"]
    said = f"{kept}: file is not a database; it is read from the stored body again"
    assert record.getMessage().startswith(said)


def test_where_none_can_be_started_all_pages_are_left_to_the_caller(store, monkeypatch, caplog):
    monkeypatch.setattr(workers.sys, "executable", "/no/python")
    with caplog.at_level(logging.WARNING):
        assert asyncio.run(judged(store, 2, [1, 2])) == [(1,), (2,)]
    (record,) = [record for record in caplog.records if record.name == "release.workers"]
    assert "could not be started: [Errno 2] No such file or directory: '/no/python'" in record.getMessage()


@pytest.mark.parametrize(
    ("pages", "asked", "found"),
    [(100_000, 0, 4), (100_000, 1, 1), (100_000, 7, 7), (599, 0, 1), (600, 0, 2), (950, 2, 2), (0, 3, 1)],
)
def test_processes_are_as_many_as_have_enough_to_do(monkeypatch, pages, asked, found):
    monkeypatch.setattr(workers, "cores", lambda: 6)
    assert processes_for(pages, asked) == found
