"""Spiders that request what a search over the site asks for, and nothing else."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Generator, Mapping
from typing import ClassVar, Generic, TypeVar
from urllib.parse import urlsplit

from scrapy.settings import BaseSettings

from crawler.configuration.plan import Plan
from crawler.frontier.scope import Scope
from crawler.run.state import Phase
from crawler.spiders.base import PageSpider
from crawler.spiders.site import SiteSpider
from pagelets.page import Page
from settings.errors import ConfigurationError

T = TypeVar("T")


class AskingSpider(PageSpider, Generic[T]):
    """Requests the pages that a search wants next, once all that it wanted before are settled.

    What the search has asked for is not kept: a run that continues another repeats the search over what the
    store has of the round, until it asks for a page that is not there. Nothing is deleted.

    A subclass gives the search (``search_from``) the first of its start URLs, and answers it (``answer``).
    """

    partial = True
    # Nothing is asked for beside the frontier: no sitemaps either.
    start = PageSpider.start

    @abstractmethod
    def search_from(self, page: int) -> Generator[list[int], Mapping[int, T | None], None]:
        """The search: it yields the ids of URLs whose pages are wanted, and is sent the answer to each."""

    @abstractmethod
    def answer(self, page: int) -> T:
        """Returns the answer to a search that asked for a page of the store."""

    @abstractmethod
    def nothing_found(self) -> str | None:
        """Explains in a sentence why a finished search sends nothing; None if it does."""

    def search(self, page: int) -> None:
        """Begins the search, from a URL on."""
        self.session.nothing_found = self.nothing_found
        self._first = page
        self._search = self.search_from(page)
        self._asked: list[int] | None = next(self._search)

    @property
    def searching(self) -> bool:
        """True until the search is over."""
        return self._asked is not None

    def first_answer(self) -> str:
        """Returns the outcome of the first page of the search, as a text."""
        return self.session.store.rounds.answer(self._first)

    def extend_frontier(self) -> None:
        """Answers the search when all that it has asked for is settled, and asks for what it wants next."""
        state, frontier, after = self.session.state, self.session.store.frontier, self.session.round_after
        if self._asked is None or state.phase != Phase.FETCH or state.in_flight or frontier.hosts_due():
            return
        with self.session.writing():
            while self._asked is not None:
                ends = {page: frontier.redirects(page, after)[-1] for page in self._asked}
                if frontier.ask(ends.values(), after):
                    return
                answers = {
                    page: self.answer(end) if frontier.is_well(end) else None for page, end in ends.items()
                }
                try:
                    self._asked = self._search.send(answers)
                except StopIteration:
                    self._asked = None

    def stored(self, page: int) -> Page:
        """A page of the store, as it was when it was fetched."""
        store = self.session.store
        flat_page = store.flat_pages.read(page, store.derivation.selectors)
        self.heed(page, flat_page)
        return flat_page


class AskingSiteSpider(AskingSpider[T], SiteSpider):
    """Requests over the network what a search asks for that begins with one URL.

    In scope is the host of the URL, or what the site file says: a search leads out of the URL's folder.
    Sitemaps are not read.
    """

    # Scrapy lists spiders by their names: a subclass gives its own.
    name = ""
    focused = False
    first_page: ClassVar[str]
    """What the page of that URL is called."""

    @classmethod
    def plan_of(cls, arguments: Mapping[str, str], settings: BaseSettings) -> Plan:
        """Checks all arguments."""
        plan = super().plan_of(arguments, settings)
        if len(plan.urls) > 1:
            raise ConfigurationError(f"url: give one {cls.first_page}; another one is another crawl")
        return plan

    @classmethod
    def update_settings(cls, settings: BaseSettings) -> None:
        """Switches sitemaps off."""
        super().update_settings(settings)
        settings.set("SITEMAPS_ENABLED", False, priority="spider")

    def open(self, plan: Plan) -> None:
        """Opens the store. Raises ConfigurationError where the URL is not in scope."""
        (url,) = plan.urls
        refusal = Scope.from_settings(self.scope_of(plan), self.settings).target(url).refusal
        if refusal is not None:
            raise ConfigurationError(
                f"url {url}: no page of site {plan.site} that is requested ({refusal}); "
                f"give one as {self.first_page}"
            )
        super().open(plan)

    def scope_of(self, plan: Plan) -> tuple[str, ...]:
        """The site file's start URLs, else the host of the URL."""
        return plan.named or tuple(f"{parts.scheme}://{parts.netloc}/" for parts in map(urlsplit, plan.urls))

    def describe(self) -> str:
        """Another scope than that of a crawl that follows all links."""
        return f"{super().describe()} asked"

    def begin(self) -> None:
        """Begins the search, which asks for the page of the URL first."""
        self.session.store.frontier.ask_only()
        super().begin()
        self.search(self.first[0])
