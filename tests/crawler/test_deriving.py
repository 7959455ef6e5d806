from __future__ import annotations

import asyncio
import shutil
import signal
import threading
import time
from contextlib import closing
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

import pipelines.shingling
import store.rederivation
from crawler.run.work import Work
from store.errors import StoreHalfDerived, StoreUnusable
from store.meta import DERIVATION, DERIVING, DISTRUSTED_HOSTS
from store.site import Store
from tests import forked
from tests.crawls import arguments_of, crawl
from tests.served import Answer, Site, page, served

if TYPE_CHECKING:
    from collections.abc import Iterator

COUNT = 30


@pytest.fixture(scope="module")
def server() -> Iterator[Site]:
    """Pages whose menu is one pagelet by k = 3, and whose pairs of links are pagelets by k = 2."""
    pairs = "".join(f'<div><a href="/{n}">n{n}</a> <a href="/{n + 1}">n{n + 1}</a></div>' for n in (1, 3))
    around = f'<nav><a href="/">home</a> <a href="/1">one</a> <a href="/2">two</a></nav>{pairs}'
    names = [str(n) for n in range(1, COUNT)]
    pages: dict[str, Any] = {"/": page("home", *(f"/{n}" for n in names), around=around)}
    for n in names:
        pages[f"/{n}"] = Answer(page(f"page {n}", around=around), headers={"ETag": f'"{n}"'})
    with served(pages) as site:
        yield site


@pytest.fixture
def site(server: Site) -> Iterator[Site]:
    pages = dict(server.pages)
    server.forget()
    yield server
    server.pages = pages


@pytest.fixture(scope="module")
def crawled(server: Site, tmp_path_factory: pytest.TempPathFactory) -> dict[int, Path]:
    """The stores of first crawls, by k."""
    return {
        k: crawl(tmp_path_factory.mktemp("k"), settings={"PAGELET_K": k}, url=server.base, site="s").folder
        for k in (2, 3)
    }


@pytest.fixture
def old(crawled: dict[int, Path], tmp_path: Path) -> Path:
    """A copy of the store of a first crawl."""
    return Path(shutil.copytree(crawled[3], tmp_path / "s"))


def derived(folder: Path) -> list[tuple]:
    """All that is derived of each page, by its URL; checks that nothing else is there."""
    with closing(Store.open(folder)) as opened:
        execute = opened.connection.execute
        for table in ("fragments", "fragment_links"):
            assert not execute(
                f"SELECT count(*) FROM {table} WHERE fragment NOT IN (SELECT fragment FROM pagelets)"
            ).fetchone()[0]
        assert not execute(
            "SELECT count(*) FROM pagelets WHERE fragment NOT IN (SELECT fragment FROM fragments)"
        ).fetchone()[0]
        rows = execute(
            "SELECT url, position, fragments.fingerprint, sketch, sketch_values, chars, block_keys, "
            "fragments.depth, tag_path, pages.fingerprint, title, (SELECT group_concat(others.url || anchor) "
            "FROM fragment_links JOIN pages AS others ON others.page = fragment_links.target "
            "WHERE fragment_links.fragment = fragments.fragment) "
            "FROM pages JOIN pagelets USING (page) JOIN fragments USING (fragment) ORDER BY url, position"
        ).fetchall()
        return [(*row[:8], opened.pages._tag_paths.name(row[8]), *row[9:]) for row in rows]


