"""Processes that judge the pages of a store which another one asks for (`release.workers`)."""

from __future__ import annotations

import contextlib
import ctypes
import gc
import logging
import os
import pickle
import signal
import socket
import struct
import sys
from logging.handlers import QueueHandler
from pathlib import Path
from queue import SimpleQueue
from typing import TYPE_CHECKING, Final

from pagelets.extensions import extend
from pagelets.metadata.declarations import Declarations
from pagelets.metadata.language import find_language
from pagelets.methods import factory
from pagelets.reading import read
from release.judging import PageJudge

if TYPE_CHECKING:
    from collections.abc import Sequence
    from io import BufferedRWPair

SIZE: Final = struct.Struct(">Q")
"""Goes before what pages are judged by, and before each answer: its length."""
PAGE: Final = struct.Struct(">q")
"""A page that is asked for."""
_ON_DEATH_OF_PARENT: Final = 1
"""The option of Linux's prctl that names a signal (PR_SET_PDEATHSIG)."""
_THREADS: Final = Path("/proc/self/task")
_FIRST_TO_GO: Final = Path("/proc/self/oom_score_adj")
_PROSE: Final = "What language a text is in, a large model tells where there is enough of the text. " * 5


def main(numbers: Sequence[int]) -> None:
    """Has a process answer on each of the sockets of these numbers, until that is closed; returns when all of
    them have ended. Standard input says what to get ready for.

    What all of them need is loaded first, so that they share its memory, and before there is any thread or
    open database, so that they can be forked. They end with this process, and this one with its parent.
    """
    # What ends a crawl is heard by the process that runs it, which may have pages to release first.
    for ignored in (signal.SIGINT, signal.SIGTERM):
        signal.signal(ignored, signal.SIG_IGN)
    end_with_parent()
    folder, methods, tells_language, level, added = pickle.load(sys.stdin.buffer)  # noqa: S301 - of the crawl's own process
    _load(tells_language=tells_language)
    connections = [socket.socket(fileno=number) for number in numbers]
    own = _forked(connections)
    _close([connection for connection in connections if connection is not own])
    if own is None:
        with contextlib.suppress(ChildProcessError):
            while True:
                os.wait()
        return
    end_with_parent()
    first_to_go()
    extend(added)
    for name in methods:
        factory(name)().check()
    with own, contextlib.suppress(BrokenPipeError, ConnectionResetError):
        _answer(own.makefile("rwb"), folder, level)
    # Nothing is left to be written, and libraries have things to say as they are torn down.
    os._exit(0)


def _forked(connections: Sequence[socket.socket]) -> socket.socket | None:
    """Starts a process for each connection; returns in each of them its own, and None in this one."""
    return next((connection for connection in connections if not os.fork()), None)


def first_to_go() -> None:
    """Has the kernel end this process before others where memory is short: nothing is lost with it."""
    with contextlib.suppress(OSError):
        _FIRST_TO_GO.write_text("500")


def end_with_parent() -> None:
    """Has the kernel end this process with the one that started it, also in the midst of a page."""
    if sys.platform == "linux":
        ctypes.CDLL(None).prctl(_ON_DEATH_OF_PARENT, signal.SIGKILL)


def _load(*, tells_language: bool) -> None:
    if tells_language:
        page = read(f"<p>{_PROSE}</p>", "http://localhost/")
        find_language(Declarations(page), [True] * len(page.blocks))
    if _THREADS.exists() and len(list(_THREADS.iterdir())) > 1:
        raise RuntimeError("something that was loaded has started a thread: no process can be forked")
    # The collector would write to what is shared.
    gc.freeze()


def _close(connections: Sequence[socket.socket]) -> None:
    for connection in connections:
        connection.close()


def _answer(stream: BufferedRWPair, folder: Path, level: int) -> None:
    """Answers each page by what `PageJudge` makes of it and the records of the log that belong to it. Where
    that fails the answer is empty: who asked judges the page, and has its error.

    First comes what pages are judged by; where the stream ends before, nothing is.
    """
    from store.site import Store

    if not (size := stream.read(SIZE.size)):
        return
    judging = pickle.loads(stream.read(*SIZE.unpack(size)))  # noqa: S301 - of the crawl's own process
    said: SimpleQueue[logging.LogRecord] = SimpleQueue()
    logging.basicConfig(handlers=[QueueHandler(said)], level=level)
    with Store.open(folder) as store:
        store.only_read()
        judge = PageJudge(store, *judging)
        while len(asked := stream.read(PAGE.size)) == PAGE.size:
            (page,) = PAGE.unpack(asked)
            answer = _answered(judge, page, said)
            stream.write(SIZE.pack(len(answer)))
            stream.write(answer)
            stream.flush()


def _answered(judge: PageJudge, page: int, said: SimpleQueue[logging.LogRecord]) -> bytes:
    try:
        judged, make = judge.judge(page)
        ready = judged, None if judged.same_text else make()
        return pickle.dumps((ready, _drained(said)), pickle.HIGHEST_PROTOCOL)
    except Exception:
        _drained(said)
        return b""


def _drained(said: SimpleQueue[logging.LogRecord]) -> list[logging.LogRecord]:
    return [said.get_nowait() for _ in range(said.qsize())]
