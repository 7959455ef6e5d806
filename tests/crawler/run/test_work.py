from __future__ import annotations

import asyncio
import threading
import time
from types import SimpleNamespace
from typing import TYPE_CHECKING, Any

import pytest

from crawler.run.state import RunState
from crawler.run.work import Stopped, Work
from store.meta import JUDGEMENT, SCOPE
from store.site import Store
from tests.store.sites import Pagelet, begin, record

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from pathlib import Path

ENDLESS = "WITH RECURSIVE n (x) AS (SELECT 1 UNION ALL SELECT x + 1 FROM n) SELECT max(x) FROM n"
LONG = "SELECT max(a.range * b.range) FROM range(10000000) AS a, range(10000000) AS b"


@pytest.fixture
def store(tmp_path: Path) -> Iterator[Store]:
    with Store.open(tmp_path / "site", create=True) as store:
        run = begin(store)
        for name in ("a", "b"):
            record(store, name, [Pagelet(f"text of {name}")], run)
        yield store


def work_on(store: Store) -> tuple[Work, Any, RunState]:
    """Work on a store, with as much of a crawler as it looks at."""
    crawler, state = SimpleNamespace(crawling=True), RunState()
    return Work(crawler, store, state), crawler, state  # type: ignore[arg-type]


def writing(store: Store) -> None:
    with store.transaction():
        store.set_meta(SCOPE, "half done")
        store.connection.execute(ENDLESS).fetchone()


def reading(store: Store) -> None:
    with store.reader() as reader:
        reader.connection.execute(ENDLESS).fetchone()


def asking(store: Store) -> None:
    with store.detection_input() as given, store.evidence(given, memory=64) as con:
        con.execute(LONG).fetchone()


def test_ctrl_c_interrupts_what_is_running(store: Store) -> None:
    async def stopped(function: Callable[[Store], None]) -> float:
        work, crawler, state = work_on(store)
        asyncio.get_running_loop().call_later(0.2, setattr, crawler, "crawling", False)
        began = time.monotonic()
        with pytest.raises(Stopped):
            await work.do("asking", lambda: function(store))
        assert (state.working, state.interrupted, state.doing) == (False, True, "fetching")
        return time.monotonic() - began

    for function in (writing, reading, asking):
        assert asyncio.run(stopped(function)) < 10
        # The store is as it was, and can be written.
        assert store.meta(SCOPE) is None
        with store.transaction():
            store.set_meta(JUDGEMENT, function.__name__)


def test_what_begins_after_ctrl_c_goes_on(store: Store) -> None:
    work, crawler, _ = work_on(store)
    crawler.crawling = False
    assert asyncio.run(work.do("asking", lambda: time.sleep(0.3))) is None


def test_the_loop_turns_meanwhile_and_progress_is_told(
    store: Store, caplog: pytest.LogCaptureFixture
) -> None:
    threads: list[threading.Thread] = []

    async def turns() -> int:
        work, _, state = work_on(store)
        work_told: list[Any] = []

        def function() -> str:
            threads.append(threading.current_thread())
            for done in range(3):
                work._told = 0.0
                work.tell(done, 3)
                work_told.append(state.progress)
                time.sleep(0.05)
            return "done"

        running = asyncio.ensure_future(work.do("counting", function))
        count = 0
        while not running.done():
            await asyncio.sleep(0.005)
            assert running.done() or state.working
            count += 1
        assert (await running, work_told, state.progress) == ("done", [(0, 3), (1, 3), (2, 3)], None)
        return count

    with caplog.at_level("INFO"):
        assert asyncio.run(turns()) > 5
    assert threads != [threading.main_thread()]
    assert "Counting: 2 of 3" in caplog.text


def test_what_a_function_raises_is_raised(store: Store) -> None:
    def function() -> None:
        raise ZeroDivisionError

    work, _, state = work_on(store)
    with pytest.raises(ZeroDivisionError):
        asyncio.run(work.do("dividing", function))
    assert not state.working
    assert not state.stopped
