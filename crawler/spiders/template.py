"""Finds the template of a site from a key page and a handful of others."""

from __future__ import annotations

import tempfile
from collections.abc import Mapping
from html import escape
from pathlib import Path
from typing import Any, ClassVar, Final, Self, TypeAlias, cast

from scrapy.crawler import Crawler
from scrapy.settings import BaseSettings

from crawler.configuration.checks import converted
from crawler.configuration.judge_config import partition_of
from crawler.configuration.plan import Plan
from crawler.spiders.archive import ArchiveSpider
from crawler.spiders.asking import AskingSiteSpider, AskingSpider
from pagelets.judging.page_facts import PageFacts
from pagelets.literature.site.complete_subdigraph import Asking, SubdigraphSearch
from pagelets.literature.site.etdm import EtdmMethod
from pagelets.methods.base import Subject
from pagelets.page import Page
from pagelets.render import Rendering
from pagelets.sketch import fingerprint
from settings.errors import ConfigurationError
from settings.files import written
from settings.values import flag
from store.meta import DETECTED_OVER

LinkedPage: TypeAlias = tuple[int, list[int]]

MOST: Final = 12
"""So many links of a key page are followed at most, three for each page of the complete subdigraph."""


class TemplateSearch(AskingSpider[LinkedPage]):
    """Requests the pages by which the template of a key page is found (Alarte et al. 2014), and no other.

    These are pages that the key page links to and that all link to each other, four of them or the most that
    its first links lead to (`pagelets.literature.site.complete_subdigraph`). What the key page has in common
    with each of them is the template. Pagelets that lie wholly inside it become templates of the store
    (`store.templates.ETDM`), before detection. All pages are stored and released as in any crawl.

    Arguments: ``url`` (the key page), ``output`` (a file that the template is written to, as HTML).

    Stats: ``templates/etdm_pages``, ``templates/etdm_pagelets``, ``templates/etdm_chars_ratio``.
    """

    own_arguments: ClassVar[tuple[str, ...]] = ("output",)
    output = ""
    _template: tuple[Page, list[bool], list[int]] | None = None
    """The key page, of each of its blocks whether it has that in common with others, and which of its
    pagelets lie wholly in that.
    """

    @classmethod
    def plan_of(cls, arguments: Mapping[str, str], settings: BaseSettings) -> Plan:
        """Checks all arguments."""
        if "url" not in arguments:
            raise ConfigurationError("no key page: give -a url=https://example.org/a-page-with-the-menu")
        _check_output(arguments.get("output", ""))
        if converted("fresh", arguments.get("fresh", "0"), flag):
            raise ConfigurationError("fresh=1: a fresh store would have the few pages of a template alone")
        return super().plan_of(arguments, settings)

    def search_from(self, page: int) -> Asking:
        """The search for pages that all link to each other."""
        self.session.before_release.append(self._keep_template)
        self._method = EtdmMethod()
        self._subdigraph = SubdigraphSearch(self._method.n, MOST)
        self._of_text: dict[int, int] = {}
        return self._subdigraph.run(page)

    def answer(self, page: int) -> LinkedPage:
        """A page, and those of the site that it links to, in order. One with the text of another is that one:
        what they have in common is no template.
        """
        find, stored = self.session.store.frontier.find, self.stored(page)
        targets = [self.target(link.url) for link in stored.links if not link.nofollow]
        addresses = [find(target.url) for target in targets if target.refusal is None]
        first = self._of_text.setdefault(fingerprint([block.text for block in stored.blocks]), page)
        return first, [address for address in addresses if address is not None]

    def nothing_found(self) -> str | None:
        """Explains a missing template: the key page has no links, or nothing in common with other pages."""
        search, frontier = self._subdigraph, self.session.store.frontier
        if search.key is None:
            return None if self.searching else self.first_answer()
        url, tried = frontier.url(search.key), len(search.tried)
        if not search.pages and self.searching:
            self.logger.warning("%s: the crawl has ended before a template was found", url)
            return None
        if not tried:
            return f"{url} has no links to other pages of the site; give another page as key page"
        if not search.pages:
            return (
                f"{url} links to no page that could be had, of {tried} tried; give another page as key page"
            )
        if len(search.pages) == 1 < tried:
            self.logger.warning(
                "%s: of the %d pages that it links to no two link to each other; the template is what it has "
                "in common with one of them: %s",
                *(url, tried, frontier.url(search.pages[0])),
            )
        subjects = map(self._subject, [search.key, *search.pages])
        key = next(subjects)
        template = self._method.template([key, *subjects])
        assert template is not None
        inside = set(template.tree.blocks)
        mask = [position in inside for position in range(len(key.page.blocks))]
        if not any(block.text for block, kept in zip(key.page.blocks, mask, strict=True) if kept):
            return (
                f"{url} has no text in common with pages that it links to ({len(search.pages)} of {tried}): "
                "it has no menu; give another page as key page"
            )
        self._template = key.page, mask, self._method.pagelets(template, key)
        return None

    def _subject(self, page: int) -> Subject:
        stored = self.stored(page)
        pagelets = partition_of(self.settings)(stored)
        return Subject(stored, pagelets, PageFacts.none(len(pagelets), len(stored.blocks)), str)

    def _keep_template(self) -> None:
        """Writes the template, and stores its pagelets."""
        if self._template is None:
            return
        (page, mask, pagelets), store = self._template, self.session.store
        if self.output:
            try:
                with written(Path(self.output)) as file:
                    file.write(_document(page, mask).encode("utf-8", "replace"))
            except OSError as error:
                raise OSError(
                    f"output {self.output}: {error.strerror}; the pages are stored: crawl again"
                ) from error
        key = cast("int", self._subdigraph.key)
        sketches = store.pages.sketches(key)
        positions = {sketches[position]: position for position in reversed(pagelets)}
        with store.transaction():
            if store.templates.show(key, positions, self.session.run):
                store.forget_meta(DETECTED_OVER)
        sizes = [len(block.text) for block in page.blocks]
        kept = sum(size for size, inside in zip(sizes, mask, strict=True) if inside)
        stats = self.crawler.stats
        stats.set_value("templates/etdm_pages", len(self._subdigraph.pages))
        stats.set_value("templates/etdm_pagelets", len(positions))
        stats.set_value("templates/etdm_chars_ratio", round(kept / sum(sizes), 4))


