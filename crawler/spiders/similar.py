"""Finds the pages of a site that are structured like a sample."""

from __future__ import annotations

from collections.abc import Generator, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import NamedTuple, Self

from scrapy.settings import BaseSettings

from crawler.configuration.checks import converted
from crawler.configuration.plan import Plan
from crawler.items import PageItem
from crawler.spiders.asking import AskingSiteSpider
from pagelets.literature.indesit.promising import PromisingSearch
from pagelets.literature.indesit.schema import link_collections, page_classes, page_shape
from pagelets.literature.indesit.search import SIMILARITY, LinkedPage, Search
from pagelets.page import Page
from settings import values
from settings.errors import ConfigurationError
from store.states import OTHER_CLASS


class _Read(NamedTuple):
    """The parts of a page that a search compares and follows."""

    collections: Mapping[bytes, Mapping[str, str]]
    shape: Sequence[bytes]
    classes: Sequence[str]

    @classmethod
    def of(cls, page: Page) -> Self:
        return cls(link_collections(page), page_shape(page), page_classes(page))


class SimilarSpider(AskingSiteSpider[LinkedPage]):
    """Requests the pages by which a sample's class is found (`pagelets.literature.indesit`), and no other.

    Pages of the class give documents; the others are stored, and give none but what they have already.

    Arguments: ``url`` (the sample), ``measure`` (by what pages are alike: ``structure``, ``shapes`` or
    ``links``), ``similarity`` (how alike pages of a class are at least; by default 0.85 with ``links``,
    else chosen for the class), ``class_urls`` (a file with the URLs of the class, one a line, that what is
    found is compared with), and those of the spider ``site``.

    Stats: ``class/pages``, ``class/similarity``, ``class/expected``, ``class/recall``, ``class/precision``.
    """

    name = "similar"
    own_arguments = ("measure", "similarity", "class_urls")
    measure = "structure"
    similarity = ""
    class_urls = ""
    first_page = "sample"

    @classmethod
    def plan_of(cls, arguments: Mapping[str, str], settings: BaseSettings) -> Plan:
        """Checks all arguments."""
        converted("measure", arguments.get("measure", cls.measure), _measure)
        if "similarity" in arguments:
            converted("similarity", arguments["similarity"], _similarity)
        _class_of(arguments.get("class_urls", ""))
        if "url" not in arguments:
            raise ConfigurationError("no sample: give -a url=https://example.org/a-page-of-the-class")
        return super().plan_of(arguments, settings)

    def open(self, plan: Plan) -> None:
        """Prepares the search, and opens the store. Raises ConfigurationError."""
        self._read: dict[int, _Read] = {}
        self._taken_in: dict[int, bool] = {}
        self._expected = _class_of(self.class_urls)
        super().open(plan)

    def search_from(self, page: int) -> Generator[list[int], Mapping[int, LinkedPage | None], None]:
        """The search for the class of a sample."""
        given = converted("similarity", self.similarity, _similarity) if self.similarity else None
        url = self.session.store.frontier.url
        self._class: Search | PromisingSearch
        if self.measure == "links":
            self._class = Search(page, given or SIMILARITY)
        else:
            self._class = PromisingSearch(page, given, url, shapes=self.measure == "shapes")
        return self._class.run()

    def taken(self, item: PageItem) -> PageItem:
        """A fetched page. It is of no class until the search has seen it, but for the sample."""
        self._read[item.page_id] = _Read.of(item.page)
        known = self.session.store.documents.get(item.page_id) is not None
        if self._class.sample is None or item.excluded is not None or known:
            return item
        return replace(item, excluded=OTHER_CLASS)

    def extend_frontier(self) -> None:
        """Answers the search, and takes the pages of the class in."""
        before = len(self._class.pages)
        super().extend_frontier()
        if len(self._class.pages) == before:
            return
        store = self.session.store
        found = {page.address for page in self._class.found()}
        with self.session.writing():
            for page in self._class.pages:
                inside = page.address in found
                if self._taken_in.get(page.address) is inside:
                    continue
                self._taken_in[page.address] = inside
                if inside:
                    store.outcomes.take_in(page.address)
                elif store.documents.get(page.address) is None:
                    store.outcomes.take_out(page.address)

    def answer(self, page: int) -> LinkedPage:
        """A page, with those of the site that it links to."""
        frontier = self.session.store.frontier
        read = self._read.pop(page, None) or _Read.of(self.stored(page))
        collections: dict[bytes, dict[int, str]] = {path: {} for path in read.collections}
        for path, urls in read.collections.items():
            for url, anchor in urls.items():
                known = frontier.find(self.target(url).url)
                if known is not None:
                    collections[path].setdefault(known, anchor)
        return LinkedPage(page, collections, read.shape, read.classes)

    def nothing_found(self) -> str | None:
        """Explains a missing class: the sample has no links, or no other page is like it."""
        sample = self._class.sample
        if self.searching:
            return None
        if sample is None:
            return self.first_answer()
        url = self.session.store.frontier.url(sample.address)
        if not sample.schema:
            return f"{url} has no links, which tell what pages are like it; give another page as sample"
        if len(self._class.found()) > 1:
            return None
        return (
            f"{url} is alone in its class: of {len(self._class.pages) - 1} other pages that were fetched "
            f"none is {self._class.similarity:.2f} like it, the nearest {self._class.nearest():.2f}"
        )

    def closed(self, reason: str) -> None:
        """Counts the pages of the class, and compares them with those that are expected."""
        stats, frontier = self.crawler.stats, self.session.store.frontier
        urls = {frontier.url(page.address) for page in self._class.found()}
        stats.set_value("class/pages", len(urls))
        stats.set_value("class/similarity", round(self._class.similarity, 4))
        if self._expected:
            expected = {self.target(url).url for url in self._expected}
            stats.set_value("class/expected", len(expected))
            stats.set_value("class/recall", round(len(urls & expected) / len(expected), 4))
            stats.set_value("class/precision", round(len(urls & expected) / max(len(urls), 1), 4))


def _similarity(value: object) -> float:
    try:
        number = float(str(value))
    except ValueError:
        number = 0.0
    if not 0 < number <= 1:
        raise ValueError("give a number above 0, to 1")
    return number


def _measure(value: object) -> str:
    if value not in ("structure", "shapes", "links"):
        raise ValueError("give structure, shapes or links")
    return str(value)


def _class_of(path: str) -> list[str]:
    """The lines of a file. Raises ConfigurationError."""
    if not path:
        return []
    try:
        lines = Path(path).read_text(encoding="utf-8-sig").splitlines()
    except (OSError, UnicodeDecodeError) as error:
        raise ConfigurationError(f"class_urls {path}: {error}; give a file with a URL a line") from error
    urls = [line.strip() for line in lines if line.strip()]
    for url in urls:
        try:
            values.url(url)
        except ValueError as error:
            raise ConfigurationError(f"class_urls {path}: {values.shown(url)}: {error}") from None
    if not urls:
        raise ConfigurationError(f"class_urls {path}: is empty; give a file with a URL a line")
    return urls
