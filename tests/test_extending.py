"""The examples of docs/extending.md, run; and what a project may not put in the place of ours."""

from __future__ import annotations

import asyncio
import importlib
import re
import sys
from typing import TYPE_CHECKING, Any

import pytest
from scrapy import Spider, signals
from scrapy.core.scheduler import Scheduler
from scrapy.crawler import AsyncCrawlerRunner
from scrapy.linkextractors import LinkExtractor
from scrapy.pipelines import ItemPipelineManager
from scrapy.settings import Settings
from scrapy.spiders import CrawlSpider, Rule

from crawler.configuration.components import NEEDED
from settings.errors import ConfigurationError, UnknownName
from tests import forked
from tests.crawls import PROJECT, crawl
from tests.noting import noting
from tests.served import page, served

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

EXAMPLE = re.compile(r"^```python\n# (mine/\w+\.py)\n(.*?)^```", re.MULTILINE | re.DOTALL)
LOGIN = '<p>A page with a form of its own</p><form><input type="password" name=p></form>'


@pytest.fixture(scope="module")
def site() -> Iterator[Any]:
    pages = {"/": page("home", "/a", "/login"), "/a": page("a", "/"), "/login": LOGIN}
    with served(pages) as running:
        yield running


@pytest.fixture(autouse=True)
def mine(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The package that the examples make."""
    (tmp_path / "mine").mkdir()
    (tmp_path / "mine" / "__init__.py").touch()
    for name, code in EXAMPLE.findall((PROJECT / "docs" / "extending.md").read_text(encoding="utf-8")):
        (tmp_path / name).write_text(code, encoding="utf-8")
    monkeypatch.syspath_prepend(str(tmp_path))
    for name in ("mine", "mine.pipelines", "mine.middlewares", "mine.spiders"):
        monkeypatch.delitem(sys.modules, name, raising=False)


def test_pipelines_stand_before_and_behind_ours(site, tmp_path):
    own = {"mine.pipelines.NoPasswords": 50, "mine.pipelines.WordCount": 250}
    crawled = crawl(tmp_path, url=f"{site.base}/", settings={"ITEM_PIPELINES": own})
    assert crawled.paths(site.base) == ["/", "/a"]
    assert all(document["words"] == len(document["text"].split()) for document in crawled.documents)
    assert crawled.states(site.base)["/login"] == "refused dropped: DropItem"


def test_pipelines_of_a_site_file_and_of_a_spider_stand_beside_ours_too(site, tmp_path, monkeypatch):
    sites = tmp_path / "sites"
    sites.mkdir()
    (sites / "s.toml").write_text(
        f'url = "{site.base}/"\n[settings.ITEM_PIPELINES]\n"mine.pipelines.WordCount" = 250\n'
    )
    crawled = crawl(tmp_path / "data", site="s", settings={"SITES_DIR": str(sites)})
    assert [sorted(document)[-1] for document in crawled.documents] == ["words"] * 3
    spider = importlib.import_module("mine.spiders").LanguageSpider
    spider.custom_settings = {"ITEM_PIPELINES": {"mine.pipelines.WordCount": 250}}
    crawled = crawl(tmp_path / "data", spider, url=f"{site.base}/")
    assert [sorted(document)[-1] for document in crawled.documents] == ["words"] * 3


def test_a_downloader_middleware_and_a_spider_with_an_argument(tmp_path):
    spider = importlib.import_module("mine.spiders").LanguageSpider
    settings = {"DOWNLOADER_MIDDLEWARES": {"mine.middlewares.Stamped": 400}}
    with noting({"/": (200, {}, page("home", "/a")), "/a": (200, {}, page("a"))}) as site:
        crawled = crawl(tmp_path, spider, url=f"{site.base}/", language="fr", settings=settings)
        asked = [headers for path, headers in site.heard if path == "/a"]
    assert crawled.outcome == "complete"
    assert crawled.paths(site.base) == ["/", "/a"]
    assert [(one["x-crawler"], one["accept-language"]) for one in asked] == [("search", "fr")]
    with pytest.raises(UnknownName, match="languages"):
        crawl(tmp_path, spider, url=f"{site.base}/", languages="fr")


@pytest.mark.parametrize(
    ("setting", "value", "said"),
    [
        ("SCHEDULER", "scrapy.core.scheduler.Scheduler", "scrapy.core.scheduler.Scheduler cannot take"),
        ("SCHEDULER", Scheduler, "scrapy.core.scheduler.Scheduler cannot take"),
        ("ITEM_PROCESSOR", ItemPipelineManager, "scrapy.pipelines.ItemPipelineManager cannot take"),
        ("EXTENSIONS", {"crawler.feeds.extension.Feeds": None}, "crawler.feeds.extension.Feeds is needed"),
        ("ITEM_PIPELINES", {"pipelines.stripping.StrippingPipeline": None}, "StrippingPipeline is needed"),
    ],
)
def test_what_cannot_be_done_without_is_refused(site, tmp_path, setting, value, said):
    with pytest.raises(ConfigurationError, match=f"^{setting}: .*{re.escape(said)}"):
        crawl(tmp_path, url=f"{site.base}/", settings={setting: value})
    assert not (tmp_path / "127.0.0.1").exists()
    assert {path.rpartition(".")[2] for path in NEEDED} >= {"Feeds", "StrippingPipeline"}


# --- Spiders and commands that are not ours ---


class Plain(Spider):
    name = "plain"

    def parse(self, response):
        yield {"url": response.url}
        for href in response.css("a::attr(href)").getall():
            yield response.follow(href)


class Crawling(CrawlSpider):
    name = "crawling"
    rules = (Rule(LinkExtractor(), callback="found", follow=True),)

    def found(self, response):
        yield {"url": response.url}


@pytest.mark.parametrize("spider", [Plain, Crawling])
def test_other_spiders_are_crawled_as_scrapy_does(site, tmp_path, spider):
    project = Settings()
    project.setmodule("settings.base", priority="project")
    own = {"DATA_DIR": str(tmp_path / "data"), "AUTOTHROTTLE_ENABLED": False, "LOG_LEVEL": "WARNING"}
    project.update({**own, "TWISTED_REACTOR_ENABLED": False}, priority="cmdline")
    runner = AsyncCrawlerRunner(project)
    crawler = runner.create_crawler(spider)
    urls: set[str] = set()
    note = lambda item: urls.add(item["url"].removeprefix(site.base))  # noqa: E731
    crawler.signals.connect(note, signals.item_scraped, weak=False)

    async def run() -> None:
        await runner.crawl(crawler, start_urls=[f"{site.base}/"])

    asyncio.run(run())
    assert crawler.stats.get_value("finish_reason") == "finished"
    assert urls >= {"/a", "/login"}
    assert not (tmp_path / "data").exists()


def test_commands_of_scrapy_work(site, tmp_path):
    url, quiet = f"{site.base}/a", ["--nolog", "-s", f"DATA_DIR={tmp_path / 'data'}"]
    for arguments, shown in (
        (["fetch", *quiet, url], "This is what the page a says"),
        (["shell", *quiet, "-c", "response.css('title::text').get()", url], "a"),
        (["parse", *quiet, url], ""),
        (["check", *quiet], "OK"),
        (["list", *quiet], "archive\nsite"),
    ):
        done = forked.run(arguments)
        assert shown in done.stdout + done.stderr, arguments
        assert done.returncode in (0, None), arguments
    assert not (tmp_path / "data").exists()
