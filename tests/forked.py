"""The real command in a process of its own, forked from one that has loaded all of it: the second or two that
this takes is spent once, not for each of some hundred crawls.

What a fresh interpreter does differently is tested by those tests that start one (`subprocess`).
"""

from __future__ import annotations

import contextlib
import multiprocessing
import os
import resource
import signal
import subprocess
import sys
import tempfile
import warnings
from functools import cache
from multiprocessing import forkserver, spawn
from pathlib import Path
from typing import TYPE_CHECKING, Any

from pagelets.processes import ForkServer, ProcessEnd, Worker

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping, Sequence
    from multiprocessing.context import ForkServerProcess

    from scrapy.settings import BaseSettings

PROJECT = Path(__file__).parent.parent
FORKING = multiprocessing.get_context("forkserver")
# Where a process that is to be forked from looks for modules: where those that it is forked for do.
MODULE_PATH = "TESTS_MODULE_PATH"
# The first looks through all modules that are loaded, some of them by then.
FORKING.set_forkserver_preload(["scrapy.core.downloader.contextfactory", "tests.warm"])


def remember_commands() -> None:
    """Lets Scrapy look once through all that is installed for commands, and not whenever it runs one."""
    from scrapy import cmdline

    cmdline.entry_points = cache(cmdline.entry_points)
    cmdline.entry_points(group="scrapy.commands")


def copy_settings_flat() -> None:
    """Lets copies of settings share their values: deep ones take a seventh of a small crawl."""
    from scrapy.settings import BaseSettings

    BaseSettings.copy = _copied  # type: ignore[method-assign]


def get_ready() -> None:
    """Sees that there is the process that others are forked from."""
    # It looks for what it is to load where it is started from; where that is not found, nothing is said.
    with contextlib.chdir(PROJECT):
        os.environ[MODULE_PATH] = os.pathsep.join(spawn.get_preparation_data("")["sys_path"])
        forkserver.ensure_running()
        # Another thread may have come first.
        os.environ.pop(MODULE_PATH, None)


def begin(function: Callable[..., object], *arguments: object) -> ForkServerProcess:
    """Begins to run a function in a process of its own."""
    get_ready()
    process = FORKING.Process(target=function, args=arguments, daemon=True)
    process.start()
    return process


class KeptServer(ForkServer):
    """Forks workers. Its ``close`` ends them, and leaves it to others."""

    def __init__(self, load: Callable[..., object], *arguments: object) -> None:
        super().__init__(load, *arguments)
        self._ends: list[Callable[[], ProcessEnd]] = []
        self.close = self._end_workers  # type: ignore[assignment]

    def start(self, work: Callable[..., Iterator[object]], *arguments: object) -> Worker:
        connection, end = super().start(work, *arguments)

        def end_once() -> ProcessEnd:
            self._ends.remove(end_once)
            return end()

        self._ends.append(end_once)
        return Worker(connection, end_once)

    def _end_workers(self) -> None:
        for end in [*self._ends]:
            # Another thread may end it at the same time.
            with contextlib.suppress(ValueError):
                end()


kept_server = cache(KeptServer)


class Running:
    """``scrapy`` with some arguments at work in a ``folder``; ``file_size`` is the most bytes that a file may
    have.

    Its output goes to the files ``out`` and ``err`` where they are given; ``prepare`` is called in it first.
    """

    def __init__(
        self,
        arguments: Sequence[str],
        *,
        env: Mapping[str, str] | None = None,
        out: Path | None = None,
        err: Path | None = None,
        file_size: int | None = None,
        prepare: Callable[[], None] | None = None,
        folder: Path = PROJECT,
    ) -> None:
        self.args = ["scrapy", *map(str, arguments)]
        given = dict(os.environ if env is None else env)
        self._process = begin(_run, self.args, given, out, err, file_size, prepare, folder)
        assert self._process.pid is not None
        self.pid = self._process.pid

    def poll(self) -> int | None:
        """The exit code, as `subprocess.Popen.poll` has it."""
        self._process.join(0)
        return self._process.exitcode

    def wait(self, timeout: float = 120) -> int:
        """Waits for the end; the exit code, a negative one for the signal that was the end."""
        self._process.join(timeout)
        code = self._process.exitcode
        if code is None:
            self._process.kill()
            raise subprocess.TimeoutExpired(self.args, timeout)
        return code

    def send_signal(self, number: int) -> None:
        os.kill(self.pid, number)


def run(
    arguments: Sequence[str], *, env: Mapping[str, str] | None = None, **options: Any
) -> subprocess.CompletedProcess[str]:
    """Runs ``scrapy`` with some arguments to its end; ``options`` as `Running` has them."""
    with tempfile.TemporaryDirectory(prefix="forked-") as folder:
        out, err = Path(folder) / "out", Path(folder) / "err"
        running = Running(arguments, env=env, out=out, err=err, **options)
        code = running.wait()
        return subprocess.CompletedProcess(running.args, code, out.read_text(), err.read_text())


def _run(
    arguments: list[str],
    env: dict[str, str],
    out: Path | None,
    err: Path | None,
    file_size: int | None,
    prepare: Callable[[], None] | None,
    folder: Path,
) -> None:
    from scrapy.cmdline import execute

    assert "tests.warm" in sys.modules, "nothing was loaded beforehand"
    os.environ.clear()
    os.environ.update(env)
    # Where temporary files go is remembered from the process that this one was forked from.
    tempfile.tempdir = None
    os.chdir(folder)
    for number, path in ((1, out), (2, err)):
        if path is not None:
            os.dup2(os.open(path, os.O_WRONLY | os.O_CREAT | os.O_APPEND), number)
    if action := env.get("PYTHONWARNINGS"):
        warnings.simplefilter(action)  # type: ignore[arg-type]
        warnings.filterwarnings("ignore", "Binding", DeprecationWarning)
    if file_size is not None:
        signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
        resource.setrlimit(resource.RLIMIT_FSIZE, (file_size, file_size))
    sys.argv = arguments
    copy_settings_flat()
    if prepare is not None:
        prepare()
    try:
        execute(arguments)
    except KeyboardInterrupt:
        # As an interpreter ends.
        sys.excepthook(*sys.exc_info())  # type: ignore[arg-type]
        sys.stdout.flush()
        signal.signal(signal.SIGINT, signal.SIG_DFL)
        os.kill(os.getpid(), signal.SIGINT)
    finally:
        sys.stdout.flush()
        sys.stderr.flush()


def _copied(settings: BaseSettings) -> BaseSettings:
    """A copy of settings, and of those that are values of it; all other values are the same objects."""
    from crawler.configuration.plan import copied

    own = copied(settings)
    for attribute in own.attributes.values():
        if hasattr(attribute.value, "attributes"):
            attribute.value = _copied(attribute.value)
    return own
