"""Losses of killed crawls: `python -m benchmarks loss --kills 20 --seed 1`.

The demo site is crawled over and over, each crawl ended by a signal at a random moment of a phase (fetching,
detecting templates, releasing documents), on the site's first run or on its second, for which a part of the
site has changed. The same command then runs to its end. The documents of the store must be those of a crawl
that nothing has disturbed, and the feed of the run that ended must hold what had not been delivered before.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import os
import random
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from functools import lru_cache
from pathlib import Path
from typing import Any, Final, cast

from scrapy.settings import Settings

from benchmarks.process import PROJECT, SCRAPY, crawl_arguments
from benchmarks.serving import Handler, Server
from crawler.configuration.judgement import stored_judge
from demo.site import Response, not_found
from demo.site import pages as demo_pages
from pipelines.processor import ReleasingItemProcessor
from store.errors import StoreMissing
from store.site import Store

PHASES: Final = ("fetching", "detecting", "releasing")
ENDS: Final = {
    "kill": [signal.SIGKILL],
    "interrupt": [signal.SIGINT],
    "terminate": [signal.SIGTERM],
    "interrupt twice": [signal.SIGINT, signal.SIGINT],
}
PAUSE: Final = 0.4
"""Seconds that the detection takes longer here, before and after."""
LATENCY: Final = 0.02
"""Seconds that the server takes for a page, and the release of a document."""
DETECTION: Final = 2 * PAUSE + 0.1
"""About how many seconds the detection takes so."""
PAGES: Final = 76
"""How many pages the site has, at least."""
SITE: Final = "lost"
_PHASE_FILE: Final = "LOSS_PHASE_FILE"


class SlowProcessor(ReleasingItemProcessor):
    """Takes its time for the detection, and tells the benchmark when it begins."""

    def _detect(self) -> Sequence[int]:
        _tell("detecting")
        time.sleep(PAUSE)
        pages = super()._detect()
        time.sleep(PAUSE)
        _tell("releasing")
        return pages


class SlowPipeline:
    """Takes its time for each document that is released."""

    async def process_item(self, item: Any) -> Any:
        """Passes everything on."""
        await asyncio.sleep(LATENCY)
        return item


def _tell(phase: str) -> None:
    with Path(os.environ[_PHASE_FILE]).open("a") as file:
        file.write(f"{phase}\n")


_demo_pages = lru_cache(maxsize=2)(demo_pages)


class _Handler(Handler):
    server: DemoServer

    def do_GET(self) -> None:
        time.sleep(self.server.latency)
        answer = self.server.page(f"http://{self.headers['Host']}", self.path)
        body = answer.body
        if self.server.edition == 2 and answer.is_html and len(self.path) % 3 == 0:
            body = body.replace(b"<p>", b"<p>Second edition. ", 1)
        self.send(answer.status, body, answer.content_type, **answer.headers)


class DemoServer(Server):
    """The demo site; ``edition`` 2 has other words on every third page, and lacks one of them."""

    handler = _Handler
    edition = 1
    latency = 0.0

    def page(self, base: str, path: str) -> Response:
        """Returns the answer of the site in its present edition."""
        path = path.partition("?")[0]
        answer = _demo_pages(base).get(path)
        if answer is None or (self.edition == 2 and path == "/help/"):
            return not_found()
        return answer


@contextmanager
def served() -> Iterator[tuple[DemoServer, str]]:
    """Serves the site while the context lasts; gives the server and the site's address."""
    server = DemoServer()
    with server.running():
        yield server, f"{server.url}/"


@dataclass
class LossTrial:
    """A crawl that was ended by a signal, and what the one after it made of that."""

    seed: int
    end: str
    phase: str
    second_run: bool
    exit_code: int = 0
    stored: int = 0
    released: int = 0
    delivered: int = 0
    lost: list[str] = field(default_factory=list)
    doubled: list[str] = field(default_factory=list)
    changed: list[str] = field(default_factory=list)
    undelivered: list[str] = field(default_factory=list)
    """URLs whose document neither a feed that was closed nor the last feed holds."""
    outcome: str | None = None

    @property
    def losses(self) -> dict[str, list[str]]:
        """The URLs of what was lost, by the way in which it was."""
        return {name: getattr(self, name) for name in ("lost", "doubled", "changed", "undelivered")}

    @property
    def is_clean(self) -> bool:
        """True if nothing was lost in any way."""
        return self.outcome == "complete" and not any(self.losses.values())

    def __str__(self) -> str:
        moment = f"{'second' if self.second_run else 'first'} run, {self.phase}"
        progress = f"{self.stored:3} pages stored, {self.released:3} released, {self.delivered:3} delivered"
        counts = ", ".join(f"{name} {len(urls)}" for name, urls in self.losses.items())
        return (
            f"seed {self.seed:10}  {self.end:15}  {moment:23}  exit {self.exit_code:3}  {progress};"
            f"  then {self.outcome}: {counts}"
        )


