"""Worker processes, forked by an interpreter of its own. One that is killed costs no other its work.

The pools of the standard library lose all tasks when one process is killed, and know no time limit.
"""

from __future__ import annotations

import contextlib
import ctypes
import gc
import logging
import os
import pickle
import signal
import subprocess
import sys
import threading
import traceback
import weakref
from collections import deque
from dataclasses import dataclass, field
from itertools import count
from logging.handlers import QueueHandler
from multiprocessing.connection import Connection, Pipe
from multiprocessing.reduction import recv_handle, send_handle
from pathlib import Path
from queue import SimpleQueue
from typing import TYPE_CHECKING, Any, Final, Generic, NamedTuple, TypeVar

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator

Task = TypeVar("Task")

_CODE: Final = "import sys; sys.path[:] = {}; from pagelets.processes import serve; serve({})"
_WITHOUT_THREADS: Final = {
    **dict.fromkeys(("OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS", "OMP_NUM_THREADS"), "1"),
    "JE_ARROW_MALLOC_CONF": "background_thread:false",
}
"""Libraries start no threads then, beside which no process can be forked; these would have no work."""
_ON_DEATH_OF_PARENT: Final = 1
"""The option of Linux's prctl that names a signal (PR_SET_PDEATHSIG)."""
_THREADS: Final = Path("/proc/self/task")
_FIRST_TO_GO: Final = Path("/proc/self/oom_score_adj")
_KILOBYTES: Final = 1 if sys.platform == "darwin" else 1024
"""The unit in which the kernel counts the memory of a process."""
_LAST: Final = 1.0
"""Seconds that the interpreter may take to end by itself."""
_AHEAD: Final = 2
"""Tasks that a worker knows of: it has a next one while an answer is under way."""


class Ended(NamedTuple):
    """The exit code of a process, negative for a signal, and the most bytes of memory that it took."""

    code: int
    memory: int


class ForkServer:
    """An interpreter that forks workers, which share the memory of what it has loaded.

    Workers end when this process does, however it ends, also in the midst of a task. They hear neither Ctrl-C
    nor a request to terminate, and where memory is short the kernel ends them first. Safe to use from several
    threads, but has to be made by one that lives as long as the workers.

    Takes what is called in the interpreter first, with its arguments; all of them are pickled. Raises OSError
    where no interpreter can be started.
    """

    def __init__(self, load: Callable[..., object], *arguments: object) -> None:
        self._lock = threading.Lock()
        self._started = 0
        self._control, other = Pipe()
        with other:
            self._process = subprocess.Popen(  # noqa: S603 - this Python
                [sys.executable, "-c", _CODE.format(sys.path, other.fileno())],
                stdin=subprocess.DEVNULL,
                stdout=subprocess.DEVNULL,
                env={**os.environ, **_WITHOUT_THREADS},
                pass_fds=[other.fileno()],
                # A terminal sends Ctrl-C to the group of this process.
                process_group=0,
            )
        self.close = weakref.finalize(self, _end, self._process, self._control, self._lock)
        """Ends all workers, whatever they do. Safe to call twice, and from another thread."""
        self._control.send((load, arguments))

    def start(self, work: Callable[..., Iterator[object]], *arguments: object) -> Worker:
        """Starts a worker. Does not wait for the interpreter to be ready.

        Args:
            work: a generator function that can be imported; takes the iterator of its tasks, yields answers.
            arguments: what ``work`` takes after the tasks; pickled.

        Raises:
            OSError: the interpreter has ended.

        """
        connection, other = Pipe()
        with other, self._lock:
            self._control.send(None)
            send_handle(self._control, other.fileno(), self._process.pid)
            number, self._started = self._started, self._started + 1
        connection.send((logging.getLogger().getEffectiveLevel(), work, arguments))
        return Worker(self, number, connection)

    def end(self, number: int) -> Ended:
        """Ends the worker of this number. Raises EOFError or OSError where the interpreter has ended, and all
        workers with it.
        """
        with self._lock:
            self._control.send(number)
            ended: Ended = self._control.recv()
            return ended


