"""robots.txt: its rules, how long it asks to wait, and what it means that it cannot be had (RFC 9309)."""

from __future__ import annotations

import asyncio
import logging
from collections import defaultdict
from dataclasses import dataclass, replace
from time import monotonic
from typing import TYPE_CHECKING, ClassVar, Final

from scrapy import Request, signals
from scrapy.crawler import Crawler
from scrapy.exceptions import IgnoreRequest
from scrapy.http.request import NO_CALLBACK
from scrapy.utils.httpobj import urlparse_cached

from crawler.fetching import internals
from crawler.fetching.address_guard import PrivateAddress
from crawler.fetching.stopping import CrawlEnds
from crawler.frontier.pauses import pause_of

if TYPE_CHECKING:
    from scrapy.robotstxt import RobotParser

UNREACHABLE: Final = "robots.txt unreachable"
"""The text of the IgnoreRequest of a page whose robots.txt cannot be had."""

RULES_HOLD: Final = 24 * 3600.0
"""Seconds after which rules are asked for anew (RFC 9309, section 2.4)."""
RULES_KEPT: Final = 30 * 86_400.0
"""Seconds that rules hold at most while they cannot be had anew (section 2.3.1.4)."""
ASKED_AGAIN: Final = 3600.0
"""Seconds after which a robots.txt is asked for again that could not be had."""

_LOOK: Final = 0.5
"""Seconds between two looks at whether the crawl is to end, in a pause."""
_PARSED: Final = 500 * 1024
"""Bytes of a robots.txt that are read (RFC 9309, section 2.5)."""
_TRY_LATER: Final = frozenset({408, 429})
"""Statuses below 500 that say nothing of whether there are rules, but that it was too slow or too much."""

logger = logging.getLogger(__name__)


