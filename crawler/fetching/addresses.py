"""The addresses that a crawl connects to: public ones, and those inside a network that a user has named."""

from __future__ import annotations

import logging
from ipaddress import IPv4Address, IPv6Address, IPv6Network, ip_address, ip_network
from typing import TYPE_CHECKING, Final
from urllib.parse import urlsplit

from scrapy.exceptions import IgnoreRequest

from settings.canonical import canonical

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping

PUBLIC: Final = "public"

_GLOBAL_UNICAST: Final = IPv6Network("2000::/3")
_NAT64: Final = IPv6Network("64:ff9b::/96")

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
