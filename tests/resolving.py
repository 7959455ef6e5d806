"""A resolver of names for tests, in the place of the network's: the ``TWISTED_DNS_RESOLVER`` of a crawl.

``NAMES`` is a setting: name -> addresses, of which each look-up gets the next, and the last one for good.
What it does not hold is looked up as ever.
"""

from __future__ import annotations

import socket
import time
from collections import Counter
from typing import TYPE_CHECKING, Any

from scrapy.resolver import HostResolution
from twisted.internet.address import IPv4Address, IPv6Address
from twisted.internet.interfaces import IHostnameResolver
from zope.interface import implementer

if TYPE_CHECKING:
    from scrapy.crawler import Crawler

PATH = "tests.resolving.Names"


@implementer(IHostnameResolver)
class Names:
    def __init__(self, names: dict[str, list[str]], reactor: Any) -> None:
        self._names = names
        self._looked_up: Counter[str] = Counter()
        self._reactor = reactor
        self._others = reactor.nameResolver

    @classmethod
    def from_crawler(cls, crawler: Crawler, reactor: Any) -> Names:
        return cls(crawler.settings.getdict("NAMES"), reactor)

    def install_on_reactor(self) -> None:
        self._reactor.installNameResolver(self)

    def resolveHostName(
        self, receiver: Any, name: str, portNumber: int = 0, addressTypes: Any = None, semantics: str = "TCP"
    ) -> Any:
        if name not in self._names:
            return self._others.resolveHostName(receiver, name, portNumber, addressTypes, semantics)
        addresses = self._names[name]
        address = addresses[min(self._looked_up[name], len(addresses) - 1)]
        self._looked_up[name] += 1
        resolution = HostResolution(name)
        receiver.resolutionBegan(resolution)
        kind = IPv6Address if ":" in address else IPv4Address
        receiver.addressResolved(kind("TCP", address, portNumber))
        receiver.resolutionComplete()
        return resolution


def hang_look_ups() -> None:
    """Has every host below ``.here.test`` be this machine, and look-ups of ``.never.test`` not return."""
    look_up = socket.gethostbyname

    def found(name: str) -> str:
        if name.endswith(".never.test"):
            time.sleep(600)
        return "127.0.0.1" if name.endswith((".here.test", ".never.test")) else look_up(name)

    socket.gethostbyname = found


def answer_look_ups() -> None:
    """Has every host below ``.here.test`` and ``.never.test`` be this machine."""
    socket.gethostbyname = lambda name: "127.0.0.1"
