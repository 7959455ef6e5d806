"""Whatever goes wrong with an index: after the next run it equals that of an undisturbed run, document by
document.
"""

from __future__ import annotations

import itertools
import json
import os
import resource
import signal
import socket
import subprocess
from contextlib import closing
from typing import TYPE_CHECKING

import pytest

from search.sink import Place, SinkDown, document_id
from search.sinks.operations import OperationsSink
from tests.crawls import scrapy
from tests.faultysinks import DYING, MOMENT, POISON, POISONED
from tests.fed import FILES, SEARCH_SERVERS, SINKS, SITE, Fed, pages
from tests.indexed import held, index, wanted
from tests.postgres import PostgresServer, postgres_server
from tests.processes import wait_until
from tests.searchserver import Fault, Wrong, search_server
from tests.served import page, served

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

BULK = "/_bulk$"
BUSY = {
    429: Wrong(429, "es_rejected_execution_exception", "rejected execution of coordinating operation"),
    503: Wrong(503, "unavailable_shards_exception", "primary shard is not active"),
}
GROUPS = {sink: group for group in (FILES, ("postgresql",), SEARCH_SERVERS) for sink in group}
"""The sinks whose undisturbed indexes come of one crawl."""
LASTING = 10_000
ALL, CHANGED = 14, 6
"""How many documents a first crawl has, and one of the site ``after`` it."""


@pytest.fixture(scope="module")
def running():
    with served({}) as site:
        yield site


@pytest.fixture
def site(running):
    running.pages = pages()
    running.delay = lambda path: 0.0
    running.forget()
    return running


@pytest.fixture(scope="module")
def postgres():
    """A server of its own: it is killed and started again."""
    with postgres_server() as server:
        yield server


@pytest.fixture(scope="module")
def clusters():
    with search_server("opensearch") as first, search_server("elasticsearch") as second:
        yield {"opensearch": first, "elasticsearch": second}


@pytest.fixture(scope="module")
def numbers():
    return itertools.count()


@pytest.fixture
def fed(request, running, clusters, numbers, tmp_path_factory) -> Iterator[Callable[..., Fed]]:
    """Makes a data folder, with indexes of its own for the sinks that are named."""

    def make(*sinks: str) -> Fed:
        dsn = request.getfixturevalue("postgres").dsn("postgres") if "postgresql" in sinks else ""
        return Fed(running.base, tmp_path_factory.mktemp("fed"), f"fed{next(numbers)}", dsn, clusters)

    yield make
    for server in clusters.values():
        server.faults.clear()


@pytest.fixture(scope="module")
def known() -> dict[str, tuple[dict, dict]]:
    return {}


@pytest.fixture
def undisturbed(site, fed, known):
    """What an index of a sink holds after a crawl of the site as it was, and after one of it ``after``, with
    which nothing has gone wrong.
    """

    def contents(sink: str, *, after: bool = False) -> dict:
        group = GROUPS[sink]
        if sink not in known:
            before, one = site.pages, fed(*group)
            states = []
            for later in (False, True):
                site.pages = pages(after=later)
                crawled = one.crawl(*group)
                assert (crawled.outcome, len(crawled.documents)) == ("complete", CHANGED if later else ALL)
                states.append({name: one.contents(name) for name in group})
            known.update({name: (states[0][name], states[1][name]) for name in group})
            site.pages = before
        return known[sink][after]

    return contents


@pytest.fixture
def same(undisturbed):
    """Runs a plain crawl, after which the indexes are as without any fault."""

    def check(fed: Fed, *sinks: str, after: bool) -> None:
        crawled = fed.crawl(*sinks)
        assert crawled.outcome == "complete"
        for sink in sinks:
            assert crawled.stats[f"index/{sink}/undelivered"] == 0
            assert fed.contents(sink) == undisturbed(sink, after=after)
        assert fed.check(*sinks) == 0

    return check


@pytest.fixture
def refused() -> Iterator[int]:
    """A port at which nobody answers."""
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        yield taken.getsockname()[1]


def undelivered(crawled, documents: int, *sinks: str) -> None:
    """Asserts that a crawl has all its documents, though its sinks were down."""
    assert (crawled.outcome, len(crawled.documents)) == ("undelivered", documents)
    for sink in sinks:
        assert crawled.stats[f"index/{sink}/undelivered"] > 0


# --- Servers that cannot be reached ---


