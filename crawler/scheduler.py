"""The store is the frontier: what is to be requested next is asked of it."""

from __future__ import annotations

from collections import deque
from typing import TYPE_CHECKING, Self, cast

from scrapy.core.scheduler import BaseScheduler

if TYPE_CHECKING:
    from scrapy import Spider
    from scrapy.crawler import Crawler
    from scrapy.http import Request

    from crawler.pagespider import PageSpider
    from store.frontier import Due

BATCH = 256


class StoreScheduler(BaseScheduler):
    """Hands out the URLs that the site's store says are due, nearest to the start first.

    Nothing of the frontier is held in memory but a batch of it, and nothing of it can be lost with the
    process. Requests that are no pages of the frontier (sitemaps, retries, the release of held pages) are
    queued in memory and go first.

    Setting: ``MAX_PAGES``, the pages that a run stores at most; 0 for no limit. Pages in flight count, so
    that no more than that are ever stored.
    """

    def __init__(self, max_pages: int) -> None:
        self.max_pages = max_pages
        self._requests: deque[Request] = deque()
        self._batch: deque[Due] = deque()

    @classmethod
    def from_crawler(cls, crawler: Crawler) -> Self:
        """Reads the setting."""
        return cls(crawler.settings.getint("MAX_PAGES"))

    def open(self, spider: Spider) -> None:
        """Takes the spider's store."""
        self._spider = cast("PageSpider", spider)

    def has_pending_requests(self) -> bool:
        """Whether there is anything left to hand out."""
        return bool(self._requests) or self._next_due()

    def enqueue_request(self, request: Request) -> bool:
        """Takes a request; False where the frontier has dealt with it already (a redirect to a known URL)."""
        if "redirect_urls" in request.meta and not self._spider.take_redirect(request):
            return False
        self._requests.append(request)
        return True

    def next_request(self) -> Request | None:
        """The next request, None where there is none at the moment."""
        if self._requests:
            return self._requests.popleft()
        while self._next_due():
            due = self._batch.popleft()
            self._spider.job.in_flight.add(due.page)
            request = self._spider.page_request(due)
            if request is not None:
                return request
        return None

    def _next_due(self) -> bool:
        job = self._spider.job
        if job.reviewed:
            # What is due from now on, as the round was undone, is for the next run.
            return False
        if self.max_pages and job.held + job.confirmed + len(job.in_flight) >= self.max_pages:
            return False
        if not self._batch:
            self._batch.extend(job.store.frontier.due(BATCH, job.in_flight))
        return bool(self._batch)
