"""Jobs that are done in threads, as many at a time as there are cores."""

from __future__ import annotations

import threading
from itertools import count
from queue import PriorityQueue, SimpleQueue
from typing import TYPE_CHECKING, Any, Self, TypeAlias

if TYPE_CHECKING:
    from collections.abc import Callable

    from pagelets.processes import ForkServer

    Job: TypeAlias = "Callable[[], None]"


class Jobs:
    """Jobs that some threads do, those of the lowest rank first, with processes that ``server`` forks.

    ``stop`` is set where all is to end. Usable as a context manager; at its end no process and no thread is
    left.
    """

    def __init__(self, threads: int, server: ForkServer) -> None:
        self.server = server
        self.stop = threading.Event()
        self._jobs: PriorityQueue[tuple[int, int, Job | None]] = PriorityQueue()
        self._number = count()
        self._told: SimpleQueue[Any] = SimpleQueue()
        # Not waited for where Ctrl-C comes twice: their processes end with this one.
        self._threads = [threading.Thread(target=self._work, daemon=True) for _ in range(threads)]
        for thread in self._threads:
            thread.start()

    def add(self, rank: int, job: Job | None) -> None:
        """Has a job done; of those of one rank the first one goes first."""
        self._jobs.put((rank, next(self._number), job))

    def tell(self, what: object) -> None:
        """Called by a job: `told` gives it."""
        self._told.put(what)

    def told(self) -> Any:
        """Returns the next message of a job. Raises the exception of a job."""
        message = self._told.get()
        if isinstance(message, BaseException):
            raise message
        return message

    def _work(self) -> None:
        while not self.stop.is_set():
            job = self._jobs.get()[-1]
            if job is None:
                return
            try:
                job()
            except BaseException as error:
                self.tell(error)

    def close(self) -> None:
        """Ends all processes and threads."""
        self.stop.set()
        self.server.close()
        for _ in self._threads:
            self.add(-1, None)
        for thread in self._threads:
            thread.join()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()
