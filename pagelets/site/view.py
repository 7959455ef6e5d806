"""A host of a site in memory, as a method sees it that learns of hosts."""

from __future__ import annotations

import hashlib
import heapq
from typing import TYPE_CHECKING, Protocol

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Iterable, Iterator, Sequence

    from pagelets.methods.base import Subject


class Pages(Protocol):
    """The pages of a site by their numbers, and the links between them."""

    @property
    def urls(self) -> Sequence[str]:
        """The address of each page."""

    def pages_of(self, host: int) -> list[int]:
        """The numbers of a host's pages."""

    def links_between(self, pages: Collection[int]) -> set[tuple[int, int]]:
        """The links that lead from one of some pages to one of them, each once."""


class HostView:
    """The pages of a host as a `pagelets.methods.base.SiteMethod` sees them, read one after the other.

    Takes the pages of the site, the host's number, and what reads a page by its number.
    """

    def __init__(self, tables: Pages, host: int, read: Callable[[int], Subject]) -> None:
        self._tables = tables
        self._read = read
        self._pages = {tables.urls[page]: page for page in tables.pages_of(host)}

    def links(self) -> Iterator[tuple[str, str]]:
        """The links between pages of the host, each once: the addresses that they lead from and to."""
        found = self._tables.links_between(set(self._pages.values()))
        return iter(sorted((self._tables.urls[page], self._tables.urls[to]) for page, to in found))

    def pages(self, urls: Iterable[str]) -> Iterator[Subject]:
        """The pages at these addresses, without those that the host does not have."""
        return (self._read(self._pages[url]) for url in urls if url in self._pages)

    def sample(self, size: int) -> Iterator[Subject]:
        """So many pages of the host, or all where it has fewer: the same whatever order they came in."""
        drawn = heapq.nsmallest(
            size,
            (
                (hashlib.blake2b(url.encode("utf-8", "surrogatepass"), digest_size=8).digest(), page)
                for url, page in self._pages.items()
            ),
        )
        return (self._read(page) for _, page in drawn)
