"""Finds the pages of a site that are structured like a sample."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final
from urllib.parse import urlsplit

from crawler.configuration.converters import converted
from crawler.frontier.scope import Scope
from crawler.run.state import Phase
from crawler.spiders.site import SiteSpider
from pagelets.indesit import (
    SHAPE_SIMILARITY,
    SIMILARITY,
    LinkedPage,
    PromisingSearch,
    Search,
    link_collections,
    page_shape,
)
from settings.errors import ConfigurationError

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Iterator, Mapping

    from scrapy.http import Response
    from scrapy.settings import BaseSettings

    from crawler.configuration.plan import Plan
    from crawler.items import PageItem
    from pagelets.indesit import Shape
    from pagelets.page import Page

OTHER_CLASS: Final = "class"
"""Why a page gets no document that is not of the sample's class."""


class SimilarSpider(SiteSpider):
    """Requests the pages by which the pages of a sample's class are found (`pagelets.indesit`), and no other.

    Those of the class give documents; the others are stored, and give none but what they have already.
    Nothing is deleted. What the search has asked for is not kept: a run that continues another repeats the
    search over what the store has of the round, until it asks for a page that is not there.

    Arguments: ``url`` (the sample), ``measure`` (``links``, by which pages are alike, or ``shapes``),
    ``similarity`` (0.85, of shapes 0.6; how alike pages of a class are at least), ``class_urls`` (a file with
    the URLs of the class, one a line, that what is found is compared with), and those of the spider ``site``.
    In scope is the sample's host, or what the site file says.

    Stats: ``class/pages``, ``class/expected``, ``class/recall``, ``class/precision``.
    """

    name = "similar"
    own_arguments = ("measure", "similarity", "class_urls")
    measure = "links"
    similarity = ""
    class_urls = ""
    partial = True

    @classmethod
    def plan_of(cls, arguments: Mapping[str, str], settings: BaseSettings) -> Plan:
        """Checks all arguments."""
        converted("measure", arguments.get("measure", cls.measure), _measure)
        if "similarity" in arguments:
            converted("similarity", arguments["similarity"], _similarity)
        _class(arguments.get("class_urls", ""))
        if "url" not in arguments:
            raise ConfigurationError("no sample: give -a url=https://example.org/a-page-of-the-class")
        plan = super().plan_of(arguments, settings)
        if len(plan.urls) > 1:
            raise ConfigurationError("url: give one sample; another class is another crawl")
        return plan

    @classmethod
    def update_settings(cls, settings: BaseSettings) -> None:
        """Sitemaps lead to no class."""
        super().update_settings(settings)
        settings.set("SITEMAPS_ENABLED", False, priority="spider")

    def open(self, plan: Plan) -> None:
        """Prepares the search. Raises ConfigurationError where the sample is not in scope."""
        (url,) = plan.urls
        refusal = Scope.from_settings(self.scope_of(plan), self.settings).target(url).refusal
        if refusal is not None:
            raise ConfigurationError(
                f"url {url}: no page of site {plan.site} that is requested ({refusal}); give one as sample"
            )
        self._read: dict[int, tuple[dict[bytes, list[str]], Shape]] = {}
        self._expected = _class(self.class_urls)
        super().open(plan)

    def scope_of(self, plan: Plan) -> tuple[str, ...]:
        """The site file's start URLs, else the sample's host: index pages are in other folders."""
        return plan.named or tuple(f"{parts.scheme}://{parts.netloc}/" for parts in map(urlsplit, plan.urls))

    def describe(self) -> str:
        """Another scope than that of a crawl that follows all links."""
        return f"{super().describe()} asked"

    def begin(self) -> None:
        """Begins the search, which asks for the sample first."""
        self.job.store.frontier.ask_only()
        super().begin()
        kind, usual = _measure(self.measure)
        self._least = converted("similarity", self.similarity, _similarity) if self.similarity else usual
        self._search = kind(self.first[0], self._least)
        self._run = self._search.run()
        self._asked: list[int] | None = next(self._run)

    async def start(self) -> AsyncIterator[Any]:
        """Asks for nothing beside the frontier."""
        nothing: tuple[Any, ...] = ()
        for request in nothing:
            yield request

    def parse(self, response: Response) -> Iterator[PageItem]:
        """A fetched page, and whether it is of the class."""
        search, documents = self._search, self.job.store.documents
        for item in super().parse(response):
            collections, shape = self._read[item.page_id] = link_collections(item.page), page_shape(item.page)
            linked = LinkedPage(item.page_id, dict.fromkeys(collections, ()), shape)
            other = search.sample is not None and not search.is_like_sample(linked)
            if other and item.excluded is None and documents.get(item.page_id) is None:
                yield replace(item, excluded=OTHER_CLASS)
            else:
                yield item

    def extend_frontier(self) -> None:
        """Sends the search what it has asked for, once all of that is settled, and asks for what it wants
        next.
        """
        state, frontier, after = self.job.state, self.job.store.frontier, self.job.round_after
        if self._asked is None or state.phase != Phase.FETCH or state.in_flight or frontier.hosts_due():
            return
        with self.writing():
            while self._asked is not None:
                ends = {page: frontier.redirects(page, after)[-1] for page in self._asked}
                if frontier.ask(ends.values(), after):
                    return
                try:
                    self._asked = self._run.send({page: self._linked(end) for page, end in ends.items()})
                except StopIteration:
                    self._asked = None

    def _linked(self, page: int) -> LinkedPage | None:
        """A page of the store for the search, None where it could not be had."""
        frontier = self.job.store.frontier
        if not frontier.is_well(page):
            return None
        read = self._read.pop(page, None)
        if read is None:
            stored = self._stored(page)
            read = link_collections(stored), page_shape(stored)
        linked = LinkedPage(
            page,
            {
                path: [known for url in urls if (known := frontier.find(self.target(url).url)) is not None]
                for path, urls in read[0].items()
            },
            read[1],
        )
        if self._search.sample is None or self._search.is_like_sample(linked):
            frontier.take_in(page)
        return linked

    def _stored(self, page: int) -> Page:
        store = self.job.store
        found = store.flat_pages.read(page, store.derivation.selectors)
        headers = store.bodies.headers(page)
        said = [value.encode("latin-1") for name, value in headers if name.lower() == "x-robots-tag"]
        self.directives.obey(found, self.directives.of(found, said))
        return found

    def nothing_found(self) -> str | None:
        """Why there is no class: the sample has no links, or no other page is like it."""
        sample = self._search.sample
        if self._asked is not None or sample is None:
            return None
        url = self.job.store.frontier.url(sample.address)
        if not sample.schema:
            return f"{url} has no links, which tell what pages are like it; give another page as sample"
        if len(self._search.found()) > 1:
            return None
        return (
            f"{url} is alone in its class: of {len(self._search.pages) - 1} other pages that were fetched "
            f"none is {self._least} like it, the nearest {self._search.nearest():.2f}"
        )

    def closed(self, reason: str) -> None:
        """Counts the pages of the class, and compares them with those that are expected."""
        del reason
        stats, frontier = self.crawler.stats, self.job.store.frontier
        found = {frontier.url(page.address) for page in self._search.found()}
        stats.set_value("class/pages", len(found))
        if self._expected:
            expected = {self.target(url).url for url in self._expected}
            stats.set_value("class/expected", len(expected))
            stats.set_value("class/recall", round(len(found & expected) / len(expected), 4))
            stats.set_value("class/precision", round(len(found & expected) / max(len(found), 1), 4))


def _similarity(value: object) -> float:
    try:
        number = float(str(value))
    except ValueError:
        number = 0.0
    if not 0 < number <= 1:
        raise ValueError("give a number above 0, to 1")
    return number


def _measure(value: object) -> tuple[type[Search | PromisingSearch], float]:
    known: dict[object, tuple[type[Search | PromisingSearch], float]] = {
        "links": (Search, SIMILARITY),
        "shapes": (PromisingSearch, SHAPE_SIMILARITY),
    }
    if value not in known:
        raise ValueError("give links or shapes")
    return known[value]


def _class(path: str) -> list[str]:
    """The lines of a file. Raises ConfigurationError."""
    if not path:
        return []
    try:
        lines = Path(path).read_text(encoding="utf-8").splitlines()
    except (OSError, UnicodeDecodeError) as error:
        raise ConfigurationError(f"class_urls {path}: {error}; give a file with a URL a line") from error
    urls = [line.strip() for line in lines if line.strip()]
    if not urls:
        raise ConfigurationError(f"class_urls {path}: is empty; give a file with a URL a line")
    return urls
