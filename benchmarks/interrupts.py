"""Whether Ctrl-C is heard at once, at any moment of a crawl.

Serves a generated site, crawls it with the real command, and then night after night, with one k and another:
all its pages are partitioned again, asked for, reviewed, judged and published. Each night gets SIGINT at a
random moment after its spider was opened. Measured are the seconds until the log says so, and those until the
process has ended; at the end a night that is left alone has to be complete.
"""

from __future__ import annotations

import argparse
import random
import signal
import statistics
import subprocess
import sys
import tempfile
import time
from contextlib import closing
from pathlib import Path
from typing import Final, NamedTuple

from benchmarks.process import PROJECT, SCRAPY
from benchmarks.recrawl import served
from store.site import Store

PAGES: Final = 300
NIGHTS: Final = 100
SITE: Final = "interrupted"
HEARD: Final = "Received SIGINT"
"""What Scrapy logs."""


class Night(NamedTuple):
    """When SIGINT came, in seconds after the spider was opened, what was logged last, and what came of it."""

    moment: float
    last: str
    heard: float | None
    ended: float
    exit_code: int

    @property
    def came_too_late(self) -> bool:
        """Whether the crawl was over, and nobody was listening any more."""
        return "Outcome:" in self.last

    def __str__(self) -> str:
        heard = "not heard" if self.heard is None else f"heard after {self.heard:.2f} s"
        ended = f"ended after {self.ended:.1f} s with {self.exit_code}"
        return f"after {self.moment:5.1f} s, {heard}, {ended}: {self.last}"


class Nights:
    """Crawls of the site at ``base`` into a store below ``folder``."""

    def __init__(self, base: str, folder: Path) -> None:
        self._base = base
        self._folder = folder
        self._log = folder / "log"

    def start(self, k: int) -> subprocess.Popen[bytes]:
        """Starts a night with a k of its own; returns when its spider is open."""
        settings = {
            "DATA_DIR": self._folder,
            "AUTOTHROTTLE_ENABLED": 0,
            "DOWNLOAD_DELAY": 0,
            "CONCURRENT_REQUESTS_PER_DOMAIN": 16,
            "LOG_FILE": self._log,
            "LOG_FILE_APPEND": 0,
            "SINKS": "",
            "PAGELET_K": k,
        }
        given = [part for name, value in settings.items() for part in ("-s", f"{name}={value}")]
        command = [*SCRAPY, "crawl", "site", "-a", f"url={self._base}/", "-a", f"site={SITE}", *given]
        self._log.unlink(missing_ok=True)
        process = subprocess.Popen(command, cwd=PROJECT, stderr=subprocess.DEVNULL)
        while process.poll() is None and "Spider opened" not in self._said():
            time.sleep(0.01)
        return process

    def undisturbed(self, k: int) -> float:
        """A night to its end; returns its seconds. Raises RuntimeError where it is not complete."""
        process = self.start(k)
        began = time.monotonic()
        code = process.wait()
        with closing(Store.open(self._folder / SITE)) as store:
            last = store.runs.last()
        if code or last is None or last.outcome != "complete":
            raise RuntimeError(f"exit code {code}: {self._said()[-2000:]}")
        return time.monotonic() - began

    def night(self, k: int, moment: float) -> Night:
        """A night that gets SIGINT so many seconds after its spider was opened."""
        process = self.start(k)
        time.sleep(moment)
        last = self._said().rstrip().rpartition("\n")[2][20:100]
        process.send_signal(signal.SIGINT)
        sent, heard = time.monotonic(), None
        while process.poll() is None:
            if heard is None and HEARD in self._said():
                heard = time.monotonic() - sent
            time.sleep(0.005)
        if heard is None and HEARD in self._said():
            heard = time.monotonic() - sent
        return Night(moment, last, heard, time.monotonic() - sent, process.returncode)

    def _said(self) -> str:
        return self._log.read_text() if self._log.exists() else ""


def main(arguments: list[str] | None = None) -> None:
    """Prints the slowest nights and the figures; exit code 1 where SIGINT was not heard within a second."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks interrupts", description=__doc__)
    parser.add_argument("--pages", type=int, default=PAGES)
    parser.add_argument("--nights", type=int, default=NIGHTS)
    parser.add_argument("--seed", type=int, default=1)
    options = parser.parse_args(arguments)
    chance = random.Random(options.seed)
    with tempfile.TemporaryDirectory() as folder, served(options.pages) as base:
        nights = Nights(base, Path(folder))
        nights.undisturbed(3)
        length = nights.undisturbed(4)
        print(f"a night of {options.pages} pages with another k takes {length:.1f} s", flush=True)
        found = [nights.night(chance.choice((3, 4)), chance.random() * length) for _ in range(options.nights)]
        nights.undisturbed(3)
    met = [night for night in found if not night.came_too_late]
    deaf = [night for night in met if night.heard is None or night.heard > 1]
    for night in sorted(met, key=lambda night: night.heard or 1e9)[-5:]:
        print(night)
    times = [night.heard for night in met if night.heard is not None]
    print(
        f"{len(met)} of {options.nights} nights got SIGINT before their end, all ended, the next was complete"
    )
    print(f"heard after {statistics.median(times):.2f} s in the middle, {max(times):.2f} s at most")
    print(f"not heard within a second: {len(deaf)}")
    print(f"ended after {max(night.ended for night in met):.1f} s at most")
    sys.exit(bool(deaf))
