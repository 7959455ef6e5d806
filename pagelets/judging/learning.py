"""Methods that have to see a site first, and what they have learned of each of its hosts."""

from __future__ import annotations

import hashlib
import heapq
from functools import lru_cache
from typing import TYPE_CHECKING, Final, NamedTuple, Protocol

from pagelets.methods import learns, must_learn
from pagelets.patterns import drawn_by

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Iterable, Iterator, Sequence

    import numpy as np
    from numpy.typing import NDArray

    from pagelets.judging.facts import Models
    from pagelets.methods.base import Method, SiteMethod, Subject
    from pagelets.registry import Registry

_HOSTS: Final = 64
"""Of so many hosts what was learned is held in memory."""


class _Learned(NamedTuple):
    method: Method
    digest: Callable[[NDArray[np.void]], bytes]


class Methods:
    """Makes the methods that judge the pages of a site, which the registry knows by name; ``models`` hold
    what they have learned.
    """

    def __init__(self, models: Models, registry: Registry) -> None:
        self._registry = registry
        self._models = models
        self._made: dict[str, Method | SiteMethod] = {}
        self._of_host = lru_cache(_HOSTS)(self._read)

    def made(self, name: str) -> Method | SiteMethod:
        """Returns the method of a name, which is made once. Raises MethodError if it lacks what it needs."""
        method = self._made.get(name)
        if method is None:
            method = self._registry.factory(name)()
            method.check()
            self._made[name] = method
        return method

    def of(self, name: str, host: int) -> Method:
        """Returns the method that judges the pages of a host. Raises what reading a model raises."""
        method = self.made(name)
        return self._of_host(name, host).method if learns(method) else method

    def digest(self, name: str, host: int, keys: NDArray[np.void]) -> bytes:
        """Returns a name of what a method has learned of a host, as far as it concerns a page with blocks of
        these ``keys`` (`BLOCK_KEYS`); empty if it does not learn, or has not.
        """
        return self._of_host(name, host).digest(keys) if learns(self.made(name)) else b""

    def _read(self, name: str, host: int) -> _Learned:
        method = self.made(name)
        assert learns(method)
        model = self._models[name, host] if must_learn(method) else self._models.get((name, host))
        learned = method.learned(model or b"")
        whole = hashlib.blake2b(model, digest_size=16).digest() if model is not None else b""
        return _Learned(learned, getattr(learned, "learned_part", lambda _: whole))


def is_large_enough(method: SiteMethod, pages: int) -> bool:
    """Returns True if a method learns of a host with so many ``pages``."""
    return pages >= int(getattr(method, "fewest", 0))


class ReadableHost(Protocol):
    """The pages of a host, in memory or in a store."""

    def links(self) -> Iterator[tuple[str, str]]:
        """Returns the links between pages of the host, each once: the addresses of their two ends."""

    def find(self, url: str) -> int | None:
        """Returns the number of the page at an address, None if there is no such page."""

    def all(self) -> Iterable[tuple[str, int]]:
        """Returns the address and the number of each page."""

    def read(self, page: int) -> Subject | None:
        """Returns the page of a number, None if it cannot be read."""


class HostView:
    """A host as a `pagelets.methods.base.SiteMethod` sees it, whose pages are read one after the other.

    Pages that cannot be read are left out.
    """

    def __init__(self, host: ReadableHost) -> None:
        self._host = host

    def links(self) -> Iterator[tuple[str, str]]:
        """Returns the links between pages of the host, each once: the addresses of their two ends."""
        return self._host.links()

    def pages(self, urls: Iterable[str]) -> Iterator[Subject]:
        """Returns the pages at these addresses, without those that the host does not have."""
        return self._read(page for url in urls if (page := self._host.find(url)) is not None)

    def sample(self, size: int) -> Iterator[Subject]:
        """Returns a sample of the host's pages, the same in whatever order they came."""
        named = ((drawn_by(url), page) for url, page in self._host.all())
        return self._read(page for _, page in heapq.nsmallest(size, named))

    def _read(self, pages: Iterable[int]) -> Iterator[Subject]:
        return (subject for page in pages if (subject := self._host.read(page)) is not None)


class HeldPages(NamedTuple):
    """The pages of a site in memory, by their places: their addresses, and the numbers of their hosts.

    ``links_between`` returns the links between some pages, each once, and ``read`` a page.
    """

    urls: Sequence[str]
    hosts: Sequence[int]
    links_between: Callable[[Collection[int]], Iterable[tuple[int, int]]]
    read: Callable[[int], Subject]


class HeldHost:
    """The pages of a host of a site in memory."""

    def __init__(self, site: HeldPages, host: int) -> None:
        self._site = site
        self._places = {site.urls[place]: place for place, its in enumerate(site.hosts) if its == host}
        self.read = site.read

    def links(self) -> Iterator[tuple[str, str]]:
        """Returns the links between its pages, each once: the addresses of their two ends."""
        pairs, urls = self._site.links_between(set(self._places.values())), self._site.urls
        return iter(sorted((urls[place], urls[other]) for place, other in pairs))

    def find(self, url: str) -> int | None:
        """Returns the place of the page at an address."""
        return self._places.get(url)

    def all(self) -> Iterable[tuple[str, int]]:
        """Returns the address and the place of each page."""
        return self._places.items()
