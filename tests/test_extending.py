"""The examples of docs/extending.md, run; and what a project may not put in the place of ours."""

from __future__ import annotations

import asyncio
import importlib
import json
import re
import sys
from functools import partial
from typing import TYPE_CHECKING, Any

import pyarrow.parquet as parquet
import pytest
from scrapy import Spider, signals
from scrapy.core.scheduler import Scheduler
from scrapy.crawler import AsyncCrawlerRunner, Crawler
from scrapy.linkextractors import LinkExtractor
from scrapy.pipelines import ItemPipelineManager
from scrapy.settings import Settings
from scrapy.spiderloader import get_spider_loader
from scrapy.spiders import CrawlSpider, Rule

import crawler.commands
import pagelets
from crawler.configuration.checks import schema_of
from crawler.configuration.components import NEEDED, SWITCHED, leave_out
from crawler.configuration.plan import copied
from release import workers
from settings.errors import ConfigurationError, UnknownName, WrongSiteFile
from tests import forked
from tests.crawler.archives.test_handler import warc
from tests.crawls import PROJECT, crawl, project
from tests.noting import noting
from tests.served import page, served

if TYPE_CHECKING:
    import subprocess
    from collections.abc import Iterator
    from pathlib import Path

DOCUMENT = (PROJECT / "docs" / "extending.md").read_text(encoding="utf-8")
EXAMPLE = re.compile(r"^```python\n# ([\w/]+\.py)\n(.*?)^```", re.MULTILINE | re.DOTALL)
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
    for name, code in EXAMPLE.findall(DOCUMENT):
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_text(code, encoding="utf-8")
    monkeypatch.syspath_prepend(str(tmp_path))
    for name in [name for name in sys.modules if name.partition(".")[0] == "mine"]:
        monkeypatch.delitem(sys.modules, name)


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


METHODS = {"METHOD_CLASSES": {"long": "mine.methods.LongBlocks"}}
FIELDS = {"FIELD_FUNCTIONS": {"minutes": "mine.fields.minutes", "authors": "mine.fields.authors"}}
SINKS = {"SINK_BACKENDS": {"files": "mine.sinks.FilesSink"}}


def options(settings: dict[str, Any]) -> list[str]:
    """Settings as the command line has them."""
    return [
        part
        for name, value in settings.items()
        for part in ("-s", f"{name}={value if isinstance(value, str) else json.dumps(value)}")
    ]


def run(tmp_path: Path, *arguments: str) -> subprocess.CompletedProcess[str]:
    """``scrapy`` with the package ``mine`` and the commands of the examples."""
    return forked.run([*arguments, "-s", f"DATA_DIR={tmp_path}"], prepare=partial(beside, sys.path[0]))


def beside(folder: str) -> None:
    sys.path.insert(0, folder)
    crawler.commands.__path__.append(f"{folder}/crawler/commands")


@pytest.fixture
def archive(tmp_path: Path) -> Path:
    urls = [f"https://s.example/{number}" for number in range(4)]
    pages = [(url, page("t", text=f"This is what {url[-1]} says.").encode()) for url in urls]
    gold = [json.dumps({"url": url, "text": "Text"}) for url in urls]
    (tmp_path / "s.gold.jsonl").write_text("\n".join(gold))
    return warc(tmp_path / "s.warc.gz", *pages)


def test_a_method_judges_pages_of_a_crawl_in_every_process(site, tmp_path, monkeypatch):
    monkeypatch.setattr(workers, "PAGES_A_PROCESS", 1)
    own = {**METHODS, "RELEASE_PROCESSES": 2}
    crawled = crawl(tmp_path, url=f"{site.base}/", method="long", settings=own)
    assert crawled.stats["release/processes"] == 2
    assert {text for one in crawled.documents for text in one["text"].splitlines()} == {
        "This is what the page home says, and no other page does.",
        "This is what the page a says, and no other page does.",
        "A page with a form of its own",
    }
    overrides = [{"type": "begins", "pattern": "/login", "method": "long"}]
    again = crawl(
        tmp_path, url=f"{site.base}/", settings={**METHODS, "OVERRIDES": overrides, "METHOD": "all-text"}
    )
    assert again.paths(site.base) == ["/", "/a"]


