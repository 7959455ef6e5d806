"""robots.txt: its rules, how long it asks to wait, and what it means that it cannot be had (RFC 9309)."""

from __future__ import annotations

import asyncio
import logging
from collections import defaultdict
from typing import TYPE_CHECKING, Any, Final

from scrapy import Request, signals
from scrapy.downloadermiddlewares.robotstxt import RobotsTxtMiddleware
from scrapy.exceptions import IgnoreRequest
from scrapy.http.request import NO_CALLBACK
from scrapy.utils.httpobj import urlparse_cached
from scrapy.utils.misc import build_from_crawler

if TYPE_CHECKING:
    from scrapy.crawler import Crawler
    from scrapy.http import Response
    from scrapy.robotstxt import RobotParser

UNREACHABLE: Final = "robots.txt unreachable"
"""The text of the IgnoreRequest of a page whose robots.txt cannot be had."""

_PARSED: Final = 500 * 1024
"""Bytes of a robots.txt that are read (RFC 9309, section 2.5)."""
_TRY_LATER: Final = frozenset({408, 429})

logger = logging.getLogger(__name__)


class ObeyRobots(RobotsTxtMiddleware):
    """Holds every request to the robots.txt of its host, after RFC 9309.

    A status of 4xx, or more redirects than ``REDIRECT_MAX_TIMES``, means that there are no rules. A status of
    5xx, a timeout, a failure of DNS or of the connection means that nothing may be requested now: the
    requests of the host end with ``IgnoreRequest("robots.txt unreachable")``. It is asked for at least twice
    before that is said, ``RETRY_TIMES`` times more where ``RETRY_ENABLED``.

    ``Crawl-delay`` of the group that holds for us is the least time between two requests to the host:
    AutoThrottle may only wait longer, and nothing is taken off at random.

    Settings: ``ROBOTSTXT_OBEY``; ``CRAWL_DELAY_ENABLED``; ``CRAWL_DELAY_MAX`` (seconds), to which a longer
    wish is cut, with a warning. Stats: those of Scrapy's middleware, and ``robotstxt/unreachable`` (hosts).
    """

    def __init__(self, crawler: Crawler) -> None:
        super().__init__(crawler)
        settings = crawler.settings
        retries = settings.getint("RETRY_TIMES") if settings.getbool("RETRY_ENABLED") else 0
        self._tries = 1 + max(1, retries)
        self._waits = settings.getbool("CRAWL_DELAY_ENABLED")
        self._longest = settings.getfloat("CRAWL_DELAY_MAX")
        self._asking: defaultdict[str, asyncio.Lock] = defaultdict(asyncio.Lock)
        # None where it is unreachable.
        self._rules: dict[str, RobotParser | None] = {}
        self._least: dict[str, float] = {}
        if self._waits:
            crawler.signals.connect(self._keep_least, signal=signals.response_downloaded)

    async def robot_parser(self, request: Request) -> RobotParser:
        """The rules of a request's host. Raises IgnoreRequest where they cannot be had.

        All requests for one host wait for its robots.txt, which is asked for once.
        """
        url = urlparse_cached(request)
        origin = f"{url.scheme}://{url.netloc}"
        async with self._asking[origin]:
            if origin not in self._rules:
                self._rules[origin] = await self._read(origin, request)
        rules = self._rules[origin]
        if rules is None:
            raise IgnoreRequest(UNREACHABLE)
        return rules

    async def _read(self, origin: str, request: Request) -> RobotParser | None:
        try:
            body = await self._ask(f"{origin}/robots.txt")
        except _Unreachable as error:
            logger.warning("%s/robots.txt: %s; nothing of this host is requested now", origin, error)
            self._stats.inc_value("robotstxt/unreachable")
            return None
        rules: RobotParser = build_from_crawler(self._parserimpl, self.crawler, _first(body))
        await self.crawler.signals.send_catch_log_async(
            signal=signals.robots_parsed, robotparser=rules, request=request
        )
        if self._waits:
            self._wait(rules, request)
        return rules

    async def _ask(self, url: str) -> bytes:
        """The body of a robots.txt, empty where there is none. Raises _Unreachable."""
        status, reason = 0, ""
        for _ in range(self._tries):
            asked = Request(
                url,
                priority=self.DOWNLOAD_PRIORITY,
                meta={"dont_obey_robotstxt": True, "dont_retry": True},
                callback=NO_CALLBACK,
                dont_filter=True,
            )
            self._stats.inc_value("robotstxt/request_count")
            try:
                assert self.crawler.engine is not None
                response = await self.crawler.engine.download_async(asked)
            except IgnoreRequest:
                # Too many redirects, or another component that does not want it: it is unavailable.
                return b""
            except Exception as error:
                self._stats.inc_value(f"robotstxt/exception_count/{type(error)}")
                status, reason = 0, f"{type(error).__name__}: {error}".rstrip(": ")
                continue
            status, reason = response.status, f"HTTP {response.status}"
            self._stats.inc_value("robotstxt/response_count")
            self._stats.inc_value(f"robotstxt/response_status_count/{status}")
            if status < 500 and status not in _TRY_LATER:
                return response.body if 200 <= status < 300 else b""
        if status in _TRY_LATER:
            return b""
        raise _Unreachable(reason)

    def _wait(self, rules: RobotParser, request: Request) -> None:
        agent = self._robotstxt_useragent or request.headers.get(b"User-Agent", self._default_useragent)
        assert agent is not None
        wish = rules.crawl_delay(agent)
        # A stranger's number may be none.
        if wish is None or not wish > 0:
            return
        host = urlparse_cached(request).netloc
        if wish > self._longest:
            logger.warning(
                "%s: robots.txt asks for %g seconds between requests; it gets %g (CRAWL_DELAY_MAX)",
                host,
                wish,
                self._longest,
            )
        assert self.crawler.engine is not None
        downloader = self.crawler.engine.downloader
        key = downloader.get_slot_key(request)
        least = max(min(wish, self._longest), self._least.get(key, 0.0))
        self._least[key] = least
        # For the slot that is made when this one was idle for long.
        given = downloader.per_slot_settings.get(key, {})
        delay = max(float(given.get("delay", 0.0)), least)
        kept = {name: value for name, value in given.items() if name != "randomize_delay"}
        downloader.per_slot_settings[key] = {**kept, "delay": delay, "jitter": 0.0}
        self._raise(key)

    def _raise(self, key: str) -> None:
        assert self.crawler.engine is not None
        slot = self.crawler.engine.downloader.slots.get(key)
        if slot is not None:
            slot.delay = max(slot.delay, self._least[key])
            slot.jitter = 0.0

    def _keep_least(self, response: Response, request: Request, spider: Any) -> None:
        """Raises again what AutoThrottle, which hears of each response first, has lowered."""
        del response, spider
        key = request.meta.get("download_slot")
        if key in self._least:
            self._raise(key)


class _Unreachable(Exception):
    """A robots.txt cannot be had; the text says why."""


def _first(body: bytes) -> bytes:
    if len(body) <= _PARSED:
        return body
    # Half a rule is another rule.
    return body[: body.rfind(b"\n", 0, _PARSED) + 1]
