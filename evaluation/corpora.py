"""Measuring methods on archives with gold text: each is crawled once, and judged from its store.

Crawls and methods are shared among as many processes as there are cores. An archive's methods go before the
crawl of another archive, so that few stores lie on the disk at a time.
"""

from __future__ import annotations

import shutil
import subprocess
import sys
import tempfile
import threading
from dataclasses import dataclass
from functools import partial
from itertools import count
from pathlib import Path
from queue import PriorityQueue, SimpleQueue
from typing import TYPE_CHECKING, Any, Final, NamedTuple, Self, TypeAlias

from evaluation.judging import SITE, Done, Ready, Task, judged_within, load
from evaluation.scoring import Result, ScoredPage
from pagelets.methods import EVERYTHING, extracts, learns
from pagelets.processes import ForkServer
from pagelets.registry import OURS, Registry
from release.detection import Detector
from release.machine import cores
from settings.errors import ConfigurationError
from settings.places import PROJECT
from settings.types import ready
from store.site import Store

if TYPE_CHECKING:
    from collections.abc import Callable, Generator, Iterable, Mapping, Sequence
    from threading import Event

    from evaluation.gold import Archive
    from pagelets.judging.config import JudgeConfig
    from pagelets.judging.parameters import Detection
    from pagelets.methods.base import Training

    Job: TypeAlias = "Callable[[], None]"

TIME_LIMIT: Final = 10.0
"""Seconds that a method may take for a page."""
_CRAWLED: Final = (0, 3)
"""Exit codes of a crawl that read its archive to the end; of 3 it could use no page."""
_LOOKS: Final = 0.2
"""Seconds between two looks whether a crawl is to end."""
ALL: Final = "all"
"""Stands for every method that has what it needs."""


def evaluate(
    archives: Sequence[Archive],
    methods: Sequence[str],
    config_for: Callable[[str], JudgeConfig],
    overrides: Sequence[str] = (),
    *,
    texts: bool = True,
    nodes: bool = False,
    time_limit: float = TIME_LIMIT,
    processes: int = 0,
    tell: Callable[[str, int, int], None] | None = None,
) -> Generator[Result]:
    """Crawls archives into stores that are thrown away, and judges their pages by each method.

    Gives what is made of an archive by a method as it is made, ready in any order.

    Args:
        archives: the archives, with their gold texts.
        methods: the names of methods.
        config_for: gives how a method judges all pages, by its name.
        overrides: settings of the command line for crawls, as NAME=VALUE.
        texts: whether the texts are wanted.
        nodes: whether the agreement on the nodes of templates is wanted.
        time_limit: the seconds that a page may take.
        processes: how many processes judge, 0 for as many as there are cores.
        tell: called with the current step, how much of it is done, and how much there is.

    Raises:
        ConfigurationError: a crawl cannot read its archive.
        StoreError: a store cannot be used.

    """
    asked = _Asked(methods, config_for, overrides, texts, nodes, time_limit)
    left = {archive.name: len(methods) for archive in archives}
    total, done = len(methods) * sum(len(archive.gold) for archive in archives), 0
    threads = min(processes or cores(), sum(left.values()))
    with tempfile.TemporaryDirectory(prefix="evaluate-") as folder, Jobs(threads, ForkServer(load)) as jobs:
        for rank, archive in enumerate(archives):
            # The crawl of an archive goes behind all that is to be done for those before it.
            of_archive = _OfArchive(asked, archive, Path(folder) / archive.name, jobs, 2 * rank)
            jobs.add(2 * rank + 1, of_archive.crawl)
        while any(left.values()):
            message = jobs.told()
            if isinstance(message, Result):
                left[message.archive] -= 1
                if not left[message.archive]:
                    shutil.rmtree(Path(folder) / message.archive)
                yield message
            else:
                done += 1
                if tell is not None:
                    tell(message, done, total)


@dataclass(slots=True, frozen=True)
class _Asked:
    """The arguments of `evaluate` but for the archives."""

    methods: Sequence[str]
    config_for: Callable[[str], JudgeConfig]
    overrides: Sequence[str]
    texts: bool
    nodes: bool
    time_limit: float


