"""Crawls a site over the network."""

from __future__ import annotations

from collections.abc import AsyncIterator, Coroutine, Iterable, Mapping, Sequence
from html import escape
from pathlib import Path
from typing import Any, ClassVar, Final
from urllib.parse import urlsplit

from scrapy.http import HtmlResponse, Request, Response
from scrapy.settings import BaseSettings
from w3lib.html import get_base_url, get_meta_refresh

from crawler.configuration.plan import Plan, plan_site
from crawler.fetching.browser import middleware as rendering
from crawler.fetching.partition import encoding_in
from crawler.frontier.focus import DROP, Focus, focus_of
from crawler.frontier.moves import origin
from crawler.frontier.scope import Scope, domain_of
from crawler.items import PageItem
from crawler.spiders.base import PageSpider
from crawler.spiders.sitemaps import Sitemaps
from pagelets.ranking.relevance import Topic
from pagelets.reading.source import decoded
from settings.canonical import canonical
from settings.errors import ConfigurationError
from store.frontier import Target
from store.meta import ACCEPTED, CLASSES_TAKEN_IN, DERIVING, MOVED_TO, ONE_ESCAPE, READ_AS, SCOPE
from store.states import OTHER_CLASS

_HEAD_SIZE: Final = 1 << 13
MOST_BYTES: Final = 4 * 1024 * 1024
"""A file of words is no larger."""
MOST_CHARACTERS: Final = 10_000
"""Nor is a query longer."""


