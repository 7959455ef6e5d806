"""Worker processes that judge pages ahead of their release."""

from __future__ import annotations

import asyncio
import contextlib
import logging
import os
import pickle
import signal
import socket
import subprocess
import sys
import weakref
from collections import deque
from typing import TYPE_CHECKING, Final, NamedTuple

from pagelets.extensions import extensions
from release.cores import cores
from release.worker import PAGE, SIZE

if TYPE_CHECKING:
    from collections.abc import AsyncGenerator, Iterable, Sequence
    from pathlib import Path

    from pagelets.judging.config import JudgeConfig
    from release.judging import Ready

MOST_PROCESSES: Final = 4
"""Of a machine with more cores not all are taken unless they are asked for."""
PAGES_A_PROCESS: Final = 150
"""A process that has fewer pages to judge takes longer to start than it saves."""
WINDOW: Final = 32
"""Pages a worker that may be judged before they are released."""
MOST_BYTES: Final = 32 * 1024 * 1024
"""What may have been made of these pages: more are not begun."""
_ASKED: Final = 2
"""Pages that a worker knows of: it has a next one while an answer is under way."""
_READ: Final = 1 << 20
_LAST: Final = 1.0
"""Seconds that the processes may take to end by themselves."""
_CODE: Final = """
import pickle, sys
sys.path[:] = pickle.load(sys.stdin.buffer)
from release.worker import main
main({})
"""
ONE_THREAD: Final = {"OPENBLAS_NUM_THREADS": "1", "MKL_NUM_THREADS": "1", "OMP_NUM_THREADS": "1"}
"""Numpy starts no threads then, beside which no process could be forked; none of them would have work."""

logger = logging.getLogger(__name__)


class _Asked(NamedTuple):
    """A page, and the answer to come; an empty one where no worker has judged it."""

    page: int
    answer: asyncio.Future[bytes]


