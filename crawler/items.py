"""The items that spiders yield. A user gets a `pagelets.document.Document`."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

from scrapy.exceptions import DropItem

from pagelets.page import Page
from pagelets.partition import Pagelet
from pagelets.record import PageRecord
from release.judging import Ready
from store.bodies import Body
from store.frontier import Target


@dataclass(slots=True, frozen=True)
class WorkedOut:
    """The work of another process on a page: its record, and its bytes as the round's file keeps them
    (`store.flat_pages.PagePacker`).
    """

    record: PageRecord
    packed: bytes


@dataclass(slots=True, frozen=True)
class PageItem:
    """A page as it was fetched and partitioned: what the shingling pipeline records and holds.

    ``page_id`` is its id in the store, ``heeded`` what it asks of crawlers (`crawler.fetching.directives`),
    ``worked_out`` is None where this process has read it. Its spider adds what it makes of the page:
    ``follow`` are the targets of ``page.follow``; ``excluded`` is why it gets no document, None that it does;
    ``canonical`` where its canonical address leads, if that counts.
    """

    page_id: int
    depth: int
    status: int
    fetched_at: str
    body: Body
    page: Page
    pagelets: Sequence[Pagelet]
    flags: tuple[str, ...]
    heeded: frozenset[str] = frozenset()
    worked_out: WorkedOut | None = field(default=None, repr=False)
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
