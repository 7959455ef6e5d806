"""Finds the pages of a site that are structured like a sample."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Final

from crawler.configuration.converters import converted
from crawler.spiders.asking import AskingSiteSpider
from pagelets.literature.indesit import (
    SHAPE_SIMILARITY,
    SIMILARITY,
    LinkedPage,
    PromisingSearch,
    Search,
    link_collections,
    page_shape,
)
from settings import values
from settings.errors import ConfigurationError

if TYPE_CHECKING:
    from collections.abc import Generator, Iterator, Mapping

    from scrapy.http import Response
    from scrapy.settings import BaseSettings

    from crawler.configuration.plan import Plan
    from crawler.items import PageItem
    from pagelets.literature.indesit import Shape

OTHER_CLASS: Final = "class"
"""Why a page gets no document that is not of the sample's class."""


class SimilarSpider(AskingSiteSpider[LinkedPage]):
    """Requests the pages by which a sample's class is found (`pagelets.literature.indesit`), and no other.

    Pages of the class give documents; the others are stored, and give none but what they have already.

    Arguments: ``url`` (the sample), ``measure`` (``links``, by which pages are alike, or ``shapes``),
    ``similarity`` (0.85, of shapes 0.6; how alike pages of a class are at least), ``class_urls`` (a file with
    the URLs of the class, one a line, that what is found is compared with), and those of the spider ``site``.

    Stats: ``class/pages``, ``class/expected``, ``class/recall``, ``class/precision``.
    """

    name = "similar"
    own_arguments = ("measure", "similarity", "class_urls")
    measure = "links"
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
        self._read: dict[int, tuple[dict[bytes, list[str]], Shape]] = {}
        self._expected = _class_of(self.class_urls)
        super().open(plan)
        self.session.recorded.register("class/")

    def search_from(self, page: int) -> Generator[list[int], Mapping[int, LinkedPage | None], None]:
        """The search for the class of a sample."""
        kind, usual = _measure(self.measure)
        self._least = converted("similarity", self.similarity, _similarity) if self.similarity else usual
        self._class = kind(page, self._least)
        return self._class.run()

    def parse(self, response: Response) -> Iterator[PageItem]:
        """A fetched page, and whether it is of the class."""
        search, documents = self._class, self.session.store.documents
        for item in super().parse(response):
            collections, shape = self._read[item.page_id] = link_collections(item.page), page_shape(item.page)
            linked = LinkedPage(item.page_id, dict.fromkeys(collections, ()), shape)
            other = search.sample is not None and not search.is_like_sample(linked)
            if other and item.excluded is None and documents.get(item.page_id) is None:
                yield replace(item, excluded=OTHER_CLASS)
            else:
                yield item

    def answer(self, page: int) -> LinkedPage:
        """A page, with those of the site that it links to. One of the class is taken in."""
        frontier = self.session.store.frontier
        read = self._read.pop(page, None)
        if read is None:
            stored = self.stored(page)
            read = link_collections(stored), page_shape(stored)
        linked = LinkedPage(
            page,
            {
                path: [known for url in urls if (known := frontier.find(self.target(url).url)) is not None]
                for path, urls in read[0].items()
            },
            read[1],
        )
        if self._class.sample is None or self._class.is_like_sample(linked):
            self.session.store.outcomes.take_in(page)
        return linked

    def nothing_found(self) -> str | None:
        """Explains a missing class: the sample has no links, or no other page is like it."""
        sample = self._class.sample
        if self.searching or sample is None:
            return None
        url = self.session.store.frontier.url(sample.address)
        if not sample.schema:
            return f"{url} has no links, which tell what pages are like it; give another page as sample"
        if len(self._class.found()) > 1:
            return None
        return (
            f"{url} is alone in its class: of {len(self._class.pages) - 1} other pages that were fetched "
            f"none is {self._least} like it, the nearest {self._class.nearest():.2f}"
        )

    def closed(self, reason: str) -> None:
        """Counts the pages of the class, and compares them with those that are expected."""
        del reason
        stats, frontier = self.crawler.stats, self.session.store.frontier
        found = {frontier.url(page.address) for page in self._class.found()}
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


def _class_of(path: str) -> list[str]:
    """The lines of a file. Raises ConfigurationError."""
    if not path:
        return []
    try:
        lines = Path(path).read_text(encoding="utf-8").splitlines()
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