def test_connections_refused_for_whole_runs(site, fed, same, refused):
    sinks = ("postgresql", *SEARCH_SERVERS)
    one = fed(*sinks)
    nowhere = {
        "POSTGRESQL": {"dsn": f"postgresql://admin@127.0.0.1:{refused}/postgres"},
        "OPENSEARCH": {"hosts": [f"http://127.0.0.1:{refused}"]},
        "ELASTICSEARCH": {"hosts": [f"http://127.0.0.1:{refused}"]},
    }
    feed = one.folder / "feed.jsonl"
    told = [f"SINKS={','.join(sinks)}", *(f"{name}={json.dumps(value)}" for name, value in nowhere.items())]
    options = [part for setting in told for part in ("-s", setting)]
    done = scrapy(one.folder, "-a", f"url={site.base}/", "-a", f"site={SITE}", "-O", str(feed), *options)
    assert (done.returncode, len(feed.read_text().splitlines())) == (7, ALL)
    for sink in sinks:
        # Once when it is first met, and once when the crawl ends.
        assert done.stderr.count(f"Sink {sink}: ") == 2
    site.pages = pages(after=True)
    undelivered(one.crawl(*sinks, **nowhere), CHANGED, *sinks)
    same(one, *sinks, after=True)


# --- PostgreSQL ---

_IN_A_BATCH = """
CREATE SEQUENCE {table}_times;
CREATE FUNCTION {table}_fault() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    IF NEW.url LIKE '%/p7' AND nextval('{table}_times') <= {times} THEN
        {fault};
        PERFORM pg_sleep(30);
    END IF;
    RETURN NEW;
END $$;
CREATE TRIGGER fault BEFORE INSERT ON {table} FOR EACH ROW EXECUTE FUNCTION {table}_fault();
"""
_BACKEND_ENDS = "PERFORM pg_terminate_backend(pg_backend_pid())"
# As ``pg_ctl stop -m immediate`` does.
_SERVER_ENDS = "COPY (SELECT 1) TO PROGRAM 'kill -QUIT $(head -n 1 postmaster.pid)'"


def in_a_batch(postgres: PostgresServer, fed: Fed, fault: str, times: int = LASTING) -> None:
    """Orders what happens when a document in the middle of a batch is written."""
    postgres.execute("postgres", _IN_A_BATCH.format(table=fed.table, fault=fault, times=times))


def mend(postgres: PostgresServer, fed: Fed) -> None:
    postgres.execute("postgres", f"DROP FUNCTION {fed.table}_fault() CASCADE")


def test_a_backend_that_is_ended_in_a_batch(site, postgres, fed, same):
    one = fed("postgresql")
    one.crawl("postgresql")
    site.pages = pages(after=True)
    in_a_batch(postgres, one, _BACKEND_ENDS)
    undelivered(one.crawl("postgresql"), CHANGED, "postgresql")
    mend(postgres, one)
    same(one, "postgresql", after=True)


def test_a_backend_that_is_ended_once_in_a_batch_is_overcome(site, postgres, fed, undisturbed):
    one = fed("postgresql")
    one.crawl("postgresql")
    site.pages = pages(after=True)
    in_a_batch(postgres, one, _BACKEND_ENDS, times=1)
    crawled = one.crawl("postgresql")
    assert (crawled.outcome, crawled.stats["index/postgresql/down"]) == ("complete", 0)
    assert postgres.execute("postgres", f"SELECT last_value FROM {one.table}_times") == [(2,)]
    assert one.contents("postgresql") == undisturbed("postgresql", after=True)


def test_a_server_that_is_killed_in_a_batch(site, postgres, fed, same):
    one = fed("postgresql")
    one.crawl("postgresql")
    site.pages = pages(after=True)
    in_a_batch(postgres, one, _SERVER_ENDS)
    undelivered(one.crawl("postgresql"), CHANGED, "postgresql")
    wait_until(lambda: not (postgres.folder / "data" / "postmaster.pid").exists())
    postgres.start()
    mend(postgres, one)
    same(one, "postgresql", after=True)


def at_item(number: int, act: Callable[[], None]) -> type:
    """A pipeline that acts when so many documents have come."""

    class AtItem:
        def __init__(self) -> None:
            self._left = number

        def process_item(self, item):
            self._left -= 1
            if self._left == 0:
                act()
            return item

    return AtItem


def test_a_server_that_is_restarted_between_batches(site, postgres, fed, undisturbed):
    def restart() -> None:
        postgres.stop("fast")
        postgres.start()

    one = fed("postgresql")
    crawled = one.crawl("postgresql", ITEM_PIPELINES={at_item(7, restart): 250})
    assert (crawled.outcome, len(crawled.documents)) == ("complete", ALL)
    assert one.contents("postgresql") == undisturbed("postgresql")


