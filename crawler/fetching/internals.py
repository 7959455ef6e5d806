"""All that this project uses of Scrapy, Twisted and aiohttp beside what they promise to keep.

What a release of theirs may move is named here and nowhere else, and tests/crawler/fetching/test_internals.py
tells first where it has moved. Of the downloader's slots crawler.frontier.turns reads the state as well.
"""

from __future__ import annotations

import asyncio
import contextlib
import logging
import socket
from contextvars import ContextVar
from http import HTTPStatus
from typing import TYPE_CHECKING, Any, Final

from scrapy import Request, Spider
from scrapy.core.downloader import Downloader, Slot
from scrapy.crawler import Crawler
from scrapy.downloadermiddlewares.robotstxt import RobotsTxtMiddleware
from scrapy.extensions.feedexport import FeedExporter, FeedSlot, ItemFilter, apply_uri_params
from scrapy.extensions.throttle import AutoThrottle
from scrapy.http import Response, TextResponse
from scrapy.utils.misc import build_from_crawler
from twisted.internet.defer import Deferred
from twisted.internet.endpoints import HostnameEndpoint, TCP4ClientEndpoint
from twisted.web.client import HTTPConnectionPool
from twisted.web.http_headers import InvalidHeaderName
from zope.interface import directlyProvides, providedBy  # type: ignore[import-untyped]

from pagelets.patterns import suffixes

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from scrapy.core.downloader.handlers.base import BaseDownloadHandler
    from scrapy.robotstxt import RobotParser

    Permit = Callable[[str, str], None]

logger = logging.getLogger(__name__)

SCHEME_PROXY: Final = "_scheme_proxy"
"""The key of ``request.meta`` by which Scrapy notes that a request has the proxy of the environment."""
AIOHTTP: Final = "scrapy.core.downloader.handlers._aiohttp.AiohttpDownloadHandler"
"""Scrapy's handler of http and https where Twisted's reactor is off."""
TWISTED: Final = "scrapy.core.downloader.handlers.http11.HTTP11DownloadHandler"


TOO_MANY_REDIRECTS: Final = "max redirections reached"
FORBIDDEN: Final = "Forbidden by robots.txt"
"""Texts of the IgnoreRequest of Scrapy's middlewares, which has no class of its own for each."""
MAX_SIZE: Final = "DOWNLOAD_MAXSIZE"
"""The text of the IgnoreRequest for a body that grows too large when it is decompressed."""


def declared_encoding(response: TextResponse) -> str | None:
    """The encoding that a response was made with, or that its bytes, headers or page declare."""
    return response._declared_encoding()


def tell_in_one_line(record: logging.LogRecord) -> bool:
    """Takes the traceback off a record of Scrapy's that a feed cannot be stored; a filter of its logger."""
    told = record.getMessage()
    if record.exc_info and told.startswith("Error storing "):
        # The log has hidden the secrets of its traceback.
        lines = (record.exc_text or repr(record.exc_info[1])).splitlines()
        record.msg, record.args = f"{told}: {lines[-1]}; the next run sends its documents again", None
        record.exc_info = record.exc_text = None
    return True


class FeedHooks(FeedExporter):
    """Scrapy's feed exports, with what a subclass may say of the filter of a feed, and hear of its end."""

    def __init__(self, crawler: Crawler) -> None:
        super().__init__(crawler)
        logging.getLogger(FeedExporter.__module__).addFilter(tell_in_one_line)

    def filter_of(self, own: ItemFilter, feed_options: dict[str, Any]) -> ItemFilter:
        """The filter that a feed gets; ``own`` is the one that its options ask for."""
        return own

    def not_closed(self, error: Exception) -> None:
        """Hears that the end of a feed could not be written."""

    def address_of(self, uri: str, spider: Spider) -> str:
        """The address of a feed whose URI in FEEDS may have parameters, such as ``%(time)s``."""
        return apply_uri_params(uri, self._get_uri_params(spider, self.feeds[uri]["uri_params"]))

    def _load_filter(self, feed_options: dict[str, Any]) -> ItemFilter:
        return self.filter_of(super()._load_filter(feed_options), feed_options)

    async def _close_slot(self, slot: FeedSlot, spider: Spider) -> None:
        try:
            await super()._close_slot(slot, spider)
        except Exception as error:
            # Scrapy never awaits this task: an error that it raises would be a traceback of asyncio's.
            self._tell(slot, error)
            self.not_closed(error)

    @staticmethod
    def _tell(slot: FeedSlot, error: Exception) -> None:
        feed = getattr(slot.storage, "path", f"a feed of {slot.format}")
        logger.error("%s: the end could not be written: %s", feed, error)


