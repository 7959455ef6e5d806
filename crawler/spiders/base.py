"""The base of the spiders: pages come in, every request ends in the store."""

from __future__ import annotations

from collections.abc import Coroutine, Iterable, Mapping
from dataclasses import replace
from typing import Any, ClassVar, Final, Self, cast
from urllib.parse import urlsplit

from scrapy import Spider
from scrapy.crawler import Crawler
from scrapy.exceptions import UsageError
from scrapy.http import HtmlResponse, Request, Response, TextResponse
from scrapy.settings import BaseSettings
from twisted.python.failure import Failure

from crawler.configuration import components
from crawler.configuration.plan import Plan, named_in_file
from crawler.fetching.address_guard import Addresses, check_connections
from crawler.fetching.conditional import validators
from crawler.fetching.directives import addresses_in, robots_tags
from crawler.fetching.failures import what_became
from crawler.fetching.html_only import as_html, names_other_type
from crawler.fetching.internals import keep_cookies_offline
from crawler.fetching.partition import PageReader
from crawler.fetching.readers import Readers, processes_for
from crawler.fetching.scripted import needs_scripts
from crawler.fetching.stopping import CrawlEnds
from crawler.items import PageItem
from crawler.run.session import CrawlSession
from pagelets.metadata.directives import EXPIRES
from pagelets.page import MOST_FOLLOWED, Link, Page
from pagelets.reading import read
from pagelets.sketch import fingerprint
from settings.errors import ConfigurationError
from store.frontier import Due, Target
from store.meta import DISTRUSTED_HOSTS, NAMED_ADDRESSES, Key
from store.runs import seconds
from store.states import CUT_SHORT, OTHER_TYPE

_ADDON: Final = "crawler.addon.PageletsAddon"
PERMANENT: Final = frozenset({301, 308})
"""Permanent redirects."""
_MET: Final[tuple[Key[Any], ...]] = (DISTRUSTED_HOSTS, NAMED_ADDRESSES)
"""What a store that is built beside the site's, or thrown away, takes over from it."""


