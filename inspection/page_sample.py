"""Samples of a site's pages: the same pages each time."""

from __future__ import annotations

from heapq import nsmallest
from typing import TYPE_CHECKING, Final

from pagelets.patterns import drawn_by
from store.listing import PageList

if TYPE_CHECKING:
    from store.site import Store

SAMPLE: Final = 2000
"""Of a site of more pages so many are looked at."""


def sample_of(store: Store, count: int | None = SAMPLE) -> list[int]:
    """Returns the pages that have a document, or ``count`` of them if they are more; None for all."""
    pages = list(store.documents.current())
    if count is None or len(pages) <= count:
        return pages
    named = ((drawn_by(store.frontier.url(page)), page) for page in pages)
    return [page for _, page in nsmallest(count, named)]


def sample_around(store: Store, page: int, count: int) -> list[int]:
    """Returns pages that have a document, among them those next to a page in the order of URLs.

    Args:
        store: the store.
        page: the id of the page, which is the first.
        count: the number of pages at most; up to a third of them are next to the page.

    """
    near = [page, *PageList(store.connection).around(page, count // 6)]
    return list(dict.fromkeys([*near, *sample_of(store, count)]))[:count]
