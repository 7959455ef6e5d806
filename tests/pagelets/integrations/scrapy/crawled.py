"""Crawls of a project that knows nothing of ours but the add-on, in this process."""

from __future__ import annotations

import asyncio
import logging
from dataclasses import dataclass, field
from random import Random
from typing import TYPE_CHECKING, Any

from scrapy import Spider, signals
from scrapy.crawler import AsyncCrawlerRunner

from pagelets.integrations.scrapy import Addon
from tests.served import page

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Iterator

    from scrapy.http import Response

MENU = (
    "<nav><ul><li><a href=/1>One</a><li><a href=/2>Two</a><li><a href=/3>Three</a></ul></nav>"
    "<div><p>Buy our soap today.</p><a href=/a>A</a> <a href=/b>B</a> <a href=/c>C</a></div>"
)
WORDS = (
    "sea ship wind sail harbour captain storm island whale rope anchor lantern gull mast tide cargo pirate "
    "compass deck wave coral fish net shore cliff fog rudder cabin crew voyage"
).split()
QUICK = {
    "ADDONS": {Addon: 500},
    # What these tests follow through a crawl is what the site repeats; pages of three words have no looks.
    "PAGELETS_SITE": {"method": "templates"},
    "PAGELETS_FIELDS": ["text"],
    "TWISTED_REACTOR_ENABLED": False,
    "TELNETCONSOLE_ENABLED": False,
    "REMOTE_CONTROL_ENABLED": False,
    "LOG_ENABLED": False,
    "RETRY_ENABLED": False,
    "COOKIES_ENABLED": False,
    "CONCURRENT_REQUESTS_PER_DOMAIN": 1,
}


def told(number: int) -> str:
    """The text of a story: pages whose texts are nearly the same would be template."""
    return f"Story {number}: {' '.join(Random(number).sample(WORDS, 12))}."


def story(number: int) -> str:
    """The page of a number; it leads to the next by a link without a text."""
    return page(f"t{number}", text=f"{told(number)}<a class=next href=/{number + 1}></a>", around=MENU)


def stories(count: int) -> dict[str, Any]:
    """A site whose pages lead from one to the next."""
    return {f"/{number}": story(number) for number in range(1, count + 1)}


def clean(number: int) -> str:
    """The text of a story without its menu."""
    return f"t{number}\n\n{told(number)}"


class Stories(Spider):
    """Yields a dict a page, and follows the links behind the story."""

    name = "stories"
    url: str

    async def start(self) -> AsyncIterator[Any]:
        from scrapy import Request

        yield Request(f"{self.url}/1")

    def parse(self, response: Response, **_: Any) -> Iterator[Any]:
        yield self.item(response)
        yield from response.follow_all(css="a.next")

    def item(self, response: Response) -> Any:
        return {"url": response.url}


@dataclass
class Crawled:
    """What came of a crawl: its items in their order with the responses that signals gave, its stats, and
    its log.
    """

    items: list[Any] = field(default_factory=list)
    responses: list[Any] = field(default_factory=list)
    dropped: list[Any] = field(default_factory=list)
    failed: list[Any] = field(default_factory=list)
    stats: dict[str, Any] = field(default_factory=dict)
    log: list[str] = field(default_factory=list)

    @property
    def texts(self) -> list[str | None]:
        return [item.get("text") for item in self.items]


def crawl(
    spider: type[Spider], url: str, arguments: dict[str, Any] | None = None, **settings: Any
) -> Crawled:
    """Crawls with a spider, which is given the URL of a site."""
    crawled = Crawled()

    def scraped(item: Any, response: Any) -> None:
        crawled.items.append(item)
        crawled.responses.append(response)

    class Lines(logging.Handler):
        def emit(self, record: logging.LogRecord) -> None:
            if "Aiohttp" not in record.getMessage():
                crawled.log.append(f"{record.levelname}: {record.getMessage()}")

    async def run() -> None:
        runner = AsyncCrawlerRunner({**QUICK, **settings})
        crawler = runner.create_crawler(spider)
        drop, fail = crawled.dropped.append, crawled.failed.append
        takers = ((scraped, signals.item_scraped), (lambda item: drop(item), signals.item_dropped),
                  (lambda item: fail(item), signals.item_error))  # fmt: skip
        for taker, signal in takers:
            crawler.signals.connect(taker, signal, weak=False)
        await runner.crawl(crawler, url=url, **(arguments or {}))
        crawled.stats = crawler.stats.get_stats()

    lines = Lines()
    loggers = [logging.getLogger(name) for name in ("scrapy", "pagelets")]
    for logger in loggers:
        logger.addHandler(lines)
        logger.setLevel(logging.INFO)
    try:
        asyncio.run(asyncio.wait_for(run(), 60))
    finally:
        for logger in loggers:
            logger.removeHandler(lines)
            logger.setLevel(logging.NOTSET)
    return crawled