class ObeyRobots(internals.RobotsParts):
    """Holds every request to the robots.txt of its host, after RFC 9309.

    A status of 4xx, or more redirects than ``REDIRECT_MAX_TIMES``, means that there are no rules. A status of
    5xx, 408 or 429, a timeout, a failure of DNS or of the connection, or a component that does not let the
    request pass means that nothing may be requested now: the requests of the host end with
    ``IgnoreRequest("robots.txt unreachable")``. It is asked for at least twice before that,
    ``RETRY_TIMES`` times more with ``RETRY_ENABLED``, after the pause that a 429 or 503 asks for, and again
    after an hour.

    Rules hold for a day, then they are asked for anew. Where they cannot be had then, the old ones hold on,
    for 30 days at most, and every hour they are asked for again.

    ``Crawl-delay`` of the group that holds for us is the least time between two requests to the host:
    AutoThrottle may only wait longer, and nothing is taken off at random.

    A longer wish than ``longest_delay`` (seconds) is cut to that, with a warning.

    Settings: ``ROBOTSTXT_OBEY``; ``CRAWL_DELAY_ENABLED``. Stats: those of Scrapy's middleware, and
    ``robotstxt/unreachable`` (hosts).
    """

    longest_delay: ClassVar = 60.0

    def __init__(self, crawler: Crawler) -> None:
        super().__init__(crawler)
        settings = crawler.settings
        retries = settings.getint("RETRY_TIMES") if settings.getbool("RETRY_ENABLED") else 0
        self._tries = 1 + max(1, retries)
        self._waits = settings.getbool("CRAWL_DELAY_ENABLED")
        self._asking: defaultdict[str, asyncio.Lock] = defaultdict(asyncio.Lock)
        self._known: dict[str, _Known] = {}
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
            known = self._known.get(origin)
            if known is None or monotonic() >= known.ask_at:
                known = self._known[origin] = await self._ask_anew(origin, request, known)
        if known.rules is None:
            assert known.error is not None
            raise known.error.with_traceback(None)
        return known.rules

    async def _ask_anew(self, origin: str, request: Request, known: _Known | None) -> _Known:
        try:
            rules = await self._read(origin, request)
        except PrivateAddress as error:
            return _Known(None, error, 0.0, monotonic() + ASKED_AGAIN)
        except _Unreachable as error:
            later = monotonic() + ASKED_AGAIN
            if known is not None and known.rules is not None and monotonic() < known.read_at + RULES_KEPT:
                logger.warning("%s/robots.txt: %s; the rules that it had hold on", origin, error)
                return replace(known, ask_at=later)
            logger.warning("%s/robots.txt: %s; nothing of this host is requested now", origin, error)
            if known is None or known.rules is not None:
                self.crawler.stats.inc_value("robotstxt/unreachable")
            return _Known(None, IgnoreRequest(UNREACHABLE), 0.0, later)
        return _Known(rules, None, monotonic(), monotonic() + RULES_HOLD)

    async def _read(self, origin: str, request: Request) -> RobotParser:
        body = await self._ask(f"{origin}/robots.txt")
        rules = self.parsed(_first(body))
        await self.crawler.signals.send_catch_log_async(
            signal=signals.robots_parsed, robotparser=rules, request=request
        )
        if self._waits:
            self._wait(rules, request)
        return rules

    async def _ask(self, url: str) -> bytes:
        """Returns the body of a robots.txt, empty for a missing one. Raises _Unreachable, or PrivateAddress
        if the host itself has such an address.
        """
        status, reason = 0, ""
        for left in reversed(range(self._tries)):
            asked = Request(
                url,
                priority=self.DOWNLOAD_PRIORITY,
                meta={"dont_obey_robotstxt": True, "dont_retry": True},
                callback=NO_CALLBACK,
                dont_filter=True,
            )
            self.crawler.stats.inc_value("robotstxt/request_count")
            try:
                response = await self.crawler.engine.download_async(asked)
            except CrawlEnds:
                raise
            except IgnoreRequest as error:
                if isinstance(error, PrivateAddress) and error.host == urlparse_cached(asked).hostname:
                    raise
                if str(error) == internals.TOO_MANY_REDIRECTS:
                    return b""
                raise _Unreachable(str(error) or type(error).__name__) from error
            except Exception as error:
                self.crawler.stats.inc_value(f"robotstxt/exception_count/{type(error)}")
                status, reason = 0, f"{type(error).__name__}: {error}".rstrip(": ")
                if proxy := asked.meta.get("proxy"):
                    reason += f" (through the proxy {proxy})"
                continue
            status, reason = response.status, f"HTTP {response.status}"
            self.crawler.stats.inc_value("robotstxt/response_count")
            self.crawler.stats.inc_value(f"robotstxt/response_status_count/{status}")
            if status < 500 and status not in _TRY_LATER:
                return response.body if 200 <= status < 300 else b""
            if left:
                await self._pause(pause_of(response))
        raise _Unreachable(reason)

    async def _pause(self, wait: float) -> None:
        """Waits so many seconds, while the crawl goes on."""
        until = monotonic() + wait
        while (left := until - monotonic()) > 0 and not internals.is_closing(self.crawler):
            await asyncio.sleep(min(left, _LOOK))

    def _wait(self, rules: RobotParser, request: Request) -> None:
        wish = rules.crawl_delay(self.agent(request))
        # A stranger's number may be none.
        if wish is None or not wish > 0:
            return
        host = urlparse_cached(request).netloc
        if wish > self.longest_delay:
            asks = "%s: robots.txt asks for %g seconds between requests; it gets %g, the longest"
            logger.warning(asks, host, wish, self.longest_delay)
        key = internals.slot_key(self.crawler, request)
        self._least[key] = max(min(wish, self.longest_delay), self._least.get(key, 0.0))
        internals.keep_delay(self.crawler, key, self._least[key])
        internals.raise_delay(self.crawler, key, self._least[key])

    def _keep_least(self, request: Request) -> None:
        """Raises the delay again that AutoThrottle, which sees each response first, has lowered."""
        key = internals.slot_of(request)
        if key in self._least:
            internals.raise_delay(self.crawler, key, self._least[key])


@dataclass(slots=True, frozen=True)
class _Known:
    """The state of a host: its rules and when they were read, or why they are missing; and when its
    robots.txt is asked for again.
    """

    rules: RobotParser | None
    error: IgnoreRequest | None
    read_at: float
    ask_at: float


class _Unreachable(Exception):
    """A robots.txt is unreachable; the text gives the reason."""


def _first(body: bytes) -> bytes:
    if len(body) <= _PARSED:
        return body
    # Half a rule is another rule.
    return body[: body.rfind(b"\n", 0, _PARSED) + 1]