class _OfArchive:
    """The jobs that an archive makes, in a folder of its own: its crawl, and those that come of it."""

    def __init__(self, asked: _Asked, archive: Archive, folder: Path, jobs: Jobs, rank: int) -> None:
        self._asked = asked
        self._archive = archive
        self._folder = folder
        self._jobs = jobs
        self._rank = rank

    def crawl(self) -> None:
        """Crawls the archive, and adds what is to be done with its store."""
        crawled(self._archive, self._folder, self._asked.overrides, self._jobs.stop).close()
        config_for = self._asked.config_for
        # Whichever method it is that judges by them, templates are found once.
        by_detection: dict[Detection, list[str]] = {}
        for name in self._asked.methods:
            config = config_for(name)
            if extracts(config.registry.factory(name)()):
                config = config_for(EVERYTHING)
            by_detection.setdefault(config.detection, []).append(name)
        for detection, names in by_detection.items():
            if detection == config_for(EVERYTHING).detection:
                self._add(names, self._folder / SITE)
            else:
                self._jobs.add(self._rank, partial(self._detect, names, Detector(detection)))

    def _detect(self, names: Sequence[str], detector: Detector) -> None:
        """Finds the templates in another way, in a store of their own."""
        place = self._copy()
        with Store.open(place) as store:
            run = store.runs.last()
            assert run is not None
            detector.save(store, detector.find(store), run.run)
        self._add(names, place)

    def _add(self, names: Sequence[str], place: Path) -> None:
        for name in names:
            self._jobs.add(self._rank, partial(self._judge, name, place))

    def _judge(self, name: str, place: Path) -> None:
        asked, result = self._asked, Result(self._archive.name, name)
        config = asked.config_for(name)
        has_to_learn = learns(config.registry.factory(name)())
        if has_to_learn:
            place = self._copy()
        task = Task(place, config, self._archive.gold, asked.texts, asked.nodes)
        for message in judged_within(self._jobs.server, task, asked.time_limit):
            if isinstance(message, ScoredPage):
                result.pages.append(message)
                self._jobs.tell(f"pages judged ({self._archive.name}, {name})")
            elif isinstance(message, Ready):
                result.learning = message.learning if result.learning is None else result.learning
            elif isinstance(message, Done):
                result.memory = message.memory
        if has_to_learn:
            shutil.rmtree(place.parent)
        self._jobs.tell(result)

    def _copy(self) -> Path:
        """A copy of the store, which is read alone as long as the archive is judged."""
        place = Path(tempfile.mkdtemp(dir=self._folder)) / SITE
        return Path(
            shutil.copytree(self._folder / SITE, place, ignore=shutil.ignore_patterns("*-wal", "*-shm"))
        )


def crawled(
    archive: Archive, folder: Path, overrides: Sequence[str] = (), stop: Event | None = None
) -> Store:
    """Crawls an archive, and returns the store.

    Args:
        archive: the archive.
        folder: where the store goes.
        overrides: settings of the command line, as NAME=VALUE.
        stop: ends the crawl when it is set.

    Raises:
        ConfigurationError: the crawl cannot read the archive, or was ended.

    """
    # METHOD and fields cost time, and make no difference: the pages are judged from the store.
    fixed = [
        f"DATA_DIR={folder}",
        f"METHOD={EVERYTHING}",
        "DOCUMENT_FIELDS=url",
        "LOG_LEVEL=ERROR",
        "PROGRESS_ENABLED=0",
        "SINKS=",
        "DOCUMENTS_FILE=0",
    ]
    options = [part for setting in (*overrides, *fixed) for part in ("-s", setting)]
    path = archive.path.resolve()
    done = run_scrapy(["crawl", "archive", "-a", f"path={path}", "-a", f"site={SITE}", *options], stop)
    if done.returncode not in _CRAWLED:
        last = (done.stderr.strip().splitlines() or ["it said nothing"])[-1]
        raise ConfigurationError(f"{archive.path}: the crawl ended with exit code {done.returncode}: {last}")
    return Store.open(folder / SITE)


def run_scrapy(arguments: Sequence[str], stop: Event | None = None) -> subprocess.CompletedProcess[str]:
    """Runs ``scrapy`` with some arguments in a process of its own, which is killed where ``stop`` is set."""
    command = [sys.executable, "-m", "scrapy", *arguments]
    process = subprocess.Popen(  # noqa: S603 - this Python, no shell
        command, cwd=PROJECT, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, errors="replace"
    )
    with process:
        while True:
            try:
                out, err = process.communicate(timeout=_LOOKS)
            except subprocess.TimeoutExpired:
                if stop is not None and stop.is_set():
                    process.kill()
            except BaseException:
                process.kill()
                raise
            else:
                return subprocess.CompletedProcess(command, process.returncode, out, err)


class MethodChoice(NamedTuple):
    """The names of methods, each once, and of those that are left out why they are."""

    methods: list[str]
    left_out: Mapping[str, str]


def choose(names: Iterable[str], registry: Registry = OURS) -> MethodChoice:
    """The methods of these names, which the registry knows; `ALL` may be one.

    Raises ConfigurationError where one that is named is unknown or lacks what it needs.
    """
    methods: dict[str, None] = {}
    left_out: dict[str, str] = {}
    for name in filter(None, map(str.strip, names)):
        for each in registry.methods if name == ALL else [name]:
            try:
                ready(each, registry)
                methods[each] = None
            except ConfigurationError as error:
                if name != ALL:
                    raise
                left_out[each] = str(error)
    if not methods:
        raise ConfigurationError("no method; give --method NAME,NAME")
    return MethodChoice(list(methods), left_out)


def trained(methods: Iterable[str], registry: Registry = OURS) -> dict[str, Training]:
    """Returns the training of the methods that have a model; hosts in lower case.

    Takes methods that are ready (`choose`).
    """
    trainings = {name: registry.factory(name)().training for name in methods}
    return {
        name: training._replace(hosts=frozenset(map(str.lower, training.hosts)))
        for name, training in trainings.items()
        if training is not None
    }


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

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *raised: object) -> None:
        self.stop.set()
        self.server.close()
        for _ in self._threads:
            self.add(-1, None)
        for thread in self._threads:
            thread.join()
