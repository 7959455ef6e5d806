"""A site that is crawled again and again, and the search index that follows its feeds of operations."""

from __future__ import annotations

import asyncio
import json
from contextlib import closing
from typing import TYPE_CHECKING, Any, Self

from scrapy import signals
from scrapy.exceptions import NotConfigured
from scrapy.settings import Settings

from crawler.configuration.judgement import stored_judge
from store.site import Store
from tests import jsonsink
from tests.crawls import QUICK, Crawled, crawl, without_time
from tests.filed import check_replay, filed

if TYPE_CHECKING:
    from pathlib import Path

    from scrapy.crawler import Crawler

    from tests.changing import ChangingSite


class StopAfter:
    """Shuts the crawl down, as Ctrl-C does, after so many responses (setting ``STOP_AFTER``)."""

    def __init__(self, crawler: Crawler, responses: int) -> None:
        self._crawler = crawler
        self._left = responses
        self._closing: asyncio.Future[None] | None = None
        crawler.signals.connect(self.response_received, signal=signals.response_received)

    @classmethod
    def from_crawler(cls, crawler: Crawler) -> Self:
        if not crawler.settings.getint("STOP_AFTER"):
            raise NotConfigured
        return cls(crawler, crawler.settings.getint("STOP_AFTER"))

    def response_received(self) -> None:
        self._left -= 1
        if self._left <= 0 and self._closing is None:
            closing = self._crawler.engine.close_spider_async(reason="shutdown")
            self._closing = asyncio.ensure_future(closing)


class Recrawls:
    """Crawls of one site into one store, in order; ``index`` holds the content hash of each indexed URL, by
    the feeds of operations, and the folder ``sink`` the index of a sink.
    """

    def __init__(self, site: ChangingSite, folder: Path, **settings: Any) -> None:
        self.site = site
        self.folder = folder
        self.settings = settings
        self.index: dict[str, str] = {}
        self.runs = 0

    def crawl(
        self, *, stop_after: int = 0, settings: dict[str, Any] | None = None, **arguments: Any
    ) -> Crawled:
        """Crawls the site once more, and lets the index follow."""
        self.runs += 1
        feed = self.folder / f"operations-{self.runs}.jsonl"
        own = {
            **jsonsink.SETTINGS,
            **self.settings,
            **(settings or {}),
            "FEEDS": {str(feed): {"format": "operations"}},
            "EXTENSIONS": {StopAfter: 0},
            "STOP_AFTER": stop_after,
        }
        before = filed(self.store)
        crawled = crawl(self.folder / "data", settings=own, url=f"{self.site.base}/", **arguments)
        assert crawled.errors == []
        if self.store.exists() and "sample" not in arguments:
            check_replay(before, self.store)
        self.follow(feed)
        return crawled

    def follow(self, feed: Path) -> None:
        """Applies a feed's operations to the index; the last line may be torn where a crawl was killed."""
        if not feed.exists():
            return
        for line in feed.read_bytes().split(b"\n")[:-1]:
            operation = json.loads(line)
            if operation["op"] == "delete":
                self.index.pop(operation["url"], None)
            else:
                self.index[operation["url"]] = operation["document"]["content_hash"]

    def exported(self) -> dict[str, dict[str, Any]]:
        """The current documents by URL, of which only those are judged anew that evidence has reached."""
        return documents(self.store, anew=False)

    def documents(self) -> dict[str, dict[str, Any]]:
        """The current documents of the store by URL, each judged anew."""
        return documents(self.store)

    @property
    def store(self) -> Path:
        return self.folder / "data" / self._name

    @property
    def sink(self) -> Path:
        """The folder of the index that the crawls feed themselves."""
        return self.folder / "data" / "_index" / self._name

    @property
    def _name(self) -> str:
        return self.site.base.removeprefix("http://")

    def fresh(self, **arguments: Any) -> dict[str, dict[str, Any]]:
        """The documents of a first crawl of the site as it is."""
        self.runs += 1
        folder = self.folder / f"fresh-{self.runs}"
        crawled = crawl(folder, settings=self.settings, url=f"{self.site.base}/", **arguments)
        assert crawled.outcome == "complete"
        return {str(document["url"]): document for document in without_time(crawled.documents)}


def documents(folder: Path, *, anew: bool = True) -> dict[str, dict[str, Any]]:
    """The current documents of a store by URL, without the time of their fetch."""
    with closing(Store.open(folder)) as store:
        judge = stored_judge(store, project())
        made = [
            judge.judge(page).document(duplicate_of=store.duplicates.marked(page))
            if anew
            else judge.document(page)
            for page in store.documents.current()
        ]
    kept = ({name: value for name, value in d.items() if name != "fetched_at"} for d in made)
    return {str(document["url"]): document for document in kept}


def project() -> Settings:
    """The project's settings, as the tests crawl by them."""
    found = Settings()
    found.setmodule("settings.base", priority="project")
    found.update(QUICK, priority="project")
    return found


def hashes(found: dict[str, dict[str, Any]]) -> dict[str, str]:
    """The content hash of each document."""
    return {url: document["content_hash"] for url, document in found.items()}
