"""A fetched page for the store: one record, with its pagelets and their links."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Final, NamedTuple

from pagelets.page import NOTHING_EXTRACTED, Extracted, Link
from store.bodies import Body

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Sequence

    import numpy as np
    from numpy.typing import NDArray

    from pagelets.record import PageRecord
    from pagelets.sketch import Sketch


STORED: Final = Body("", [], b"")
"""Of a page that is derived again the response is stored already."""


class Target(NamedTuple):
    """The target of a link: the URL in its canonical form, and the reason not to request it, or None."""

    url: str
    refusal: str | None


@dataclass(slots=True, frozen=True)
class FragmentLink:
    """A link of a fragment: where it leads, its anchor text, whether it asks not to be followed."""

    target: Target
    anchor: str
    nofollow: bool


@dataclass(slots=True, frozen=True)
class NewFragment:
    """A fragment that the store does not have: its sketch, the keys of its blocks, its links."""

    fingerprint: int
    sketch: Sketch
    chars: int
    block_keys: NDArray[np.void]
    links: list[FragmentLink]


@dataclass(slots=True, frozen=True)
class FetchedPage:
    """A page to record; one that is derived again has no fetch. ``fragments`` (fingerprints) and
    ``tag_paths`` are aligned with its pagelets; ``new`` holds those fragments that `Pages.unknown` named.
    ``excluded`` is why the page gets no document, ``canonical`` the address that it names as its own, None
    where it names none; ``checked_at`` is in seconds since the epoch, ``interval`` the seconds until it is
    due again, None where its document will say so. ``extracted`` are the values of the site's fields,
    ``extraction`` names what has taken them, empty for nothing.
    """

    page: int
    depth: int
    fingerprint: int
    title: str
    fragments: Sequence[int]
    tag_paths: Sequence[str]
    new: Sequence[NewFragment]
    status: int = 0
    fetched_at: str = ""
    body: Body = STORED
    flags: str = ""
    follow: Sequence[Target] = field(default=())
    excluded: str | None = None
    canonical: Target | None = None
    checked_at: int = 0
    interval: int | None = None
    extraction: str = ""
    extracted: Extracted = NOTHING_EXTRACTED


def derived_page(
    page: int,
    depth: int,
    record: PageRecord,
    unknown: Callable[[Sequence[int]], Collection[int]],
    target: Callable[[Link], Target],
) -> FetchedPage:
    """Returns a page's record for the store, without its fetch.

    Args:
        page: the id of the page.
        depth: its depth.
        record: its record.
        unknown: returns the fragments that the store does not have (`Pages.unknown`).
        target: returns the target of a link.

    """
    return FetchedPage(
        page=page,
        depth=depth,
        fingerprint=record.fingerprint,
        title=record.page.title,
        fragments=record.fingerprints,
        tag_paths=record.tag_paths,
        new=[
            NewFragment(
                fragment.fingerprint,
                fragment.sketch,
                fragment.chars,
                fragment.blocks,
                [FragmentLink(target(link), link.text, link.nofollow) for link in fragment.links],
            )
            for fragment in record.fragments(unknown(record.fingerprints))
        ],
    )
