"""Looks at a site with a handful of requests, one after the other."""

from __future__ import annotations

import math
from collections import Counter, defaultdict
from collections.abc import AsyncIterator, Iterator
from itertools import chain, islice, zip_longest
from typing import Any, Final, Self
from urllib.parse import urlsplit, urlunsplit

from scrapy import Spider
from scrapy.crawler import Crawler
from scrapy.exceptions import IgnoreRequest
from scrapy.http import HtmlResponse, Request, Response

from crawler.fetching.address_guard import Addresses, check_connections
from crawler.fetching.partition import encoding_in
from crawler.fetching.robots import ObeyRobots
from crawler.fetching.sitemap import INDEX, KINDS, Entry, Sitemap, absolute
from crawler.frontier.moves import origin
from crawler.frontier.scope import Scope
from crawler.survey.findings import Findings, SeenPage, first_folder, parameter_names
from inspection.sampled_page import MAX_SOURCE, SampledPage
from pagelets.page import Page
from pagelets.reading import read
from pagelets.reading.source import decoded
from settings.canonical import SESSION_PARAMETERS
from settings.errors import ConfigurationError

PAGES: Final = 10
"""Pages that are fetched beside the start page."""
FEWEST_PAGES: Final = 3
SITEMAPS: Final = 3
"""Sitemap files that are read."""
PATIENCE: Final = 60.0
"""Seconds that the waiting for a Crawl-delay may take before fewer pages are fetched."""
LONGEST_DELAY: Final = 20.0
"""Seconds between two requests at most, whatever a Crawl-delay asks for: so few requests hurt nobody."""

_URLS: Final = 20_000
"""URLs that are kept of links, to count what a rule would spare."""
_SAMPLES: Final = 1000
"""URLs that are kept of the sitemaps, to choose pages from."""


class ShortDelays(ObeyRobots):
    """Robots.txt as a crawl obeys it, with a shorter longest delay."""

    longest_delay = LONGEST_DELAY