class Throttle(AutoThrottle):
    """Scrapy's AutoThrottle, which goes faster on confirmed pages (304), too. Scrapy's only goes slower on
    them, as on errors, so that a night without changes would keep the delay of its start.
    """

    def _adjust_delay(self, slot: Slot, latency: float, response: Response) -> None:
        confirmed = response.status == HTTPStatus.NOT_MODIFIED
        super()._adjust_delay(slot, latency, response.replace(status=200) if confirmed else response)


class RobotsParts(RobotsTxtMiddleware):
    """Scrapy's middleware for robots.txt, with what a subclass needs of it."""

    def parsed(self, body: bytes) -> RobotParser:
        """The rules in a robots.txt."""
        return build_from_crawler(self._parserimpl, self.crawler, body)

    def agent(self, request: Request) -> str | bytes:
        """Whom the rules for a request have to speak of."""
        agent = self._robotstxt_useragent or request.headers.get(b"User-Agent", self._default_useragent)
        assert agent is not None
        return agent


class DownloaderParts(Downloader):
    """Scrapy's downloader, with what a subclass needs to end what waits in it."""

    def __init__(self, crawler: Crawler) -> None:
        super().__init__(crawler)
        self._transfers: set[asyncio.Task[Any]] = set()

    def take_queued(self) -> list[Request]:
        """Empties the queues of all slots; returns the requests that waited there for their turn."""
        queued = [request for slot in self.slots.values() for request, _ in slot.queue]
        for slot in self.slots.values():
            slot.queue.clear()
        return queued

    def abort_transfers(self) -> None:
        """Ends the downloads that are under way: their connections are closed."""
        for task in self._transfers:
            task.cancel()

    async def _wait_for_download(self, slot: Slot, request: Request, queue_dfd: Deferred[Response]) -> None:
        task = asyncio.current_task()
        assert task is not None
        self._transfers.add(task)
        try:
            await super()._wait_for_download(slot, request, queue_dfd)
        finally:
            self._transfers.discard(task)


def keep_cookies_offline() -> None:
    """Has Scrapy's cookies use the list of public suffixes that is installed: it would fetch one first, on
    the reactor's thread.
    """
    from scrapy.downloadermiddlewares import cookies

    cookies._split_domain = suffixes()


# --- Slots of the engine and the downloader ---


def is_closing(crawler: Crawler) -> bool:
    """Returns whether the engine closes its spider, or has closed it: it hands out no request any more."""
    slot = crawler.engine._slot
    return slot is None or slot.closing is not None


def ask_scheduler(crawler: Crawler) -> None:
    """Has the engine ask its scheduler for a request at the next turn."""
    if crawler.engine._slot is not None:
        crawler.engine._slot.nextcall.schedule()


def slot_key(crawler: Crawler, request: Request) -> str:
    """The name of the slot in which a request waits for its turn: with Scrapy's settings, its host."""
    return crawler.engine.downloader.get_slot_key(request)


def slot_of(request: Request) -> str | None:
    """The name of the slot that a request was in, None where it was in none."""
    return request.meta.get("download_slot")


def keep_delay(crawler: Crawler, key: str, least: float) -> None:
    """Makes the slot that replaces an idle one with this ``key`` wait at least ``least`` seconds, and never
    less at random. ``crawler`` has the slots.
    """
    settings = crawler.engine.downloader.per_slot_settings
    given = settings.get(key, {})
    kept = {name: value for name, value in given.items() if name != "randomize_delay"}
    settings[key] = {**kept, "delay": max(float(given.get("delay", 0.0)), least), "jitter": 0.0}


def raise_delay(crawler: Crawler, key: str, least: float) -> None:
    """Makes the slot with this ``key`` wait at least ``least`` seconds between two requests, and never less
    at random. ``crawler`` has the slots.
    """
    slot = crawler.engine.downloader.slots.get(key)
    if slot is not None:
        slot.delay = max(slot.delay, least)
        slot.jitter = 0.0


# --- Connections of download handlers ---


class Attempt:
    """The connections that one request may need to ``host``, None where they are not to be looked at, and
    the last error of one that was not permitted.
    """

    def __init__(self, host: str | None) -> None:
        self.host = host
        self.error: Exception | None = None


_ATTEMPT: ContextVar[Attempt | None] = ContextVar("attempt", default=None)


@contextlib.contextmanager
def connecting(host: str | None) -> Iterator[Attempt]:
    """Marks connections made inside as serving a request to this host; None for one that goes to a proxy."""
    attempt = Attempt(host)
    token = _ATTEMPT.set(attempt)
    try:
        yield attempt
    finally:
        _ATTEMPT.reset(token)


