"""Judging in other processes, where no page may take longer than a limit.

So a page that a method never finishes, or that ends its process, costs no other page its judgement, and the
memory of each method is measured by itself.
"""

from __future__ import annotations

import logging
import signal
from typing import TYPE_CHECKING, Final, NamedTuple

from evaluation.judging import Learning, Ready, Task, judged
from evaluation.scoring import score
from evaluation.summary import ScoredPage
from pagelets.processes import ForkServer, unpacked
from settings.errors import ConfigurationError

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from evaluation.gold import GoldPage

LEARNING_SHARE: Final = 0.1
"""Learning may take this part of a page's time limit for each page that is learned from."""
START: Final = 60.0
"""Seconds that a process may take to open a store and load a method, where the limit of a page is no more."""


class Done(NamedTuple):
    """A task is over; its processes took so many bytes of memory at most."""

    memory: int


class _Trouble(NamedTuple):
    """A task cannot be done, for this reason."""

    why: str


def load() -> None:
    """Called in the process that others are forked from (`pagelets.processes.ForkServer`)."""
    # What a method has to say about a page shows in its figures.
    logging.disable(logging.CRITICAL)


def judged_within(server: ForkServer, task: Task, limit: float) -> Iterator[Ready | ScoredPage | Done]:
    """Has a task done, and gives what is judged as it comes; `Done` comes last.

    A page that takes longer than ``limit`` seconds, or that ends the process, has failed; another process
    goes on with the next one.

    Args:
        server: what forks the processes.
        task: the pages, and what they are judged by.
        limit: seconds for a page.

    Raises:
        ConfigurationError: the task cannot be done.

    """
    count, memory = 0, 0
    try:
        while count < len(task.gold):
            worker = server.start(_told, task, count)
            allowed, is_ready, failure = max(limit, START), False, ""
            try:
                while count < len(task.gold):
                    if not worker.connection.poll(allowed):
                        failure = f"took longer than {allowed:g} s"
                        break
                    message = unpacked(worker.connection.recv_bytes())
                    if isinstance(message, _Trouble):
                        raise ConfigurationError(f"{task.method} cannot be measured: {message.why}")
                    if isinstance(message, Learning):
                        allowed = limit * max(1.0, LEARNING_SHARE * message.pages)
                        continue
                    allowed, is_ready = limit, True
                    count += isinstance(message, ScoredPage)
                    yield message
            except (EOFError, OSError):
                failure = "its process ended ({})"
            finally:
                code, peak = worker.end()
            memory = max(memory, peak)
            if count < len(task.gold):
                why = failure.format(signal.Signals(-code).name if code < 0 else f"exit code {code}")
                left = task.gold[count : count + 1 if is_ready else None]
                yield from _failed(left, why if is_ready else f"cannot begin: {why}")
                count += len(left)
    except (EOFError, OSError) as error:
        raise ConfigurationError(
            f"a process that judges by {task.method} has ended early, perhaps for want of memory; "
            "try fewer at once, --processes"
        ) from error
    yield Done(memory)


def _failed(pages: Sequence[GoldPage], why: str) -> Iterator[ScoredPage]:
    return (ScoredPage(gold, "", score("", gold.text), why) for gold in pages)


def _told(_: object, task: Task, start: int) -> Iterator[Learning | Ready | ScoredPage | _Trouble]:
    """Yields what `judged` does, in a process of its own; `_Trouble` in place of an exception."""
    try:
        yield from judged(task, start)
    except Exception as error:
        yield _Trouble(f"{type(error).__name__}: {error}")