class SurveySpider(Spider):
    """Visits a site's robots.txt, start page, sitemaps and some pages; ``findings`` is what it saw.

    ``problem`` is the exception that ended it early: ConfigurationError where the site cannot be surveyed.
    ``done`` tells that it came to its end.
    """

    name = "survey"
    addresses: Addresses

    def __init__(self, url: str, **kwargs: Any) -> None:
        super().__init__(**kwargs)
        self.findings = Findings(url, url)
        self.problem: Exception | None = None
        self.done = False

    @classmethod
    def from_crawler(cls, crawler: Crawler, *args: Any, **kwargs: Any) -> Self:
        """Has each connection checked, as those of a crawl are."""
        spider = super().from_crawler(crawler, *args, **kwargs)
        spider.addresses = Addresses([spider.findings.asked], crawler.settings.getlist("PRIVATE_HOSTS"))
        check_connections(crawler.settings)
        return spider

    @property
    def _agent(self) -> str:
        return str(self.settings["ROBOTSTXT_USER_AGENT"] or self.settings["USER_AGENT"])

    async def start(self) -> AsyncIterator[Any]:
        """Looks; there is nothing to schedule."""
        try:
            await self._look()
        except Exception as error:
            self.problem = error
        else:
            self.done = True
        nothing: tuple[Request, ...] = ()
        for request in nothing:
            yield request

    async def _look(self) -> None:
        findings = self.findings
        await self._read_robots(findings.asked)
        response, page = await self._start_page()
        findings.title = page.title
        findings.start = _start(findings.asked, response.url)
        if origin(response.url) != origin(findings.asked):
            await self._read_robots(response.url)
        self._scope = Scope.from_settings([findings.start], self.settings)
        self._note(response, page)
        await self._read_sitemaps()
        delay = min(findings.crawl_delay or 0.0, LONGEST_DELAY)
        pages = PAGES if delay * PAGES <= PATIENCE else max(FEWEST_PAGES, math.floor(PATIENCE / delay))
        for url in self._choose(page, findings.sitemaps.samples, {response.url, findings.asked}, pages):
            await self._visit(url)
        await self._ask_again()

    async def _start_page(self) -> tuple[HtmlResponse, Page]:
        """Returns the start page, wherever it has moved. Raises ConfigurationError without one."""
        asked = self.findings.asked
        try:
            response = await self._fetch(asked)
        except IgnoreRequest as error:
            if "robots.txt" in str(error):
                raise ConfigurationError(
                    f"{asked}: robots.txt forbids it to {self.settings['USER_AGENT']!r}; give a page that it "
                    "allows, or write the site file by hand"
                ) from error
            raise ConfigurationError(f"{asked}: {_reason(error)}; give the URL of a page") from error
        except Exception as error:
            raise ConfigurationError(
                f"{asked}: not reachable ({_reason(error)}); see that the address is right and the site is up"
            ) from error
        if response.status != 200:
            raise ConfigurationError(
                f"{response.url}: the server answers {response.status}; {_mend(response.status)}"
            )
        if not isinstance(response, HtmlResponse):
            raise ConfigurationError(f"{response.url}: no HTML page; give the URL of a page")
        try:
            return response, read(_text(response), response.url)
        except Exception as error:
            raise ConfigurationError(f"{response.url}: not readable ({_reason(error)})") from error

    async def _read_robots(self, url: str) -> None:
        robots = self.crawler.get_downloader_middleware(ObeyRobots)
        assert robots is not None
        findings = self.findings
        findings.requests += 1
        try:
            parser = await robots.robot_parser(Request(url))
        except IgnoreRequest as error:
            raise ConfigurationError(
                f"{url}: not reachable (robots.txt: {self._why_no_robots()}); see that the address is right "
                "and the site is up"
            ) from error
        findings.crawl_delay = parser.crawl_delay(self._agent)
        # Scrapy's parsers have no common name for it; the default one keeps what it has parsed here.
        named = getattr(getattr(parser, "rp", None), "sitemaps", ())
        findings.sitemaps.from_robots = list(
            dict.fromkeys(filter(None, (absolute(str(name), url) for name in named)))
        )

    def _why_no_robots(self) -> str:
        names = [name.partition("robotstxt/")[2] for name in self.crawler.stats.get_stats()]
        errors = [
            name.rpartition(".")[2].rstrip("'>") for name in names if name.startswith("exception_count/")
        ]
        answers = [name.rpartition("/")[2] for name in names if name.startswith("response_status_count/")]
        return ", ".join([*errors, *(f"status {answer}" for answer in answers)])

    async def _read_sitemaps(self) -> None:
        sitemaps = self.findings.sitemaps
        named = sitemaps.from_robots or [f"{origin(self.findings.start)}/sitemap.xml"]
        waiting, seen = list(named), set(named)
        while waiting and len(sitemaps.files) < SITEMAPS:
            url = waiting.pop(0)
            response = await self._try(url, quiet=not sitemaps.from_robots)
            if response is None:
                continue
            sitemap = Sitemap(response.body, self.settings.getint("DOWNLOAD_MAXSIZE"))
            entries = [entry for part in sitemap.parts() for entry in part]
            if sitemap.kind not in KINDS:
                continue
            sitemaps.files.append(url)
            inner = list(filter(None, (absolute(entry.location, url) for entry in entries)))
            if sitemap.kind == INDEX:
                # The first of an index may be of an odd kind (images, authors): the last is read too.
                order = [*inner[-1:], *inner[:-1]] if len(sitemaps.files) > 1 else inner
                waiting += [url for url in order if url not in seen]
                seen.update(inner)
            else:
                self._count(inner, entries)
        sitemaps.unread = len(waiting)

    def _count(self, urls: list[str], entries: list[Entry]) -> None:
        sitemaps = self.findings.sitemaps
        sitemaps.urls += len(entries)
        sitemaps.dated += sum(entry.modified is not None for entry in entries)
        wanted = [url for url in urls if self._scope.target(url).refusal is None]
        sitemaps.elsewhere += len(entries) - len(wanted)
        sitemaps.folders.update(map(first_folder, wanted))
        sitemaps.samples += wanted[: _SAMPLES - len(sitemaps.samples)]

    def _choose(self, page: Page, listed: list[str], seen: set[str], count: int) -> Iterator[str]:
        """Pages to look at: half of them from every folder one before a second, the others from the two
        largest, as fields show in pages of one kind; links before what only sitemaps list.
        """
        folders: dict[str, list[str]] = defaultdict(list)
        for url in chain((link.url for link in page.links if not link.nofollow), page.follow, listed):
            target = self._scope.target(url)
            if target.refusal is None and target.url not in seen:
                seen.add(target.url)
                folders[first_folder(target.url)].append(target.url)
        largest = sorted(folders.values(), key=len, reverse=True)[:2]
        turns, of_largest = (
            [url for turn in zip_longest(*some) for url in turn if url is not None]
            for some in (folders.values(), map(_of_one_kind, largest))
        )
        half = turns[: count - count // 2]
        others = [url for url in of_largest if url not in half]
        return islice(dict.fromkeys([*half, *others[: count // 2], *turns]), count)

    async def _visit(self, url: str) -> None:
        response = await self._try(url)
        if not isinstance(response, HtmlResponse):
            return
        try:
            page = read(_text(response), response.url)
        except Exception as error:
            self.findings.failed[_reason(error)] += 1
            return
        self._note(response, page)

    def _note(self, response: HtmlResponse, page: Page) -> None:
        findings = self.findings
        findings.pages.append(SeenPage.of(response, page, self._agent))
        if len(text := _text(response)) <= MAX_SOURCE:
            findings.sample.append(SampledPage(response.url, text, page.base))
        inside, outside = [], set()
        for url in chain((link.url for link in page.links), page.follow):
            target = self._scope.target(url)
            if target.refusal is None:
                inside.append(url)
                if len(findings.urls) < _URLS:
                    findings.urls.add(target.url)
            elif target.refusal == "scope" and url.startswith(("http://", "https://")):
                outside.add(urlsplit(target.url).netloc)
        findings.folders.update(sorted({first_folder(url) for url in inside}))
        findings.parameters.update(
            name for name in sorted(parameter_names(inside)) if name.lower() not in SESSION_PARAMETERS
        )
        findings.hosts.update(sorted(outside - {findings.host}))

    async def _ask_again(self) -> None:
        """Finds out if the server answers 304 to a conditional request."""
        pages = reversed(self.findings.pages)
        page = next((page for page in pages if page.etag or page.last_modified), None)
        if page is None:
            return
        headers = {"Cache-Control": "max-age=0"}
        if page.etag:
            headers["If-None-Match"] = page.etag
        if page.last_modified:
            headers["If-Modified-Since"] = page.last_modified
        response = await self._try(page.url, headers=headers)
        if response is not None:
            self.findings.not_modified = response.status == 304

    async def _try(self, url: str, *, quiet: bool = False, **details: Any) -> Response | None:
        """A response with status 200 or 304; None, and a finding unless ``quiet``, for all else."""
        findings = self.findings
        try:
            response = await self._fetch(url, **details)
        except Exception as error:
            if isinstance(error, IgnoreRequest) and "robots.txt" in str(error):
                findings.forbidden += 1
            else:
                findings.failed[_reason(error)] += 1
            return None
        if response.status in (200, 304):
            return response
        if not quiet:
            findings.failed[f"status {response.status}"] += 1
        return None

    async def _fetch(self, url: str, **details: Any) -> Response:
        self.findings.requests += 1
        return await self.crawler.engine.download_async(Request(url, dont_filter=True, **details))


def _of_one_kind(urls: list[str]) -> list[str]:
    """The URLs of a folder, those first that lie as deep as most: a shop's products, not its shelves."""
    usual = Counter(url.count("/") for url in urls).most_common(1)[0][0]
    return sorted(urls, key=lambda url: url.count("/") != usual)


def _start(asked: str, reached: str) -> str:
    """Returns the URL to crawl from: a site asked for by its root is crawled whole, wherever that leads."""
    if origin(asked) == origin(reached):
        return asked
    return (
        f"{origin(reached)}/"
        if "/" not in urlsplit(asked).path[1:]
        else urlunsplit((*urlsplit(reached)[:3], "", ""))
    )


def _text(response: HtmlResponse) -> str:
    return decoded(response.body, encoding_in(response, response.url))


def _reason(error: BaseException) -> str:
    return " ".join(str(error).split()) or type(error).__name__


def _mend(status: int) -> str:
    if status in (401, 403):
        return (
            "it wants credentials, or lets no robots in: copy settings/sites/examples/intranet.toml and give "
            "headers or auth"
        )
    if status in (404, 410):
        return "give the URL of a page that exists"
    return "try again when the site is well"
