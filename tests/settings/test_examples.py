"""Each example of settings/sites/examples is crawled: on a site served here that looks like its own."""

from __future__ import annotations

import base64
import shutil
from contextlib import closing
from importlib.util import find_spec
from typing import TYPE_CHECKING, Any
from urllib.parse import urlsplit

import pytest
from scrapy.settings import Settings

from crawler.configuration.plan import plan_site
from settings.site import SITES, load
from store.site import Store
from tests.crawler.fetching.browser.test_rendering import launched_once
from tests.crawls import crawl, lines, scrapy
from tests.served import Answer, Site, served

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from tests.crawls import Crawled

EXAMPLES = SITES / "examples"
AT_ONCE = {"DOWNLOAD_DELAY": 0, "AUTOTHROTTLE_ENABLED": False, "CONCURRENT_REQUESTS_PER_DOMAIN": 8}
FOOTER = "All rights reserved by the people who run this site, whoever they are."
OWN_WORDS = (
    "amber basin cobalt dune ember fjord garnet harbour islet jasper kelp lagoon mesa nectar opal".split()
)


class Example:
    """A copy of an example in a folder of its own, with a local server in place of its host."""

    def __init__(self, name: str, folder: Path) -> None:
        self.name = name
        self.folder = folder
        self.sites = folder / "sites"

    def at(self, site: Site) -> None:
        """Writes the copy."""
        text = (EXAMPLES / f"{self.name}.toml").read_text(encoding="utf-8")
        url = urlsplit(load(EXAMPLES / f"{self.name}.toml").urls[0])
        self.sites.mkdir(exist_ok=True)
        text = text.replace(f"{url.scheme}://{url.netloc}", site.base)
        (self.sites / f"{self.name}.toml").write_text(text, encoding="utf-8")

    def crawl(self, **asked: Any) -> Crawled:
        """Crawls the copy, without the waiting that it asks for."""
        return crawl(
            self.folder / "data", settings={**AT_ONCE, "SITES_DIR": str(self.sites), **asked}, site=self.name
        )

    def in_force(self) -> Settings:
        """The project's settings with those of the copy."""
        project = Settings()
        project.setmodule("settings.base", priority="project")
        project.set("SITES_DIR", str(self.sites), "cmdline")
        plan_site({"site": self.name}, project).apply(project)
        return project


@pytest.fixture
def example(tmp_path: Path) -> Callable[[str], Example]:
    return lambda name: Example(name, tmp_path)


def html(title: str, *links: str, text: str = "", head: str = "") -> str:
    """A page of the served sites: a menu and a footer that all have, and a sentence of its own."""
    words = [OWN_WORDS[(len(title) * 7 + ord(title[-1]) * place) % len(OWN_WORDS)] for place in range(1, 16)]
    items = "".join(f"<li><a href='{link}'>to {link}</a></li>" for link in links)
    menu = "".join(f"<a href='/menu/{place}.css'>Part {place}</a> " for place in "abc")
    return (
        f"<!doctype html><html lang=en><head><title>{title}</title>{head}</head><body><nav>{menu}</nav><main>"
        f"<h1>{title}</h1><p>{title} tells of {' '.join(words)} and of nothing besides.</p>"
        f"{text}<ul>{items}</ul>"
        f"</main><footer><p>{FOOTER}</p><a href=/imprint.css>Imprint</a> <a href=/press.css>Press</a> "
        "<a href=/jobs.css>Jobs</a></footer></body></html>"
    )


def documents(crawled: Crawled, site: Site) -> dict[str, dict[str, Any]]:
    return {document["url"].removeprefix(site.base): document for document in crawled.documents}


def test_handbook(example: Callable[[str], Example]) -> None:
    warning = "<div class=warning><p>Switch the power off before you open the case.</p></div>"
    guides = [f"/handbook/guide-{place}" for place in "abcdef"]
    denied = [
        "/handbook/archive/2023/a",
        "/handbook/guide-a/print",
        "/handbook/v1.2/guide-a",
        "/handbook/v3/x",
    ]
    others = ["/handbook/archive/2024/a", "/handbook/reference/b", "/handbook/reference/errors/c"]
    links = [*guides, *others, *denied, "/blog/news"]
    pages = {path: html(path[-12:], text=warning) for path in [*guides, *others, *denied, "/blog/news"]}
    pages["/handbook/"] = html("Handbook", *links, text=warning)
    handbook = example("handbook")
    with served(pages) as site:
        handbook.at(site)
        crawled = handbook.crawl()
        assert crawled.outcome == "complete"
        assert not {*denied, "/blog/news"} & set(site.asked)
        states = crawled.states(site.base)
    assert [states[path] for path in denied] == ["refused rule"] * 4
    assert states["/blog/news"] == "refused scope"
    found = documents(crawled, site)
    assert set(found) == {"/handbook/", *guides, *others}
    assert set(found[guides[0]]) == {"url", "title", "markdown", "sections", "language", "content_hash"}
    assert all("Switch the power off" in (page.get("markdown") or page["text"]) for page in found.values())
    assert FOOTER not in found[guides[0]]["markdown"]
    # The override with the higher priority: all the text, and three fields.
    errors = found["/handbook/reference/errors/c"]
    assert set(errors) == {"url", "title", "text"}
    assert FOOTER in errors["text"]
    assert FOOTER not in found["/handbook/reference/b"]["markdown"]
    in_force = handbook.in_force()
    assert in_force.getint("MAX_PAGES") == 20_000
    assert (in_force["REVISIT_MIN"], in_force["REVISIT_MAX"]) == (6 * 3600, 14 * 86400)


