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
from collections.abc import Callable, Iterable, Iterator
from itertools import count, islice
from logging.handlers import QueueHandler
from multiprocessing.connection import Connection, Pipe
from multiprocessing.reduction import recv_handle, send_handle
from pathlib import Path
from queue import SimpleQueue
from typing import Any, Final, NamedTuple, TypeVar

Task = TypeVar("Task")

_CODE: Final = "import sys; sys.path[:] = {}; from pagelets.processes import serve; serve({}, {})"
_NO_THREADS: Final = {
    **dict.fromkeys(("OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS", "OMP_NUM_THREADS"), "1"),
    "JE_ARROW_MALLOC_CONF": "background_thread:false",
}
"""Libraries start no threads then, beside which no process can be forked."""
_ON_DEATH_OF_PARENT: Final = 1
"""The option of Linux's prctl that names a signal (PR_SET_PDEATHSIG)."""
_THREADS: Final = Path("/proc/self/task")
_KILOBYTES: Final = 1 if sys.platform == "darwin" else 1024
"""The unit in which the kernel counts the memory of a process."""
_LAST: Final = 1.0
"""Seconds that the interpreter may take to end by itself."""
_COLLECTED_AFTER: Final = 50_000
"""Objects: what a page needs is freed by reference counts."""
_AHEAD: Final = 2
"""Tasks that a worker is sent: it has a next one while an answer is under way."""


class ProcessEnd(NamedTuple):
    """The exit code of a process, negative for a signal, and the most bytes of memory that it took."""

    code: int
    memory: int


class Worker(NamedTuple):
    """A process that takes tasks from its connection, and sends answers for `unpacked`.

    ``end`` ends it, whatever it does, and is called once; raises EOFError or OSError where its `ForkServer`
    has ended. A task is small: while it is sent, nobody reads answers.
    """

    connection: Connection
    end: Callable[[], ProcessEnd]


class ForkServer:
    """An interpreter that forks workers, which share the memory of what it has loaded.

    Workers end when this process does, however it ends, also in the midst of a task. They hear neither Ctrl-C
    nor a request to terminate, and where memory is short the kernel ends them first. Safe to use from several
    threads, but made by one that lives as long as the workers. ``close`` ends all; it is safe to call twice.

    Takes what the interpreter calls first, and its arguments; all are pickled. Raises OSError where no
    interpreter can be started.
    """

    def __init__(self, load: Callable[..., object], *arguments: object) -> None:
        self._lock, self._numbers = threading.Lock(), count()
        self._control, other = Pipe()
        with other:
            self._process = subprocess.Popen(  # noqa: S603 - this Python
                [sys.executable, "-c", _CODE.format(sys.path, other.fileno(), os.getpid())],
                stdin=subprocess.DEVNULL,
                stdout=subprocess.DEVNULL,
                env={**os.environ, **_NO_THREADS},
                pass_fds=[other.fileno()],
                # A terminal sends Ctrl-C to the group of this process.
                process_group=0,
            )
        self.close = weakref.finalize(self, _close, self._process, self._control, self._lock)
        self._control.send((load, arguments))

    def start(self, work: Callable[..., Iterator[object]], *arguments: object) -> Worker:
        """Starts a worker, without waiting until the interpreter is ready.

        Takes a generator function, which is called with an iterator of tasks and these arguments and yields
        answers; it is imported by its name. Raises OSError where the interpreter has ended.
        """
        connection, other = Pipe()
        with other, self._lock:
            self._control.send(None)
            send_handle(self._control, other.fileno(), self._process.pid)
            number = next(self._numbers)
        connection.send((logging.getLogger().getEffectiveLevel(), work, arguments))

        def end() -> ProcessEnd:
            with self._lock:
                self._control.send(number)
                ended: ProcessEnd = self._control.recv()
                return ended

        return Worker(connection, end)


def answers(
    workers: list[Worker],
    tasks: Iterable[Task],
    window: int,
    most_bytes: int,
    lost: Callable[[int], object],
) -> Iterator[tuple[Task, Any] | None]:
    """Yields tasks with their answers, in the order of the tasks. An answer is None where the caller has to
    do the task: no worker could, or none is left. Yields None in place of both where the caller has to wait
    until the connection of one of the workers can be read.

    Args:
        workers: they share the tasks; one that ends is removed.
        tasks: small ones.
        window: the most tasks that are begun before the first of them is yielded.
        most_bytes: no task is begun while answers of this size wait.
        lost: called when a worker has ended, with the number of those left.

    """
    order, waiting = deque[_Asked](), deque[_Asked]()
    asked = {worker.connection: deque[_Asked]() for worker in workers}
    tasks = iter(tasks)
    while True:
        new = [_Asked(task) for task in islice(tasks, window - len(order))]
        order += new
        waiting += new
        if not order:
            return
        for worker in [*workers]:
            try:
                _exchange(worker.connection, asked[worker.connection], waiting, order, most_bytes)
            except (EOFError, OSError):
                workers.remove(worker)
                with contextlib.suppress(EOFError, OSError):
                    worker.end()
                lost(len(workers))
                _leave(asked[worker.connection])
        if not workers:
            _leave(waiting)
        if (content := order[0].answer) is None:
            yield None
        else:
            yield order.popleft().task, unpacked(content)


