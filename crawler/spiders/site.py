"""Crawls a site over the network."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, ClassVar
from urllib.parse import urlsplit

from crawler.configuration.plan import plan_site
from crawler.configuration.topic import topic_of
from crawler.fetching.browser import switch as rendering
from crawler.frontier.domains import domain_of
from crawler.frontier.focus import DROP
from crawler.frontier.scope import Scope
from crawler.spiders.base import PageSpider
from crawler.spiders.sitemaps import Sitemaps
from settings.canonical import canonical
from settings.errors import ConfigurationError
from store.frontier import Target
from store.meta import ACCEPTED, MOVED_TO, SCOPE, Key

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Mapping, Sequence

    from scrapy.settings import BaseSettings

    from crawler.configuration.plan import Plan


class SiteSpider(PageSpider):
    """Crawls from start URLs, in scope of their hosts and below their folders.

    Arguments: ``url`` (start URLs, parted by commas) or ``site`` (a file in settings/sites), ``query`` and
    ``seeds`` (the words of a topic, and a file of them), and those of
    `crawler.configuration.converters.ARGUMENTS`.
    """

    name = "site"
    own_arguments: ClassVar[tuple[str, ...]] = ("query", "seeds")
    focused = True

    @classmethod
    def plan_of(cls, arguments: Mapping[str, str], settings: BaseSettings) -> Plan:
        """Checks all arguments."""
        if "" in (arguments.get("query"), arguments.get("seeds")):
            raise ConfigurationError("query, seeds: one is given without a word; leave it out, or give some")
        topic_of(arguments.get("query", ""), arguments.get("seeds", ""))
        return super().plan_of(arguments, settings)

    @classmethod
    def plan_from(cls, arguments: Mapping[str, str], settings: BaseSettings) -> Plan:
        """Checks the arguments."""
        return plan_site(arguments, settings, cls.own_arguments)

    def open(self, plan: Plan) -> None:
        """Switches on what pages need that their scripts make, before anything is requested."""
        rendering.switch_on(self.settings)
        super().open(plan)

    def begin(self) -> None:
        """Makes the start URLs known; applies a scope that has changed to what earlier runs found."""
        store, plan = self.job.store, self.job.plan
        if self.job.plan.fresh:
            self._adopt_accepted()
        accepted = self._places(ACCEPTED)
        self.scope = Scope.from_settings(
            [*self.scope_of(plan), *self._places(MOVED_TO), *accepted], self.settings
        )
        store.frontier.queries.limit = self.scope.max_queries
        described = self.describe()
        if store.meta(SCOPE) != described:
            if store.meta(SCOPE) is not None:
                store.frontier.judge_again(self._refusal)
                store.rounds.forget_text()
            store.set_meta(SCOPE, described)
        frontier = store.frontier
        self.first = [frontier.add(Target(self.target(url).url, None), 0) for url in [*plan.urls, *accepted]]
        self.starts = {page for start in self.first for page in frontier.redirects(start)}
        self.sitemaps = Sitemaps(self)

    def scope_of(self, plan: Plan) -> Sequence[str]:
        """The URLs that say by their hosts and folders what the crawl may request."""
        return plan.urls

    def describe(self) -> str:
        """What the crawl requests, in words that change when it does."""
        dropped = (
            " without template links" if self.focused and self.settings["TEMPLATE_LINKS"] == DROP else ""
        )
        return f"{self.scope.describe()} depth {self._depth_limit}{dropped}"

    def _refusal(self, url: str, depth: int) -> str | None:
        refusal = self.scope.refusal(url)
        return "depth" if refusal is None and 0 < self._depth_limit < depth else refusal

    def target(self, url: str) -> Target:
        """Where a link leads, judged by the scope."""
        return self.scope.target(url)

    async def start(self) -> AsyncIterator[Any]:
        """Looks for sitemaps; the pages themselves come from the frontier."""
        for url in self.settings.getlist("SITEMAPS"):
            for request in self.sitemaps.ask(url):
                yield request
        if not self.settings.getbool("SITEMAPS_ENABLED"):
            return
        for origin in sorted({_origin(url) for url in [*self.job.plan.urls, *self._places(MOVED_TO)]}):
            for request in self.sitemaps.ask_host(origin):
                yield request

    def reach(self) -> int:
        """Notes which pages links and sitemaps lead to, inside a transaction; returns how many are due."""
        self.sitemaps.settle()
        frontier = self.job.store.frontier
        return frontier.extend(self.first, self._depth_limit, self.job.round_after, self._refusal)

    def redirect_target(self, url: str, page: int) -> Target:
        """A start URL that has moved out of scope, to another host or folder, takes the scope with it.

        To another domain only in the first round, or where the user has named it: a domain that was sold or
        seized leads where it likes.
        """
        target = self.target(url)
        out = target.refusal == "scope" and page in self.starts
        if out and domain_of(target.url) and (self.job.first_round or self.trusts(target.url)):
            self._follow(target.url, self.job.store.frontier.url(page))
            target = self.target(url)
        return target

    def _follow(self, url: str, start: str) -> None:
        """Takes the scope to where a start URL has moved."""
        store = self.job.store
        # Of a site that was to be crawled from its root, all is to be crawled where it is now.
        place = f"{_origin(url)}/" if "/" not in urlsplit(start).path[1:] else url
        self._keep(MOVED_TO, place)
        self.scope.include(place)
        if super().accepts(url):
            self._keep(ACCEPTED, url)
            self.scope.include(url)
        elif domain_of(url) != domain_of(start):
            self.logger.warning("%s leads to another domain, and is crawled there: %s", start, url)
        store.set_meta(SCOPE, self.describe())
        store.frontier.judge_again(self._refusal)
        # What they list there was out of scope, and is not in the store.
        for request in self.sitemaps.ask_again(urlsplit(canonical(place)).netloc):
            self.crawler.engine.crawl(request)

    def trusts(self, url: str) -> bool:
        """Whether the domain of a URL is one that the user has named, or that the first round has come to."""
        plan = self.job.plan
        known = [*plan.urls, *plan.named, *self._places(MOVED_TO)]
        known += self.job.before.get(MOVED_TO, [])
        return self.accepts(url) or domain_of(url) in map(domain_of, known)

    def accepts(self, url: str) -> bool:
        """Whether the user has said that the site is at the domain of a URL now, in this run or before."""
        return super().accepts(url) or domain_of(url) in map(domain_of, self._places(ACCEPTED))

    def leads(self) -> list[tuple[str, str]]:
        """The start URLs that the round has found to lead to another domain, each with where it leads."""
        frontier, found = self.job.store.frontier, []
        for first in self.first:
            start, *others = map(frontier.url, frontier.redirects(first, self.job.round_after))
            found += [(start, url) for url in others if domain_of(url) != domain_of(start)]
        return found

    def redirected(self, page: int, to: int) -> None:
        """Takes the end of a start URL's redirect for a start URL, and looks for sitemaps there."""
        if page not in self.starts:
            return
        frontier = self.job.store.frontier
        # Where it leads may have been asked for before, and lead on.
        chain = frontier.redirects(to, self.job.round_after)
        with self.writing():
            end = self.redirect_target(frontier.url(chain[-1]), page)
        if self.job.state.broken or end.refusal == "scope":
            return
        self.starts.update(chain)
        if self.settings.getbool("SITEMAPS_ENABLED"):
            for request in self.sitemaps.ask_host(_origin(end.url)):
                self.crawler.engine.crawl(request)

    def _places(self, key: Key[list[str]]) -> list[str]:
        """URLs that the store keeps of where start URLs have moved to."""
        return self.job.store.meta(key) or []

    def _keep(self, key: Key[list[str]], url: str) -> None:
        self.job.store.set_meta(key, list(dict.fromkeys([*self._places(key), url])))

    def _adopt_accepted(self) -> None:
        """What was accepted holds for good: a store that is built anew takes it over."""
        before = self.job.before
        for url in before.get(ACCEPTED, []):
            self._keep(ACCEPTED, url)
            for place in before[MOVED_TO]:
                if _origin(place) == _origin(url):
                    self._keep(MOVED_TO, place)


def _origin(url: str) -> str:
    parts = urlsplit(canonical(url))
    return f"{parts.scheme}://{parts.netloc}"