def test_handbook_is_asked_again_when_its_interval_is_over(example: Callable[[str], Example]) -> None:
    pages = {"/handbook/": html("Handbook", "/handbook/a"), "/handbook/a": html("Guide A")}
    handbook = example("handbook")
    with served(pages) as site:
        handbook.at(site)
        handbook.crawl()
        site.forget()
        assert handbook.crawl().documents == []
        assert "/handbook/a" not in site.asked


def test_news(example: Callable[[str], Example]) -> None:
    articles = [f"/2025/0{month}/story-{month}" for month in range(1, 7)]
    chain = ["/deep-1", "/deep-2", "/deep-3", "/deep-4"]
    listed = ["/2019/05/old", "/2025/09/only-listed"]
    denied = ["/tag/sea", "/people/author/ann"]
    pages: dict[str, Any] = {path: html(f"Story {path}") for path in [*articles, *listed, *denied]}
    pages |= {path: html(f"Part {path}", *chain[place + 1 : place + 2]) for place, path in enumerate(chain)}
    pages["/"] = html("News", *articles, *denied, chain[0])
    news = example("news")
    with served(pages) as site:
        entries = "".join(f"<url><loc>{site.base}{path}</loc></url>" for path in listed)
        site.pages["/feeds/articles.xml"] = Answer(
            f"<urlset xmlns='http://www.sitemaps.org/schemas/sitemap/0.9'>{entries}</urlset>",
            kind="application/xml",
        )
        news.at(site)
        crawled = news.crawl()
        states = crawled.states(site.base)
    assert crawled.outcome == "complete"
    assert set(documents(crawled, site)) == {"/", *articles, *listed, *chain[:3]}
    assert states["/deep-4"] == "refused depth"
    assert {states[path] for path in denied} == {"refused rule"}
    assert set(crawled.documents[0]) == {
        "url", "title", "text", "author", "published", "language", "content_hash"
    }  # fmt: skip
    in_force = news.in_force()
    expected = {
        "DOWNLOAD_DELAY": 1.0,
        "CONCURRENT_REQUESTS_PER_DOMAIN": 2,
        "DOWNLOAD_TIMEOUT": 30,
        "RETRY_TIMES": 3,
        "DEPTH_LIMIT": 3,
        "MAX_PAGES": 50_000,
        "REVISIT_MIN": 900,
        "REVISIT_MAX": 30 * 86400,
        "LOSS_MIN_SHARE": 0.8,
        "MISSED_RUNS": 5,
    }
    assert {name: in_force[name] for name in expected} == expected


def test_news_of_earlier_years_is_left_alone_for_longer(example: Callable[[str], Example]) -> None:
    paths = ["/2019/05/old", "/2025/09/new"]
    news = example("news")
    with served({"/": html("News", *paths), **{path: html(path) for path in paths}}) as site:
        news.at(site)
        crawled = news.crawl()
    with closing(Store.open(crawled.folder)) as store:
        rows = store.connection.execute("SELECT url, interval FROM pages WHERE fetched_run IS NOT NULL")
        waits = {url.removeprefix(site.base): interval for url, interval in rows}
    assert waits["/2019/05/old"] >= 30 * 86400 > waits["/2025/09/new"] >= 900


def test_a_night_with_few_of_the_news_deletes_nothing(example: Callable[[str], Example]) -> None:
    articles = [f"/2025/01/story-{place}" for place in range(12)]
    pages = {"/": html("News", *articles), **{path: html(f"Story {path}") for path in articles}}
    news = example("news")
    with served(pages) as site:
        news.at(site)
        at_once = {"REVISIT_MIN": 0, "REVISIT_MAX": 0, "OVERRIDES": "[]"}
        assert len(news.crawl(**at_once).documents) == 13
        for path in articles[:4]:
            site.pages[path] = Answer("gone", 410)
        crawled = news.crawl(**at_once)
    assert crawled.outcome == "suspicious"
    assert crawled.deletions == []