class SiteSpider(PageSpider):
    """Crawls from start URLs, in scope of their hosts and below their folders: the nearest first, or in the
    order that `crawler.frontier.focus.Focus` gives them where one is asked for.

    Arguments: ``url`` (start URLs, parted by commas) or ``site`` (a file in settings/sites), ``query`` and
    ``seeds`` (the words of a topic, and a file of them), and those of
    `crawler.configuration.checks.ARGUMENTS`.
    """

    name = "site"
    own_arguments: ClassVar[tuple[str, ...]] = ("query", "seeds")
    focused = True
    query = ""
    """The words of a topic, and ``seeds`` a file that has them; pages that fit it lead to what is next."""
    seeds = ""
    focus: Focus | None = None

    @classmethod
    def plan_of(cls, arguments: Mapping[str, str], settings: BaseSettings) -> Plan:
        """Checks all arguments."""
        cls.check_order(arguments)
        if "" in (arguments.get("query"), arguments.get("seeds")):
            raise ConfigurationError("query, seeds: one is given without a word; leave it out, or give some")
        topic_of(arguments.get("query", ""), arguments.get("seeds", ""))
        return plan_site(arguments, settings, cls.own_arguments)

    def open(self, plan: Plan) -> None:
        """Switches on what pages need that their scripts make, opens the store, and prepares the order."""
        rendering.switch_on(self.settings)
        super().open(plan)
        if self.focused:
            try:
                self.focus = focus_of(self.crawler, self.session, topic_of(self.query, self.seeds))
            except BaseException:
                self.session.close()
                raise

    def extend_frontier(self) -> None:
        """Computes the order anew if that is due."""
        if self.focus is not None:
            self.focus.look_if_due()

    def begin(self) -> None:
        """Makes the start URLs known; applies a scope that has changed to what earlier runs found."""
        store, plan, moves = self.session.store, self.session.plan, self.session.moves
        self.session.reach = self.reach
        self.session.belongs = lambda url: self.scope.refusal(url) is None
        if plan.fresh:
            moves.adopt()
        accepted = moves.places(ACCEPTED)
        if store.meta(ONE_ESCAPE) is None:
            store.set_meta(ONE_ESCAPE, int(next(store.frontier.urls(), None) is None))
        self.scope = Scope.from_settings(
            [*self.scope_of(plan), *accepted], self.settings, one_escape=store.meta(ONE_ESCAPE) == 1
        )
        starts = [store.frontier.find(self.target(url).url) for url in self.scope_of(plan)]
        self._places = moves.in_scope(starts)
        for place in self._places:
            self.scope.include(place)
        store.frontier.queries.limit = self.scope.max_queries
        described = self.describe()
        if store.meta(SCOPE) != described:
            if store.meta(SCOPE) is not None:
                self._judge_again()
                store.rounds.forget_text()
            store.set_meta(SCOPE, described)
        frontier = store.frontier
        self._note_reading()
        self.first = [frontier.add(Target(self.target(url).url, None), 0) for url in [*plan.urls, *accepted]]
        moves.first = self.first
        self.starts = {page for start in self.first for page in frontier.redirects(start)}
        self.sitemaps = Sitemaps(self.session, self.target, self.settings)

    def _judge_again(self) -> None:
        """Applies another scope to the known URLs. A page that a rule denied may ask for no index, too."""
        store = self.session.store
        if not store.frontier.asked_only and OTHER_CLASS in store.outcomes.without_document():
            store.set_meta(CLASSES_TAKEN_IN, self.session.round_after)
        for page in store.frontier.judge_again(self._refusal):
            if self.asks_for_no_index(page):
                store.outcomes.exclude(page, "noindex")

    def _note_reading(self) -> None:
        """Has all pages fetched whole where settings would take other links from them, or heed others of
        their requests, than when they were fetched.
        """
        store, session = self.session.store, self.session
        directives, ignored = repr(self.directives), sorted(self.scope.ignored)
        before = store.meta(READ_AS)
        if before is not None and before[:2] == [directives, ignored]:
            return
        # Nobody knows how the pages were read that an earlier version has fetched.
        store.set_meta(READ_AS, [directives, ignored, session.run if before else 0])
        if before is None:
            return
        if not session.partial:
            store.frontier.all_due(session.round_after)
        if before[1] != ignored and store.derivation.partition is not None:
            # Fragments that stay the same keep their links: they are made anew.
            store.set_meta(DERIVING, {})

    def scope_of(self, plan: Plan) -> Sequence[str]:
        """The URLs that say by their hosts and folders what the crawl may request."""
        return plan.urls

    def describe(self) -> str:
        """Describes the requests of the crawl, in words that change when they do."""
        dropped = (
            " without template links" if self.focused and self.settings["TEMPLATE_LINKS"] == DROP else ""
        )
        return f"{self.scope.describe()} depth {self._depth_limit}{dropped}"

    def _refusal(self, url: str, depth: int) -> str | None:
        refusal = self.scope.refusal(url)
        return "depth" if refusal is None and 0 < self._depth_limit < depth else refusal

    def target(self, url: str) -> Target:
        """Returns the target of a link, judged by the scope."""
        return self.scope.target(url)

    async def start(self) -> AsyncIterator[Any]:
        """Looks for sitemaps; the pages themselves come from the frontier."""
        for url in self.settings.getlist("SITEMAPS"):
            for request in self.sitemaps.ask(url):
                yield request
        if not self.settings.getbool("SITEMAPS_ENABLED"):
            return
        session = self.session
        for place in sorted(set(map(origin, [*session.plan.urls, *self._places]))):
            for request in self.sitemaps.ask_host(place):
                yield request

    def reach(self) -> int:
        """Notes which pages links and sitemaps lead to, inside a transaction; returns how many are due."""
        self.sitemaps.settle()
        frontier = self.session.store.frontier
        return frontier.extend(self.first, self._depth_limit, self.session.round_after, self._refusal)

    def parse(self, response: Response) -> Iterable[PageItem] | Coroutine[Any, Any, Iterable[PageItem]]:
        """A fetched page, read. The refresh of a start page that leads out of its folder is a redirect: no
        link would lead on from there.
        """
        if response.meta["page"] in self.starts and (request := self._refresh(response)) is not None:
            self.take_redirect(request)
            return ()
        return super().parse(response)

    def _refresh(self, response: Response) -> Request | None:
        """The request that the refresh of a page makes, as of a redirect; None where it leads to the same
        folder or one below, or to no page.
        """
        if "cached" in response.flags or not isinstance(response, HtmlResponse):
            return None
        header = escape((response.headers.get("Refresh") or b"").decode("latin-1"))
        # Not Scrapy's function: it fails on encodings that are not of text.
        encoding = encoding_in(response, response.url)
        text = decoded(response.body[:_HEAD_SIZE], encoding)
        try:
            # A header comes first, as in browsers.
            after, url = get_meta_refresh(f'<meta http-equiv="refresh" content="{header}">', response.url)
            if url is None:
                after, url = get_meta_refresh(text, get_base_url(text, response.url, encoding), encoding)
        except ValueError:  # A base or target such as http://[
            return None
        if url is None or after is None or after > self.settings.getint("METAREFRESH_MAXDELAY"):
            return None
        target = self.target(url)
        below = Scope.from_settings([response.meta["page_url"]], self.settings).target(url)
        if below.refusal != "scope" or not target.url.startswith("http") or not domain_of(target.url):
            return None
        led = {"redirect_urls": [response.url], "redirect_reasons": ["meta refresh"]}
        return Request(target.url, meta={**response.meta, **led}, dont_filter=True)

    def settle_redirect(self, page: int, request: Request) -> int | None:
        """Settles a page that redirects; a start URL takes scope and start with it."""
        if page not in self.starts:
            return super().settle_redirect(page, request)
        with self.session.writing():
            self._moved(request.url, page)
        target = self.target(request.url)
        if target.refusal == "scope" and self.session.moves.trusts(target.url):
            leads = "%s leads above its folder, which is not crawled: %s; %s"
            mend = "if the site is there, give that as url"
            self.logger.warning(leads, self.session.store.frontier.url(page), target.url, mend)
        to = super().settle_redirect(page, request)
        if to is not None:
            self._start_from(page, to)
        return to

    def _moved(self, url: str, page: int) -> Target:
        """A start URL that has moved out of scope, to another host or folder, takes the scope with it.

        To another domain only in the first round, or where the user has named it: a domain that was sold or
        seized leads where it likes; and so to a folder above its own.
        """
        target, session = self.target(url), self.session
        start = session.store.frontier.url(page)
        trusted = session.first_round or session.moves.follows(target.url, start)
        if target.refusal == "scope" and domain_of(target.url) and trusted:
            self._follow(target.url, start)
            target = self.target(url)
        return target

    def _follow(self, url: str, start: str) -> None:
        """Takes the scope to where a start URL has moved."""
        store, moves = self.session.store, self.session.moves
        # A site that was crawled from its root is crawled whole at its new place.
        place = f"{origin(url)}/" if "/" not in urlsplit(start).path[1:] else url
        moves.keep(MOVED_TO, place)
        self.scope.include(place)
        if moves.names(url):
            moves.keep(ACCEPTED, url)
            self.scope.include(url)
        elif domain_of(url) != domain_of(start):
            self.logger.warning("%s leads to another domain, and is crawled there: %s", start, url)
        store.set_meta(SCOPE, self.describe())
        self._judge_again()
        # What they list there was out of scope, and is not in the store.
        for request in self.sitemaps.ask_again(urlsplit(canonical(place)).netloc):
            self.crawler.engine.crawl(request)

    def _start_from(self, page: int, to: int) -> None:
        """Takes the end of a start URL's redirect for a start URL, and looks for sitemaps there."""
        frontier = self.session.store.frontier
        # Where it leads may have been asked for before, and lead on.
        chain = frontier.redirects(to, self.session.round_after)
        with self.session.writing():
            end = self._moved(frontier.url(chain[-1]), page)
        if self.session.state.broken or end.refusal == "scope":
            return
        self.starts.update(chain)
        if self.settings.getbool("SITEMAPS_ENABLED"):
            for request in self.sitemaps.ask_host(origin(end.url)):
                self.crawler.engine.crawl(request)


def topic_of(query: str, seeds: str) -> Topic | None:
    """The topic of a query, of a file of words, or of both; None without them. Raises ConfigurationError."""
    if not query and not seeds:
        return None
    if len(query) > MOST_CHARACTERS:
        raise ConfigurationError(f"query: is longer than {MOST_CHARACTERS} characters; give seeds=FILE")
    text = _text(Path(seeds)) if seeds else ""
    try:
        return Topic.of(f"{query}\n{text}".strip())
    except ValueError as error:
        given = f"query {query!r}" if query else f"seeds {seeds}"
        raise ConfigurationError(f"{given}: {error}") from error


def _text(path: Path) -> str:
    mend = "give a file of texts, or of words, in UTF-8"
    try:
        with path.open("rb") as file:
            content = file.read(MOST_BYTES + 1)
        text = content.decode("utf-8-sig")
    except (OSError, ValueError) as error:
        raise ConfigurationError(f"seeds {path}: {error}; {mend}") from error
    if len(content) > MOST_BYTES:
        raise ConfigurationError(f"seeds {path}: has more than {MOST_BYTES} bytes; give fewer texts")
    if "\0" in text:
        raise ConfigurationError(f"seeds {path}: is no text; {mend}")
    return text