class TemplateSpider(TemplateSearch, AskingSiteSpider[LinkedPage]):
    """Finds the template of a site over the network or, with ``path``, from an archive.

    Further arguments: those of the spider ``site``, with ``path`` those of the spider ``archive``. In scope
    is the host of the key page, or what the site file says.
    """

    name = "template"
    first_page = "key page"

    @classmethod
    def plan_of(cls, arguments: Mapping[str, str], settings: BaseSettings) -> Plan:
        """Checks all arguments."""
        if "path" in arguments:
            return ArchivedTemplateSpider.plan_of(arguments, settings)
        return super().plan_of(arguments, settings)

    @classmethod
    def from_crawler(cls, crawler: Crawler, *args: Any, **kwargs: Any) -> Self:
        """Makes the spider that answers from an archive where one is given."""
        if "path" not in kwargs:
            return super().from_crawler(crawler, *args, **kwargs)
        ArchivedTemplateSpider.update_settings(crawler.settings)
        return cast("Self", ArchivedTemplateSpider.from_crawler(crawler, *args, **kwargs))


class ArchivedTemplateSpider(TemplateSearch, ArchiveSpider):
    """The spider ``template`` over an archive."""

    # Scrapy lists spiders by their names: this one is found by the other.
    name = ""
    own_arguments = (*TemplateSearch.own_arguments, "url")
    url = ""

    def __init__(self, **arguments: Any) -> None:
        super().__init__(TemplateSpider.name, **arguments)

    @classmethod
    def plan_of(cls, arguments: Mapping[str, str], settings: BaseSettings) -> Plan:
        """Checks all arguments."""
        return super().plan_of({**arguments, "partial": "1"}, settings)

    def archive_opened(self) -> None:
        """Raises ConfigurationError where the archive lacks the key page."""
        if self.target(self.url).refusal is not None:
            raise ConfigurationError(f"url {self.url}: not in the archive; give one of its pages as key page")

    def begin(self) -> None:
        """Begins the search, which asks for the key page first."""
        frontier = self.session.store.frontier
        frontier.ask_only()
        self.search(frontier.add(self.target(self.url), 0))


def _document(page: Page, mask: list[bool]) -> str:
    """The kept blocks as a document of their own, as safe as those of Documents."""
    body = Rendering(page, mask).html()
    return (
        '<!doctype html>\n<html>\n<head>\n<meta charset="utf-8">\n'
        f"<title>{escape(page.url)}</title>\n</head>\n<body>\n{body}\n</body>\n</html>\n"
    )


def _check_output(output: str) -> None:
    """Raises ConfigurationError where a file cannot be written."""
    if not output:
        return
    path = Path(output).resolve()
    why = None
    try:
        if path.is_dir():
            why = "is a folder"
        with tempfile.TemporaryFile(dir=path.parent):
            pass
    except OSError as error:
        why = str(error.strerror)
    if why is not None:
        raise ConfigurationError(f"output {output}: {why}; give a file in a folder that can be written")
