"""What a fetched page is to the store: one record, with its pagelets and their links."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Sequence

    import numpy as np
    from numpy.typing import NDArray

    from pagelets.sketch import Sketch
    from store.bodies import Body
    from store.frontier import Target


@dataclass(slots=True, frozen=True)
class ContentLink:
    """A link of a content: where it leads, its anchor text, whether it asks not to be followed."""

    target: Target
    anchor: str
    nofollow: bool


@dataclass(slots=True, frozen=True)
class NewContent:
    """A content that the store does not have: its sketch, the traces of its blocks, its links."""

    fingerprint: int
    sketch: Sketch
    chars: int
    blocks: NDArray[np.void]
    links: list[ContentLink]


@dataclass(slots=True, frozen=True)
class FetchedPage:
    """A page to record. ``contents`` and ``paths`` are aligned with its pagelets, contents by fingerprint;
    ``new`` holds those contents that `Pages.unknown` named. ``excluded`` is why the page gets no document,
    ``canonical`` the address that it names as its own, None where it names none; ``checked_at`` is in seconds
    since the epoch, ``interval`` the seconds until it is due again, None where its document will say so.
    """

    page: int
    depth: int
    status: int
    fetched_at: str
    body: Body
    fingerprint: int
    title: str
    flags: str
    contents: Sequence[int]
    paths: Sequence[str]
    new: Sequence[NewContent]
    follow: Sequence[Target] = field(default=())
    excluded: str | None = None
    canonical: Target | None = None
    checked_at: int = 0
    interval: int | None = None
