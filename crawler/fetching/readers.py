"""Processes that read fetched pages, where the crawl's own has no time left: archives and fast hosts."""

from __future__ import annotations

import asyncio
import contextlib
import logging
import os
import sys
import time
from collections import deque
from concurrent.futures import ThreadPoolExecutor
from typing import TYPE_CHECKING, Final

from scrapy.http import HtmlResponse

from crawler.fetching.partition import PageReader, item_of
from crawler.fetching.reading import Answer, Fetched, answers, load, unpacked_answer
from crawler.items import PageItem, WorkedOut
from release.machine import cores
from release.workers import MOST_PROCESSES
from store.flat_pages import PagePacker

if TYPE_CHECKING:
    from collections.abc import Callable

    from pagelets.processes import ForkServer, Worker

PAGES: Final = 100
"""Pages that this process reads before it asks others."""
BUSY: Final = 0.8
"""Processes are started where the last `PAGES` took this share of the time of the reactor's thread."""

logger = logging.getLogger(__name__)


def processes_for(asked: int) -> int:
    """Returns how many processes may read pages: one of the cores is the crawl's own.

    ``asked`` is the setting ``RELEASE_PROCESSES``: 0 for as many as there are cores, at most
    `MOST_PROCESSES`; 1 for none.
    """
    if os.name != "posix" or not sys.executable or asked == 1:
        return 0
    available = min(cores(), MOST_PROCESSES)
    return available - 1 if not asked else asked - 1


class Readers:
    """Reads pages as a `PageReader` does, in up to ``most`` processes, once the reactor's thread is busy.

    Items come in the order of the pages that were asked for. A page that a process cannot read, or that has
    ended while it did, is read by this one: it has its error, and none is lost. Settings:
    ``RELEASE_PROCESSES``.

    To be used and closed on the reactor's thread; safe to close twice.
    """

    def __init__(self, reader: PageReader, most: int) -> None:
        self.reader = reader
        self._most = most
        self._server: ForkServer | None = None
        self._processes: list[_Process] = []
        self._packer = PagePacker()
        self._last: asyncio.Future[None] | None = None
        self._pages = 0
        self._since = time.monotonic(), time.thread_time()

    @property
    def ready(self) -> bool:
        """True if a process waits for pages."""
        return any(process.ready for process in self._processes)

    def read(self, response: HtmlResponse) -> PageItem:
        """Reads a page in this process; what it raises concerns this page alone. Starts other processes where
        that is worth while.
        """
        self._pages += 1
        if self._most and self._server is None and self._pages % PAGES == 0:
            before, self._since = self._since, (time.monotonic(), time.thread_time())
            elapsed, spent = (now - then for now, then in zip(self._since, before, strict=True))
            if spent > BUSY * elapsed:
                self._start()
        return self.reader.read(response)

    async def read_beside(self, response: HtmlResponse) -> PageItem:
        """Reads a page in another process. Raises what reading it raises."""
        before, self._last = self._last, (turn := asyncio.get_running_loop().create_future())
        try:
            fetched = self.reader.fetched(response)
            ready = [process for process in self._processes if process.ready]
            process = min(ready, key=lambda process: len(process.asked), default=None)
            content = b"" if process is None else await process.ask(fetched)
            if before is not None:
                await before
            return self._item(response, fetched, content)
        finally:
            turn.set_result(None)

    def _item(self, response: HtmlResponse, fetched: Fetched, content: bytes) -> PageItem:
        from pagelets.processes import unpacked

        answer: Answer | None = unpacked(content)
        if answer is None:
            return self.reader.read(response)
        read_page, record = unpacked_answer(answer, self.reader.reading, self._packer)
        return item_of(response, fetched, read_page, WorkedOut(record, answer.packed))

    def _start(self) -> None:
        # Most crawls never ask for it.
        from pagelets.processes import ForkServer

        try:
            self._server = ForkServer(load)
            for _ in range(self._most):
                process = _Process(self._server.start(answers, self.reader.reading), self._lost)
                self._processes.append(process)
        except OSError as error:
            logger.warning("The processes to read pages could not be started: %s", error)
            self._most = 0

    def _lost(self, process: _Process) -> None:
        self._processes.remove(process)
        left = len(self._processes)
        logger.warning(
            "A process that reads pages has ended early, perhaps for want of memory; %s; no page is lost",
            f"others go on: {left}" if left else "this process goes on alone",
        )

    def close(self) -> None:
        """Ends the processes: pages are read by this one from here on."""
        self._most = 0
        for process in self._processes:
            process.close()
        self._processes.clear()
        if self._server is not None:
            self._server.close()


class _Process:
    """A process that reads pages, in the order in which it is asked for them.

    ``ready`` tells that it has loaded what it needs. ``lost`` is called, once, if it ends.
    """

    def __init__(self, worker: Worker, lost: Callable[[_Process], None]) -> None:
        self.ready = False
        self.asked: deque[asyncio.Future[bytes]] = deque()
        self._connection, self._end, self._lost = worker.connection, worker.end, lost
        # While a page is sent, the process may be sending another: who sends cannot be who receives.
        self._sender = ThreadPoolExecutor(1, "pages to read")
        self._loop = asyncio.get_running_loop()
        self._loop.add_reader(self._connection.fileno(), self._receive)
        self.ask(None).add_done_callback(self._begin)

    def ask(self, fetched: Fetched | None) -> asyncio.Future[bytes]:
        """Sends a page; the answer is empty where this process has to read it."""
        self.asked.append(future := self._loop.create_future())
        self._sender.submit(self._send, fetched)
        return future

    def _send(self, fetched: Fetched | None) -> None:
        # A process that has ended is heard of where answers are received.
        with contextlib.suppress(OSError):
            self._connection.send(fetched)

    def _begin(self, answer: asyncio.Future[bytes]) -> None:
        self.ready = bool(answer.result())

    def _receive(self) -> None:
        try:
            content = self._connection.recv_bytes()
        except (EOFError, OSError):
            self._lost(self)
            self.close()
        else:
            self._answer(content)

    def _answer(self, content: bytes) -> None:
        future = self.asked.popleft()
        # Who asked may have been cancelled.
        if not future.done():
            future.set_result(content)

    def close(self) -> None:
        """Ends the process; pages that it has not read are left to this one."""
        self.ready = False
        self._loop.remove_reader(self._connection.fileno())
        with contextlib.suppress(EOFError, OSError):
            self._end()
        self._sender.shutdown(wait=False, cancel_futures=True)
        while self.asked:
            self._answer(b"")
