"""Measuring methods on archives with gold text: each is crawled once, and judged from its store.

Crawls and methods are shared among as many processes as there are cores. An archive's methods go before the
crawl of another archive, so that few stores lie on the disk at a time.
"""

from __future__ import annotations

import shutil
import tempfile
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Final

from evaluation.crawling import crawled
from evaluation.jobs import Jobs
from evaluation.judging import SITE, Ready, Task
from evaluation.limits import Done, judged_within, load
from evaluation.summary import Result, ScoredPage
from pagelets.methods import EVERYTHING, extracts, learns
from pagelets.processes import ForkServer
from release.detection import Detector
from release.machine import cores
from store.site import Store

if TYPE_CHECKING:
    from collections.abc import Callable, Generator, Sequence

    from evaluation.gold import Archive
    from pagelets.judging.config import JudgeConfig
    from pagelets.judging.parameters import Detection

TIME_LIMIT: Final = 10.0
"""Seconds that a method may take for a page."""


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
    with (
        tempfile.TemporaryDirectory(prefix="evaluate-") as folder,
        Jobs(threads, ForkServer(load)) as jobs,
    ):
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