def test_a_method_is_known_to_commands(tmp_path, archive):
    done = run(tmp_path, "evaluate", str(archive), "--method", "long,all-text", "--json", *options(METHODS))
    assert [*json.loads(done.stdout)] == ["long", "all-text"], done.stderr
    crawled = run(tmp_path, "crawl", "archive", "-a", f"path={archive}", *options(METHODS), "--nolog")
    assert crawled.returncode == 0, crawled.stderr
    done = run(tmp_path, "try", "s", "-a", "method=long", "--json", *options(METHODS))
    assert done.returncode == 0, done.stderr
    done = run(tmp_path, "export", "s", "-s", "METHOD=long", *options(METHODS), "--fields", "text")
    assert json.loads(done.stdout.splitlines()[0]) == {"text": "This is what 0 says."}, done.stderr


def test_a_field_is_in_documents_feeds_and_commands(tmp_path, archive):
    crawled = run(
        tmp_path,
        "crawl",
        "archive",
        "-a",
        f"path={archive}",
        *options(FIELDS),
        "--nolog",
        "-O",
        f"{tmp_path}/all.parquet",
    )
    assert crawled.returncode == 0, crawled.stderr
    table = parquet.read_table(tmp_path / "all.parquet")
    assert [str(table.schema.field(name).type) for name in FIELDS["FIELD_FUNCTIONS"]] == [
        "double",
        "list<element: string>",
    ]
    done = run(tmp_path, "export", "s", "--fields", "url,minutes", *options(FIELDS))
    assert [*json.loads(done.stdout.splitlines()[0])] == ["url", "minutes"]
    done = run(tmp_path, "export", "s", "--fields", "url,minuets", *options(FIELDS))
    assert (done.returncode, done.stderr.count("\n")) == (2, 1)
    assert "did you mean 'minutes'?" in done.stderr


def test_crawls_of_one_process_do_not_see_each_other_s(tmp_path, archive):
    """Two at a time, in which the same names stand for other methods and fields."""
    (tmp_path / "mine" / "others.py").write_text(
        "from mine.methods import LongBlocks\n"
        "class NoBlocks(LongBlocks):\n    def __init__(self):\n        super().__init__(99)\n"
        "def minutes(page, document) -> str:\n    return 'a while'\n"
    )
    paths = [
        ("mine.methods.LongBlocks", "mine.fields.minutes"),
        ("mine.others.NoBlocks", "mine.others.minutes"),
    ]
    found: list[list[dict[str, Any]]] = [[], []]
    spider = get_spider_loader(project()).load("archive")
    crawlers = []
    for number, (method, field) in enumerate(paths):
        own = copied(project())
        own.set("DATA_DIR", str(tmp_path / str(number)), priority="project")
        own.update(
            {"METHOD_CLASSES": {"own": method}, "FIELD_FUNCTIONS": {"minutes": field}}, priority="cmdline"
        )
        crawlers.append(Crawler(spider, own))
        take = lambda item, kept=found[number]: kept.append(item)  # noqa: E731
        crawlers[-1].signals.connect(take, signals.item_scraped, weak=False)

    async def both() -> None:
        await asyncio.gather(
            *(one.crawl_async(path=str(archive), site="s", method="own") for one in crawlers)
        )

    asyncio.run(both())
    assert [len(documents) for documents in found] == [4, 4]
    assert [type(documents[0]["minutes"]) for documents in found] == [float, str]
    methods = [one.spider.session.config.registry.version_of("own") for one in crawlers]
    assert methods == ["own words=5", "own words=99"]
    assert {one["stats"]["flags"] == [] for one in found[0]} == {True}
    assert {tuple(one["stats"]["flags"]) for one in found[1]} == {("kept_whole",)}
    crawlers[0].settings.frozen = False
    crawlers[0].settings.set("SINK_BACKENDS", SINKS["SINK_BACKENDS"], priority="cmdline")
    schemas = [schema_of(one.settings) for one in crawlers]
    assert ["FILES" in one.key_of for one in schemas] == [True, False]
    with pytest.raises(ConfigurationError, match="method=own: unknown method"):
        crawl(tmp_path, "archive", path=archive, site="s", method="own")


