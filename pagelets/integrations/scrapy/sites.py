"""The pages of a crawl, by sites: judged by all that waits on disk, or by what is known so far."""

from __future__ import annotations

import hashlib
import tempfile
from collections import OrderedDict
from contextlib import suppress
from functools import lru_cache
from threading import Lock
from typing import TYPE_CHECKING, Any, Final, NamedTuple
from urllib.parse import urlsplit

import numpy as np

from pagelets.patterns import suffixes
from pagelets.site.site import Site

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence

    from numpy.typing import NDArray

    from pagelets.document import Document
    from pagelets.integrations.scrapy.waiting import FetchedPage, Waiting
    from pagelets.judging.engine import Judge

MOST_PAGES: Final = 20_000
"""Pages of a site that are judged together; of more the evidence would not fit into memory."""
_MOST_EARLIER: Final = 1_000
"""Pages of a site that count although their items went on at an earlier release."""
_MOST_SITES: Final = 16
"""Sites that are open at once where items do not wait."""
_GROWTH: Final = 1.5
"""The evidence is gathered anew when a site has so many times the pages that it was gathered of."""


@lru_cache(maxsize=1 << 12)
def domain(host: str) -> str:
    """Returns the registrable domain of a host; the host itself if it is an address or a single name."""
    return suffixes().extract_str(host).top_domain_under_public_suffix or host


def site_of(url: str) -> int:
    """Returns a number for the site of a URL: pages of a registrable domain are a site."""
    name = domain(urlsplit(url).hostname or "")
    return int.from_bytes(hashlib.blake2b(name.encode(), digest_size=8).digest(), "little", signed=True)


class Part(NamedTuple):
    """Pages of a site that are judged together, and the items of these that wait, with their pages."""

    pages: Sequence[int]
    items: Sequence[tuple[int, int]]


def parts(waiting: Waiting, judged: int) -> Iterator[Part]:
    """Yields what is judged together: the sites in the order of their first items.

    Args:
        waiting: the items and pages.
        judged: the number of pages that were there at an earlier release.

    """
    items = list(waiting.pending())
    sites = np.array(waiting.sites, np.int64)
    by_site: dict[int, list[tuple[int, int]]] = {}
    for item in items:
        by_site.setdefault(int(sites[item[1]]), []).append(item)
    order = np.argsort(sites, kind="stable")
    ordered = sites[order]
    for site, own in by_site.items():
        pages = order[np.searchsorted(ordered, site) : np.searchsorted(ordered, site, "right")]
        earlier, new = pages[pages < judged], pages[pages >= judged]
        pages = np.union1d(_spread(earlier, _MOST_EARLIER), new)
        size = MOST_PAGES // 2 if len(pages) > MOST_PAGES else len(own)
        for start in range(0, len(own), size):
            some = own[start : start + size]
            needed = np.unique([page for _, page in some])
            others = np.setdiff1d(pages, needed, assume_unique=True)
            counted = np.union1d(needed, _spread(others, MOST_PAGES - len(needed)))
            yield Part(counted.tolist(), some)


def _spread(pages: NDArray[np.int64], most: int) -> NDArray[np.int64]:
    """Returns the pages, or ``most`` of them, evenly spread."""
    if len(pages) <= most:
        return pages
    return pages[np.linspace(0, len(pages) - 1, most).astype(np.int64)]


class JudgedSite:
    """A site that is judged by pages: add them, call `learn`, then ask for documents."""

    def __init__(self, arguments: Mapping[str, Any]) -> None:
        self._site = Site(folder=tempfile.gettempdir(), **arguments)
        self._judge: Judge | None = None
        self.learned_of = 0
        """The number of pages that the evidence was gathered of."""

    def __len__(self) -> int:
        return len(self._site)

    def add(self, pages: Iterable[FetchedPage]) -> None:
        """Adds pages. Those that tell of an error, or have no address of the web, say nothing of others."""
        for page in pages:
            with suppress(ValueError):
                if 200 <= page.status < 300:
                    self._site.add(page.url, page.body, **_details(page))

    def learn(self) -> None:
        """Gathers the evidence of the pages that are there."""
        self._judge = self._site.judge()
        self.learned_of = len(self)

    def document(self, page: FetchedPage, fields: Collection[str]) -> Document:
        """Returns fields of the document of a page. Raises ValueError if it has no address of the web."""
        assert self._judge is not None
        return self._site.document(self._judge, page.url, page.body, fields=fields, **_details(page))

    def close(self) -> None:
        """Lets the pages go."""
        self._site.close()


class KnownSites:
    """The sites that were seen last, each judged by the pages that were seen of it so far.

    May be called by several threads.
    """

    def __init__(self, arguments: Mapping[str, Any]) -> None:
        self._arguments = arguments
        self._sites: OrderedDict[int, JudgedSite] = OrderedDict()
        self._lock = Lock()

    def document(self, page: FetchedPage, fields: Collection[str]) -> Document:
        """Adds a page, and returns fields of its document. Raises what `JudgedSite.document` raises."""
        with self._lock:
            number = site_of(page.url)
            if (site := self._sites.pop(number, None)) is None:
                site = JudgedSite(self._arguments)
            self._sites[number] = site
            if len(self._sites) > _MOST_SITES:
                self._sites.popitem(last=False)[1].close()
            if len(site) < MOST_PAGES:
                site.add([page])
                if len(site) >= site.learned_of * _GROWTH:
                    site.learn()
            return site.document(page, fields)

    def close(self) -> None:
        """Lets all sites go."""
        for site in self._sites.values():
            site.close()
        self._sites.clear()


def _details(page: FetchedPage) -> dict[str, Any]:
    """The arguments of `Site.add` beside the address and the body of a page."""
    # A browser's page has an encoding that no header names.
    kind = f"text/html; charset={page.encoding}"
    return {"status": page.status, "fetched_at": page.fetched_at, "content_type": kind}
