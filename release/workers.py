"""Worker processes that judge pages ahead of their release."""

from __future__ import annotations

import asyncio
import contextlib
import logging
import os
import sys
from typing import TYPE_CHECKING, Any, Final

from pagelets.judging.config import JudgeConfig
from pagelets.site.workers import load
from release.judging import PageJudge, Ready
from release.machine import cores
from store.site import Store

if TYPE_CHECKING:
    from collections.abc import AsyncGenerator, Iterable, Iterator, Mapping, Sequence
    from pathlib import Path

    from pagelets.processes import ForkServer, Worker

    Judging = tuple[JudgeConfig, int, Mapping[int, dict[str, Any]]]

MOST_PROCESSES: Final = 4
"""Of a machine with more cores not all are taken unless they are asked for."""
PAGES_A_PROCESS: Final = 300
"""A process that has fewer pages to judge takes longer to start than it saves."""
WINDOW: Final = 32
"""Pages a worker that may be judged before they are released."""
MOST_BYTES: Final = 32 * 1024 * 1024
"""What may have been made of these pages: more are not begun."""

logger = logging.getLogger(__name__)


def processes_for(pages: int, asked: int) -> int:
    """Returns the number of worker processes for so many ``pages``; 1 if workers would not save time.

    ``asked`` is the setting ``RELEASE_PROCESSES``: 0 for as many as there are cores, at most
    `MOST_PROCESSES`.
    """
    if os.name != "posix" or not sys.executable:
        return 1
    return max(1, min(asked or min(cores(), MOST_PROCESSES), pages // PAGES_A_PROCESS))


class Workers:
    """Processes (`pagelets.processes`) that judge pages of the store in a folder.

    Each reads the store by a connection of its own. One that ends before its time costs nothing: pages that
    it has not answered for are left to the caller, and so are all of them where no worker is left.

    They begin to load what they need at once, for the config's methods, and the language of Documents where
    ``tells_language`` says that they have it. Where pages are never judged they have to be closed. ``count``
    is how many there are at first, 1 where none could be started.
    """

    def __init__(self, folder: Path, count: int, config: JudgeConfig, *, tells_language: bool) -> None:
        # Most crawls have fewer pages than it is worth loading this for.
        from pagelets.processes import ForkServer

        self._server: ForkServer | None = None
        self._workers: list[Worker] = []
        try:
            self._server = ForkServer(load, tells_language)
            for _ in range(count):
                self._workers.append(self._server.start(_judge, folder, config))
        except OSError as error:
            logger.warning("The processes to judge pages could not be started: %s", error)
        self.count = max(1, len(self._workers))

    async def judged(
        self, judging: Judging, pages: Iterable[int]
    ) -> AsyncGenerator[tuple[int, Ready | None]]:
        """Gives each page with what has become of it, in the order of the pages; None where the caller has to
        judge it. Ends the processes at the end; to be used once.

        Takes what `release.judging.PageJudge` takes beside the store.
        """
        from pagelets.processes import answers

        try:
            for worker in self._workers:
                with contextlib.suppress(OSError):
                    # A worker that is still loading takes it late.
                    await asyncio.to_thread(worker.connection.send, judging)
            for reply in answers(self._workers, pages, WINDOW * self.count, MOST_BYTES, _lost):
                if reply is None:
                    await _readable([worker.connection.fileno() for worker in self._workers])
                else:
                    yield reply
        finally:
            self.close()

    def close(self) -> None:
        """Ends the processes. Safe to call twice."""
        if self._server is not None:
            self._server.close()


async def _readable(numbers: Sequence[int]) -> None:
    """Waits until one of the files of these numbers can be read."""
    loop, ready = asyncio.get_running_loop(), asyncio.Event()
    for number in numbers:
        loop.add_reader(number, ready.set)
    try:
        await ready.wait()
    finally:
        for number in numbers:
            loop.remove_reader(number)


def _lost(left: int) -> None:
    logger.warning(
        "A process that judges pages has ended early, perhaps for want of memory; %s; no page is lost",
        f"others go on: {left}" if left else "this process goes on alone",
    )


def _judge(asked: Iterator[Any], folder: Path, config: JudgeConfig) -> Iterator[Ready | None]:
    """Gives what `PageJudge` makes of each page that is asked for, None where that fails: who asked judges
    the page, and has its error. What pages are judged by is asked first.
    """
    for name in config.methods:
        config.registry.factory(name)().check()
    judging, remembers_until, made = next(asked)
    with Store.open(folder) as store:
        store.only_read()
        judge = PageJudge(store, judging, remembers_until=remembers_until, made=made)
        for page in asked:
            yield _judged(judge, page)


def _judged(judge: PageJudge, page: int) -> Ready | None:
    try:
        judged, make = judge.record(page)
        return judged, None if judged.same_text else make()
    except Exception:
        return None