def processes_for(pages: int, asked: int) -> int:
    """How many worker processes judge so many pages; 1 where none would save time.

    Takes the setting ``RELEASE_PROCESSES``: 0 for as many as there are cores, at most `MOST_PROCESSES`.
    """
    if os.name != "posix" or not sys.executable:
        return 1
    return max(1, min(asked or min(cores(), MOST_PROCESSES), pages // PAGES_A_PROCESS))


class Workers:
    """Processes that judge pages of the store in a folder.

    They are forked by an interpreter of its own, as nothing may be forked beside threads and open databases,
    and each reads the store by a connection of its own. They end when this process does, however it ends. One
    that ends before its time costs nothing: pages that it has not answered for are left to the caller, and so
    are all of them where no worker is left.

    They begin to load what they need at once, for these methods, and the language of Documents where
    ``tells_language`` says that they have it. Where pages are never judged they have to be closed. ``count``
    is how many there are at first, 1 where none could be started.
    """

    def __init__(self, folder: Path, count: int, methods: Sequence[str], *, tells_language: bool) -> None:
        self._window = WINDOW * count
        self._queue: deque[_Asked] = deque()
        self._ready: deque[_Asked] = deque()
        self._bytes = 0
        self._changed = asyncio.Event()
        self._process: subprocess.Popen[bytes] | None = None
        self._connections: list[socket.socket] = []
        try:
            level = logging.getLogger().getEffectiveLevel()
            told = folder, [*methods], tells_language, level, extensions()
            self._process, self._connections = _started(told, count)
            weakref.finalize(self, _end, self._process)
        except OSError as error:
            logger.warning("The processes to judge pages could not be started: %s", error)
        self.count = max(1, len(self._connections))

    async def judged(
        self, judging: tuple[JudgeConfig, int], pages: Iterable[int]
    ) -> AsyncGenerator[tuple[int, Ready | None]]:
        """Gives each page with what has become of it, in the order of the pages; None where the caller has to
        judge it. Ends the processes at the end; to be used once.

        Takes what `release.judging.PageJudge` takes beside the store.
        """
        told = pickle.dumps(judging)
        serving = [asyncio.ensure_future(self._serve(one, told)) for one in self._connections]
        try:
            for page in pages:
                self._ask(page)
                if len(self._ready) >= self._window:
                    yield await self._first()
            while self._ready:
                yield await self._first()
        finally:
            for task in serving:
                task.cancel()
            await asyncio.gather(*serving, return_exceptions=True)
            self.close()

    def close(self) -> None:
        """Ends the processes. Safe to call twice."""
        for connection in self._connections:
            connection.close()
        if self._process is not None:
            _end(self._process, _LAST)

    def _ask(self, page: int) -> None:
        asked = _Asked(page, asyncio.get_running_loop().create_future())
        self._ready.append(asked)
        if self._connections:
            self._queue.append(asked)
            self._changed.set()
        else:
            asked.answer.set_result(b"")

    async def _first(self) -> tuple[int, Ready | None]:
        page, answer = self._ready.popleft()
        content = await answer
        self._bytes -= len(content)
        self._changed.set()
        if not content:
            return page, None
        ready, records = pickle.loads(content)  # noqa: S301 - of a process of our own
        for record in records:
            named = logging.getLogger(record.name)
            if named.isEnabledFor(record.levelno):
                named.handle(record)
        return page, ready

    async def _serve(self, connection: socket.socket, told: bytes) -> None:
        """Has a worker judge pages, one after the other, until it ends."""
        asked: deque[_Asked] = deque()
        try:
            reader, writer = await asyncio.open_connection(sock=connection, limit=_READ)
            with contextlib.closing(writer):
                writer.write(SIZE.pack(len(told)) + told)
                while True:
                    while self._queue and len(asked) < _ASKED and self._bytes < MOST_BYTES:
                        asked.append(self._queue.popleft())
                        writer.write(PAGE.pack(asked[-1].page))
                    if not asked:
                        self._changed.clear()
                        await self._changed.wait()
                        continue
                    (size,) = SIZE.unpack(await reader.readexactly(SIZE.size))
                    content = await reader.readexactly(size)
                    self._bytes += size
                    asked.popleft().answer.set_result(content)
        except (OSError, asyncio.IncompleteReadError):
            self._connections.remove(connection)
            self._lost(asked)

    def _lost(self, asked: deque[_Asked]) -> None:
        left = len(self._connections)
        logger.warning(
            "A process that judges pages has ended early, perhaps for want of memory; %s; no page is lost",
            f"others go on: {left}" if left else "this process goes on alone",
        )
        if not left:
            asked.extend(self._queue)
            self._queue.clear()
        for one in asked:
            one.answer.set_result(b"")


def _started(told: object, count: int) -> tuple[subprocess.Popen[bytes], list[socket.socket]]:
    with contextlib.ExitStack() as failed, contextlib.ExitStack() as theirs:
        ours, numbers = [], []
        for _ in range(count):
            one, other = socket.socketpair()
            ours.append(failed.enter_context(one))
            numbers.append(theirs.enter_context(other).fileno())
        process = subprocess.Popen(  # noqa: S603 - this Python
            [sys.executable, "-c", _CODE.format(numbers)],
            stdin=subprocess.PIPE,
            stdout=subprocess.DEVNULL,
            env={**os.environ, **ONE_THREAD},
            pass_fds=numbers,
            # A terminal sends Ctrl-C to the group of the crawl.
            process_group=0,
        )
        assert process.stdin is not None
        with contextlib.suppress(BrokenPipeError), process.stdin as stdin:
            stdin.write(pickle.dumps(sys.path) + pickle.dumps(told))
        failed.pop_all()
    return process, ours


def _end(process: subprocess.Popen[bytes], patience: float = 0.0) -> None:
    """Waits for the end of the processes that judge, which comes by itself where nothing more is asked."""
    try:
        process.wait(patience)
    except subprocess.TimeoutExpired:
        os.killpg(process.pid, signal.SIGKILL)
        process.wait()