# --- OpenSearch and Elasticsearch ---


def ail(clusters, **fault) -> None:
    for server in clusters.values():
        server.faults[:] = [Fault(on=BULK, **fault)]


def test_a_connection_that_is_reset_when_half_of_a_bulk_is_done(site, clusters, fed, same):
    one = fed(*SEARCH_SERVERS)
    ail(clusters, times=LASTING, share=0.5)
    undelivered(one.crawl(*SEARCH_SERVERS), ALL, *SEARCH_SERVERS)
    site.pages = pages(after=True)
    undelivered(one.crawl(*SEARCH_SERVERS), CHANGED, *SEARCH_SERVERS)
    ail(clusters, times=0)
    same(one, *SEARCH_SERVERS, after=True)


def storm(status: int, kind: str, base: str) -> dict:
    """A fault: whole requests, or those items that are of some pages, one of which is to be deleted."""
    if kind == "requests":
        return {"wrong": BUSY[status]}
    hit = {document_id(f"{base}/{name}") for name in ("p1", "p2", "p6", "p9")}
    return {"items": lambda id_: BUSY[status] if id_ in hit else None}


def test_storms(site, clusters, fed, same):
    one = fed(*SEARCH_SERVERS)
    for documents, kinds in ((ALL, ("requests", "items")), (CHANGED, ("items", "requests"))):
        for server, status, kind in zip(clusters.values(), BUSY, kinds, strict=True):
            server.faults[:] = [Fault(on=BULK, times=LASTING, **storm(status, kind, site.base))]
        undelivered(one.crawl(*SEARCH_SERVERS, SINK_TIMEOUT=0.3), documents, *SEARCH_SERVERS)
        site.pages = pages(after=True)
    ail(clusters, times=0)
    same(one, *SEARCH_SERVERS, after=True)


@pytest.mark.parametrize(("first", "second"), [("requests", "items"), ("items", "requests")])
def test_short_storms_are_overcome(site, clusters, fed, undisturbed, first, second):
    one = fed(*SEARCH_SERVERS)
    for server, error, kind in zip(clusters.values(), BUSY.values(), (first, second), strict=True):
        fault = {"wrong": error} if kind == "requests" else {"items": lambda id_, error=error: error}
        server.faults[:] = [Fault(on=BULK, times=3, **fault)]
    crawled = one.crawl(*SEARCH_SERVERS)
    assert (crawled.outcome, len(crawled.documents)) == ("complete", ALL)
    for sink, server in clusters.items():
        assert server.faults[0].times == 0
        assert crawled.stats[f"index/{sink}/batches"] == 4
        assert one.contents(sink) == undisturbed(sink)


# --- The disk ---


@pytest.fixture
def disk(tmp_path):
    """A small disk for the indexes of a data folder; returns what makes it full, and large again."""
    mounted = []

    def mount(folder):
        folder.mkdir(parents=True)
        done = subprocess.run(
            ["mount", "-t", "tmpfs", "-o", "size=64m", "tmpfs", str(folder)],
            capture_output=True, text=True, check=False,
        )  # fmt: skip
        if done.returncode:
            pytest.skip(f"no small disk can be had here: {done.stderr.strip()}")
        mounted.append(folder)

        def size(more: int | None) -> None:
            disk = os.statvfs(folder)
            used = (disk.f_blocks - disk.f_bfree) * disk.f_frsize
            wanted = f"remount,size={64 << 20 if more is None else used + more}"
            subprocess.run(["mount", "-o", wanted, str(folder)], check=True)

        return size

    yield mount
    for folder in mounted:
        subprocess.run(["umount", "-l", str(folder)], check=True)


@pytest.mark.parametrize("sink", FILES)
def test_a_full_disk(site, fed, same, disk, caplog, sink):
    one = fed(sink)
    size = disk(one.folder / "_index")
    one.crawl(sink)
    site.pages = pages(after=True)
    size(0)
    undelivered(one.crawl(sink), CHANGED, sink)
    assert "has room" in caplog.text
    assert str(one.folder / "_index") in caplog.text
    size(None)
    # caplog keeps the errors, as log handlers do that tell of them elsewhere; they keep no index locked.
    same(one, sink, after=True)