class Worker:
    """A process of a `ForkServer`, seen from this one."""

    def __init__(self, server: ForkServer, number: int, connection: Connection) -> None:
        self.connection = connection
        self._server = server
        self._number = number

    def ask(self, task: object) -> None:
        """Sends a task; a small one, as nobody reads answers meanwhile. A worker that has ended is noticed
        when its answer is read.
        """
        with contextlib.suppress(OSError):
            self.connection.send(task)

    def receive(self, seconds: float) -> bytes:
        """Returns the next answer, for `unpacked`. Raises TimeoutError after so many seconds, EOFError where the
        worker has ended.
        """
        try:
            if self.connection.poll(seconds):
                return self.connection.recv_bytes()
        except OSError as error:
            raise EOFError from error
        raise TimeoutError

    def end(self) -> Ended:
        """Ends the process, whatever it does; to be called once. Raises as `ForkServer.end`."""
        self.connection.close()
        return self._server.end(self._number)


@dataclass(slots=True)
class _Asked(Generic[Task]):
    """A task, and its answer once there is one; an empty one where no worker could give it."""

    task: Task
    answer: bytes | None = None


@dataclass(slots=True)
class Answers(Generic[Task]):
    """Iterates over tasks with their answers, in the order of the tasks. An answer is None where the caller
    has to do the task: no worker could, or none is left.

    Yields None in place of both when one of the ``connections`` has to be waited for until it can be read.

    Args:
        workers: those that share the tasks; one that ends is removed.
        tasks: small ones (`Worker.ask`).
        window: the most tasks that are begun before the first of them is given.
        most_bytes: no task is begun while the answers that wait are as large.
        lost: called when a worker has ended, with the number of those left.

    """

    workers: list[Worker]
    tasks: Iterable[Task]
    window: int
    most_bytes: int
    lost: Callable[[int], object]
    _order: deque[_Asked[Task]] = field(default_factory=deque)
    _waiting: deque[_Asked[Task]] = field(default_factory=deque)
    _asked: dict[Worker, deque[_Asked[Task]]] = field(default_factory=dict)
    _bytes: int = 0

    @property
    def connections(self) -> list[Connection]:
        """The connections of the workers that are left: one at least, while there is anything to wait for."""
        return [worker.connection for worker in self.workers]

    def __iter__(self) -> Iterator[tuple[Task, Any] | None]:
        for task in self.tasks:
            self._order.append(_Asked(task))
            self._waiting.append(self._order[-1])
            if len(self._order) >= self.window:
                yield from self._first()
        while self._order:
            yield from self._first()

    def _first(self) -> Iterator[tuple[Task, Any] | None]:
        first = self._order[0]
        self._serve()
        while first.answer is None:
            yield None
            self._serve()
        self._order.popleft()
        self._bytes -= len(first.answer)
        yield first.task, unpacked(first.answer)

    def _serve(self) -> None:
        """Reads what has been answered, and has workers begin as much as they may."""
        for worker in [*self.workers]:
            asked = self._asked.setdefault(worker, deque())
            try:
                self._read(worker, asked)
            except EOFError:
                self._leave(worker, asked)
                continue
            while self._waiting and len(asked) < _AHEAD and self._bytes < self.most_bytes:
                asked.append(self._waiting.popleft())
                worker.ask(asked[-1].task)
        if not self.workers:
            self._give_up(self._waiting)

    def _read(self, worker: Worker, asked: deque[_Asked[Task]]) -> None:
        with contextlib.suppress(TimeoutError):
            while True:
                content = worker.receive(0)
                self._bytes += len(content)
                asked.popleft().answer = content

    def _leave(self, worker: Worker, asked: deque[_Asked[Task]]) -> None:
        self.workers.remove(worker)
        with contextlib.suppress(EOFError, OSError):
            worker.end()
        self.lost(len(self.workers))
        self._give_up(asked)

    @staticmethod
    def _give_up(tasks: deque[_Asked[Task]]) -> None:
        while tasks:
            tasks.popleft().answer = b""


