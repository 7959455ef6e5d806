"""Download handlers whose connections lead to no address that nobody has named."""

from __future__ import annotations

import asyncio
from contextlib import suppress
from time import monotonic
from typing import TYPE_CHECKING, Any, Final, cast

from scrapy.utils.httpobj import urlparse_cached
from scrapy.utils.misc import load_object
from scrapy.utils.reactor import is_reactor_installed
from twisted.internet.defer import Deferred
from twisted.internet.interfaces import IResolutionReceiver
from zope.interface import implementer  # type: ignore[import-untyped]

from crawler.fetching.addresses import PrivateAddress
from crawler.fetching.internals import AIOHTTP, TWISTED, connecting, watch
from pagelets.document import STATUSES

if TYPE_CHECKING:
    from scrapy import Request
    from scrapy.core.downloader.handlers.base import BaseDownloadHandler
    from scrapy.crawler import Crawler
    from scrapy.http import Response
    from scrapy.settings import BaseSettings

    from crawler.fetching.addresses import Addresses

    _Base = BaseDownloadHandler
else:
    _Base = object

_LOOK_UP_SECONDS: Final = 10
_NOT_FOUND_SECONDS: Final = 600
"""Behind a proxy there may be no resolver for names outside: a host that is not found is not looked up with
every request."""
_OF_NO_SITE: Final = ("file", "ftp", "s3")


class NotHttp(Exception):
    """An answer has a status that HTTP has not; raised by CheckedConnections, for the request's errback."""


class CheckedConnections(_Base):
    """The check of a download handler that stands behind it in a class's bases.

    Before a connection is opened, `spider.addresses`, a `crawler.fetching.addresses.Addresses`, is asked
    whether it may lead to the address that the host has at this moment. Where it may not, the request's
    errback gets PrivateAddress.

    A proxy may have any address; the host that it is asked for is looked up here, and if it is found, has to
    pass. So is the host of every request of a handler other than Scrapy's for HTTP/1.1.

    A status of other than three digits is a number of any size: the errback gets NotHttp.
    """

    def __init__(self, crawler: Crawler) -> None:
        super().__init__(crawler)
        self._addresses: Addresses = cast("Any", crawler.spider).addresses
        self._watched = watch(self, self._addresses.permit)
        self._not_found: dict[str, float] = {}

    async def download_request(self, request: Request) -> Response:
        """Downloads, where the addresses of the request's host permit it."""
        host = urlparse_cached(request).hostname or ""
        proxied = bool(request.meta.get("proxy"))
        if proxied or not self._watched:
            for address in await (self._behind_proxy(host) if proxied else _look_up(host)):
                self._addresses.permit(host, address)
        with connecting(None if proxied else host) as attempt:
            try:
                response = await super().download_request(request)  # type: ignore[safe-super]
            except Exception as error:
                if attempt.error is not None and not isinstance(error, PrivateAddress):
                    raise attempt.error from error
                raise
        if response.status not in STATUSES:
            raise NotHttp(f"a status of {len(str(response.status))} characters")
        return response

    async def _behind_proxy(self, host: str) -> list[str]:
        """The addresses of a host that a proxy is asked for, as far as it is found here."""
        if monotonic() < self._not_found.get(host, 0):
            return []
        addresses = await _look_up(host)
        if not addresses:
            self._not_found[host] = monotonic() + _NOT_FOUND_SECONDS
        return addresses


def switch_on(settings: BaseSettings) -> None:
    """Has the connections of the handlers of http and https checked, of whatever class they are, and switches
    off Scrapy's own for files, FTP and S3: a site may name any URL for a sitemap.

    A handler that opens no connection says so by a class attribute: ``connects = False``.
    """
    handlers = settings.getdict("DOWNLOAD_HANDLERS")
    default = TWISTED if settings.getbool("TWISTED_REACTOR_ENABLED") else AIOHTTP
    for scheme in ("http", "https"):
        configured = handlers.get(scheme, default)
        handler = configured if configured is None else load_object(configured)
        if handler is None or not getattr(handler, "connects", True):
            continue
        if not issubclass(handler, CheckedConnections):
            handlers[scheme] = type(handler.__name__, (CheckedConnections, handler), {})
    for scheme in _OF_NO_SITE:
        handlers.setdefault(scheme, None)
    settings.set("DOWNLOAD_HANDLERS", handlers, priority="cmdline")


async def _look_up(host: str) -> list[str]:
    """Returns the addresses of a host, empty if it is not found in time."""
    with suppress(OSError, TimeoutError, UnicodeError):
        async with asyncio.timeout(_LOOK_UP_SECONDS):
            if is_reactor_installed():
                return await _Found().of(host)
            resolved = await asyncio.get_running_loop().getaddrinfo(host, None)
            return [str(address[0]) for *_, address in resolved]
    return []


@implementer(IResolutionReceiver)
class _Found:
    """The answers of Twisted's resolver, which Scrapy's own connections use, too."""

    def __init__(self) -> None:
        self._addresses: list[str] = []
        self._done: Deferred[list[str]] = Deferred()

    async def of(self, host: str) -> list[str]:
        from twisted.internet import reactor

        cast("Any", reactor).nameResolver.resolveHostName(self, host)
        return await self._done.asFuture(asyncio.get_running_loop())

    def resolutionBegan(self, resolutionInProgress: Any) -> None:
        """Nothing is known yet."""

    def addressResolved(self, address: Any) -> None:
        self._addresses.append(address.host)

    def resolutionComplete(self) -> None:
        self._done.callback(self._addresses)
