"""Methods that have to see a site first, and what they have learned of each of its hosts."""

from __future__ import annotations

import hashlib
import heapq
from functools import lru_cache
from typing import TYPE_CHECKING, Final, NamedTuple, Protocol

from pagelets.methods import factory, learns

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from pagelets.judging.facts import Models
    from pagelets.methods.base import Method, SiteMethod, Subject

_HOSTS: Final = 64
"""Of so many hosts what was learned is held in memory."""


class _Learned(NamedTuple):
    method: Method
    digest: bytes


class Methods:
    """The methods that judge the pages of a site, by name: those that learn by what they have learned.

    Takes what they have learned of each host.
    """

    def __init__(self, models: Models) -> None:
        self._models = models
        self._made: dict[str, Method | SiteMethod] = {}
        self._of_host = lru_cache(_HOSTS)(self._read)

    def made(self, name: str) -> Method | SiteMethod:
        """The method of a name, made once. Raises MethodError where it lacks what it needs."""
        method = self._made.get(name)
        if method is None:
            method = factory(name)()
            method.check()
            self._made[name] = method
        return method

    def of(self, name: str, host: int) -> Method:
        """The method that judges the pages of a host. Raises what reading a model does."""
        method = self.made(name)
        return self._of_host(name, host).method if learns(method) else method

    def digest(self, name: str, host: int) -> bytes:
        """Names what the method that judges a host's pages has learned of it; empty where it does not."""
        return self._of_host(name, host).digest if learns(self.made(name)) else b""

    def _read(self, name: str, host: int) -> _Learned:
        method = self.made(name)
        assert learns(method)
        model = self._models[name, host]
        return _Learned(method.learned(model), hashlib.blake2b(model, digest_size=16).digest())


class ReadableHost(Protocol):
    """The pages of a host, wherever they lie, by their addresses and numbers."""

    def links(self) -> Iterator[tuple[str, str]]:
        """The links between pages of the host, each once: the addresses that they lead from and to."""
        ...

    def find(self, url: str) -> int | None:
        """The number of the page at an address, None where the host has none."""
        ...

    def all(self) -> Iterable[tuple[str, int]]:
        """The address and the number of each page."""
        ...

    def read(self, page: int) -> Subject | None:
        """The page of a number, None where it cannot be read."""
        ...


class HostView:
    """A host as a `pagelets.methods.base.SiteMethod` sees it, whose pages are read one after the other.

    Pages that cannot be read are left out.
    """

    def __init__(self, host: ReadableHost) -> None:
        self._host = host

    def links(self) -> Iterator[tuple[str, str]]:
        """The links between pages of the host, each once: the addresses that they lead from and to."""
        return self._host.links()

    def pages(self, urls: Iterable[str]) -> Iterator[Subject]:
        """The pages at these addresses, without those that the host does not have."""
        return self._read(page for url in urls if (page := self._host.find(url)) is not None)

    def sample(self, size: int) -> Iterator[Subject]:
        """So many pages of the host, or all where it has fewer: the same whatever order they came in."""
        named = (
            (hashlib.blake2b(url.encode("utf-8", "surrogatepass"), digest_size=8).digest(), page)
            for url, page in self._host.all()
        )
        return self._read(page for _, page in heapq.nsmallest(size, named))

    def _read(self, pages: Iterable[int]) -> Iterator[Subject]:
        return (subject for page in pages if (subject := self._host.read(page)) is not None)
