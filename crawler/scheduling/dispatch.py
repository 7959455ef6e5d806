"""Runs the crawls of sites that are due: each a process of its own, so many at a time."""

from __future__ import annotations

import asyncio
import contextlib
import fcntl
import os
import signal
import sys
import time
from collections import deque
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import IO, Any, Final, Literal

from crawler.commandline.output import printable
from crawler.run.documents_file import forget_oldest
from crawler.run.outcome import EXIT_CODES
from crawler.scheduling.due import FOLDER, SPIDER, Scheduled, Standing, runs_of, standing
from store.errors import StoreError
from store.site import last_file

_BY_CODE: Final = {EXIT_CODES[outcome]: outcome for outcome in ("usage", "busy")}
_LINE: Final = 300
LOOK_EVERY: Final = 60.0
"""Seconds between two looks at what has become due while crawls run."""
LOGS_KEPT: Final = 30
"""So many logs of a site stay."""
_SIGNALS: Final = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)


@dataclass(slots=True, frozen=True)
class Ended:
    """A crawl that has ended. ``run`` is its number, None where it ended before it began to crawl; ``said``
    is then the last line of its log.
    """

    site: str
    reason: str
    outcome: str
    exit_code: int
    seconds: int
    run: int | None
    counts: dict[str, Any]
    log: Path
    said: str = ""


@dataclass(slots=True, frozen=True)
class Skipped:
    """A site that is due and is not crawled now: a crawl of it is under way, or there are ``jobs`` crawls
    already; or it cannot be, for what ``said`` tells.
    """

    site: str
    why: Literal["busy", "waiting", "impossible"]
    said: str


