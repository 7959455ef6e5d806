"""The add-on in a project that `scrapy startproject` has made, where nothing of ours but the library is."""

from __future__ import annotations

import json
import os
import shutil
import signal
import subprocess
import sys
import tempfile
from dataclasses import dataclass
from functools import partial
from importlib.util import find_spec
from typing import TYPE_CHECKING, Any

import pytest

from pagelets.compiled import PARTS, plain_parts
from tests import forked
from tests.crawls import PROJECT
from tests.pagelets.integrations.scrapy.crawled import clean, stories
from tests.processes import wait_until
from tests.served import served

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from tests.served import Site

pytestmark = pytest.mark.long

SETTINGS = """
ADDONS = {"pagelets.integrations.scrapy.Addon": 500}
PAGELETS_SITE = {"method": "templates"}
DOWNLOAD_DELAY = 0
TELNETCONSOLE_ENABLED = False
REMOTE_CONTROL_ENABLED = False
EXTENSIONS = {"sailor.loaded.Loaded": 0}
"""
LOADED = """
import sys

from scrapy import signals


class Loaded:
    '''Tells which packages were loaded.'''

    @classmethod
    def from_crawler(cls, crawler):
        loaded = cls()
        loaded.stats = crawler.stats
        crawler.signals.connect(loaded.closed, signals.spider_closed)
        return loaded

    def closed(self):
        ours = {"crawler", "store", "settings", "release", "search", "inspection", "pipelines", "warcio"}
        self.stats.set_value("loaded", sorted(ours & {name.partition(".")[0] for name in sys.modules}))
        from pagelets.compiled import plain_parts
        self.stats.set_value("plain", len(plain_parts()))
"""
SPIDER = '''
import scrapy


class Sea(scrapy.Spider):
    name = "sea"

    async def start(self):
        yield scrapy.Request(f"{self.url}/1")

    def parse(self, response):
        """
        @url URL/3
        @returns items 1 1
        @scrapes url
        """
        yield {"url": response.url}
        yield from response.follow_all(css="a.next")
'''
OURS = """
from crawler.spiders.site import SiteSpider


class Ours(SiteSpider):
    name = "ours"
"""
COUNT = 8


@dataclass
class Project:
    """A project, and the folder that has the library."""

    folder: Path
    library: Path
    site: Site

    def crawl(self, *more: str) -> list[str]:
        return ["crawl", "sea", "-a", f"url={self.site.base}", *more]

    def environment(self) -> dict[str, str]:
        return {**os.environ, "PYTHONPATH": str(self.library), "PYTHONWARNINGS": "error"}

    def run(self, *arguments: str) -> subprocess.CompletedProcess[str]:
        return subprocess.run(
            [sys.executable, "-m", "scrapy", *arguments],
            cwd=self.folder, env=self.environment(), capture_output=True, text=True, timeout=120, check=False,
        )  # fmt: skip

    def options(self) -> dict[str, Any]:
        """For a command of Scrapy where it does not matter which modules are loaded (`tests.forked`)."""
        env = {name: value for name, value in self.environment().items() if name != "SCRAPY_SETTINGS_MODULE"}
        return {"env": env, "folder": self.folder}

    def forked(self, *arguments: str) -> subprocess.CompletedProcess[str]:
        return forked.run(arguments, **self.options())

    def items(self, name: str) -> list[dict[str, Any]]:
        lines = (self.folder / name).read_text(encoding="utf-8").splitlines()
        return [json.loads(line) for line in lines]


@pytest.fixture(scope="module")
def project(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Project]:
    folder = tmp_path_factory.mktemp("project")
    library = folder / "library"
    library.mkdir()
    (library / "pagelets").symlink_to(PROJECT / "pagelets")
    with served(stories(COUNT)) as site:
        made = Project(folder, library, site)
        done = made.forked("startproject", "sailor", str(folder))
        assert done.returncode == 0, done.stderr
        with (folder / "sailor" / "settings.py").open("a", encoding="utf-8") as settings:
            settings.write(SETTINGS)
        (folder / "sailor" / "loaded.py").write_text(LOADED, encoding="utf-8")
        spider = SPIDER.replace("URL", site.base)
        (folder / "sailor" / "spiders" / "sea.py").write_text(spider, encoding="utf-8")
        yield made