def test_installed_packages_are_asked_for_names_that_are_unknown(tmp_path, archive):
    folder = tmp_path / "mine-1.0.dist-info"
    folder.mkdir()
    (folder / "METADATA").write_text("Metadata-Version: 2.1\nName: mine\nVersion: 1.0\n")
    groups = {"methods": {"long": "methods:LongBlocks"}, "fields": {"minutes": "fields:minutes"}}
    lines = [
        f"[pagelets.{group}]\n" + "".join(f"{name} = mine.{path}\n" for name, path in named.items())
        for group, named in {**groups, "sinks": {"files": "sinks:FilesSink"}}.items()
    ]
    (folder / "entry_points.txt").write_text("\n".join(lines))
    asked = ["-a", "method=vote:long,all-text", "-a", "fields=url,minutes", "-s", "SINKS=files"]
    place = options({"FILES": {"folder": f"{tmp_path}/out", "seal": "hush-7Q"}})
    file = f"{tmp_path}/all.parquet"
    crawled = run(tmp_path, "crawl", "archive", "-a", f"path={archive}", *asked, *place, "-O", file)
    assert crawled.returncode == 0, crawled.stderr
    assert "hush" not in crawled.stdout + crawled.stderr
    assert [str(field.type) for field in parquet.read_table(file).schema] == ["string", "double"]
    assert len([*(tmp_path / "out" / "s").glob("*.json")]) == 4
    with pagelets.Site(method="long") as site:
        site.add("https://s.example/", "<p>These are more than five words.<p>No.")
        assert [*site.documents(["text", "minutes"])] == [
            {"text": "These are more than five words.", "minutes": 6 / 200}
        ]
    for wrong, near in (("method=lung", "long"), ("fields=minuets", "minutes")):
        refused = run(tmp_path, "crawl", "archive", "-a", f"path={archive}", "-a", wrong, "--nolog")
        assert (refused.returncode, f"did you mean {near!r}?" in refused.stderr) == (2, True), refused.stderr


def test_a_sink_with_a_table_of_its_own(site, tmp_path, monkeypatch):
    (tmp_path / "sites").mkdir()
    file = tmp_path / "sites" / "s.toml"
    example, *_ = re.findall(r"^```toml\n(.*?)^```", DOCUMENT, re.MULTILINE | re.DOTALL)
    file.write_text(f'url = "{site.base}/"\n{example.replace("/srv/files", f"{tmp_path}/out")}')
    monkeypatch.setenv("FILES_SEAL", "hush-7Q")
    own = {**SINKS, "SITES_DIR": str(tmp_path / "sites")}
    crawled = crawl(tmp_path / "data", site="s", settings=own)
    assert crawled.outcome == "complete"
    kept = [json.loads(one.read_text()) for one in (tmp_path / "out" / "s").glob("*.json")]
    assert sorted(one["url"] for one in kept) == crawled.urls
    assert all(len(one["seal"]) == 64 for one in kept)
    file.write_text(file.read_text().replace('{ env = "FILES_SEAL" }', '"hush-7Q"'))
    shown = run(tmp_path, "sites", "--show", "s", "--json", *options(own))
    assert '"seal": "(hidden)"' in shown.stdout, shown.stderr
    assert "hush" not in shown.stdout + shown.stderr
    checked = run(tmp_path / "data", "index", "s", "--check", *options(own))
    assert checked.returncode == 0, checked.stderr
    for wrong, said in (
        ("folder = 5", ":4: key 'files.folder': value 5: is no text"),
        ("sael = 'hush'", ":4: key 'files.sael': unknown key; did you mean 'seal'?"),
    ):
        file.write_text(f'url = "{site.base}/"\nsinks = ["files"]\n[files]\n{wrong}\n')
        with pytest.raises(WrongSiteFile, match=re.escape(said)) as caught:
            crawl(tmp_path / "data", site="s", settings=own)
        assert "hush" not in str(caught.value)


