"""The items that spiders yield. A user gets a `pagelets.document.Document`."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from scrapy.exceptions import DropItem

if TYPE_CHECKING:
    from collections.abc import Sequence

    from pagelets.page import Page
    from pagelets.partition import Pagelet
    from release.judging import Ready
    from store.bodies import Body
    from store.frontier import Target


@dataclass(slots=True, frozen=True)
class PageItem:
    """A page as it was fetched and partitioned: what the shingling pipeline records and holds.

    ``page_id`` is its id in the store. Its spider adds what it makes of the page: ``follow`` are the targets
    of ``page.follow``; ``excluded`` is why it gets no document, None that it does; ``canonical`` where its
    canonical address leads, if that counts.
    """

    page_id: int
    depth: int
    status: int
    fetched_at: str
    body: Body
    page: Page
    pagelets: Sequence[Pagelet]
    flags: tuple[str, ...]
    follow: Sequence[Target] = ()
    excluded: str | None = None
    canonical: Target | None = None


class Settled(DropItem):
    """Raised by our own pipelines where an item goes no further, and the store knows what became of it."""

    def __init__(self) -> None:
        super().__init__(type(self).__name__, log_level="DEBUG")


@dataclass(slots=True, frozen=True)
class HeldPage:
    """A page of the store that is to be released; ``ready`` is what a worker process has made of it, None
    where it is still to be judged.
    """

    page_id: int
    ready: Ready | None = field(default=None, repr=False, compare=False)


@dataclass(slots=True, frozen=True)
class Deletion:
    """A document that is no more: what feeds of operations and sinks are told (``op`` is ``delete``)."""

    url: str
    reason: str