class PageSpider(Spider):
    """A spider whose frontier is a site's store.

    A subclass gives the check of its arguments (``plan_of``), says where links lead (``target``), and makes
    its start URLs known (``begin``). Arguments: those of `crawler.configuration.checks.ARGUMENTS`,
    ``fresh`` and ``sample``.
    """

    session: CrawlSession
    partial = False
    """Whether a run is to see a part of the site alone: the rest is as it was, and nothing is deleted."""

    focused: ClassVar[bool] = False
    """Whether requests may be asked for in another order than the nearest first."""

    own_arguments: ClassVar[tuple[str, ...]] = ()
    """Names of further arguments that a subclass takes: each is an attribute of the spider, as text."""

    @classmethod
    def update_settings(cls, settings: BaseSettings) -> None:
        """Adds the spider's own settings. Raises UsageError in a project that lacks those of ours."""
        super().update_settings(settings)
        if "SITES_DIR" not in settings or _ADDON not in settings.getdict("ADDONS"):
            raise UsageError(
                f"the spider {cls.name!r} needs the settings of site-pagelets: begin the project's "
                f"settings.py with 'from settings.base import *', and let its ADDONS have {_ADDON!r}; for "
                "clean fields of spiders of your own use 'pagelets.integrations.scrapy.Addon' "
                "(docs/scrapy.md)",
                print_help=False,
            )

    @classmethod
    def plan_of(cls, arguments: Mapping[str, str], settings: BaseSettings) -> Plan:
        """Checks all arguments of a crawl. Raises ConfigurationError."""
        raise NotImplementedError

    @classmethod
    def check_order(cls, arguments: Mapping[str, str]) -> None:
        """Raises ConfigurationError for an argument that orders requests, of a spider that does not."""
        if "template_links" in arguments and not cls.focused:
            raise ConfigurationError("template_links: for the spider site alone; leave it out")

    @classmethod
    def from_crawler(cls, crawler: Crawler, *args: Any, **kwargs: Any) -> Self:
        """Checks the arguments and opens the site's store. Raises ConfigurationError or StoreError."""
        plan = cls.plan_of(kwargs, crawler.settings)
        plan.apply(crawler.settings)
        with named_in_file(plan.site, crawler.settings):
            components.check(crawler.settings)
        components.leave_out(crawler.settings)
        if crawler.settings.getbool("COOKIES_ENABLED"):
            keep_cookies_offline()
        arguments = {name: kwargs[name] for name in cls.own_arguments if name in kwargs}
        spider = super().from_crawler(crawler, *args, **arguments)
        with named_in_file(plan.site, crawler.settings):
            spider.open(plan)
        return spider

    def open(self, plan: Plan) -> None:
        """Takes the site's lock, opens its store, and makes the start URLs known."""
        check_connections(self.settings)
        self.site = plan.site  # As an argument, it is a parameter of the addresses of feeds: %(site)s.
        self._depth_limit = self.settings.getint("DEPTH_LIMIT")
        reader = PageReader.from_settings(self.settings)
        self.directives = reader.reading.directives
        # How many redirects in a row have led to a page.
        self._hops: dict[int, int] = {}
        self.session = session = CrawlSession(self.crawler, plan, self.name, partial=self.partial)
        session.readers = self._readers = Readers(
            reader, processes_for(self.settings.getint("RELEASE_PROCESSES"))
        )
        try:
            met = session.of_home(lambda of: {key: value for key in _MET if (value := of.meta(key))}) or {}
            named = [*plan.urls, *self.settings.getlist("SITEMAPS")]
            private = self.settings.getlist("PRIVATE_HOSTS")
            self.addresses = Addresses(named, private, met.get(NAMED_ADDRESSES), self._remember_kinds)
            with session.store.transaction():
                for key, value in met.items():
                    session.store.set_meta(key, value)
                session.rule_coverage.begin(session.store)
                self.begin()
        except BaseException:
            session.close()
            raise

    def _remember_kinds(self, kinds: Mapping[str, str]) -> None:
        with self.session.writing():
            self.session.store.set_meta(NAMED_ADDRESSES, dict(kinds))

    def begin(self) -> None:
        """Makes the start URLs known, inside a transaction."""
        raise NotImplementedError

    def target(self, url: str) -> Target:
        """Returns the target of a link."""
        raise NotImplementedError

    def extend_frontier(self) -> None:
        """Asks for more pages, or for an order of them: called before each request is chosen."""

    def page_request(self, due: Due, **meta: Any) -> Request | None:
        """The request for a URL of the frontier; None where it makes none, and the URL is settled."""
        try:
            # Scrapy does not look at what an archive spells in its own way before it asks for it.
            urlsplit(due.url)
            return Request(
                due.url,
                callback=self.parse,
                errback=self.settle_failure,
                meta={"page": due.page, "page_url": due.url, "depth": due.depth, **meta},
                dont_filter=True,
            )
        except ValueError as error:
            self.settle(due.page, "failed", reason=f"no URL: {error}")
            return None

    def parse(self, response: Response) -> Iterable[PageItem] | Coroutine[Any, Any, Iterable[PageItem]]:
        """A fetched page, read: it is returned as an item, at once or when another process has read it.

        Its links need no requests: the store that records it is the frontier.
        """
        page_id: int = response.meta["page"]
        if not isinstance(response, HtmlResponse):
            response = as_html(response)
        if "cached" in response.flags:
            # The server says that it is as it was: the store has its pagelets.
            self.confirm(page_id, response)
        # For Scrapy a name that ends in .html outweighs a Content-Type.
        elif not isinstance(response, HtmlResponse) or names_other_type(response.headers):
            self._settle_other(page_id, response)
        elif "dataloss" in response.flags and self._is_worse(page_id, response):
            self.settle(page_id, "failed", reason=CUT_SHORT)
        elif self._readers.ready:
            return self._read_beside(page_id, response)
        else:
            try:
                return self._items(self._readers.read(response))
            except Exception as error:
                self._fail_to_read(page_id, response, error)
        return ()

    def _is_worse(self, page: int, response: Response) -> bool:
        """True if a body that broke off is worth less than none, or than the page that the store has."""
        return not response.body or self.session.store.pages.is_whole(page)

    async def _read_beside(self, page: int, response: HtmlResponse) -> Iterable[PageItem]:
        try:
            return self._items(await self._readers.read_beside(response))
        except Exception as error:
            self._fail_to_read(page, response, error)
            return ()

    def _fail_to_read(self, page: int, response: Response, error: Exception) -> None:
        """Settles a page that cannot be read as failed: it hurts no other."""
        reason = f"page: {type(error).__name__}"
        self.logger.info("Failed (%s): %s: %s", reason, response.url, error)
        self.settle(page, "failed", reason=reason)
        with self.session.writing():
            self.session.store.faults.note(page, "reading", error)

    def _items(self, item: PageItem) -> Iterable[PageItem]:
        """Yields the item of a page, when Scrapy asks for it: outside of what catches errors of reading."""
        self._distrust(item)
        self.session.state.scripted += needs_scripts(item.page)
        yield self.taken(self._with_directives(item))

    def taken(self, item: PageItem) -> PageItem:
        """Returns what is yielded for a page that was read."""
        return item

    def _with_directives(self, item: PageItem) -> PageItem:
        """A page with what it asks of crawlers, by itself and by its headers."""
        page, heeded = item.page, item.heeded
        follow, canonical = addresses_in(item.body.headers, page)
        canonical = (page.canonical_url or canonical) if self.directives.canonical else None
        followed = [] if "nofollow" in heeded else [*follow, *page.follow][:MOST_FOLLOWED]
        # A shorter way to it may have been found since it was asked for.
        depth = self.session.store.frontier.depth(item.page_id)
        return replace(
            item,
            depth=depth,
            follow=[self._within_depth(url, depth) for url in followed],
            excluded="noindex" if "noindex" in heeded else None,
            canonical=None if canonical is None else self._within_depth(canonical, depth),
        )

    def _settle_other(self, page: int, response: Response) -> None:
        """Settles a URL whose response is not HTML. The next rounds request it again if it was a page before,
        or if neither the header nor the body is of another type.
        """
        binary = bool(response.body) and not isinstance(response, TextResponse)
        if not (binary or names_other_type(response.headers)):
            self.settle(page, "failed", reason="no html", status=response.status)
            return
        known = self.session.store.pages.fetch(page) is not None
        self.settle(page, "refused", reason=OTHER_TYPE if known else "type", status=response.status)

    def confirm(self, page: int, response: Response) -> None:
        """Records that the server has answered 304: the stored page, its links and templates still count."""
        store = self.session.store
        tags = response.headers.getlist(b"X-Robots-Tag")
        told = "noindex" in self.directives.of(tags)
        expired = EXPIRES.encode() in response.body.lower() and self.asks_for_no_index(page)
        with self.session.writing():
            fetch = store.pages.fetch(page)
            before = None if fetch is None else fetch.interval
            waits = self.session.revisit.next(store.frontier.url(page), before, changed=False)
            store.outcomes.confirm(page, self.session.run, seconds(), waits)
            if told or expired:
                store.previous.keep(page)
                store.outcomes.exclude(page, "noindex")
            if told:
                body = store.bodies.get(page)
                asked = [("X-Robots-Tag", tag.decode("latin-1")) for tag in tags]
                store.bodies.put(page, replace(body, headers=[*body.headers, *asked]))
        if self.session.state.broken:
            return
        self.session.state.confirm(page)
        self.crawler.stats.inc_value("pages/not_modified")

    def asks_for_no_index(self, page: int) -> bool:
        """True if a stored page asks for no index by now: a date that it names may have passed."""
        body, url = self.session.store.bodies.get(page), self.session.store.frontier.url(page)
        return "noindex" in self.directives.of(robots_tags(body.headers), read(body.source(), url))

    def _distrust(self, item: PageItem) -> None:
        """Notes a host that sends the validators of a stored page with another text: it would be asked in
        vain whether its pages have changed.
        """
        sent = validators(item.body.headers)
        store = self.session.store
        if not any(sent):
            return
        fetch = store.pages.fetch(item.page_id)
        if fetch is None or validators(store.bodies.headers(item.page_id)) != sent:
            return
        if fetch.fingerprint == fingerprint([block.text for block in item.page.blocks]):
            return
        url = item.page.url
        host = urlsplit(url).netloc
        known = store.meta(DISTRUSTED_HOSTS) or []
        if host not in known:
            self.logger.warning(
                "%s: another text with the same ETag and Last-Modified; the pages of %s are fetched whole "
                "from now on",
                url,
                host,
            )
            with self.session.writing():
                store.set_meta(DISTRUSTED_HOSTS, [*known, host])

    def heed(self, page_id: int, page: Page) -> None:
        """Marks the links of a page of the store as those that are followed, or not, by itself and by the
        headers that it was fetched with.
        """
        tags = robots_tags(self.session.store.bodies.headers(page_id))
        self.directives.obey(page, self.directives.of(tags, page))

    def link_target(self, link: Link, depth: int) -> Target:
        """Returns the target of a link of a page at this depth, and whether it is followed."""
        if not link.nofollow:
            return self._within_depth(link.url, depth)
        target = self.target(link.url)
        return Target(target.url, target.refusal or "nofollow")

    def _within_depth(self, url: str, depth: int) -> Target:
        target = self.target(url)
        if self._depth_limit and depth >= self._depth_limit and target.refusal is None:
            return Target(target.url, "depth")
        return target

    def take_redirect(self, request: Request) -> bool:
        """Settles a URL that redirects: where it leads is one more URL of the frontier.

        Returns whether the redirect is to be followed at once: only where it leads back to a URL of its own
        chain, as pages do that want a cookie first.
        """
        page_id = request.meta.get("page")
        if page_id is None:
            return True
        chain = {self.target(url).url for url in request.meta["redirect_urls"]}
        if self.target(request.url).url in chain:
            return True
        hops = self._hops.pop(page_id, 0) + 1
        if hops > self.settings.getint("REDIRECT_MAX_TIMES"):
            self.settle(page_id, "failed", reason="redirect loop")
            return False
        if (to := self.settle_redirect(page_id, request)) is not None:
            self._hops[to] = hops
        return False

    def settle_redirect(self, page: int, request: Request) -> int | None:
        """Settles a page that redirects; returns the page that it leads to, if any."""
        frontier = self.session.store.frontier
        with self.session.writing():
            to = frontier.add(self.target(request.url), frontier.depth(page))
        if self.session.state.broken:
            return None
        back = page in frontier.redirects(to, self.session.round_after)
        if back and not self.settings.getbool("COOKIES_ENABLED"):
            self.settle(page, "failed", reason="redirect loop")
            return None
        # Where a page is for the time being says nothing of where it will be.
        lasting = request.meta["redirect_reasons"][-1] in PERMANENT
        self.settle(page, "redirected", target=to, reason=None if lasting else "temporary")
        if back:
            # A cookie that was set on the way may let it pass.
            with self.session.writing():
                frontier.ask([to], self.session.run)
        return to

    def settle_failure(self, failure: Failure) -> None:
        """Settles a URL whose request gave no page: refused, failed or gone, and why."""
        request = cast("Request", failure.request)  # type: ignore[attr-defined]
        page_id = request.meta.get("page")
        if page_id is None:
            return
        if isinstance(failure.value, CrawlEnds):
            self.session.state.in_flight.discard(page_id)
            return
        state, reason, status = what_became(failure.value)
        if state == "failed":
            self.logger.info("Failed (%s): %s: %s", reason, request.url, failure.value)
        self.settle(page_id, state, reason=reason, status=status)

    def settle(self, page: int, state: str, **details: Any) -> None:
        """Records the state of a URL, and counts it; the crawl ends if the store takes no more.

        A run that is to see a part of the site takes no document away.
        """
        if self.partial and state in ("gone", "redirected") and self.session.store.documents.is_current(page):
            if state == "gone":
                state = "refused"
            else:
                details["reason"] = "temporary"
        self.session.settle(page, state, **details)
