"""robots.txt, obeyed by requests at the same time too."""

from __future__ import annotations

import asyncio
from collections import defaultdict
from typing import TYPE_CHECKING

from scrapy.downloadermiddlewares.robotstxt import RobotsTxtMiddleware
from scrapy.utils.httpobj import urlparse_cached

if TYPE_CHECKING:
    from scrapy import Request
    from scrapy.crawler import Crawler
    from scrapy.robotstxt import RobotParser


class ObeyRobots(RobotsTxtMiddleware):
    """Scrapy's middleware, where all requests to a host wait for its robots.txt, and all are held to it.

    In Scrapy 2.19 the requests that wait for the same robots.txt share one Deferred, which gives its result
    to the first of them only: the others go out as if there were no rules.
    """

    def __init__(self, crawler: Crawler) -> None:
        super().__init__(crawler)
        self._asking: defaultdict[str, asyncio.Lock] = defaultdict(asyncio.Lock)

    async def robot_parser(self, request: Request) -> RobotParser | None:
        """The rules of the request's host, None where it has none."""
        async with self._asking[urlparse_cached(request).netloc]:
            return await super().robot_parser(request)