class Loss:
    """Trials on a site that is served at ``url``; ``folder`` holds the stores and feeds."""

    def __init__(self, server: DemoServer, url: str, folder: Path) -> None:
        self._server = server
        self._url = url
        self._folder = folder
        self._expected: dict[int, dict[str, Any]] = {}
        self._after_first = folder / "after first run"

    def prepare(self) -> None:
        """Crawls the site undisturbed: once in its first edition, then in its second."""
        for edition in (1, 2):
            self._server.edition = edition
            data = self._folder / "undisturbed"
            code = self._start(data, "undisturbed").wait()
            if code != 0:
                raise RuntimeError(f"the undisturbed crawl ended with exit code {code}")
            self._expected[edition] = documents(data / SITE)
            if edition == 1:
                shutil.copytree(data, self._after_first)
                shutil.copy(data / "undisturbed.jsonl", self._folder / "first run.jsonl")

    def trial(self, seed: int) -> LossTrial:
        """One crawl that is ended by a signal, and one that is not."""
        chance = random.Random(seed)
        trial = LossTrial(seed, chance.choice(list(ENDS)), chance.choice(PHASES), chance.random() < 0.5)
        return self.run(trial, chance)

    def run(self, trial: LossTrial, chance: random.Random) -> LossTrial:
        """Runs a trial whose end, phase and run are given, at a random moment of the phase."""
        data = self._folder / f"trial {trial.seed}"
        self._server.edition = edition = 2 if trial.second_run else 1
        if trial.second_run:
            shutil.copytree(self._after_first, data)
        self._server.latency = LATENCY
        process = self._start(data, "disturbed", slow=True)
        self._wait(trial, data, chance, process)
        for number in ENDS[trial.end]:
            process.send_signal(number)
            time.sleep(0.05)
        trial.exit_code = process.wait()
        self._server.latency = 0
        delivered = self._look(trial, data / SITE)
        process = self._start(data, "undisturbed")
        code = process.wait()
        feed = read_feed(data / "undisturbed.jsonl")
        with Store.open(data / SITE) as store:
            last = store.runs.last()
            trial.outcome = last.outcome if last is not None else None
            if code == 0 and store.documents.pending():
                trial.undelivered.append("the store")
        expected = self._expected[edition]
        stored = documents(data / SITE)
        urls = [document["url"] for document in feed]
        trial.lost = sorted(expected.keys() - stored.keys())
        trial.doubled = sorted(
            {url for url in urls if urls.count(url) > 1} | (stored.keys() - expected.keys())
        )
        in_feed = {document["url"]: without_time(document) for document in feed}
        trial.changed = sorted(
            url
            for url, document in expected.items()
            if stored.get(url, document) != document or in_feed.get(url, document) != document
        )
        # What arrived before, and was not sent again, has to have the text that it has now.
        arrived = read_feed(data / "disturbed.jsonl", delivered)
        if trial.second_run:
            arrived = [*read_feed(self._folder / "first run.jsonl"), *arrived]
        earlier = {document["url"]: document["text"] for document in arrived if document["url"] in expected}
        trial.changed += sorted(
            url for url in earlier.keys() - in_feed.keys() if earlier[url] != expected[url]["text"]
        )
        trial.undelivered += sorted(expected.keys() - in_feed.keys() - earlier.keys())
        shutil.rmtree(data)
        return trial

    def _start(self, data: Path, name: str, *, slow: bool = False) -> subprocess.Popen[bytes]:
        settings: dict[str, object] = {"AUTOTHROTTLE_ENABLED": 0, "RETRY_ENABLED": 0}
        if slow:
            pipelines = {"benchmarks.loss.SlowPipeline": 300}
            settings["ITEM_PROCESSOR"] = "benchmarks.loss.SlowProcessor"
            settings["ITEM_PIPELINES"] = json.dumps(pipelines)
        data.mkdir(parents=True, exist_ok=True)
        asked = ("-a", f"url={self._url}", "-O", f"{data / name}.jsonl")
        arguments = crawl_arguments("site", SITE, data, *asked, **settings)
        return self.scrapy(arguments, {**os.environ, _PHASE_FILE: str(data / "phases")}, quiet=slow)

    def scrapy(self, arguments: list[str], env: dict[str, str], *, quiet: bool) -> subprocess.Popen[bytes]:
        """Starts the command with ``arguments`` and ``env`` in a process of its own, ``quiet`` or not."""
        errors = subprocess.DEVNULL if quiet else None
        return subprocess.Popen([*SCRAPY, *arguments], cwd=PROJECT, env=env, stderr=errors)

    def _wait(
        self, trial: LossTrial, data: Path, chance: random.Random, process: subprocess.Popen[bytes]
    ) -> None:
        """Waits for a moment of the phase: until so much is done of it, or for a while."""
        run = 2 if trial.second_run else 1
        # A crawl that is as good as over is not caught in time.
        share = 0.9 * chance.random()
        while process.poll() is None:
            stored, released = _progress(data / SITE, run)
            if trial.phase == "detecting":
                if (data / "phases").exists():
                    time.sleep(share * DETECTION)
                    return
            elif (stored if trial.phase == "fetching" else released - 1) >= share * PAGES:
                return
            time.sleep(0.02)
        raise RuntimeError(f"the crawl ended before its time: {trial}")

    def _look(self, trial: LossTrial, folder: Path) -> set[str]:
        """Notes how far the crawl came; returns the URLs of what it has delivered."""
        run = 2 if trial.second_run else 1
        trial.stored, trial.released = _progress(folder, run)
        with Store.open(folder) as store:
            rows = store.connection.execute(
                "SELECT url FROM pages JOIN documents USING (page) WHERE documents.run = ? AND delivered",
                (run,),
            )
            delivered = {url for (url,) in rows}
        trial.delivered = len(delivered)
        return delivered


