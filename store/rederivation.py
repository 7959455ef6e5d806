"""Deriving a store's pages again, with other parameters, piece by piece.

What was derived with other parameters is never mixed: fragments that pages held before are not found any
more, and are removed when all pages are done. Until then nothing is judged or published.
"""

from __future__ import annotations

from bisect import bisect_right
from typing import TYPE_CHECKING, Final

from pagelets.reading import read
from store.meta import DERIVATION, DERIVING

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from pagelets.overrides import Selectors
    from pagelets.page import Page
    from pagelets.reading.fields import Extraction
    from store.records import FetchedPage
    from store.site import Store

    Derive = Callable[[int, int, Page], FetchedPage]
    """Takes a page, its depth, and the page as it is read; returns what is to be recorded of it."""

PIECE: Final = 50
"""Pages that are derived in one transaction."""
STEP: Final = "deriving"
"""The name of this step, of pages that fail in it."""
FIELDS_STEP: Final = "fields"
"""The same of the step that takes the values of fields again."""
_CLEARED: Final = 5_000
"""Fragments that are removed in one transaction."""


def rederive(store: Store, wanted: str, selectors: Selectors, derive: Derive) -> Iterator[tuple[int, int]]:
    """Derives all pages again, and the versions that a round at work has kept of them.

    An interrupted derivation continues; with yet other parameters it begins anew.

    Args:
        store: the store.
        wanted: the parameters.
        selectors: the selectors among them.
        derive: derives a page.

    Yields:
        The number of finished pages and of all, once a transaction.

    Raises:
        StoreUnusable: the store cannot be written.

    """
    way = store.meta(DERIVING) or {}
    if way.get("to") != wanted:
        text = way.get("text") or store.rounds.now().text
        way = {"to": wanted, "page": -1, "previous": -1, "text": text}
        with store.transaction():
            way["last"] = store.pages.fragments.part()
            store.set_meta(DERIVING, way)
    pages = store.bodies.pages()
    previous = store.previous.pages()
    total = len(pages) + len(previous)
    yield (done := bisect_right(pages, way["page"])), total
    for kind, rest, record in (("page", pages, _page), ("previous", previous, _previous)):
        left = rest[bisect_right(rest, way[kind]) :]
        for first in range(0, len(left), PIECE):
            piece = left[first : first + PIECE]
            with store.transaction():
                for page in piece:
                    record(store, page, selectors, derive)
                way[kind] = piece[-1]
                store.set_meta(DERIVING, way)
            done += len(piece)
            yield done, total
    for first in range(0, way["last"] + 1, _CLEARED):
        with store.transaction():
            store.pages.fragments.clear(first, min(first + _CLEARED - 1, way["last"]))
        yield done, total
    with store.transaction():
        store.pages.clear_tag_paths()
        store.rounds.scale_text(way["text"])
        store.set_meta(DERIVATION, wanted)
        store.forget_meta(DERIVING)


def take_again(store: Store, extraction: Extraction) -> Iterator[tuple[int, int]]:
    """Takes the values of all pages that lack them from their stored bodies, piece by piece.

    Where it is cut short, the rest is lacking still. Yields, a transaction each, how many pages are done and
    how many there are. Raises StoreUnusable.
    """
    pages = store.page_fields.lacking(extraction.fingerprint)
    for first in range(0, len(pages), PIECE):
        piece = pages[first : first + PIECE]
        with store.transaction():
            for page in piece:
                with store.border(page, FIELDS_STEP):
                    source, url = store.bodies.get(page).source(), store.frontier.url(page)
                    parsed = read(source, url, extraction=extraction)
                    store.page_fields.put(page, extraction.fingerprint, parsed.extracted)
        yield first + len(piece), len(pages)


def _page(store: Store, page: int, selectors: Selectors, derive: Derive) -> None:
    with store.border(page, STEP) as faults:
        parsed = store.flat_pages.read(page, selectors)
        store.pages.record(derive(page, store.frontier.depth(page), parsed), None)
        # It is judged next, by what the site knows after this.
        store.flat_pages.keep(page, parsed)
    if faults:
        # Its pagelets are of the parameters before.
        store.pages.let_go_pagelets(page)


def _previous(store: Store, page: int, selectors: Selectors, derive: Derive) -> None:
    version = store.previous.version(page)
    assert version is not None
    store.previous.derived(page, version.values, [])
    with store.border(page, STEP):
        source = store.bodies.unpacked(*version.packed).source()
        parsed = read(source, store.frontier.url(page), selectors)
        fetched = derive(page, store.frontier.depth(page), parsed)
        values = {**version.values, "fingerprint": fetched.fingerprint, "title": fetched.title}
        store.previous.derived(page, values, store.pages.pagelets(fetched))
