"""The addresses that a crawl connects to: public ones, and those inside a network that a user has named. The
download handlers open connections to no others.
"""

from __future__ import annotations

import asyncio
import logging
from contextlib import suppress
from ipaddress import IPv4Address, IPv6Address, IPv6Network, ip_address, ip_network
from time import monotonic
from typing import TYPE_CHECKING, Any, Final, cast
from urllib.parse import urlsplit

from scrapy.crawler import Crawler
from scrapy.exceptions import IgnoreRequest
from scrapy.http import Request, Response
from scrapy.settings import BaseSettings
from scrapy.utils.httpobj import urlparse_cached
from scrapy.utils.misc import load_object
from scrapy.utils.reactor import is_reactor_installed
from twisted.internet.defer import Deferred
from twisted.internet.interfaces import IResolutionReceiver
from zope.interface import implementer  # type: ignore[import-untyped]

from crawler.fetching.internals import AIOHTTP, TWISTED, connecting, forgive, watch
from pagelets.document import STATUSES
from settings.canonical import canonical

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping

    from scrapy.core.downloader.handlers.base import BaseDownloadHandler

    _Base = BaseDownloadHandler
else:
    _Base = object

PUBLIC: Final = "public"

_GLOBAL_UNICAST: Final = IPv6Network("2000::/3")
_NAT64: Final = IPv6Network("64:ff9b::/96")
_LOOK_UP_SECONDS: Final = 10
_NOT_FOUND_SECONDS: Final = 600
"""Behind a proxy there may be no resolver for names outside: a host that is not found is not looked up with
every request."""
_OF_NO_SITE: Final = ("file", "ftp", "s3")

logger = logging.getLogger(__name__)


class PrivateAddress(IgnoreRequest):
    """A host has an address that is not public, and nobody has named it: no connection is opened."""

    def __init__(self, host: str, address: str, kind: str) -> None:
        is_there = "is" if host == address else f"has the address {address},"
        super().__init__(f"{host} {is_there} a {kind} address")
        self.host = host


class Addresses:
    """The addresses that one crawl may connect to.

    Public addresses always. Others only if ``private_hosts`` names the host, its address or a network that
    the address is in, or if the host is one of ``named``: the hosts of the start URLs and of the site file's
    sitemaps. Such a host keeps the kind that its address had at the first connection (public,
    private, loopback, ...), in later runs too: whoever answers for the name of a public site cannot lead the
    crawl inside by giving it another address.

    ``kinds`` are the kinds of hosts in earlier runs; ``remember`` gets them all if one is new.
    """

    def __init__(
        self,
        named: Iterable[str],
        private_hosts: Iterable[str] = (),
        kinds: Mapping[str, str] | None = None,
        remember: Callable[[Mapping[str, str]], None] | None = None,
    ) -> None:
        self._named = {_host(url) for url in named}
        self._hosts: set[str] = set()
        self._networks = []
        for entry in private_hosts:
            try:
                self._networks.append(ip_network(entry, strict=False))
            except ValueError:
                self._hosts.add(_host(f"http://{entry}/"))
        self._kinds = dict(kinds or {})
        self._remember = remember
        self._told: set[str] = set()

    def permit(self, host: str, address: str) -> None:
        """Lets a connection to an address of a host pass, or raises PrivateAddress."""
        host = host.lower().rstrip(".")
        inner = _inner(ip_address(address.partition("%")[0]))
        if host in self._hosts or any(inner in network for network in self._networks):
            return
        kind = kind_of(inner)
        first = None
        if host in self._named:
            first = self._kinds.get(host)
            if first is None:
                first = self._kinds[host] = kind
                if self._remember is not None:
                    self._remember(self._kinds)
        if kind in (PUBLIC, first):
            return
        error = PrivateAddress(host, str(inner), kind)
        if host not in self._told:
            self._told.add(host)
            what = "it was not at first" if first else "no start URL names it"
            logger.warning(
                "%s, and %s: nothing is requested of it; if it is to be crawled, name it in private_hosts "
                "of the site file (PRIVATE_HOSTS)",
                error,
                what,
            )
        raise error


def kind_of(address: IPv4Address | IPv6Address) -> str:
    """Returns the kind of an address: ``public``, or a word for the reason why it is not public.

    An IPv6 address that carries one of IPv4 (mapped, 6to4, NAT64) is of the other's kind.
    """
    address = _inner(address)
    if address.is_loopback:
        return "loopback"
    if address.is_link_local:
        return "link-local"
    if address.is_multicast:
        return "multicast"
    if not address.is_global or (isinstance(address, IPv6Address) and address not in _GLOBAL_UNICAST):
        return "private"
    return PUBLIC


def _inner(address: IPv4Address | IPv6Address) -> IPv4Address | IPv6Address:
    """Returns the IPv4 address inside an IPv6 address, or the address itself."""
    if isinstance(address, IPv4Address):
        return address
    if address in _NAT64:
        return IPv4Address(int(address) & 0xFFFFFFFF)
    return address.ipv4_mapped or address.sixtofour or address


def _host(url: str) -> str:
    return (urlsplit(canonical(url)).hostname or "").rstrip(".")


class NotHttp(Exception):
    """An answer has a status that HTTP has not; raised by CheckedConnections, for the request's errback."""


class CheckedConnections(_Base):
    """The check of a download handler that stands behind it in a class's bases.

    Before a connection is opened, `spider.addresses`, an `Addresses`, is asked
    whether it may lead to the address that the host has at this moment. Where it may not, the request's
    errback gets PrivateAddress.

    A proxy may have any address; the host that it is asked for is looked up here, and if it is found, has to
    pass. So is the host of every request of a handler other than Scrapy's for HTTP/1.1.

    A status of other than three digits is a number of any size: the errback gets NotHttp.
    """

    def __init__(self, crawler: Crawler) -> None:
        super().__init__(crawler)
        self._addresses: Addresses = cast("Any", crawler.spider).addresses
        forgive(self)
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


def check_connections(settings: BaseSettings) -> None:
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