def _progress(folder: Path, run: int) -> tuple[int, int]:
    """Returns the number of pages that a run has stored, and of documents that it has released."""
    try:
        with Store.open(folder) as store:
            ((stored, released),) = store.connection.execute(
                "SELECT (SELECT count(*) FROM pages WHERE fetched_run = ?1), "
                "(SELECT count(*) FROM documents WHERE run = ?1)",
                (run,),
            )
    except StoreMissing:
        return -1, 0
    return stored, released


def documents(folder: Path) -> dict[str, Any]:
    """The current documents of a store by their URL, without the time of their fetch."""
    settings = Settings()
    settings.setmodule("settings.base", priority="project")
    with Store.open(folder) as store:
        judge = stored_judge(store, settings)
        made = [judge.document(page) for page in store.documents.current()]
    return {document["url"]: without_time(cast("dict[str, Any]", document)) for document in made}


def without_time(document: dict[str, Any]) -> dict[str, Any]:
    """A document without what differs between two fetches of the same page, as JSON has it."""
    kept = {name: value for name, value in document.items() if name != "fetched_at"}
    return cast("dict[str, Any]", json.loads(json.dumps(kept)))


def read_feed(path: Path, wanted: set[str] | None = None) -> list[dict[str, Any]]:
    """The documents of a feed, or those ``wanted`` of them by URL.

    Without a feed the list is empty: nothing was to be written.
    """
    if not path.exists() or wanted == set():
        # The last line of a feed that was not closed may be torn.
        return []
    feed = [json.loads(line) for line in path.read_text().splitlines()]
    return [document for document in feed if wanted is None or document["url"] in wanted]


def main(arguments: list[str] | None = None) -> None:
    """Prints a line a trial; exit code 1 where something was lost."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks loss", description=__doc__)
    parser.add_argument("--kills", type=int, default=20)
    parser.add_argument("--seed", type=int, default=None)
    options = parser.parse_args(arguments)
    seed = options.seed if options.seed is not None else random.SystemRandom().randrange(1 << 31)
    bad = 0
    with served() as (server, url), tempfile.TemporaryDirectory() as folder:
        loss = Loss(server, url, Path(folder))
        loss.prepare()
        for number in range(options.kills):
            trial = loss.trial(seed + number)
            print(trial, flush=True)
            if not trial.is_clean:
                bad += 1
                print(*(f"  {name} {urls}" for name, urls in trial.losses.items()), sep="\n")
    print(f"{options.kills} crawls ended, {bad} with a loss")
    sys.exit(1 if bad else 0)