def test_shop(example: Callable[[str], Example]) -> None:
    def product(name: str, text: str = "", head: str = "") -> str:
        parts = (
            f"{text}<p class=price>Price: 9.99</p>"
            f"<div class=recommendations><p>With {name} others bought string.</p></div>"
            "<div id=cookie-notice><p>This shop keeps a cookie of yours.</p></div>"
        )
        return html(f"Product {name}", text=parts, head=head)

    long = " ".join(f"The {word} shirt is made of {other}." for word in OWN_WORDS for other in OWN_WORDS[:6])
    shirt = f"<p>{long} It comes in {{}}.</p>"
    pages = {
        "/p/anchor": product("anchor"),
        "/p/bell": product("bell"),
        "/p/compass": product("compass", head="<link rel=canonical href=/p/compass-brass>"),
        "/p/compass-brass": product("compass of brass"),
        "/p/shirt-blue": product("shirt", shirt.format("blue")),
        "/p/shirt-red": product("shirt", shirt.format("red")),
    }
    links = [*pages, "/list?sort=up&page=1", "/list?sort=down&page=1&view=tiles", "/list?currency=eur&page=1"]
    pages["/list?page=1"] = html("List")
    pages["/"] = html("Shop", *links, "/cart?add=1", "/account/login")
    shop = example("shop")
    with served(pages) as site:
        shop.at(site)
        crawled = shop.crawl()
        assert [path for path in site.asked if path.startswith("/list")] == ["/list?page=1"]
        assert site.asked["/list?page=1"] == 1
        states = crawled.states(site.base)
    assert {states["/cart?add=1"], states["/account/login"]} == {"refused rule"}
    found = documents(crawled, site)
    assert set(found) == {"/", "/list?page=1", "/p/anchor", "/p/bell", "/p/compass-brass", "/p/shirt-blue"}
    text = found["/p/anchor"]["text"]
    assert "Price: 9.99" in text
    assert "others bought" not in text
    assert "cookie" not in text
    assert set(found["/"]) == {"url", "title", "text", "canonical_url", "content_hash"}


class Guarded:
    """Lets those in who know the user, the password and the key."""

    allowed = "Basic " + base64.b64encode(b"reader:open sesame").decode()

    def __init__(self, site: Site) -> None:
        handler = site.RequestHandlerClass
        self.agents: set[str | None] = set()
        guard = self

        class Handler(handler):  # type: ignore[misc, valid-type]
            def do_GET(self) -> None:
                guard.agents.add(self.headers["User-Agent"])
                if (self.headers["Authorization"], self.headers["X-Gate-Key"]) == (guard.allowed, "k"):
                    super().do_GET()
                else:
                    self.send_error(401)

        site.RequestHandlerClass = Handler


@pytest.fixture
def credentials(monkeypatch: pytest.MonkeyPatch) -> None:
    for name, value in {"WIKI_USER": "reader", "WIKI_PASSWORD": "open sesame", "GATE_KEY": "k"}.items():
        monkeypatch.setenv(name, value)


def test_intranet(example: Callable[[str], Example], credentials: None) -> None:
    noindex = "<meta name=robots content=noindex>"
    links = ["/wiki/a", "/wiki/b?action=edit", "/wiki/special/all", "/elsewhere"]
    pages = {"/wiki/": html("Wiki", *links, head=noindex), "/wiki/a": html("Page A", head=noindex)}
    intranet = example("intranet")
    with served(pages) as site:
        guarded = Guarded(site)
        intranet.at(site)
        # Without the browser that boards need.
        crawled = intranet.crawl(OVERRIDES="[]")
        states = crawled.states(site.base)
    assert crawled.outcome == "complete"
    assert set(documents(crawled, site)) == {"/wiki/", "/wiki/a"}
    assert {states["/wiki/b?action=edit"], states["/wiki/special/all"]} == {"refused rule"}
    assert guarded.agents == {"search-of-our-own/1.0 (it@example.org)"}


@pytest.mark.skipif(
    find_spec("scrapy_playwright") is None
    or not any(map(shutil.which, ("chromium", "chromium-browser", "google-chrome"))),
    reason="needs requirements-javascript.txt and a Chromium",
)
def test_boards_of_the_intranet_are_drawn_by_a_browser(
    example: Callable[[str], Example], credentials: None
) -> None:
    draw = "<script>document.querySelector('h1').textContent = 'Drawn by a script'</script>"
    paths = ["/wiki/boards/a", "/wiki/a"]
    pages = {path: html(path, text=draw) for path in paths}
    pages["/wiki/"] = html("Wiki", *paths)
    intranet = example("intranet")
    with served(pages) as site:
        Guarded(site)
        intranet.at(site)
        done = scrapy(
            intranet.folder,
            *("-a", "site=intranet", "-s", f"SITES_DIR={intranet.sites}", "-O", "-:jsonlines"),
            prepare=launched_once,
        )
    assert done.returncode == 0, done.stderr
    texts = {document["url"].removeprefix(site.base): document["text"] for document in lines(done.stdout)}
    assert "Drawn by a script" in texts["/wiki/boards/a"]
    assert "Drawn by a script" not in texts["/wiki/a"]


def test_every_example_has_a_test() -> None:
    assert sorted(path.stem for path in EXAMPLES.glob("*.toml")) == ["handbook", "intranet", "news", "shop"]