def watch(handler: BaseDownloadHandler, permit: Permit) -> bool:
    """Has ``permit`` called with host and address before each connection of one of Scrapy's handlers of
    HTTP/1.1; where it raises, none is opened. Connections to proxies are not looked at.

    Returns False, and does nothing, for a handler of another kind.
    """
    pool = getattr(handler, "_pool", None)
    if isinstance(pool, HTTPConnectionPool):
        handler._pool = _WatchedPool(pool, permit)  # type: ignore[attr-defined]
        return True
    connector: Any = getattr(getattr(handler, "_session", None), "connector", None)
    if hasattr(connector, "_socket_factory"):
        connector._socket_factory = _watched_socket(permit)
        return True
    return False


class ForgivingHeads:
    """Reads heads of responses as browsers do, before one of Twisted's parsers, which fails on names that are
    no tokens (``X Cache``, ``Content-Type :``), on lengths that are no numbers and on long lines.
    """

    MAX_LENGTH = 256 * 1024

    def headerReceived(self, name: bytes, value: bytes) -> None:
        """Takes a header, or passes over it."""
        name, known = name.strip(), name.strip().lower()
        if known == b"content-length" and not all(part.strip().isdigit() for part in value.split(b",")):
            return
        if known == b"transfer-encoding":
            if b"chunked" not in value.lower().replace(b",", b" ").split():
                return
            value = b"chunked"
        with contextlib.suppress(InvalidHeaderName):
            super().headerReceived(name, value)  # type: ignore[misc]


def forgive(handler: BaseDownloadHandler) -> None:
    """Has Twisted's handler of HTTP/1.1 read heads of responses by `ForgivingHeads`; leaves others alone."""
    from scrapy.core.downloader.handlers import http11

    class Parser(ForgivingHeads, http11._LenientHTTPClientParser):
        pass

    class Protocol(http11._LenientHTTP11ClientProtocol):
        def request(self, request: Any) -> Any:
            made = super().request(request)
            # As Scrapy does: Twisted names the class inside of its method.
            self._parser.__class__ = Parser
            return made

    class Factory(http11._LenientHTTP11ClientFactory):
        def buildProtocol(self, addr: Any) -> Any:
            return Protocol(self._quiescentCallback)  # type: ignore[no-untyped-call]

    pool: Any = getattr(handler, "_pool", None)
    if getattr(pool, "_factory", None) is http11._LenientHTTP11ClientFactory:
        pool._factory = Factory


class _WatchedPool:
    """Twisted's pool of connections, where those that it makes are looked at first."""

    def __init__(self, pool: HTTPConnectionPool, permit: Permit) -> None:
        self._pool = pool
        self._permit = permit

    def getConnection(self, key: tuple[Any, ...], endpoint: Any) -> Any:
        """A connection that is there, or a new one."""
        tunnels = isinstance(endpoint, TCP4ClientEndpoint)
        if not tunnels and key[0] != b"http-proxy":
            inner = getattr(endpoint, "_wrappedEndpoint", endpoint)
            if not isinstance(inner, HostnameEndpoint):
                raise TypeError(f"{inner!r} is no endpoint whose connections can be looked at")
            inner._reactor = _WatchedReactor(inner._reactor, key[1].decode("ascii"), self._permit)
        return self._pool.getConnection(key, endpoint)

    def __getattr__(self, name: str) -> Any:
        return getattr(self._pool, name)


class _WatchedReactor:
    """Twisted's reactor, for one host: it is asked to connect to addresses, not to names."""

    def __init__(self, reactor: Any, host: str, permit: Permit) -> None:
        self._reactor = reactor
        self._host = host
        self._permit = permit
        directlyProvides(self, providedBy(reactor))

    def connectTCP(self, host: str, *args: Any, **kwargs: Any) -> Any:
        """Connects, if permitted."""
        self._permit(self._host, host)
        return self._reactor.connectTCP(host, *args, **kwargs)

    def __getattr__(self, name: str) -> Any:
        return getattr(self._reactor, name)


def _watched_socket(permit: Permit) -> Callable[[Any], socket.socket]:
    def make(info: Any) -> socket.socket:
        family, kind, protocol, _, address = info
        attempt = _ATTEMPT.get()
        assert attempt is not None, "connected outside of `connecting`"
        if attempt.host is not None:
            try:
                permit(attempt.host, address[0])
            except Exception as error:
                attempt.error = error
                # So that the host's other addresses are tried.
                raise OSError(str(error)) from error
        return socket.socket(family, kind, protocol)

    return make