class Dispatcher:
    """Crawls sites that are due, ``jobs`` at a time, together with all other dispatchers of the data folder.

    ``options`` go to each crawl's command line, ``variables`` into its environment; of its logs, RUN.log
    beside RUN.json, the last `LOGS_KEPT` stay. ``report`` is called for each site that has ended or was
    skipped.
    """

    def __init__(
        self,
        jobs: int,
        options: Sequence[str],
        variables: Mapping[str, str],
        report: Callable[[Ended | Skipped], None],
    ) -> None:
        self.jobs, self.options, self.variables = jobs, options, variables
        self.report = report
        self.stopping = False
        self._rest: list[Scheduled] = []
        self._queue: deque[Scheduled] = deque()
        self._crawls: set[asyncio.subprocess.Process] = set()
        self._taken = 0
        self._turns = asyncio.Condition()

    def run(self, sites: Sequence[Scheduled]) -> None:
        """Crawls each of the sites that is due now, or gets due while others are crawled, once.

        A signal that asks to end is passed on to the crawls once, which then deliver what they have; no other
        is started, and ``stopping`` is set. Raises OSError if the data folder cannot be written.
        """
        self._rest = list(sites)
        self._look()
        if self._queue:
            asyncio.run(self._run(self._queue[0].home.with_name(FOLDER) / "jobs"))

    async def _run(self, places: Path) -> None:
        loop = asyncio.get_running_loop()
        # What is ignored, as behind nohup, stays ignored.
        signals = [number for number in _SIGNALS if signal.getsignal(number) is not signal.SIG_IGN]
        for number in signals:
            loop.add_signal_handler(number, self._stop)
        try:
            await asyncio.gather(*(self._work(places) for _ in range(self.jobs)))
        finally:
            for number in signals:
                loop.remove_signal_handler(number)
        for site in () if self.stopping else self._queue:
            message = f"{self.jobs} {'crawl runs' if self.jobs == 1 else 'crawls run'} already"
            self.report(Skipped(site.name, "waiting", message))

    def _stop(self) -> None:
        if self.stopping:
            return
        self.stopping = True
        for process in self._crawls:
            _interrupt(process)

    async def _work(self, places: Path) -> None:
        """Crawls what is due, where there is a place for one more crawl, until the last crawl ends."""
        with contextlib.ExitStack() as stack:
            place = self._place(places, stack)
            while place is not None and not self.stopping:
                if not self._queue:
                    self._look()
                if self._queue:
                    await self._turn(self._queue.popleft(), place)
                elif not await self._others():
                    break

    async def _others(self) -> bool:
        """Waits until another turn ends, or it is time for a look; False where there is no other."""
        async with self._turns:
            if not self._taken:
                return False
            with contextlib.suppress(TimeoutError):
                await asyncio.wait_for(self._turns.wait(), LOOK_EVERY)
            return True

    def _look(self) -> None:
        """Puts the sites that are due in the queue."""
        now = datetime.now(UTC)
        for site in tuple(self._rest):
            try:
                if standing(site, now).due:
                    self._rest.remove(site)
                    self._queue.append(site)
            except (StoreError, OSError) as error:
                self._impossible(site, error)

    def _impossible(self, site: Scheduled, error: Exception) -> None:
        if site in self._rest:
            self._rest.remove(site)
        self.report(Skipped(site.name, "impossible", printable(str(error), _LINE)))

    def _place(self, folder: Path, stack: contextlib.ExitStack) -> int | None:
        for number in range(1, self.jobs + 1):
            file = stack.enter_context(_claimed(folder / str(number)))
            if file is not None:
                return file.fileno()
        return None

    async def _turn(self, site: Scheduled, place: int) -> None:
        self._taken += 1
        try:
            with _claimed(site.attempt) as claim:
                now = datetime.now(UTC)
                stand = standing(site, now)
                if claim is not None and stand.due and not stand.running:
                    await self._crawl(stand, now, claim, place)
                elif stand.due:
                    self.report(Skipped(site.name, "busy", "a crawl of it runs already"))
        except (StoreError, OSError) as error:
            self._impossible(site, error)
        finally:
            async with self._turns:
                self._taken -= 1
                self._turns.notify_all()

    async def _crawl(self, stand: Standing, now: datetime, claim: IO[str], place: int) -> None:
        site = stand.site
        assert stand.due is not None
        # As the crawl counts, also where the store was restored from a backup.
        next_run = max(stand.run, last_file(site.home) + 1)
        log = site.home / "runs" / f"{next_run}.log"
        log.parent.mkdir(parents=True, exist_ok=True)
        before = claim.read()
        _note(claim, now.isoformat(timespec="seconds"))
        began = time.monotonic()
        try:
            process = await self._start(site.name, log, claim.fileno(), place)
        except OSError:
            # There was no crawl (no more processes, files or memory): the site stays due.
            _note(claim, before)
            raise
        self._crawls.add(process)
        if self.stopping:
            _interrupt(process)
        code = await process.wait()
        self._crawls.discard(process)
        if code == EXIT_CODES["busy"]:
            # No turn of its own: the site stays due.
            _note(claim, before)
            log.unlink(missing_ok=True)
            self.report(Skipped(site.name, "busy", "a crawl of it runs already"))
            return
        forget_oldest(log.parent, log.suffix, LOGS_KEPT)
        run = next((run for run in runs_of(site) if run.run == next_run), None)
        outcome = run.outcome if run else _BY_CODE.get(code)
        if run is None and outcome is None and self.stopping:
            # Told to end while it was loading: no turn of its own either.
            _note(claim, before)
            outcome, code = "interrupted", EXIT_CODES["interrupted"]
        if outcome and code < 0:
            # Ended by a signal when all was done and said.
            code = EXIT_CODES[outcome]
        if code == EXIT_CODES["interrupted"]:
            # Told to end at its very end, where no outcome is recorded any more.
            outcome = outcome or "interrupted"
        outcome = outcome or ("killed" if code < 0 else "failed")
        counts = run.counts if run else {}
        last_line = "" if run else _last_line(log)
        seconds = round(time.monotonic() - began)
        number = run.run if run else None
        self.report(Ended(site.name, stand.due, outcome, code, seconds, number, counts, log, last_line))

    async def _start(self, site: str, log: Path, *places: int) -> asyncio.subprocess.Process:
        command = (sys.executable, "-m", "scrapy", "crawl", SPIDER, "-a", f"site={site}", *self.options)
        with log.open("ab") as output:
            # A session of its own: Ctrl-C in a terminal would reach the crawl beside what `_stop` sends.
            # The places it takes are handed to it, and are taken for as long as it runs.
            return await asyncio.create_subprocess_exec(
                *command,
                stdin=asyncio.subprocess.DEVNULL,
                stdout=output,
                stderr=output,
                env={**os.environ, **self.variables},
                start_new_session=True,
                pass_fds=places,
            )


def _interrupt(process: asyncio.subprocess.Process) -> None:
    # Not `Process.send_signal`, which reaps a crawl that has just ended, so that its exit code is lost
    # (CPython issue 127049).
    with contextlib.suppress(ProcessLookupError):
        os.kill(process.pid, signal.SIGINT)


@contextlib.contextmanager
def _claimed(path: Path) -> Iterator[IO[str] | None]:
    """A file that no other process has claimed, until the end of the context and of all that it was handed
    to; None where one has. Raises OSError.
    """
    path.parent.mkdir(parents=True, exist_ok=True)
    with path.open("a+", encoding="utf-8") as file:
        try:
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            yield None
        else:
            file.seek(0)
            yield file


def _note(file: IO[str], text: str) -> None:
    file.truncate(0)
    file.write(text)
    file.flush()


def _last_line(log: Path) -> str:
    with log.open("rb") as file:
        file.seek(max(0, file.seek(0, os.SEEK_END) - 4096))
        lines = file.read().decode("utf-8", "replace").split("\n")
    return next((printable(line, _LINE) for line in reversed(lines) if line.strip()), "")