class Watched:
    """Counts the pages that are derived, and stops like Ctrl-C after some of them."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch) -> None:
        self.pages = 0
        self.stop_at: int | None = None
        self.threads: set[threading.Thread] = set()
        monkeypatch.setattr(store.rederivation, "PIECE", 10)
        derive, do, tell = pipelines.shingling.ShinglingPipeline._derived, Work.do, Work.tell
        loops: list[asyncio.AbstractEventLoop] = []

        async def doing(work: Work, phase: str, function: Any) -> Any:
            loops[:] = [asyncio.get_running_loop()]
            return await do(work, phase, function)

        def counted(pipeline: Any, *arguments: Any) -> Any:
            self.pages += 1
            self.threads.add(threading.current_thread())
            return derive(pipeline, *arguments)

        def stopping(work: Work, done: int, total: int) -> None:
            if self.stop_at is not None and done >= self.stop_at:
                asyncio.run_coroutine_threadsafe(work._crawler.stop_async(), loops[0])
                while not work._job.state.interrupted:
                    time.sleep(0.01)
            tell(work, done, total)

        monkeypatch.setattr(pipelines.shingling.ShinglingPipeline, "_derived", counted)
        monkeypatch.setattr(Work, "do", doing)
        monkeypatch.setattr(Work, "tell", stopping)


@pytest.mark.usefixtures("old")
@pytest.mark.parametrize("other", [{"PAGELET_K": 2}, {"PARTITION": "dom"}], ids=["k", "partition"])
def test_another_cut_is_derived_in_pieces_and_goes_on_where_it_was_stopped(
    tmp_path: Path, site: Site, monkeypatch: pytest.MonkeyPatch, other: dict[str, Any]
) -> None:
    wanted = crawl(tmp_path / "new", settings=other, url=site.base, site="s")
    watched = Watched(monkeypatch)
    site.forget()
    watched.stop_at = 20
    stopped = crawl(tmp_path, settings=other, url=site.base, site="s")
    assert (stopped.outcome, stopped.documents, watched.pages) == ("interrupted", [], 20)
    assert not site.bodies
    assert threading.main_thread() not in watched.threads
    # What is derived in two ways is neither judged nor published.
    with (
        closing(Store.open(stopped.folder)) as opened,
        pytest.raises(StoreHalfDerived, match="crawl the site to go on"),
    ):
        opened.publish()
    said = forked.run(["export", "s", "-s", f"DATA_DIR={tmp_path}"])
    assert (said.returncode, said.stderr.count("\n")) == (2, 1)
    watched.stop_at = None
    done = crawl(tmp_path, settings=other, url=site.base, site="s")
    assert (done.outcome, watched.pages) == ("complete", COUNT)
    assert derived(done.folder) == derived(wanted.folder)
    texts = {document["url"]: document["text"] for document in done.documents}
    assert texts.items() <= {document["url"]: document["text"] for document in wanted.documents}.items()
    again = crawl(tmp_path, settings=other, url=site.base, site="s")
    assert (again.outcome, again.documents, watched.pages) == ("complete", [], COUNT)


@pytest.mark.usefixtures("old")
def test_a_store_that_takes_no_more_meanwhile_ends_the_crawl_in_one_line(
    tmp_path: Path, site: Site, crawled: dict[int, Path], monkeypatch: pytest.MonkeyPatch, caplog: Any
) -> None:
    def full(*_: Any) -> None:
        raise StoreUnusable("store.sqlite: database or disk is full")

    with monkeypatch.context() as patch:
        patch.setattr(Work, "tell", full)
        ended = crawl(tmp_path, settings={"PAGELET_K": 2}, url=site.base, site="s")
    assert (ended.outcome, ended.documents) == ("interrupted", [])
    said = [record for record in caplog.records if record.levelname in ("ERROR", "CRITICAL")]
    assert [record.exc_info for record in said] == [None]
    done = crawl(tmp_path, settings={"PAGELET_K": 2}, url=site.base, site="s")
    assert (done.outcome, derived(done.folder)) == ("complete", derived(crawled[2]))


def test_what_was_derived_in_part_is_not_taken_for_what_it_was_before(
    tmp_path: Path, site: Site, old: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    before = derived(old)
    watched = Watched(monkeypatch)
    watched.stop_at = 20
    crawl(tmp_path, settings={"PAGELET_K": 2}, url=site.base, site="s")
    watched.stop_at = None
    back = crawl(tmp_path, url=site.base, site="s")
    assert (watched.pages, back.outcome, back.documents) == (20 + COUNT, "complete", [])
    assert derived(back.folder) == before


@pytest.mark.usefixtures("old")
def test_a_round_is_undone_after_its_pages_were_derived_again(
    tmp_path: Path, site: Site, crawled: dict[int, Path]
) -> None:
    good = dict(site.pages)
    for n in range(1, COUNT):
        site.pages[f"/{n}"] = page("sorry", "/")
    few = {"CLOSESPIDER_PAGECOUNT": 6, "CONCURRENT_REQUESTS": 1}
    begun = crawl(tmp_path, url=site.base, site="s", settings=few)
    with closing(Store.open(begun.folder)) as opened:
        assert opened.previous.count()
    lost = crawl(tmp_path, settings={"PAGELET_K": 2}, url=site.base, site="s")
    assert (lost.outcome, lost.documents) == ("suspicious", [])
    site.pages = good
    again = crawl(tmp_path, settings={"PAGELET_K": 2}, url=site.base, site="s")
    assert again.outcome == "complete"
    assert derived(again.folder) == derived(crawled[2])


def test_fingerprints_are_those_of_today(tmp_path: Path, site: Site, old: Path) -> None:
    drops = {"DROP_SELECTORS": ["h1"]}
    with closing(Store.open(old)) as opened, opened.transaction():
        # As a reading of pages that is no more has left them.
        opened.connection.execute("UPDATE pages SET fingerprint = page, title = 'old'")
        opened.set_meta(DERIVATION, "{}")
    site.forget()
    night = crawl(tmp_path, url=site.base, site="s")
    # The server's validators are believed still, and pages of equal text are equal.
    assert (night.outcome, night.documents, night.stats["pages/not_modified"]) == ("complete", [], COUNT - 1)
    with closing(Store.open(old)) as opened:
        assert opened.meta(DISTRUSTED_HOSTS) is None
        rows = opened.connection.execute(
            "SELECT count(*) FROM pages WHERE title = 'old' OR fingerprint = page"
        )
        assert rows.fetchone() == (0,)
    assert crawl(tmp_path, settings=drops, url=site.base, site="s").outcome == "complete"


def test_a_kill_and_ctrl_c_in_the_midst(tmp_path: Path, site: Site, old: Path) -> None:
    folder = old
    with closing(Store.open(folder)) as opened, opened.transaction():
        columns = "host, state, fetched_run, run, fingerprint, title, status, fetched_at, seen_run"
        for copy in range(90):
            opened.connection.execute(
                f"INSERT INTO pages (url, {columns}) SELECT url || '?copy={copy}', {columns} FROM pages "
                "WHERE url NOT LIKE '%copy=%'"
            )
        opened.connection.execute(
            "INSERT INTO bodies SELECT copies.page, encoding, headers, dictionary, size, body FROM bodies "
            "JOIN pages USING (page) JOIN pages AS copies ON copies.url LIKE pages.url || '?copy=%'"
        )
    at: list[int] = []
    arguments = arguments_of(
        tmp_path, "-a", f"url={site.base}", "-a", "site=s", "-s", "PAGELET_K=2", "-s", "LOG_LEVEL=INFO"
    )
    for number in (signal.SIGKILL, signal.SIGINT):
        log = tmp_path / f"{number}.log"
        running = forked.Running(arguments, err=log)
        at.append(moved_on(folder, at[-1] if at else 0))
        running.send_signal(number)
        sent = time.monotonic()
        if number == signal.SIGINT:
            while "Received SIGINT" not in log.read_text():
                assert time.monotonic() - sent < 5
                time.sleep(0.01)
        assert running.wait() == (-9 if number == signal.SIGKILL else 4)
    assert "the next run goes on with that" in log.read_text()
    assert "Outcome: interrupted" in log.read_text()
    way = cursor(folder)
    assert way["page"] >= at[1] > at[0] > 0
    with closing(Store.open(folder)) as opened:
        rows = opened.connection.execute(
            "SELECT page, min(fragment) > ?, max(fragment) > ? FROM pagelets GROUP BY page",
            (way["last"], way["last"]),
        ).fetchall()
        assert all(new == (page <= way["page"]) for page, low, high in rows for new in (low, high))
        assert opened.connection.execute("PRAGMA integrity_check").fetchone() == ("ok",)


def cursor(folder: Path) -> dict[str, Any]:
    with closing(Store.open(folder)) as opened:
        return opened.meta(DERIVING) or {"page": 0}


def moved_on(folder: Path, beyond: int) -> int:
    """Waits until pages beyond one are derived; the last of them."""
    until = time.monotonic() + 60
    while (page := cursor(folder)["page"]) <= beyond:
        assert time.monotonic() < until
        time.sleep(0.005)
    return page
