"""Processes that read pages beside the crawl's own: what they read is what it reads, and none is missed."""

from __future__ import annotations

import os
import signal
import threading

import pytest

from crawler.fetching import readers
from crawler.fetching.reading import Fetched, Reading, answers
from pagelets.partitions import Partition
from store.bodies import Body
from store.site import Store
from tests import forked
from tests.crawls import arguments_of, crawl
from tests.processes import have_ended, wait_until, workers_of
from tests.served import Answer, page, served

URL = "http://127.0.0.1/"
NAMES = [f"/{number}" for number in range(1, 40)]
MENU = "".join(f"<li><a href='/menu/{number}'>Menu entry {number}</a></li>" for number in range(5))
PAGES = {
    "/": page("home", *NAMES),
    **{name: page(name, around=f"<nav><ul>{MENU}</ul></nav><b class=price>{name[1:]}</b>") for name in NAMES},
    "/20": "<meta name=robots content=nofollow><p>Leads to <a href=/hidden>what is hidden</a> from us</p>",
    "/21": Answer("<p>Not to be found, says its header</p>", headers={"X-Robots-Tag": "noindex"}),
    "/22": "<div>" * 300 + "deep",
    "/23": "",
    "/24": Answer("<p>caf\xe9 \0 \ud800</p>".encode("utf-8", "surrogatepass")),
}
SETTINGS = {
    "DROP_SELECTORS": "h1",
    "EXTRACT": {"price": {"css": "b.price", "type": "number"}},
    "CONCURRENT_REQUESTS_PER_DOMAIN": 2,
}


@pytest.fixture
def soon(monkeypatch):
    """Other processes are asked for at once; what has begun to ask for them is noted."""
    begin, begun = readers.Readers._start, []

    def start(asking):
        begun.append(asking)
        begin(asking)

    monkeypatch.setattr(readers.Readers, "_start", start)
    monkeypatch.setattr(readers, "PAGES", 3)
    monkeypatch.setattr(readers, "BUSY", -1.0)
    return begun


def tables(folder):
    asked = (
        "SELECT url, state, reason, excluded, flags, title, fingerprint FROM pages ORDER BY url",
        "SELECT url, content_hash, mask, reasons FROM documents JOIN pages USING (page) ORDER BY url",
        "SELECT fingerprint, sketch, sketch_values, words, chars, links, depth, block_keys FROM fragments "
        "ORDER BY fingerprint",
    )
    with Store.open(folder) as store:
        return [store.connection.execute(one).fetchall() for one in asked]


def when_ready(site, begun, then=None):
    """Has all answers wait until another process reads pages, once it is asked for; then something is done in
    the midst of them.
    """

    def delay(path):
        if begun and not begun[0].ready:
            wait_until(lambda: begun[0].ready or done)
        if path == "/25" and then is not None:
            then()
            done.append(path)
        return 0

    done = []

    site.delay = delay


def test_pages_and_store_are_those_of_one_process(tmp_path, soon):
    found = []
    with served(PAGES) as site:
        when_ready(site, soon)
        for processes in (1, 3):
            settings = {**SETTINGS, "RELEASE_PROCESSES": processes}
            crawled = crawl(tmp_path / str(processes), settings=settings, url=f"{site.base}/", site="s")
            assert crawled.outcome == "complete"
            beside = crawled.stats.pop("pages/read_beside", 0)
            documents = [
                {name: value for name, value in document.items() if name != "fetched_at"}
                for document in sorted(crawled.documents, key=lambda document: document["url"])
            ]
            found.append((documents, tables(crawled.folder), crawled.stats["pagelets/new_fragments"]))
    assert beside > 20
    assert found[0] == found[1]
    assert workers_of(os.getpid()) == []


def test_a_process_that_is_killed_costs_no_page(tmp_path, soon, caplog):
    def kill():
        started.extend(workers_of(os.getpid()))
        for process in started:
            os.kill(process, signal.SIGKILL)

    started = []
    with served(PAGES) as site:
        when_ready(site, soon, kill)
        crawled = crawl(tmp_path, settings={**SETTINGS, "RELEASE_PROCESSES": 2}, url=f"{site.base}/")
    assert crawled.outcome == "complete"
    assert crawled.stats["pages/held"] == len(PAGES)
    assert have_ended(started)
    assert "this process goes on alone; no page is lost" in caplog.text


def at_once() -> None:
    readers.PAGES, readers.BUSY = 3, -1.0


def test_a_crawl_that_is_killed_or_stopped_meanwhile_is_continued(tmp_path):
    def held():
        if not (folder / "store.sqlite").exists():
            return 0
        with Store.open(folder) as store:
            return len(list(store.bodies.pages()))

    def delay(path):
        # The last pages wait for the signal, however slow the machine is.
        if site.asked.total() > 30:
            sent.wait(30)
        return 0.1

    sent = threading.Event()
    with served(PAGES) as site:
        site.delay = delay
        for number in (signal.SIGKILL, signal.SIGINT):
            site.forget()
            sent.clear()
            folder = tmp_path / number.name / "s"
            given = arguments_of(folder.parent, "-a", f"url={site.base}/", "-a", "site=s")
            given += ["-s", "RELEASE_PROCESSES=2", "-s", "CONCURRENT_REQUESTS_PER_DOMAIN=3"]
            running = forked.Running(given, prepare=at_once)
            wait_until(lambda: held() > 15 and workers_of(running.pid), every=0.05)  # noqa: B023
            started = workers_of(running.pid)
            running.send_signal(number)
            sent.set()
            assert running.wait() == {signal.SIGKILL: -9, signal.SIGINT: 4}[number]
            assert have_ended(started)
            left = len(PAGES) - held()
            again = crawl(folder.parent, url=f"{site.base}/", site="s")
            assert (again.outcome, again.stats["pages/held"]) == ("complete", left)
            assert len(again.current()) == len(PAGES) - 1


def test_a_page_that_a_process_cannot_read_is_left_to_who_asked():
    def broken(page):
        if "broken" in page.blocks[0].text:
            raise RuntimeError("bug")
        return Partition()(page)

    pages = [Fetched(URL, Body("utf-8", [], text), [], cut=False) for text in (b"<p>one", b"<p>broken")]
    first, read, failed = answers(iter([None, *pages]), Reading(broken))
    assert first is True
    assert read.record.sketches
    assert failed is None


def test_a_process_sends_the_sketch_of_a_fragment_once():
    fetched = Fetched(URL, Body("utf-8", [], b"<p>A text of some words"), [], cut=False)
    _, first, second = answers(iter([None, fetched, fetched]), Reading())
    assert list(first.record.sketches) == first.record.fingerprints
    assert second.record == first.record._replace(sketches={})


def test_one_core_is_left_to_the_crawl(monkeypatch):
    for cores, asked, expected in ((1, 0, 0), (2, 0, 1), (16, 0, 3), (16, 1, 0), (1, 3, 2)):
        monkeypatch.setattr(readers, "cores", lambda: cores)  # noqa: B023
        assert readers.processes_for(asked) == expected
