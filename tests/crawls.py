"""Crawls for tests: in this process, without a reactor, or as the command that a user types."""

from __future__ import annotations

import asyncio
import json
import os
import sys
from contextlib import closing
from dataclasses import dataclass, field
from functools import cache, lru_cache
from pathlib import Path
from typing import TYPE_CHECKING, Any

from scrapy import signals
from scrapy.addons import AddonManager
from scrapy.crawler import Crawler
from scrapy.settings import BaseSettings, Settings
from scrapy.spiderloader import get_spider_loader

from crawler.configuration.plan import copied
from crawler.fetching import partition
from crawler.items import Deletion
from pagelets.metadata import language
from store.site import Store
from tests import forked

if TYPE_CHECKING:
    import subprocess

    from scrapy import Spider
    from scrapy.spiderloader import SpiderLoaderProtocol

PROJECT = Path(__file__).parent.parent

QUICK = {
    # What these tests follow through a crawl is what the site repeats; pages of three words have no looks.
    "METHOD": "templates",
    "AUTOTHROTTLE_ENABLED": False,
    "DOWNLOAD_DELAY": 0,
    "CONCURRENT_REQUESTS_PER_DOMAIN": 16,
    "RETRY_ENABLED": False,
    "LOG_LEVEL": "WARNING",
    "LOG_VERSIONS": "",
    "STATS_DUMP": False,
    "PROGRESS_ENABLED": False,
    "RELEASE_PROCESSES": 1,
    "SINKS": [],
    # Some sites of tests have a second host.
    "PRIVATE_HOSTS": "localhost",
}


@dataclass
class Crawled:
    """What came of a crawl: its outcome, the documents in the order they came, the stats, and its store."""

    outcome: str | None
    documents: list[dict[str, Any]]
    stats: dict[str, Any]
    folder: Path
    errors: list[str] = field(default_factory=list)
    deletions: list[Deletion] = field(default_factory=list)
    answers: list[str] = field(default_factory=list)
    """What the start URLs have come to, of a crawl that found no page: its store may be gone."""

    @property
    def urls(self) -> list[str]:
        return sorted(document["url"] for document in self.documents)

    def paths(self, base: str) -> list[str]:
        return [url.removeprefix(base) for url in self.urls]

    @property
    def deleted(self) -> dict[str, str]:
        """The URLs whose documents the crawl deleted, and why."""
        return {deletion.url: deletion.reason for deletion in self.deletions}

    def states(self, base: str = "") -> dict[str, str]:
        return states(self.folder, base)

    def current(self, base: str = "") -> list[str]:
        """The URLs that have a document in the store as it is now."""
        with closing(Store.open(self.folder)) as store:
            urls = [store.frontier.url(page) for page in store.documents.current()]
        return sorted(url.removeprefix(base) for url in urls)


class OwnSettings(Settings):
    """Settings of one crawl. The deep copy that a crawler makes takes a tenth of a small crawl."""

    def copy(self) -> OwnSettings:
        return self


# Looks at compiled modules and their sources: once in a process, not for each of some thousand crawls.
partition.plain_parts = cache(partition.plain_parts)
# Crawls come to the same texts again and again.
language._guess = lru_cache(1 << 12)(language._guess)


@cache
def project() -> Settings:
    """The project's settings for crawls in this process."""
    found = Settings()
    found.setmodule("settings.base", priority="project")
    found.update({**QUICK, "TWISTED_REACTOR_ENABLED": False}, priority="project")
    AddonManager.load_pre_crawler_settings(found)
    return found


@cache
def _spiders(modules: tuple[str, ...]) -> SpiderLoaderProtocol:
    return get_spider_loader(Settings({"SPIDER_MODULES": list(modules)}))


def crawl(
    data_dir: Path, spider: str | type[Spider] = "site", settings: dict[str, Any] | None = None, **arguments
) -> Crawled:
    """Runs a spider, given by name or class, with arguments as the command line has them.

    Settings are as `-s` gives them. Raises what the start of the crawl raises.
    """
    own = copied(project())
    own.__class__ = OwnSettings
    for attribute in own.attributes.values():
        # Scrapy changes some of these where they are.
        if isinstance(attribute.value, BaseSettings):
            attribute.value = copied(attribute.value)
    own.set("DATA_DIR", str(data_dir), priority="project")
    own.update(settings or {}, priority="cmdline")
    if isinstance(spider, str):
        spider = _spiders(tuple(own.getlist("SPIDER_MODULES"))).load(spider)
    crawler = Crawler(spider, own)
    documents: list[dict[str, Any]] = []
    errors: list[str] = []
    deletions: list[Deletion] = []

    def take(item: Any) -> None:
        if isinstance(item, Deletion):
            deletions.append(item)
        else:
            documents.append(item)

    crawler.signals.connect(take, signals.item_scraped, weak=False)
    crawler.signals.connect(
        lambda failure: errors.append(repr(failure.value)), signals.spider_error, weak=False
    )
    crawler.signals.connect(
        lambda failure: errors.append(repr(failure.value)), signals.item_error, weak=False
    )

    asyncio.run(crawler.crawl_async(**{name: str(value) for name, value in arguments.items()}))
    session = crawler.spider.session
    stats, answers = crawler.stats.get_stats(), [*session.state.answers]
    return Crawled(session.state.outcome, documents, stats, session.home, errors, deletions, answers)


def states(folder: Path, base: str = "") -> dict[str, str]:
    """What became of each known URL: its state, and the reason where there is one."""
    with closing(Store.open(folder)) as store:
        rows = store.connection.execute("SELECT url, state, reason FROM pages").fetchall()
    return {url.removeprefix(base): f"{state} {reason}" if reason else state for url, state, reason in rows}


def arguments_of(data_dir: Path, *arguments: str, spider: str = "site") -> list[str]:
    """What ``scrapy`` is told for a crawl."""
    quick = [f"{name}={int(value) if isinstance(value, bool) else value}" for name, value in QUICK.items()]
    options = [part for setting in [*quick, f"DATA_DIR={data_dir}"] for part in ("-s", setting)]
    return ["crawl", spider, *options, *arguments]


def command(data_dir: Path, *arguments: str, spider: str = "site") -> list[str]:
    """The command line of a crawl."""
    return [sys.executable, "-m", "scrapy", *arguments_of(data_dir, *arguments, spider=spider)]


def start(data_dir: Path, *arguments: str) -> forked.Running:
    """Starts the command, with a process of its own."""
    return forked.Running(arguments_of(data_dir, *arguments))


def scrapy(
    data_dir: Path, *arguments: str, spider: str = "site", **options: Any
) -> subprocess.CompletedProcess[str]:
    """Runs the command to its end, with warnings as errors."""
    return forked.run(
        arguments_of(data_dir, *arguments, spider=spider),
        env={**os.environ, "PYTHONWARNINGS": "error"},
        **options,
    )


def lines(text: str) -> list[dict[str, Any]]:
    """The documents of a JSON lines feed."""
    return [json.loads(line) for line in text.splitlines()]


def without_time(documents: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """Documents by URL, without the moment they were fetched at."""
    kept = ({name: value for name, value in d.items() if name != "fetched_at"} for d in documents)
    return sorted(kept, key=lambda document: document["url"])
