"""What the spiders yield. What a user gets is `pagelets.document.Document`."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Sequence

    from pagelets.page import Page
    from pagelets.partition import Pagelet
    from store.bodies import Body
    from store.frontier import Target


@dataclass(slots=True, frozen=True)
class PageItem:
    """A page as it was fetched and partitioned: what the shingling pipeline records and holds.

    ``page_id`` is its id in the store; ``follow`` are the targets of ``page.follow``.
    """

    page_id: int
    depth: int
    status: int
    fetched_at: str
    body: Body
    page: Page
    pagelets: Sequence[Pagelet]
    follow: Sequence[Target]
    flags: tuple[str, ...]


@dataclass(slots=True, frozen=True)
class HeldPage:
    """A page of the store that is to be judged and released."""

    page_id: int
