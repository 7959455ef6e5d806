"""Work over the whole store, beside the reactor's thread: it can be watched, and stopped."""

from __future__ import annotations

import asyncio
import logging
import sqlite3
import time
from collections.abc import Awaitable, Callable
from typing import Final, TypeVar

from scrapy.crawler import Crawler
from scrapy.http import Request, Response

from crawler.run.state import RunState
from store.errors import StoreError
from store.site import Store

_Result = TypeVar("_Result")

WORK: Final = "work"
"""The key of ``request.meta`` of a request whose callback does such work: it waits for no other."""

_LOOK: Final = 0.1
"""Seconds between two looks at whether the crawl is to stop."""
_TELL: Final = 10.0
"""Seconds between two lines of the log on how far work is."""

logger = logging.getLogger(__name__)


class Stopped(Exception):
    """Work was stopped before its end. Raised by `Work`; what it has committed stays."""


class Work:
    """Runs what takes long, one after the other, in a thread: the reactor goes on hearing signals.

    Until it is done nothing else may use the store's connection: the scheduler hands out nothing meanwhile
    (`RunState.working`). Ctrl-C interrupts what is running; what begins later, to release what there is, is
    not interrupted but by the second one.
    """

    def __init__(self, crawler: Crawler, store: Store, state: RunState) -> None:
        self._crawler = crawler
        self._store = store
        self._state = state
        self._told = 0.0
        self._stopping = False

    def begin(self, callback: Callable[[Response], Awaitable[None]]) -> None:
        """Has work done by the callback of a request, which is the next that is handed out."""
        self._state.await_work()
        self._crawler.engine.crawl(Request("data:,", callback=callback, meta={WORK: True}, dont_filter=True))

    async def do(self, step: str, function: Callable[[], _Result]) -> _Result:
        """Runs a function and returns what it returns.

        Raises what it raises, and Stopped where Ctrl-C has ended it.
        """
        heeded = self._crawler.crawling
        self._state.begin_work(step)
        self._stopping, self._told = False, time.monotonic()
        task = asyncio.ensure_future(asyncio.to_thread(function))
        try:
            while not task.done():
                await asyncio.wait({task}, timeout=_LOOK)
                if heeded and not self._crawler.crawling and not task.done():
                    self.stop()
            return task.result()
        except (StoreError, sqlite3.Error) as error:
            if self._stopping:
                self._store.abandon()
                raise Stopped from error
            raise
        finally:
            self._state.end_work()

    def stop(self) -> None:
        """Interrupts the running work; that may take a moment, and has to be repeated until it has ended."""
        self._stopping = True
        self._state.interrupted = True
        self._store.interrupt()

    def tell(self, done: int, total: int) -> None:
        """Takes the progress of the running function. Raises Stopped if it is to end here."""
        self._state.progress = done, total
        if self._stopping:
            raise Stopped
        if time.monotonic() - self._told >= _TELL:
            self._told = time.monotonic()
            logger.info("%s: %d of %d", self._state.doing.capitalize(), done, total)