def unpacked(content: bytes) -> Any:
    """The answer that a worker sent, None where it sent none. Logs what the worker has logged with it."""
    answer, records = pickle.loads(content) if content else (None, ())  # noqa: S301 - of a process of our own
    for record in records:
        named = logging.getLogger(record.name)
        if named.isEnabledFor(record.levelno):
            named.handle(record)
    return answer


def serve(number: int) -> None:
    """Runs a `ForkServer`, which sends its requests by the socket of this number, until that is closed."""
    for ignored in (signal.SIGINT, signal.SIGTERM):
        signal.signal(ignored, signal.SIG_IGN)
    _end_with_parent()
    control = Connection(number)
    load, arguments = control.recv()
    load(*arguments)
    if _THREADS.exists() and len(list(_THREADS.iterdir())) > 1:
        raise RuntimeError("something that was loaded has started a thread: no process can be forked")
    # The collector would write to what is shared.
    gc.freeze()
    running: dict[int, int] = {}
    with contextlib.suppress(EOFError, ConnectionError):
        for number in count():
            while (ended := control.recv()) is not None:
                control.send(_killed(running.pop(ended)))
            running[number] = _forked(control, recv_handle(control))
    for process in running.values():
        _killed(process)
    # Nothing is left to be written, and libraries have things to say as they are torn down.
    os._exit(0)


def _forked(control: Connection, handle: int) -> int:
    if not (process := os.fork()):
        control.close()
        _work(Connection(handle))
    os.close(handle)
    return process


def _killed(process: int) -> Ended:
    os.kill(process, signal.SIGKILL)
    _, status, usage = os.wait4(process, 0)
    return Ended(os.waitstatus_to_exitcode(status), usage.ru_maxrss * _KILOBYTES)


def _work(connection: Connection) -> None:
    """Works in this process, which ends then, for the other side of a connection."""
    _end_with_parent()
    with contextlib.suppress(OSError):
        _FIRST_TO_GO.write_text("500")
    code = 1
    try:
        level, work, arguments = connection.recv()
        said: SimpleQueue[logging.LogRecord] = SimpleQueue()
        logging.root.addHandler(QueueHandler(said))
        logging.root.setLevel(level)
        for answer in work((connection.recv() for _ in count()), *arguments):
            connection.send_bytes(_packed(answer, said))
        code = 0
    except (EOFError, ConnectionError):
        code = 0
    except Exception:
        traceback.print_exc()
    finally:
        os._exit(code)


def _packed(answer: object, said: SimpleQueue[logging.LogRecord]) -> bytes:
    """An answer with the records of the log that belong to it. Empty for None, and for one that cannot be
    pickled: who asked does the task then, and has its error and its log.
    """
    records = [said.get_nowait() for _ in range(said.qsize())]
    try:
        return b"" if answer is None else pickle.dumps((answer, records), pickle.HIGHEST_PROTOCOL)
    except Exception:
        return b""


def _end_with_parent() -> None:
    """Has the kernel end this process with the one that started it, also in the midst of a task."""
    if sys.platform == "linux":
        ctypes.CDLL(None).prctl(_ON_DEATH_OF_PARENT, signal.SIGKILL)


def _end(process: subprocess.Popen[bytes], control: Connection, lock: threading.Lock) -> None:
    """Ends a `ForkServer` and its workers, by force where the server is busy."""
    if lock.acquire(timeout=_LAST):
        control.close()
        lock.release()
    try:
        process.wait(_LAST)
    except subprocess.TimeoutExpired:
        os.killpg(process.pid, signal.SIGKILL)
        process.wait()
