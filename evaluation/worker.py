"""A process that judges for another one (`evaluation.workers`), each task in a process forked from it.

So a page that a method makes no end of, or that its process ends on, costs no other page its judgement, and
what a method takes of memory is told apart from what others take.
"""

from __future__ import annotations

import contextlib
import logging
import os
import pickle
import signal
import sys
from multiprocessing.connection import Connection, Pipe
from typing import TYPE_CHECKING, Final, NamedTuple

from evaluation.judging import Learning, Ready, judged
from evaluation.scoring import score
from evaluation.summary import ScoredPage
from pagelets.extensions import extend
from release.worker import end_with_parent, first_to_go

if TYPE_CHECKING:
    from collections.abc import Callable

    from evaluation.judging import Task

LEARNING_SHARE: Final = 0.1
"""Learning may take this part of a page's time limit for each page that is learned from."""
START: Final = 60.0
"""Seconds that a process may take to open a store and load a method, where the limit of a page is no more."""
_KILOBYTES: Final = 1 if sys.platform == "darwin" else 1024
"""What the kernel counts a process's memory in."""


class Done(NamedTuple):
    """A task is over; its processes took so many bytes of memory at most."""

    memory: int


class Trouble(NamedTuple):
    """A task cannot be done, for this reason."""

    why: str


def main(number: int) -> None:
    """Does the tasks that come in by the socket of this number until it is closed, and answers there by what
    `evaluation.judging.judged` tells, ended by `Done` or `Trouble`.

    Standard input says what others have added to the methods.
    """
    # What ends a command is heard by the process that runs it.
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    end_with_parent()
    extend(pickle.load(sys.stdin.buffer))  # noqa: S301 - of the command's own process
    # What a method has to say about a page shows in its figures.
    logging.disable(logging.CRITICAL)
    connection = Connection(number)
    with contextlib.suppress(EOFError, BrokenPipeError, ConnectionResetError):
        while True:
            task, limit = connection.recv()
            connection.send(done(task, limit, connection.send))


def done(task: Task, limit: float, tell: Callable[[object], None]) -> Done | Trouble:
    """Does a task, and tells what is judged as it comes.

    A page that takes longer than ``limit`` seconds, or that the process ends on, is told as failed, and
    another process goes on with the next one.
    """
    count, memory = 0, 0
    while count < len(task.gold):
        process = _Judging(task, count)
        allowed, is_ready, failure = max(limit, START), False, None
        while count < len(task.gold):
            message = process.answer(allowed)
            if message is None or isinstance(message, Trouble):
                failure = message
                break
            if isinstance(message, Learning):
                allowed = limit * max(1.0, LEARNING_SHARE * message.pages)
            else:
                allowed, is_ready = limit, True
                count += isinstance(message, ScoredPage)
            tell(message)
        why, peak = process.end(allowed)
        memory = max(memory, peak)
        if isinstance(failure, Trouble):
            return failure
        if count < len(task.gold):
            last = count + 1 if is_ready else len(task.gold)
            for gold in task.gold[count:last]:
                tell(ScoredPage(gold, "", score("", gold.text), why if is_ready else f"cannot begin: {why}"))
            count = last
    return Done(memory)


class _Judging:
    """A process that judges the pages of a task from one on."""

    def __init__(self, task: Task, start: int) -> None:
        self._reader, writer = Pipe(duplex=False)
        self._is_late = False
        self._pid = os.fork()
        if not self._pid:
            self._reader.close()
            _judge(task, start, writer)
        writer.close()

    def answer(self, seconds: float) -> Learning | Ready | ScoredPage | Trouble | None:
        """What it tells next; None where it ends, or tells nothing for so long."""
        try:
            if self._reader.poll(seconds):
                told: Learning | Ready | ScoredPage | Trouble = self._reader.recv()
                return told
            self._is_late = True
        except (EOFError, OSError):
            pass
        return None

    def end(self, allowed: float) -> tuple[str, int]:
        """Ends the process; returns why it would judge no more, and the most bytes of memory that it took."""
        if self._is_late:
            os.kill(self._pid, signal.SIGKILL)
        self._reader.close()
        _, status, usage = os.wait4(self._pid, 0)
        if self._is_late:
            why = f"took longer than {allowed:g} s"
        else:
            code = os.waitstatus_to_exitcode(status)
            name = signal.Signals(-code).name if code < 0 else f"exit code {code}"
            why = f"its process ended ({name})"
        return why, usage.ru_maxrss * _KILOBYTES


def _judge(task: Task, start: int, writer: Connection) -> None:
    """Judges the pages of a task in this process, which ends then."""
    end_with_parent()
    first_to_go()
    code = 1
    try:
        for message in judged(task, start):
            writer.send(message)
        code = 0
    except BrokenPipeError:
        pass
    except Exception as error:
        writer.send(Trouble(f"{type(error).__name__}: {error}"))
    finally:
        # Nothing is left to be written, and libraries have things to say as they are torn down.
        os._exit(code)