def without_compiled(project: Project, folder: Path) -> Project:
    """The project with a library that no compiler has seen."""
    uncompiled = shutil.ignore_patterns("*.so", "*.c", "*.stamp", "*.tables")
    shutil.copytree(PROJECT / "pagelets", folder / "pagelets", ignore=uncompiled)
    return Project(project.folder, folder, project.site)


PLAYWRIGHT = "scrapy_playwright.handler.ScrapyPlaywrightDownloadHandler"


@pytest.mark.parametrize("compiled", [True, False])
def test_a_crawl_needs_the_library_alone(project: Project, tmp_path: Path, compiled: bool) -> None:
    if not compiled:
        project = without_compiled(project, tmp_path)
    more = ["-s", f'DOWNLOAD_HANDLERS={{"http": "{PLAYWRIGHT}"}}'] if find_spec("scrapy_playwright") else []
    done = project.run(*project.crawl("-O", "items.jsonl", *more))
    assert done.returncode == 0, done.stderr
    assert [item["text"] for item in project.items("items.jsonl")] == [
        clean(number) for number in range(1, COUNT + 1)
    ]
    assert "'loaded': []" in done.stderr
    assert f"'plain': {len(plain_parts() if compiled else PARTS)}," in done.stderr
    assert "Traceback" not in done.stderr


def wait_in(folder: Path) -> None:
    """Lets items wait in a folder."""
    tempfile.tempdir = str(folder)


def interrupted(project: Project, number: int, waits: Path, *more: str) -> int:
    """Ends a crawl by a signal when some items wait; returns the exit code."""
    arguments = project.crawl("-s", "DOWNLOAD_DELAY=0.1", *more)
    running = forked.Running(arguments, prepare=partial(wait_in, waits), **project.options())
    wait_until(lambda: any(path.stat().st_size > 200 for path in waits.rglob("items")))
    running.send_signal(number)
    return running.wait(60)


def test_ctrl_c_releases_what_waits(project: Project, tmp_path: Path) -> None:
    assert interrupted(project, signal.SIGINT, tmp_path, "-O", "ended.jsonl") == 0
    texts = [item["text"] for item in project.items("ended.jsonl")]
    assert len(texts) >= 2
    assert "Story 1:" in texts[0]
    assert not list(tmp_path.iterdir())


def test_what_waits_in_a_killed_process_is_released_by_the_next(project: Project, tmp_path: Path) -> None:
    assert interrupted(project, signal.SIGKILL, tmp_path, "-O", "killed.jsonl") == -signal.SIGKILL
    (left,) = tmp_path.glob("pagelets-*")
    done = project.forked(*project.crawl("-s", f"PAGELETS_FOLDER={left}", "-O", "killed.jsonl"))
    assert "items of an earlier crawl wait" in done.stderr
    items = project.items("killed.jsonl")
    assert len(items) > COUNT + 1
    assert {item["text"] for item in items} == {clean(number) for number in range(1, COUNT + 1)}
    assert not left.exists()


def test_commands_of_scrapy_work_as_in_any_project(project: Project) -> None:
    url = f"{project.site.base}/3"
    shell = project.forked("shell", "--nolog", url, "-c", "response.css('h1::text').get()")
    assert shell.stdout == "t3\n", shell.stderr
    parse = ["parse", "--spider", "sea", "-a", f"url={url}", "--nocolour", "--pipelines", url]
    parsed = project.forked(*parse)
    assert f"[{{'url': '{url}'}}]" in parsed.stdout, parsed.stderr
    checked = project.forked("check", "sea", "-a", f"url={url}")
    assert (checked.returncode, "OK" in checked.stderr) == (0, True), checked.stderr
    bench = project.forked("bench", "-s", "CLOSESPIDER_PAGECOUNT=1")
    assert (bench.returncode, "pagelets/pages" in bench.stderr) == (0, False)


def test_a_spider_of_ours_tells_what_a_project_lacks(project: Project) -> None:
    spider = project.folder / "sailor" / "spiders" / "ours.py"
    spider.write_text(OURS, encoding="utf-8")
    try:
        done = project.forked("crawl", "ours", "-a", f"url={project.site.base}/")
    finally:
        spider.unlink()
    assert done.returncode == 2
    told = done.stderr.splitlines()[-1]
    assert "the spider 'ours' needs the settings of site-pagelets: begin the project's settings.py" in told
    assert "Traceback" not in done.stderr
