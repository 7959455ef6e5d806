"""Nights of a site at the moment in which nothing is left to be fetched.

The spider, its store and its review are those of a crawl; what the network would answer is put in the store.
"""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING, Any

from scrapy.crawler import AsyncCrawlerRunner
from scrapy.settings import Settings

from crawler.run.outcome import RunOutcome
from crawler.run.review import Review
from store.runs import seconds
from tests.crawls import QUICK
from tests.store.sites import HOST, Pagelet, record, rows, url

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable
    from pathlib import Path

MENU = [Pagelet(f"the menu of the site {number}") for number in range(4)]
HALF = {"LOSS_MIN_SHARE": 0.5}


class Night:
    """A crawl at the moment in which nothing is left to be fetched."""

    def __init__(self, folder: Path, settings: dict[str, Any], spider: str = "site", **given: Any) -> None:
        project = Settings()
        project.setmodule("settings.base", priority="project")
        project.update(
            {**QUICK, "TWISTED_REACTOR_ENABLED": False, "DATA_DIR": str(folder), **settings},
            priority="project",
        )
        self.crawler = crawler = AsyncCrawlerRunner(project).create_crawler(spider)
        given = {"url": f"{HOST}/", "site": "s", **given} if spider == "site" else given
        self.spider = crawler.spider = crawler._create_spider(**given)
        crawler._apply_settings()
        self.stats = crawler.stats
        self.session, self.store = self.spider.session, self.spider.session.store
        self.review = Review(self.session, crawler.settings)

    def page(self, name: str) -> int:
        found = self.store.frontier.find(url(name))
        assert found is not None
        return found

    def has(self, names: Iterable[str], text: Callable[[str], str] = "text of {}".format) -> None:
        """These pages are there, the menu and this text on each."""
        for name in names:
            record(self.store, name, [*MENU, Pagelet(text(name))], self.session.run)

    def confirms(self, names: Iterable[str]) -> None:
        """These pages are as they were."""
        with self.store.transaction():
            for name in names:
                self.store.outcomes.confirm(self.page(name), self.session.run, seconds(), None)

    def finds(self, names: Iterable[str], to: str, **details: Any) -> None:
        """This became of these pages."""
        for name in names:
            self.session.settle(self.page(name), to, **details)

    def leads(self, name: str, to: str, reason: str | None = None) -> None:
        self.finds([name], "redirected", target=self.page(to), reason=reason)

    def passes(self, *, early: bool = False) -> bool:
        return self.review.passes(early=early)

    def delivers(self) -> None:
        with self.store.transaction():
            for page in self.store.documents.to_release(self.session.run):
                self.store.documents.put(page, self.session.run, "hash", "v", [True], {})
            self.store.documents.deliver(self.session.run)

    def closes(self, reason: str = "finished") -> str | None:
        """Ends the crawl as Scrapy does that has closed its spider for this reason; returns the outcome."""
        ending = RunOutcome.from_crawler(self.crawler)
        ending.spider_closed(reason)
        asyncio.run(ending.engine_stopped())
        return self.session.state.outcome

    def ends(self, outcome: str | None = "complete") -> None:
        if outcome:
            with self.store.transaction():
                self.store.runs.finish(self.session.run, outcome, {})
        self.session.close()


class Site:
    """A site's nights, one after the other."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self._nights: list[Night] = []

    def night(self, settings: dict[str, Any] | None = None, **given: Any) -> Night:
        self._nights.append(Night(self.folder, {**HALF, **(settings or {})}, **given))
        return self._nights[-1]

    def first(self, names: Iterable[str], text: Callable[[str], str] = "text of {}".format) -> None:
        """A good first night on which these pages were delivered, and the menu was found."""
        night = self.night()
        night.has(names, text)
        assert night.passes()
        night.delivers()
        for sketch in {
            row[0] for row in rows(night.store, "SELECT sketch FROM fragments WHERE fragment <= 4")
        }:
            night.store.connection.execute(
                "INSERT INTO templates VALUES (NULL, ?, NULL, 'local', 3, 0.1, 3, 1.0, 1, 0, 'found', 1, 1)",
                (sketch,),
            )
        night.ends()

    def close(self) -> None:
        for night in self._nights:
            night.session.close()


def names(count: int, prefix: str = "p") -> list[str]:
    """The home page, and as many others as it takes."""
    return ["", *(f"{prefix}{number}" for number in range(1, count))]
