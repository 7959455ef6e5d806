"""Crawls a site over the network."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any
from urllib.parse import urlsplit

from scrapy.http import Request, TextResponse
from scrapy.utils.gz import gunzip, gzip_magic_number
from scrapy.utils.sitemap import Sitemap, sitemap_urls_from_robots

from crawler.pagespider import PageSpider
from crawler.plan import plan_site
from crawler.scope import Scope
from store.frontier import Target

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Iterator, Mapping

    from scrapy.http import Response
    from scrapy.settings import BaseSettings
    from twisted.python.failure import Failure

    from crawler.plan import Plan


class SiteSpider(PageSpider):
    """Crawls from start URLs, in scope of their hosts and below their folders.

    Arguments: ``url`` (start URLs, parted by commas) or ``site`` (a file in settings/sites), and those of
    `crawler.plan.ARGUMENTS`.
    """

    name = "site"

    @classmethod
    def plan_from(cls, arguments: Mapping[str, str], settings: BaseSettings) -> Plan:
        """Checks the arguments."""
        return plan_site(arguments, settings)

    def begin(self) -> None:
        """Makes the start URLs known; applies a scope that has changed to what earlier runs found."""
        store, plan = self.job.store, self.job.plan
        moved = (store.meta("moved_to") or "").split()
        self.scope = Scope.from_settings([*plan.urls, *moved], self.settings)
        described = self.scope.describe()
        if store.meta("scope") != described:
            if store.meta("scope") is not None:
                store.frontier.judge_again(self.scope.refusal)
            store.set_meta("scope", described)
        self.starts = {store.frontier.add(Target(self.target(url).url, None), 0) for url in plan.urls}
        self.sitemaps = 0

    def target(self, url: str) -> Target:
        """Where a link leads, judged by the scope."""
        return self.scope.target(url)

    async def start(self) -> AsyncIterator[Any]:
        """Looks for sitemaps; the pages themselves come from the frontier."""
        if not self.settings.getbool("SITEMAPS_ENABLED"):
            return
        for host in sorted(
            {f"{parts.scheme}://{parts.netloc}" for parts in map(urlsplit, self.job.plan.urls)}
        ):
            yield self._aside(f"{host}/robots.txt", self.parse_robots)
            yield self._aside(f"{host}/sitemap.xml", self.parse_sitemap)

    def _aside(self, url: str, callback: Any) -> Request:
        return Request(url, callback=callback, errback=self.ignore, dont_filter=True)

    def parse_robots(self, response: Response) -> Iterator[Request]:
        """Follows the sitemaps that robots.txt names."""
        if isinstance(response, TextResponse):
            for url in sitemap_urls_from_robots(response.body, base_url=response.url):
                yield from self._sitemap(url)

    def parse_sitemap(self, response: Response) -> Iterator[Request]:
        """Makes a sitemap's pages known; follows those that it names."""
        body = response.body
        if gzip_magic_number(response):
            body = gunzip(body, max_size=self.settings.getint("DOWNLOAD_MAXSIZE"))
        sitemap = Sitemap(body)
        if sitemap.type == "sitemapindex":
            for entry in sitemap:
                if location := entry.get("loc"):
                    yield from self._sitemap(response.urljoin(str(location)))
        elif sitemap.type == "urlset":
            with self.job.store.transaction():
                for entry in sitemap:
                    target = self.target(str(entry.get("loc", "")))
                    if target.refusal is None:
                        self.job.store.frontier.add(target, 1)
                        self.crawler.stats.inc_value("pages/from_sitemaps")

    def _sitemap(self, url: str) -> Iterator[Request]:
        self.sitemaps += 1
        if self.sitemaps <= self.settings.getint("SITEMAPS_MAX_FILES"):
            try:
                yield self._aside(url, self.parse_sitemap)
            except ValueError:
                self.logger.warning("No URL of a sitemap: %s", url)

    def ignore(self, failure: Failure) -> None:
        """A site without robots.txt or sitemap is a site all the same."""
        self.logger.debug("No sitemap: %s", failure.value)

    def redirect_target(self, url: str, meta: dict[str, Any]) -> Target:
        """A start URL that has moved to another host takes the scope with it."""
        target = self.target(url)
        if target.refusal == "scope" and meta["page"] in self.starts:
            self.scope.include(url)
            store = self.job.store
            with store.transaction():
                moved = (store.meta("moved_to") or "").split()
                store.set_meta("moved_to", " ".join(dict.fromkeys([*moved, target.url])))
                store.set_meta("scope", self.scope.describe())
            target = self.target(url)
            self.starts.add(store.frontier.find(target.url) or 0)
        return target
