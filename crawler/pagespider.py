"""What the spiders share: pages come in, every request ends in the store."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Self, cast

from scrapy import Spider
from scrapy.exceptions import DownloadCancelledError, IgnoreRequest, StopDownload
from scrapy.http import Request
from scrapy.spidermiddlewares.httperror import HttpError

from crawler.archive import ArchiveError, BodyTooLarge
from crawler.handlers.archive import NotInArchive
from crawler.items import PageItem
from crawler.job import Job
from crawler.middlewares.partition import PAGE
from store.frontier import Target
from store.runs import now

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from scrapy.crawler import Crawler
    from scrapy.http import Response
    from scrapy.settings import BaseSettings
    from twisted.python.failure import Failure

    from crawler.middlewares.partition import PartitionedPage
    from crawler.plan import Plan
    from pagelets.page import Link
    from store.frontier import Due


class PageSpider(Spider):
    """A spider whose frontier is a site's store.

    A subclass gives the check of its arguments (``plan_from``), says where links lead (``target``), and makes
    its start URLs known (``begin``). Arguments: those of `crawler.plan.ARGUMENTS`, ``fresh`` and ``sample``.
    """

    job: Job

    @classmethod
    def plan_from(cls, arguments: Mapping[str, str], settings: BaseSettings) -> Plan:
        """Checks the spider's arguments against the settings. Raises ConfigurationError."""
        raise NotImplementedError

    @classmethod
    def from_crawler(cls, crawler: Crawler, *args: Any, **kwargs: Any) -> Self:
        """Checks the arguments and opens the site's store. Raises ConfigurationError or StoreError."""
        plan = cls.plan_from(kwargs, crawler.settings)
        plan.apply(crawler.settings)
        spider = super().from_crawler(crawler, *args)
        spider.open(plan)
        return spider

    def open(self, plan: Plan) -> None:
        """Takes the site's lock, opens its store, and makes the start URLs known."""
        self.job = Job(plan, self.crawler.settings, self.name)
        try:
            with self.job.store.transaction():
                self.begin()
        except BaseException:
            self.job.close()
            raise

    def begin(self) -> None:
        """Makes the start URLs known, inside a transaction."""
        raise NotImplementedError

    def target(self, url: str) -> Target:
        """Where a link leads."""
        raise NotImplementedError

    def page_request(self, due: Due) -> Request | None:
        """The request for a URL of the frontier; None where it makes none, and the URL is settled."""
        try:
            return Request(
                due.url,
                callback=self.parse,
                errback=self.settle_failure,
                meta={"page": due.page, "page_url": due.url, "depth": due.depth, **self.request_meta(due)},
                dont_filter=True,
            )
        except ValueError as error:
            self.job.settle(due.page, "failed", reason=f"no URL: {error}")
            return None

    def request_meta(self, due: Due) -> dict[str, Any]:
        """What a page's request carries beside its id and depth."""
        del due
        return {}

    def parse(self, response: Response) -> Iterator[PageItem]:
        """A fetched page, which the partition middleware has read: it is yielded as an item.

        Its links need no requests: the store that records it is the frontier.
        """
        meta = response.meta
        page_id: int = meta["page"]
        partitioned: PartitionedPage | None = meta.pop(PAGE, None)
        if partitioned is None:
            self.job.settle(page_id, "refused", reason="type", status=response.status)
            return
        page = partitioned.page
        never_follow = "nofollow" in page.robots or "none" in page.robots
        targets = [self.link_target(link, meta["depth"]) for link in page.links]
        follow = [] if never_follow else [self._within_depth(url, meta["depth"]) for url in page.follow]
        yield PageItem(
            page_id=page_id,
            depth=meta["depth"],
            status=response.status,
            fetched_at=now(),
            body=partitioned.body,
            page=page,
            pagelets=partitioned.pagelets,
            targets=targets,
            follow=follow,
            flags=partitioned.flags,
        )

    def link_target(self, link: Link, depth: int) -> Target:
        """Where a link of a page at this depth leads, and whether it is followed."""
        if not link.nofollow:
            return self._within_depth(link.url, depth)
        target = self.target(link.url)
        return Target(target.url, target.refusal or "nofollow")

    def _within_depth(self, url: str, depth: int) -> Target:
        target = self.target(url)
        limit = self.settings.getint("DEPTH_LIMIT")
        if limit and depth >= limit and target.refusal is None:
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
        target = self.redirect_target(request.url, request.meta)
        store, job = self.job.store, self.job
        chain = {self.target(url).url for url in request.meta["redirect_urls"]}
        if target.url in chain:
            return True
        with store.transaction():
            to = store.frontier.add(target, request.meta["depth"])
            if self._leads_back(to, page_id):
                store.frontier.settle(page_id, "failed", job.run, reason="redirect loop")
            else:
                store.frontier.settle(page_id, "redirected", job.run, target=to)
        job.in_flight.discard(page_id)
        return False

    def redirect_target(self, url: str, meta: dict[str, Any]) -> Target:
        """Where a redirect leads; a subclass may widen its scope here."""
        del meta
        return self.target(url)

    def _leads_back(self, page: int, origin: int) -> bool:
        """Whether the redirects recorded from ``page`` on lead to ``origin``."""
        seen = set()
        while page not in seen:
            if page == origin:
                return True
            seen.add(page)
            row = self.job.store.connection.execute(
                "SELECT target FROM pages WHERE page = ? AND state = 'redirected' AND run = ?",
                (page, self.job.run),
            ).fetchone()
            if row is None:
                return False
            page = row[0]
        return False

    def settle_failure(self, failure: Failure) -> None:
        """Settles a URL whose request gave no page: refused, failed or gone, and why."""
        request = cast("Request", failure.request)  # type: ignore[attr-defined]
        page_id = request.meta.get("page")
        if page_id is None:
            return
        state, reason, status = _what_became(failure.value)
        self.job.settle(page_id, state, reason=reason, status=status)
        self.crawler.stats.inc_value(f"pages/{state}")


def _what_became(error: BaseException | None) -> tuple[str, str, int | None]:
    """State, reason and HTTP status of a URL whose request ended with this exception."""
    if isinstance(error, HttpError):
        status = error.response.status
        return ("gone" if status in (404, 410) else "failed"), f"http {status}", status
    if isinstance(error, StopDownload):
        return "refused", "type", error.response.status if error.response is not None else None
    if isinstance(error, DownloadCancelledError | BodyTooLarge):
        return "refused", "size", None
    if isinstance(error, NotInArchive):
        return "refused", "archive", None
    if isinstance(error, ArchiveError):
        return "failed", "archive record", None
    if isinstance(error, IgnoreRequest):
        text = str(error)
        if "robots" in text:
            return "refused", "robots", None
        return "failed", "redirect loop" if "redirect" in text else text, None
    return "failed", type(error).__name__, None