def test_a_secret_of_an_own_sink_is_told_nowhere(tmp_path, archive):
    own = {**SINKS, "SINKS": "files", "FILES": {"folder": f"{tmp_path}/out", "seal": "hush-7Q"}}
    crawled = run(tmp_path, "crawl", "archive", "-a", f"path={archive}", *options(own), "-L", "DEBUG")
    assert crawled.returncode == 0, crawled.stderr
    assert "FILES: every user of this machine sees a secret" in crawled.stderr
    assert "hush" not in crawled.stdout + crawled.stderr
    assert len([*(tmp_path / "out" / "s").glob("*.json")]) == 4


def test_a_command_is_one_file(tmp_path, archive):
    run(tmp_path, "crawl", "archive", "-a", f"path={archive}", "--nolog")
    done = run(tmp_path, "urls", "s", "--json")
    assert [json.loads(line)["url"] for line in done.stdout.splitlines()] == [
        f"https://s.example/{n}" for n in range(4)
    ]
    assert run(tmp_path, "urls", "t").stderr == "scrapy urls: unknown site 't'; there are: s\n"


@pytest.mark.parametrize(
    ("settings", "said"),
    [
        (
            {"METHOD_CLASSES": {"own": "mine.method.Gone"}, "METHOD": "own"},
            "METHOD: own is not ready: mine.method.Gone gives no method: ModuleNotFoundError",
        ),
        (
            {"METHOD_CLASSES": {"own": "mine.sinks.FilesTable"}, "METHOD": "own"},
            "mine.sinks.FilesTable has no 'cite'",
        ),
        (
            {"METHOD_CLASSES": {"judged": "mine.methods.LongBlocks"}},
            "METHOD_CLASSES: 'judged' is a method of ours",
        ),
        ({"METHOD_CLASSES": "mine.methods.LongBlocks"}, "METHOD_CLASSES=mine.methods.LongBlocks: is no JSON"),
        ({"FIELD_FUNCTIONS": {"text": "mine.fields.minutes"}}, "FIELD_FUNCTIONS: 'text' is a field of ours"),
        (
            {"FIELD_FUNCTIONS": {"day": "mine.fields.minutes"}},
            "FIELD_FUNCTIONS: 'day' is a column of our tables and indexes",
        ),
        (
            {"FIELD_FUNCTIONS": {"own": "mine.fields.gone"}},
            "FIELD_FUNCTIONS: mine.fields.gone is no function",
        ),
        (
            {"SINK_BACKENDS": {"a": "mine.Gone"}},
            "SINK_BACKENDS: sink 'a'",
        ),
        ({"SINK_BACKENDS": {"rate": "mine.sinks.FilesSink"}}, "SINK_BACKENDS: 'rate' is a key of ours"),
    ],
)
def test_what_cannot_be_added_is_said_in_a_sentence(tmp_path, settings, said):
    with pytest.raises(ConfigurationError, match=re.escape(said)) as caught:
        crawl(tmp_path, url="https://example.org/", settings=settings)
    assert "\n" not in str(caught.value)


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


@pytest.mark.parametrize("switch", SWITCHED)
def test_of_what_is_listed_only_what_is_switched_on_is_imported(switch):
    name, path = SWITCHED[switch]
    for on in (True, False):
        settings = Settings({switch: on})
        leave_out(settings)
        assert (path in settings.get_component_priority_dict_with_base(name.removesuffix("_BASE"))) == on


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
        (["list", *quiet], "archive\nsimilar\nsite\ntemplate"),
    ):
        done = forked.run(arguments)
        assert shown in done.stdout + done.stderr, arguments
        assert done.returncode in (0, None), arguments
    assert not (tmp_path / "data").exists()
