"""Clean fields in crawls of a project that knows nothing of ours."""

from __future__ import annotations

import asyncio
import json
import logging
import pickle
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import attrs
import numpy as np
import pytest
import scrapy
from itemadapter import ItemAdapter
from itemloaders.processors import TakeFirst
from scrapy.exceptions import DropItem
from scrapy.linkextractors import LinkExtractor
from scrapy.loader import ItemLoader
from scrapy.logformatter import LogFormatter
from scrapy.pipelines import ItemPipelineManager
from scrapy.spiders import CrawlSpider, Rule, SitemapSpider
from scrapy.utils.spider import DefaultSpider

from pagelets.integrations.scrapy.sites import site_of
from pagelets.integrations.scrapy.waiting import FetchedPage, Waiting
from pagelets.site.site import Site
from tests.pagelets.integrations.scrapy.crawled import Stories, clean, crawl, stories, story
from tests.served import HTML, Answer, served

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Iterator
    from pathlib import Path

    from scrapy.http import Response

SOAP = "Buy our soap today."


@pytest.fixture(autouse=True)
def scratch(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The folder for temporary files; nothing of a crawl stays in it."""
    folder = tmp_path / "scratch"
    folder.mkdir()
    monkeypatch.setattr("tempfile.tempdir", str(folder))
    return folder


def test_items_are_judged_by_the_whole_crawl_and_go_on_in_their_order(scratch: Path, tmp_path: Path) -> None:
    feed = tmp_path / "items.jsonl"
    with served(stories(12)) as site:
        crawled = crawl(
            Stories, site.base, FEEDS={feed: {"format": "jsonlines"}}, PAGELETS_FIELDS="text, markdown"
        )
    numbers = range(1, 13)
    assert [item["url"] for item in crawled.items] == [f"{site.base}/{number}" for number in numbers]
    assert crawled.texts == [clean(number) for number in numbers]
    assert [item["markdown"] for item in crawled.items] == [f"# {clean(number)}" for number in numbers]
    assert [json.loads(line) for line in feed.read_text().splitlines()] == crawled.items
    assert [(one.url, one.status, SOAP in one.text, one.request.url) for one in crawled.responses] == [
        (f"{site.base}/{number}", 200, True, f"{site.base}/{number}") for number in numbers
    ]
    told = {
        name: crawled.stats.get(f"pagelets/{name}")
        for name in ("pages", "items_held", "items_filled", "sites")
    }
    assert told == {"pages": 12, "items_held": 12, "items_filled": 12, "sites": 1}
    assert crawled.stats["pagelets/seconds"] > 0
    assert "item_dropped_count" not in crawled.stats
    assert crawled.stats["finish_reason"] == "finished"
    assert not list(scratch.iterdir())


def test_without_waiting_a_page_is_judged_by_what_is_known_so_far(scratch: Path) -> None:
    with served(stories(12)) as site:
        crawled = crawl(Stories, site.base, PAGELETS_WAIT=False)
    assert [SOAP in str(text) for text in crawled.texts] == [True, True, *[False] * 10]
    assert crawled.texts[-1] == clean(12)
    assert (crawled.stats["pagelets/items_at_once"], crawled.stats["pagelets/pages"]) == (12, 12)
    assert not list(scratch.iterdir())


def test_a_page_that_declares_no_encoding_is_read_as_the_library_reads_it() -> None:
    body = story(1).replace("Story 1", "Très bon marché, l'été à la forêt").encode("cp1252")
    with served({**stories(5), "/1": Answer(body, kind="text/html")}) as site:
        crawled = crawl(Stories, site.base)
    assert "Très bon marché, l'été à la forêt" in str(crawled.texts[0])


class Story(scrapy.Item):
    url = scrapy.Field()
    text = scrapy.Field()


class Renamed(scrapy.Item):
    url = scrapy.Field()
    body = scrapy.Field(pagelets="markdown")


@dataclass
class Data:
    url: str
    text: str | None = None
    body: str = field(default="", metadata={"pagelets": "markdown"})


@attrs.define
class Attrs:
    url: str
    text: str = ""


class Loader(ItemLoader):
    default_item_class = Story
    default_output_processor = TakeFirst()


def loaded(url: str) -> Any:
    loader = Loader()
    loader.add_value("url", url)
    return loader.load_item()


@pytest.mark.parametrize(
    ("make", "wanted"),
    [
        (lambda url: {"url": url}, {"text"}),
        (lambda url: Story(url=url), {"text"}),
        (lambda url: Renamed(url=url), {"body"}),
        (Data, {"text", "body"}),
        (Attrs, {"text"}),
        (loaded, {"text"}),
    ],
)
def test_items_of_all_kinds_get_fields(make: Any, wanted: set[str]) -> None:
    class Kind(Stories):
        def item(self, response: Response) -> Any:
            return make(response.url)

    with served(stories(5)) as site:
        crawled = crawl(Kind, site.base)
    found = [ItemAdapter(item).asdict() for item in crawled.items]
    assert len(found) == 5
    for number, item in enumerate(found, start=1):
        expected = {"text": clean(number), "body": f"# {clean(number)}"}
        assert item == {"url": f"{site.base}/{number}", **{name: expected[name] for name in wanted}}


@dataclass(frozen=True)
class Frozen:
    url: str
    text: str = ""


class Bare(scrapy.Item):
    url = scrapy.Field()


class Wrong(scrapy.Item):
    url = scrapy.Field()
    text = scrapy.Field(pagelets="txt")


@pytest.mark.parametrize(
    ("item", "told"),
    [
        (Bare(url=""), "Bare declares none of the fields text"),
        (Wrong(url=""), "Wrong: the metadata of the field 'text' ask for 'txt'"),
        (Frozen(""), "Frozen: the field 'text' takes no value"),
        ({"text": "a quote"}, "dict: the spider gives the field 'text' a value, which is kept"),
    ],
)
def test_items_that_take_no_field_go_on_as_they_are(item: Any, told: str) -> None:
    class Kind(Stories):
        def item(self, response: Response) -> Any:
            return pickle.loads(pickle.dumps(item))

    with served(stories(3)) as site:
        crawled = crawl(Kind, site.base)
    assert [one for one in crawled.items if not isinstance(one, Wrong)] == [item] * 3 or isinstance(
        item, Wrong
    )
    assert len(crawled.items) == 3
    assert len([line for line in crawled.log if line.startswith("WARNING")]) == 1
    assert [line for line in crawled.log if told in line]


class Vectors(Stories):
    def parse(self, response: Response, **_: Any) -> Iterator[Any]:
        yield {"vector": np.array([1, 2]), "stock": 0, "sold": False}
        yield from super().parse(response)


@pytest.mark.parametrize("waits", [True, False])
def test_arrays_and_zeros_are_values_that_are_kept(waits: bool) -> None:
    fields = {**dict.fromkeys(("vector", "stock", "sold"), "language"), "text": "text"}
    with served(stories(3)) as site:
        crawled = crawl(Vectors, site.base, PAGELETS_FIELDS=fields, PAGELETS_WAIT=waits)
    assert len(crawled.texts) == 6 and all(crawled.texts)
    items = [item for item in crawled.items if "url" not in item]
    assert [(list(item["vector"]), item["stock"], item["sold"]) for item in items] == [([1, 2], 0, False)] * 3


def test_fields_have_names_of_your_own() -> None:
    with served(stories(3)) as site:
        crawled = crawl(Stories, site.base, PAGELETS_FIELDS='{"content": "text", "kind": "language"}')
    assert [item["content"] for item in crawled.items] == [clean(number) for number in (1, 2, 3)]
    assert [item["kind"] for item in crawled.items] == ["en"] * 3


class Twice(Stories):
    def parse(self, response: Response, **_: Any) -> Iterator[Any]:
        yield from super().parse(response)
        yield from super().parse(response)


class Emptying:
    def process_item(self, item: Any) -> Any:
        item["flags"] = item["stats"].pop("flags")
        return item


def test_what_a_pipeline_does_to_an_item_is_not_done_to_others_of_its_page() -> None:
    with served(stories(3)) as site:
        crawled = crawl(Twice, site.base, PAGELETS_FIELDS=["stats"], ITEM_PIPELINES={Emptying: 1})
    assert [item["flags"] for item in crawled.items] == [[]] * 6


class Mixed(Stories):
    """Items of a page, several of them, and items of none, out of async callbacks."""

    async def start(self) -> AsyncIterator[Any]:
        yield {"url": "none"}
        yield scrapy.Request(f"{self.url}/1")
        yield scrapy.Request(f"{self.url}/data.json", callback=self.parse_json)
        yield scrapy.Request(f"{self.url}/gone", errback=self.lost)

    async def parse(self, response: Response, **_: Any) -> AsyncIterator[Any]:
        yield {"url": response.url, "part": 1}
        for request in response.follow_all(css="a.next"):
            yield request
        yield {"url": response.url, "part": 2}
        yield None

    def parse_json(self, response: Response) -> Any:
        return {"url": "json", **response.json()}

    def lost(self, failure: Any) -> Any:
        return {"url": "lost"}


def test_items_of_other_than_pages_go_on_at_once() -> None:
    pages = {**stories(4), "/data.json": Answer('{"a": 1}', kind="application/json")}
    with served(pages) as site:
        crawled = crawl(Mixed, site.base)
    others = [item for item in crawled.items if "part" not in item]
    assert {item["url"] for item in others} == {"none", "json", "lost"}
    # The errback has the page of a 404.
    assert [item["url"] for item in others if "text" in item] == ["lost"]
    held = [item for item in crawled.items if "part" in item]
    assert [(item["part"], item["text"]) for item in held] == [
        (part, clean(number)) for number in range(1, 5) for part in (1, 2)
    ]


class Watched:
    """A spider middleware and pipelines of the project, which note what they see."""

    seen: list[tuple[str, str]] = []  # noqa: RUF012

    async def process_spider_output(self, response: Response, result: Any) -> AsyncIterator[Any]:
        async for output in result:
            if isinstance(output, dict):
                self.seen.append(("middleware", response.url[-2:]))
            yield output


class First:
    def process_item(self, item: Any) -> Any:
        Watched.seen.append(("first", item["text"][:2]))
        if item["text"] == clean(2):
            raise DropItem("no ships")
        if item["text"] == clean(3):
            raise ValueError("broken")
        return item


class Last:
    async def process_item(self, item: Any) -> Any:
        Watched.seen.append(("last", item["text"][:2]))
        return item

    def close_spider(self) -> None:
        Watched.seen.append(("closed", ""))


@pytest.mark.parametrize(
    ("limit", "order"), [({}, 543), ({}, 0), ({}, -5), ({"CLOSESPIDER_PAGECOUNT": 5}, 543)]
)
def test_pipelines_and_middlewares_of_the_project_see_each_item_once(
    limit: dict[str, int], order: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    seen: list[tuple[str, str]] = []
    monkeypatch.setattr(Watched, "seen", seen)
    with served(stories(5)) as site:
        crawled = crawl(
            Stories,
            site.base,
            SPIDER_MIDDLEWARES={Watched: order},
            ITEM_PIPELINES={First: 100, Last: 200},
            **limit,
        )
    count = len(crawled.responses) + 2
    assert count == 5 if not limit else count >= 4
    assert [text for who, text in seen if who == "first"] == [f"t{number}" for number in range(1, count + 1)]
    assert [text for who, text in seen if who == "last"] == [
        "t1",
        *(f"t{number}" for number in range(4, count + 1)),
    ]
    assert len([who for who, _ in seen if who == "middleware"]) == count
    assert seen[-1] == ("closed", "")
    assert [item["text"] for item in crawled.dropped] == [clean(2)]
    assert [item["text"] for item in crawled.failed] == [clean(3)]
    assert crawled.stats["item_dropped_reasons_count/DropItem"] == 1
    assert crawled.stats["finish_reason"] == ("closespider_pagecount" if limit else "finished")


class Closing:
    """A pipeline that is at work on items, one of which fails, when something closes the crawl."""

    def __init__(self, crawler: Any) -> None:
        self.crawler = crawler
        self.close: Any = None

    @classmethod
    def from_crawler(cls, crawler: Any) -> Any:
        return cls(crawler)

    async def process_item(self, item: Any) -> Any:
        if self.close is None:
            self.close = asyncio.ensure_future(self.crawler.engine.close_spider_async(reason="closed"))
        await asyncio.sleep(0.1)
        if item["text"] == clean(2):
            raise ValueError("broken")
        return item


class Silent(LogFormatter):
    def item_error(self, *_: Any) -> Any:
        return None


def test_a_crawl_that_is_closed_while_items_are_released_ends() -> None:
    with served(stories(4)) as site:
        crawled = crawl(Stories, site.base, ITEM_PIPELINES={Closing: 1}, LOG_FORMATTER=Silent)
    assert crawled.texts == [clean(number) for number in (1, 3, 4)]
    assert [item["text"] for item in crawled.failed] == [clean(2)]
    assert crawled.stats["finish_reason"] == "closed"


class WithFiles(Stories):
    def item(self, response: Response) -> Any:
        return {"url": response.url, "file_urls": [response.url]}


@pytest.mark.parametrize("limit", [{}, {"CLOSESPIDER_PAGECOUNT": 3}])
def test_pipelines_download_files_when_items_go_on(tmp_path: Path, limit: dict[str, int]) -> None:
    with served(stories(4)) as site:
        crawled = crawl(
            WithFiles,
            site.base,
            ITEM_PIPELINES={"scrapy.pipelines.files.FilesPipeline": 1},
            FILES_STORE=str(tmp_path / "files"),
            **limit,
        )
    assert len(crawled.items) >= 2
    assert [len(item["files"]) for item in crawled.items] == [1] * len(crawled.items)
    assert not [line for line in crawled.log if line.startswith("ERROR")]


def test_a_page_that_cannot_be_judged_loses_no_item(monkeypatch: pytest.MonkeyPatch) -> None:
    def fails(self: Any, judge: Any, url: str, *_: Any, **options: Any) -> Any:
        if not url.endswith("/1"):
            raise RuntimeError("too much")
        return {"text": "judged"}

    monkeypatch.setattr(Site, "document", fails)
    with served(stories(4)) as site:
        crawled = crawl(Stories, site.base)
    assert crawled.texts == ["judged", None, None, None]
    assert (crawled.stats["pagelets/items_filled"], crawled.stats["pagelets/items_failed"]) == (1, 3)
    assert len([line for line in crawled.log if "cannot be judged" in line]) == 1


@pytest.mark.parametrize("waits", [True, False])
def test_a_site_that_cannot_be_judged_loses_no_item(monkeypatch: pytest.MonkeyPatch, waits: bool) -> None:
    def fails(self: Any) -> Any:
        raise MemoryError

    monkeypatch.setattr(Site, "judge", fails)
    with served(stories(3)) as site:
        crawled = crawl(Stories, site.base, PAGELETS_WAIT=waits)
    assert crawled.texts == [None] * 3
    assert crawled.stats["pagelets/items_failed"] == 3


class Unwritable(Stories):
    def item(self, response: Response) -> Any:
        return {"url": response.url, "title": response.css("title")}


def test_an_item_that_cannot_be_written_goes_on_at_once() -> None:
    with served(stories(6)) as site:
        crawled = crawl(Unwritable, site.base)
    assert crawled.texts[-1] == clean(6)
    assert crawled.stats["pagelets/items_at_once"] == 6
    assert len([line for line in crawled.log if "before all pages" in line]) == 1


HOSTILE = [
    "",
    "\0" * 2000,
    b"\xff\xfe\x00\xd8" * 500,
    "<div>" * 12_000,
    "<p>" + "word " * 2_000_000,
    b"%PDF-1.7 " + bytes(range(256)) * 20,
    "<meta charset=zip><p>Words of a page that names no text encoding.",
    '<a href="http://[">x</a><p>Words.',
]


def test_hostile_pages_lose_no_item() -> None:
    pages = {f"/{number}": Answer(body, kind=HTML) for number, body in enumerate(HOSTILE, start=2)}

    class Hostile(Stories):
        async def start(self) -> AsyncIterator[Any]:
            for path in ["/1", *pages]:
                yield scrapy.Request(self.url + path)

        def parse(self, response: Response, **_: Any) -> Iterator[Any]:
            yield {"url": response.url}

    with served({"/1": story(1), **pages}) as site:
        crawled = crawl(Hostile, site.base)
    assert {item["url"] for item in crawled.items} == {site.base + path for path in ("/1", *pages)}
    assert crawled.stats["pagelets/items_filled"] == len(pages) + 1


def test_sites_of_a_crawl_are_judged_one_by_one() -> None:
    class Two(Stories):
        async def start(self) -> AsyncIterator[Any]:
            yield scrapy.Request(f"{self.url}/1")
            yield scrapy.Request(f"{self.url}/1".replace("127.0.0.1", "localhost"))

        def parse(self, response: Response, **_: Any) -> Iterator[Any]:
            yield {"url": response.url}
            if "127.0.0.1" in response.url:
                yield from response.follow_all(css="a.next")

    with served(stories(5)) as site:
        crawled = crawl(Two, site.base)
    assert crawled.stats["pagelets/sites"] == 2
    texts = {item["url"].replace(str(site.server_port), "port"): item["text"] for item in crawled.items}
    assert texts["http://127.0.0.1:port/1"] == clean(1)
    assert SOAP in texts["http://localhost:port/1"]


class More:
    """An extension that has another page when the spider is idle for the first time."""

    def __init__(self, crawler: Any) -> None:
        self.crawler = crawler
        self.calls = 0

    @classmethod
    def from_crawler(cls, crawler: Any) -> Any:
        more = cls(crawler)
        crawler.signals.connect(more.idle, signal=scrapy.signals.spider_idle, weak=False)
        return more

    def idle(self) -> None:
        self.calls += 1
        if self.calls == 2:
            self.crawler.engine.crawl(scrapy.Request(f"{self.crawler.spider.url}/6"))


def test_what_comes_after_the_first_idle_moment_is_judged_by_all_before() -> None:
    pages = {**stories(4), "/6": story(6)}
    with served(pages) as site:
        crawled = crawl(Stories, site.base, EXTENSIONS={More: 0})
    assert crawled.texts == [clean(number) for number in (1, 2, 3, 4, 6)]
    assert crawled.stats["pagelets/sites"] == 2


class OwnProcessor(ItemPipelineManager):
    """An item processor of the project."""

    async def process_item_async(self, item: Any) -> Any:
        return await super().process_item_async({**item, "own": True})


def test_an_item_processor_of_the_project_stays() -> None:
    with served(stories(3)) as site:
        crawled = crawl(Stories, site.base, ITEM_PROCESSOR=OwnProcessor)
    assert [item["own"] for item in crawled.items] == [True] * 3
    assert crawled.texts == [clean(number) for number in (1, 2, 3)]


class Crawls(CrawlSpider):
    name = "crawls"
    rules = (Rule(LinkExtractor(restrict_css="a.next"), callback="story", follow=True),)

    async def start(self) -> AsyncIterator[Any]:
        yield scrapy.Request(f"{self.url}/1")

    def story(self, response: Response) -> Any:
        return {"url": response.url}

    parse_start_url = story


class Mapped(SitemapSpider):
    name = "mapped"
    sitemap_urls = ("given",)

    def __init__(self, url: str) -> None:
        super().__init__()
        self.sitemap_urls = (f"{url}/sitemap.xml",)

    def parse(self, response: Response) -> Any:
        return {"url": response.url}


@pytest.mark.parametrize("spider", [Crawls, Mapped])
def test_spiders_of_scrapy_s_kinds(spider: type[scrapy.Spider]) -> None:
    with served(stories(4)) as site:
        urls = "".join(f"<url><loc>{site.base}{path}</loc></url>" for path in site.pages)
        site.pages["/sitemap.xml"] = Answer(
            f'<urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9">{urls}</urlset>', kind="text/xml"
        )
        crawled = crawl(spider, site.base)
    assert sorted(map(str, crawled.texts)) == [clean(number) for number in range(1, 5)]


def test_spiders_of_scrapy_itself_are_left_alone() -> None:
    class Shell(DefaultSpider):
        __module__ = DefaultSpider.__module__
        start = Stories.start
        parse = Stories.parse
        item = Stories.item

    with served(stories(2)) as site:
        crawled = crawl(Shell, site.base)
    assert crawled.texts == [None, None]


@pytest.mark.parametrize("off", [{"PAGELETS_ENABLED": False}, {"PAGELETS_FIELDS": "[]"}])
def test_it_can_be_switched_off(off: dict[str, Any]) -> None:
    with served(stories(2)) as site:
        crawled = crawl(Stories, site.base, **off)
    assert crawled.texts == [None, None]


@pytest.mark.parametrize(
    ("wrong", "told"),
    [
        ({"PAGELETS_FIELDS": ["txt"]}, "PAGELETS_FIELDS: no such field: txt; there are url, "),
        (
            {"PAGELETS_FIELDS": {"same": "duplicate_of"}},
            "PAGELETS_FIELDS: 'duplicate_of' takes all documents",
        ),
        ({"PAGELETS_SITE": {"method": "best"}}, "PAGELETS_SITE: method='best': there are"),
        ({"PAGELETS_SITE": {"folder": "x"}}, "PAGELETS_SITE: 'folder' is the setting PAGELETS_FOLDER"),
        ({"PAGELETS_SITE": {"kept": "x"}}, "PAGELETS_SITE: "),
        ({"PAGELETS_SITE": "method=all"}, "PAGELETS_SITE: "),
        ({"PAGELETS_SITE": {"methods": {"mine": "no.such.Method"}, "method": "mine"}}, "PAGELETS_SITE: no"),
        ({"PAGELETS_SITE": {"fields": {7: "my.module.function"}}}, "PAGELETS_SITE: fields: int; give"),
        ({"PAGELETS_FIELDS": 7}, "PAGELETS_FIELDS"),
        ({"PAGELETS_FIELDS": [["text"]]}, "PAGELETS_FIELDS: fields: list; give str"),
        ({"PAGELETS_FIELD": ["html"]}, "PAGELETS_FIELD: unknown setting; there are PAGELETS_ENABLED, "),
        ({"PAGELETS_WAIT": "perhaps"}, "PAGELETS_WAIT: "),
        ({"PAGELETS_ENABLED": "perhaps"}, "PAGELETS_ENABLED: "),
    ],
)
def test_a_wrong_setting_ends_the_process_before_anything_is_requested(
    wrong: dict[str, Any], told: str, caplog: pytest.LogCaptureFixture
) -> None:
    with served(stories(1)) as site, caplog.at_level(logging.ERROR), pytest.raises(SystemExit) as ended:
        crawl(Stories, site.base, **wrong)
    assert ended.value.code == 2
    (line,) = [record.getMessage() for record in caplog.records]
    assert told in line
    assert "\n" not in line
    assert not site.asked
    with served(stories(1)) as site, pytest.raises(ValueError, match=told.split(":")[0]):
        # A runner that takes an exit for success.
        crawl(Stories, site.base, FORCE_CRAWLER_PROCESS=True, **wrong)


def held(folder: Path, base: str, numbers: range) -> None:
    """Leaves items in a folder, as a crawl that was killed leaves them."""
    waiting = Waiting(folder)
    for number in numbers:
        url = f"{base}/{number}"
        page = FetchedPage(
            url, 200, {}, story(number).encode(), "utf-8", "2026-01-01T00:00:00+00:00", [], "GET"
        )
        waiting.put_item(waiting.put_page(site_of(url), page), {"url": url})
    waiting.stop()


@pytest.mark.parametrize("setting", ["JOBDIR", "PAGELETS_FOLDER"])
def test_items_of_a_crawl_that_was_killed_go_on_in_the_next(tmp_path: Path, setting: str) -> None:
    given = tmp_path / "given"
    with served({"/8": story(8)}) as site:
        held(given / ("pagelets" if setting == "JOBDIR" else "") / "stories", site.base, range(1, 6))

        class Eighth(Stories):
            async def start(self) -> AsyncIterator[Any]:
                yield scrapy.Request(f"{self.url}/8")

        crawled = crawl(Eighth, site.base, **{setting: str(given)})
    assert crawled.texts == [clean(number) for number in (1, 2, 3, 4, 5, 8)]
    assert [line for line in crawled.log if "5 items of an earlier crawl wait" in line]
    assert not [path for path in given.rglob("*") if path.name in ("items", "pages")]


def test_a_job_that_is_interrupted_keeps_its_pages_for_those_that_come(tmp_path: Path) -> None:
    with served(stories(6)) as site:
        first = crawl(Stories, site.base, JOBDIR=str(tmp_path), CLOSESPIDER_PAGECOUNT=4)
        count = len(first.items)
        assert count >= 3
        assert not (tmp_path / "pagelets/stories/items").exists()

        class Sixth(Stories):
            async def start(self) -> AsyncIterator[Any]:
                yield scrapy.Request(f"{self.url}/6")

        rest = crawl(Sixth, site.base, JOBDIR=str(tmp_path))
    assert {*first.texts, *rest.texts} == {clean(number) for number in range(1, 7)}
    assert not (tmp_path / "pagelets").exists()


def test_a_folder_in_use_is_told_and_items_wait_elsewhere(tmp_path: Path) -> None:
    waiting = Waiting(tmp_path / "stories")
    with served(stories(4)) as site:
        crawled = crawl(Stories, site.base, PAGELETS_FOLDER=str(tmp_path))
    assert crawled.texts == [clean(number) for number in range(1, 5)]
    assert [line for line in crawled.log if "another crawl uses it; give PAGELETS_FOLDER another" in line]
    waiting.close(keeps_pages=False)


def test_a_disk_that_is_full_loses_no_item(monkeypatch: pytest.MonkeyPatch) -> None:
    def full(self: Any, *_: Any) -> Any:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(Waiting, "put_page", full)
    with served(stories(5)) as site:
        crawled = crawl(Stories, site.base)
    assert crawled.stats["pagelets/items_at_once"] == 5
    assert crawled.texts[-1] == clean(5)
    assert len([line for line in crawled.log if "No space left" in line]) == 1