class _Asked:
    """A task, and its answer once there is one; an empty one where it is left to the caller."""

    def __init__(self, task: Any) -> None:
        self.task = task
        self.answer: bytes | None = None


def _exchange(
    connection: Connection,
    asked: deque[_Asked],
    waiting: deque[_Asked],
    order: deque[_Asked],
    most_bytes: int,
) -> None:
    """Reads what a worker has answered, and sends it tasks that wait."""
    while connection.poll():
        content = connection.recv_bytes()
        asked.popleft().answer = content
    while waiting and len(asked) < _AHEAD and sum(len(task.answer or b"") for task in order) < most_bytes:
        asked.append(waiting.popleft())
        connection.send(asked[-1].task)


def _leave(tasks: deque[_Asked]) -> None:
    while tasks:
        tasks.popleft().answer = b""


def unpacked(content: bytes) -> Any:
    """Returns an answer, None where a worker could give none. Logs what the worker has logged with it."""
    answer, records = pickle.loads(content) if content else (None, ())  # noqa: S301 - of a process of our own
    for record in records:
        named = logging.getLogger(record.name)
        if named.isEnabledFor(record.levelno):
            named.handle(record)
    return answer


def serve(number: int, parent: int) -> None:
    """Runs as a `ForkServer` of the parent process, until the socket of this number is closed, which brings
    requests.
    """
    for ignored in (signal.SIGINT, signal.SIGTERM):
        signal.signal(ignored, signal.SIG_IGN)
    _end_with(parent)
    control = Connection(number)
    load, arguments = control.recv()
    load(*arguments)
    if _THREADS.exists() and len([*_THREADS.iterdir()]) > 1:
        raise RuntimeError("something that was loaded has started a thread: no process can be forked")
    # The collector would write to what is shared.
    gc.freeze()
    gc.set_threshold(_COLLECTED_AFTER)
    running: dict[int, int] = {}
    this = os.getpid()
    with contextlib.suppress(EOFError, ConnectionError):
        for each in count():
            while (ended := control.recv()) is not None:
                control.send(_killed(running.pop(ended)))
            handle = recv_handle(control)
            if not (process := os.fork()):
                _end_with(this)
                _work(Connection(handle))
            running[each] = process
            os.close(handle)
    for process in running.values():
        _killed(process)
    # Nothing is left to be written, and libraries have things to say as they are torn down.
    os._exit(0)


def _killed(process: int) -> ProcessEnd:
    os.kill(process, signal.SIGKILL)
    _, status, usage = os.wait4(process, 0)
    return ProcessEnd(os.waitstatus_to_exitcode(status), usage.ru_maxrss * _KILOBYTES)


def _work(connection: Connection) -> None:
    """Works in this process, which ends then, for the other side of a connection."""
    code = 0
    try:
        with contextlib.suppress(OSError):
            Path("/proc/self/oom_score_adj").write_text("500")
        level, work, arguments = connection.recv()
        records: SimpleQueue[logging.LogRecord] = SimpleQueue()
        logging.root.addHandler(QueueHandler(records))
        logging.root.setLevel(level)
        for answer in work((connection.recv() for _ in count()), *arguments):
            connection.send_bytes(_packed(answer, [records.get_nowait() for _ in range(records.qsize())]))
    except (EOFError, ConnectionError):
        pass
    except BaseException:
        traceback.print_exc()
        code = 1
    os._exit(code)


def _packed(answer: object, records: list[logging.LogRecord]) -> bytes:
    """Returns an answer and what was logged with it. Nothing where there is none, or it cannot be pickled:
    who asked does the task then, and has its error and its log.
    """
    try:
        return b"" if answer is None else pickle.dumps((answer, records), pickle.HIGHEST_PROTOCOL)
    except Exception:
        return b""


def _end_with(parent: int) -> None:
    """Has the kernel end this process with the one that started it, also in the midst of a task."""
    if sys.platform == "linux":
        ctypes.CDLL(None).prctl(_ON_DEATH_OF_PARENT, signal.SIGKILL)
    # One that had ended before sends no signal any more.
    if os.getppid() != parent:
        os._exit(0)


def _close(process: subprocess.Popen[bytes], control: Connection, lock: threading.Lock) -> None:
    if lock.acquire(timeout=_LAST):
        control.close()
        lock.release()
    try:
        process.wait(_LAST)
    except subprocess.TimeoutExpired:
        os.killpg(process.pid, signal.SIGKILL)
        process.wait()