def test_a_file_of_operations_has_all_of_a_batch_or_nothing(tmp_path):
    first, batch = [index("/", "granite")], [index(f"/{n}", 200 * "basalt ") for n in range(3)]
    with closing(OperationsSink(Place("site.example", tmp_path))) as sink:
        sink.open()
        sink.write(first)
        before = sink.path.read_bytes()
        soft, hard = resource.getrlimit(resource.RLIMIT_FSIZE)
        for room in (0, 1, 100, 2000, 4000):
            resource.setrlimit(resource.RLIMIT_FSIZE, (len(before) + room, hard))
            try:
                with pytest.raises(SinkDown, match="has room"):
                    sink.write(batch)
            finally:
                resource.setrlimit(resource.RLIMIT_FSIZE, (soft, hard))
            assert sink.path.read_bytes() == before
        sink.write(batch)
        assert held(sink) == wanted([*first, *batch])


# --- One poisoned document ---


def test_one_poisoned_document(site, postgres, clusters, fed, same):
    sinks = tuple(sink for sink in SINKS if sink != "operations")
    one = fed(*sinks)
    with closing(one.sink("postgresql")) as sink:
        sink.open()
    postgres.execute(
        "postgres", f"ALTER TABLE {one.table} ADD CONSTRAINT pure CHECK (text NOT LIKE '%{POISON}%')"
    )
    bad, good = document_id(f"{site.base}/p4"), site.pages["/p4"]
    refused = Wrong(400, "document_parsing_exception", "failed to parse")
    poisoned = page("p4", "/p1", text=f"This page has {POISON} in it.")
    ail(
        clusters,
        times=LASTING,
        items=lambda id_: refused if id_ == bad and site.pages["/p4"] == poisoned else None,
    )
    site.pages["/p4"] = poisoned
    crawled = one.crawl(*sinks, SINK_BACKENDS=POISONED)
    undelivered(crawled, ALL, *sinks)
    for sink in sinks:
        assert crawled.stats[f"index/{sink}/undelivered"] == 1
        assert list(one.letters(sink)) == ["/p4"]
        assert one.letters(sink)["/p4"]
        assert len(one.contents(sink)["held"]) == ALL - 1
    again = one.crawl(*sinks, SINK_BACKENDS=POISONED)
    undelivered(again, 0, *sinks)
    site.pages["/p4"] = good
    mended = one.crawl(*sinks, SINK_BACKENDS=POISONED)
    assert (mended.outcome, mended.paths(site.base)) == ("complete", ["/p4"])
    assert not any(one.letters(sink) for sink in sinks)
    same(one, *sinks, after=False)


# --- Two crawls at once ---


def test_two_sites_into_one_table_and_one_cluster_at_once(site, fed, undisturbed, numbers):
    sinks = ("postgresql", *SEARCH_SERVERS)
    one = fed(*sinks)
    others = {path: text.replace("The page of", "The other page of") for path, text in pages().items()}
    with served(others) as other:
        site.delay = other.delay = lambda path: 0.0 if path == "/robots.txt" else 0.02
        both = [one.crawling(*sinks), one.crawling(*sinks, base=other.base, name="other")]
        assert [crawl.ended() for crawl in both] == [0, 0]
        for sink in sinks:
            assert one.contents(sink) == undisturbed(sink)
            assert len(one.contents(sink, "other")["held"]) == ALL
        assert one.check(*sinks, name="other") == 0


def test_one_site_twice_at_once(site, fed, undisturbed):
    one = fed("tantivy")
    site.delay = lambda path: 0.0 if path in ("/", "/robots.txt") else 0.5
    first = one.crawling("tantivy", CONCURRENT_REQUESTS_PER_DOMAIN=1)
    wait_until(lambda: site.asked["/p1"])
    second = scrapy(one.folder, "-a", f"url={site.base}/", "-a", f"site={SITE}", "-s", "SINKS=tantivy")
    assert second.returncode == 6
    site.delay = lambda path: 0.0
    assert first.ended() == 0
    assert one.contents("tantivy") == undisturbed("tantivy")


# --- kill -9 between commit and record ---


@pytest.mark.parametrize("sink", SINKS)
def test_a_process_that_is_killed_between_commit_and_record(site, fed, same, undisturbed, monkeypatch, sink):
    one = fed(sink)

    def killed(moment: str, run: Callable[..., object]) -> None:
        monkeypatch.setenv(MOMENT, moment)
        assert run(sink, SINK_BACKENDS=DYING).ended() == -signal.SIGKILL

    one.crawl(sink)
    site.pages = pages(after=True)
    killed("written 1", one.crawling)
    same(one, sink, after=True)
    killed("written 2", one.rebuilding)
    # What stood before stands for good.
    assert one.contents(sink) == undisturbed(sink, after=True)
    killed("rebuilt", one.rebuilding)
    same(one, sink, after=True)
