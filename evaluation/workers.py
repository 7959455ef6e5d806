"""The processes that judge, seen from the one that has the tasks (`evaluation.worker` is the other side)."""

from __future__ import annotations

import contextlib
import os
import pickle
import signal
import subprocess
import sys
import threading
from itertools import count
from multiprocessing.connection import Pipe
from queue import PriorityQueue, SimpleQueue
from typing import TYPE_CHECKING, Any, Final, Self, TypeAlias

from evaluation.worker import Done, Trouble
from pagelets.extensions import extensions
from release.workers import ONE_THREAD
from settings.errors import ConfigurationError

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from evaluation.judging import Learning, Ready, Task
    from evaluation.summary import ScoredPage

    Job: TypeAlias = "Callable[[Worker], None]"

_CODE: Final = "import sys; sys.path[:] = {}; from evaluation.worker import main; main({})"


class Worker:
    """A ``process`` that does one task at a time. It ends when this one does, however that ends."""

    def __init__(self) -> None:
        self._connection, other = Pipe()
        with other:
            self.process = subprocess.Popen(  # noqa: S603 - this Python
                [sys.executable, "-c", _CODE.format(sys.path, other.fileno())],
                stdin=subprocess.PIPE,
                stdout=subprocess.DEVNULL,
                env={**os.environ, **ONE_THREAD},
                pass_fds=[other.fileno()],
                # A terminal sends Ctrl-C to the group of the command.
                process_group=0,
            )
        assert self.process.stdin is not None
        with contextlib.suppress(BrokenPipeError), self.process.stdin as stdin:
            stdin.write(pickle.dumps(extensions()))

    def judged(self, task: Task, limit: float) -> Iterator[Learning | Ready | ScoredPage | Done]:
        """Has a task done, with so many seconds for a page, and gives what is told of it; `Done` comes last.

        Raises ConfigurationError where it cannot be done.
        """
        try:
            self._connection.send((task, limit))
            while True:
                told = self._connection.recv()
                if isinstance(told, Trouble):
                    raise ConfigurationError(f"{task.method} cannot be measured: {told.why}")
                yield told
                if isinstance(told, Done):
                    return
        except (EOFError, OSError) as error:
            raise ConfigurationError(
                f"a process that judges by {task.method} has ended early, perhaps for want of memory; "
                "try fewer at once, --processes"
            ) from error

    def close(self) -> None:
        """Ends the process, whatever it does. Safe to call twice, and from another thread."""
        if self.process.poll() is None:
            os.killpg(self.process.pid, signal.SIGKILL)
            self.process.wait()


class Pool:
    """Threads that do jobs, those of the lowest rank first, each with one of the ``workers``.

    ``stop`` is set where all is to end. Usable as a context manager; at its end no process is left.
    """

    def __init__(self, workers: int) -> None:
        self.stop = threading.Event()
        self._jobs: PriorityQueue[tuple[int, int, Job | None]] = PriorityQueue()
        self._number = count()
        self._told: SimpleQueue[Any] = SimpleQueue()
        self.workers: list[Worker] = []
        self._threads: list[threading.Thread] = []
        for _ in range(workers):
            self.workers.append(Worker())
            # Not waited for where Ctrl-C comes twice: their processes end with this one.
            self._threads.append(threading.Thread(target=self._work, args=(self.workers[-1],), daemon=True))
        for thread in self._threads:
            thread.start()

    def add(self, rank: int, job: Job | None) -> None:
        """Has a job done; of those of one rank the first one goes first."""
        self._jobs.put((rank, next(self._number), job))

    def tell(self, what: object) -> None:
        """Called by a job: `told` gives it."""
        self._told.put(what)

    def told(self) -> Any:
        """What a job tells next. Raises what a job has raised."""
        told = self._told.get()
        if isinstance(told, BaseException):
            raise told
        return told

    def _work(self, worker: Worker) -> None:
        while not self.stop.is_set():
            job = self._jobs.get()[-1]
            if job is None:
                return
            try:
                job(worker)
            except BaseException as error:
                self.tell(error)

    def close(self) -> None:
        """Ends all processes and threads."""
        self.stop.set()
        for worker in self.workers:
            worker.close()
            self.add(-1, None)
        for thread in self._threads:
            thread.join()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()
