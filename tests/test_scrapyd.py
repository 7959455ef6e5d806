"""The project in an egg, on a real Scrapyd: deployed, scheduled, cancelled."""

from __future__ import annotations

import json
import shutil
import socket
import subprocess
import sys
import zipfile
from dataclasses import dataclass
from importlib.util import find_spec
from typing import TYPE_CHECKING, Any
from urllib.error import URLError
from urllib.parse import urlencode
from urllib.request import urlopen

import pytest

from store.site import Store
from tests.crawls import PROJECT
from tests.processes import wait_until
from tests.served import Site, page, served

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

pytestmark = [
    pytest.mark.long,
    pytest.mark.skipif(
        not find_spec("scrapyd") or not find_spec("scrapyd_client"),
        reason="no Scrapyd: pip install -r requirements-scrapyd.txt",
    ),
]

PACKED = (
    *("cluster", "crawler", "evaluation", "inspection", "pagelets", "pipelines", "release", "search"),
    *("settings", "store"),
)
FILES = ("setup.py", "pyproject.toml", "scrapy.cfg")
IGNORED = shutil.ignore_patterns("__pycache__", "*.so", "*.tables")
PAGES = 12
CONFIG = """[scrapyd]
http_port = {port}
items_dir = items
poll_interval = 0.1
max_proc = 2
"""


@dataclass
class Scrapyd:
    """A Scrapyd that runs in ``folder``."""

    folder: Path
    port: int

    def ask(self, service: str, **values: Any) -> dict[str, Any]:
        """What a service of its API answers; with values it is a POST, but for ``listjobs``."""
        address, sent = f"http://127.0.0.1:{self.port}/{service}.json", urlencode(values, doseq=True)
        get = service == "listjobs"
        with urlopen(f"{address}?{sent}" if get else address, None if get else sent.encode()) as answer:
            return json.loads(answer.read())

    def jobs(self, state: str) -> list[str]:
        return [job["id"] for job in self.ask("listjobs", project="pagelets")[state]]

    def schedule(self, **values: Any) -> str:
        # With the version: without one it asks for the spiders again, in a process that loads the project.
        return self.ask("schedule", project="pagelets", _version="1", spider="site", **values)["jobid"]

    def finished(self, job: str) -> tuple[str, list[dict[str, Any]]]:
        """The log of a job that has ended, and its items."""
        wait_until(lambda: job in self.jobs("finished"), 90, every=0.2)
        log = self.folder / "logs" / "pagelets" / "site" / f"{job}.log"
        items = self.folder / "items" / "pagelets" / "site" / f"{job}.jl"
        text = items.read_text(encoding="utf-8") if items.exists() else ""
        return log.read_text(encoding="utf-8"), [json.loads(line) for line in text.splitlines()]


def free_port() -> int:
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        return int(taken.getsockname()[1])


@pytest.fixture(scope="module")
def stones() -> Iterator[Site]:
    pages = {f"/{number or ''}": page(f"Stone {number}", f"/{number + 1}") for number in range(PAGES)}
    with served(pages) as site:
        yield site


@pytest.fixture(scope="module")
def scrapyd(tmp_path_factory: pytest.TempPathFactory, stones: Site) -> Iterator[Scrapyd]:
    """A Scrapyd to which the project was deployed, with a site file."""
    place = tmp_path_factory.mktemp("scrapyd")
    source, home = place / "source", place / "home"
    source.mkdir()
    home.mkdir()
    for name in PACKED:
        shutil.copytree(PROJECT / name, source / name, ignore=IGNORED)
    for name in FILES:
        shutil.copy(PROJECT / name, source / name)
    (source / "settings" / "sites" / "stones.toml").write_text(
        f'url = "{stones.base}/"\nmethod = "templates"\nsinks = ["operations"]\n'
        "[rate]\ndelay = 0.0\nadaptive = false\n",
        encoding="utf-8",
    )
    server = Scrapyd(home, free_port())
    config = source / "scrapy.cfg"
    text = config.read_text(encoding="utf-8")
    assert "http://localhost:6800/" in text
    config.write_text(text.replace("localhost:6800", f"127.0.0.1:{server.port}"), encoding="utf-8")
    (home / "scrapyd.conf").write_text(CONFIG.format(port=server.port), encoding="utf-8")
    with (home / "scrapyd.log").open("wb") as log:
        process = subprocess.Popen([sys.executable, "-m", "scrapyd"], cwd=home, stdout=log, stderr=log)
    try:
        wait_until(lambda: answers(server), 90, every=0.2)
        deploy = [sys.executable, "-m", "scrapyd_client.deploy", "--version", "1"]
        done = subprocess.run(deploy, cwd=source, capture_output=True, text=True, timeout=90, check=False)
        assert done.returncode == 0, done.stdout + done.stderr
        assert json.loads(done.stdout)["spiders"] == 4, done.stdout
        yield server
    finally:
        process.terminate()
        process.wait(timeout=30)


def answers(server: Scrapyd) -> bool:
    try:
        return server.ask("listjobs")["status"] == "ok"
    except URLError:
        return False


def last_run(folder: Path):
    with Store.open(folder) as store:
        return store.runs.last()


def test_its_egg_has_bytecode_where_a_zip_file_is_looked_into(scrapyd):
    (egg,) = scrapyd.folder.rglob("*.egg")
    with zipfile.ZipFile(egg) as packed:
        names = set(packed.namelist())
    assert {"settings/base.py", "settings/base.pyc"} <= names
    assert not any("__pycache__" in name for name in names)


def test_a_job_that_is_cancelled_delivers_and_the_next_one_continues(scrapyd, stones):
    data = scrapyd.folder / "data" / "stones"
    stones.delay = lambda path: 0.2
    first = scrapyd.schedule(site="stones")
    wait_until(lambda: stones.asked["/3"], 90)
    assert scrapyd.ask("cancel", project="pagelets", job=first)["prevstate"] == "running"
    log, items = scrapyd.finished(first)
    assert "stones: interrupted\n" in log
    run = last_run(data)
    assert run.outcome == "interrupted"
    assert 0 < len(items) == run.counts["documents/delivered"] < PAGES
    server_log = (scrapyd.folder / "scrapyd.log").read_text(encoding="utf-8")
    assert "exitstatus=4" in server_log

    stones.delay = lambda path: 0.0
    log, more = scrapyd.finished(scrapyd.schedule(site="stones"))
    assert "stones: complete\n" in log
    assert last_run(data).outcome == "complete"
    urls = {item["url"].removeprefix(stones.base) for item in (*items, *more)}
    assert urls == {"/", *(f"/{number}" for number in range(1, PAGES))}
    assert {item["site"] for item in more} == {"stones"}
