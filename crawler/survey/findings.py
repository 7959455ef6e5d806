"""Findings of a survey of a site, and proposals for its file: fields, elements to drop, URLs to deny."""

from __future__ import annotations

import logging
from collections import Counter
from dataclasses import dataclass, field
from datetime import UTC, datetime
from functools import partial
from typing import TYPE_CHECKING, Final, TypeVar
from urllib.parse import urlsplit

from scrapy.http import TextResponse

from crawler.fetching.scripted import LITTLE_TEXT, needs_scripts
from crawler.survey.fields import ProposedField, declared_fields, labelled_fields
from crawler.survey.systems import Recognised, recognised
from inspection.sampled_page import SampledPage
from pagelets.metadata.declarations import Declarations
from pagelets.metadata.directives import directives
from pagelets.metadata.language import find_language
from pagelets.page import Page
from pagelets.reading.fields import WrongField
from pagelets.registry import OURS, Registry

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Iterable, Sequence

    T = TypeVar("T")

SORTING: Final = frozenset(
    "sort sortby sort_by sorting order orderby order_by ordering dir direction view layout display "
    "per_page perpage pagesize page_size limit print printable share replytocom".split()
)
"""Query parameters that, by custom, show the same things in another order, number or dress."""

MOST_FIELDS: Final = 16
"""Fields that are proposed."""

logger = logging.getLogger(__name__)


@dataclass(slots=True, frozen=True)
class SeenPage:
    """One page: what its response and its HTML say. ``robots`` are its directives, of meta and header."""

    url: str
    chars: int
    scripted: bool
    language: str | None
    canonical: str | None
    robots: frozenset[str]
    etag: str | None
    last_modified: str | None

    @classmethod
    def of(cls, response: TextResponse, page: Page, agent: str) -> SeenPage:
        """Reads a response and the page that was built of it; ``agent`` is whom directives may address."""
        headers = [value.decode("latin-1") for value in response.headers.getlist(b"X-Robots-Tag")]
        return cls(
            url=response.url,
            chars=sum(len(block.text) for block in page.blocks),
            scripted=needs_scripts(page),
            language=find_language(Declarations(page), [True] * len(page.blocks)),
            canonical=page.canonical_url,
            robots=directives(page.robots_metas, headers, agent, datetime.now(UTC)),
            etag=_header(response, b"ETag"),
            last_modified=_header(response, b"Last-Modified"),
        )

    @property
    def is_empty(self) -> bool:
        """True if the page shows nothing unless its scripts are run."""
        return self.scripted and self.chars < LITTLE_TEXT


@dataclass(slots=True)
class SitemapFindings:
    """The sitemaps that were read: ``unread`` more are named, ``urls`` is what the read ones list."""

    files: list[str] = field(default_factory=list)
    from_robots: list[str] = field(default_factory=list)
    unread: int = 0
    urls: int = 0
    dated: int = 0
    elsewhere: int = 0
    folders: Counter[str] = field(default_factory=Counter)
    samples: list[str] = field(default_factory=list)


@dataclass(slots=True, frozen=True)
class Proposals:
    """Proposals for a site file, and the number of ``pages`` that were examined for them."""

    pages: int = 0
    fields: Sequence[ProposedField] = ()
    systems: Recognised = field(default_factory=Recognised)


@dataclass(slots=True)
class Findings:
    """All that a survey has seen.

    ``asked`` is the given URL, ``start`` the one to crawl from, which differs if the site has moved.
    ``not_modified`` is True if a conditional request was answered 304, None if none was made. ``sample`` are
    the pages to look for fields in, ``urls`` the URLs in scope that they name.
    """

    asked: str
    start: str
    title: str = ""
    requests: int = 0
    crawl_delay: float | None = None
    forbidden: int = 0
    failed: Counter[str] = field(default_factory=Counter)
    sitemaps: SitemapFindings = field(default_factory=SitemapFindings)
    pages: list[SeenPage] = field(default_factory=list)
    folders: Counter[str] = field(default_factory=Counter)
    hosts: Counter[str] = field(default_factory=Counter)
    parameters: Counter[str] = field(default_factory=Counter)
    not_modified: bool | None = None
    sample: list[SampledPage] = field(default_factory=list)
    urls: set[str] = field(default_factory=set)
    proposals: Proposals = field(default_factory=Proposals)

    @property
    def host(self) -> str:
        """The site's host, with the port where there is one."""
        return urlsplit(self.start).netloc.rpartition("@")[2]

    @property
    def languages(self) -> Counter[str]:
        """Counts the pages in each language."""
        return Counter(page.language for page in self.pages if page.language is not None)

    @property
    def empty(self) -> int:
        """Counts the pages that show nothing unless their scripts are run."""
        return sum(page.is_empty for page in self.pages)

    @property
    def needs_javascript(self) -> bool:
        """True if most pages do."""
        return self.empty * 2 > len(self.pages)

    def said(self, directive: str) -> int:
        """Counts the pages with a directive for robots."""
        return sum(directive in page.robots for page in self.pages)

    @property
    def elsewhere(self) -> int:
        """Counts the pages that name another URL as their canonical one."""
        return sum(page.canonical is not None and page.canonical != page.url for page in self.pages)

    @property
    def sorting(self) -> list[str]:
        """Query parameters of links that name no page of their own, by custom."""
        return sorted(name for name in self.parameters if name.lower() in SORTING)


def first_folder(url: str) -> str:
    """Returns the first folder of a URL's path, or ``/``."""
    name, slash, _ = urlsplit(url).path[1:].partition("/")
    return f"/{name}/" if slash else "/"


def parameter_names(urls: Iterable[str]) -> set[str]:
    """The names of the query parameters of some URLs."""
    queries = (urlsplit(url).query for url in urls)
    pairs = (pair for query in queries for pair in query.split("&") if pair)
    return {pair.partition("=")[0] for pair in pairs}


def _header(response: TextResponse, name: bytes) -> str | None:
    value = response.headers.get(name)
    return None if value is None else value.decode("latin-1")


def proposals_of(
    sample: Sequence[SampledPage],
    urls: Collection[str],
    wanted: Collection[str],
    registry: Registry = OURS,
) -> Proposals:
    """Returns what the pages of a sample propose. Never raises.

    Args:
        sample: the pages; those that would take long are left out.
        urls: the URLs in scope that they name.
        wanted: URLs that are pages to have.
        registry: knows the fields that documents have already.

    """
    pages = [page for page in sample if page.is_usual]
    none: list[ProposedField] = []
    declared = _tried(partial(declared_fields, pages), none)
    fields = _new(declared, registry)
    fields += _new(_tried(partial(labelled_fields, pages, fields), none), registry)
    systems = _tried(partial(recognised, pages, urls, wanted), Recognised())
    return Proposals(len(pages), fields[:MOST_FIELDS], systems)


def _new(fields: Sequence[ProposedField], registry: Registry) -> list[ProposedField]:
    """The fields whose names are free."""
    free = []
    for proposal in fields:
        try:
            registry.check_new_field(proposal.name)
        except WrongField:
            continue
        free.append(proposal)
    return free


def _tried(look: Callable[[], T], otherwise: T) -> T:
    """Returns what is found, or ``otherwise`` if something on a page makes looking fail."""
    try:
        return look()
    except Exception:
        logger.exception("Not all of the sample was looked through")
        return otherwise
