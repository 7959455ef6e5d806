"""The facts of a site, in plain tables: templates, decisions, support, and what methods have learned."""

from __future__ import annotations

from collections import defaultdict
from dataclasses import replace
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, Final, NamedTuple, Protocol

import numpy as np

from pagelets.judging.counters import counters
from pagelets.judging.other_titles import NO_TITLES, are_titles, other_titles
from pagelets.judging.page_facts import Decided, PageFacts

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping, Sequence

    from numpy.typing import NDArray

    from pagelets.judging.parameters import Detection
    from pagelets.judging.support import SupportTables
    from pagelets.page import Page

_ROUNDING: Final = 1e-6
"""Shares are kept in 32 bits."""


class KnownTemplate(NamedTuple):
    """A template of a site: its id, its sketch, the support that pages are judged by, and the number of the
    set of pages that it is on, None for all pages with its sketch.
    """

    template: int
    sketch: int
    pages: int
    share: float
    page_set: int | None


class Changing(NamedTuple):
    """Blocks whose digits change between rounds of crawling: their keys (``placed`` of `BLOCK_KEYS`), sorted,
    and in how many rounds in a row they have changed.
    """

    placed: NDArray[np.int64]
    rounds: NDArray[np.int8]

    @classmethod
    def none(cls) -> Changing:
        """Of a site that was seen once."""
        return cls(np.empty(0, np.int64), np.empty(0, np.int8))

    def of(self, keys: NDArray[np.void]) -> NDArray[np.int8]:
        """The rounds of blocks by their keys, 0 for those that do not change."""
        if not len(self.placed):
            return np.zeros(len(keys), np.int8)
        placed = keys["placed"].astype(np.int64)
        places = self.placed.searchsorted(placed).clip(max=len(self.placed) - 1)
        known = (self.placed[places] == placed) & (keys["block"] != 0)
        rounds: NDArray[np.int8] = self.rounds[places] * known
        return rounds


class Models(Protocol):
    """Models that methods have learned, by the name of the method and the number of the host."""

    def __getitem__(self, wanted: tuple[str, int], /) -> bytes:
        """Returns the model of a method and a host."""

    def get(self, wanted: tuple[str, int], /) -> bytes | None:
        """Returns the same, and None if the method has not learned of the host."""


class RecordedPage(NamedTuple):
    """A site's record of a page: its number and that of its host, the sketches of its pagelets, and the keys
    of its blocks, an array of `pagelets.block_keys.BLOCK_KEYS`.
    """

    page: int
    host: int
    sketches: Sequence[int]
    keys: NDArray[np.void]


class SiteFacts:
    """The templates, decisions and repeated blocks of a site, looked up page by page, and what methods have
    learned. Filled by `pagelets.site`, `store.facts` and `cluster.facts`, each from its own rows.

    Args:
        templates: those on most pages first.
        page_set: returns the sorted ids of a set of pages.
        support: that of blocks.
        host_pages: the number of pages that each host is known by.
        detection: how templates were found. A block's text counts as repeated on ``min_pages`` pages that are
            ``block_share`` of the site's pages; a share of 0 switches that off.
        rejected: sketch -> True if people rejected it, False if they pinned it.
        changing: the blocks that change.
        version: names all of this, the ``template_version`` of documents; may be set later.
        affixes: the parts of titles that name the site.
        beside: the parts that nearly all titles have beside them.
        titles: the fingerprints of the titles of its pages (`pagelets.judging.other_titles.title_keys`).
        models: what methods have learned.

    """

    def __init__(
        self,
        templates: Iterable[KnownTemplate],
        page_set: Callable[[int], NDArray[np.integer[Any]]],
        support: SupportTables,
        host_pages: Mapping[int, int],
        *,
        detection: Detection,
        rejected: Mapping[int, bool],
        changing: Changing,
        version: str = "",
        affixes: frozenset[str] = frozenset(),
        beside: frozenset[str] = frozenset(),
        titles: NDArray[np.int64] = NO_TITLES,
        models: Models = MappingProxyType({}),
    ) -> None:
        self._templates: dict[int, list[KnownTemplate]] = defaultdict(list)
        for template in templates:
            self._templates[template.sketch].append(template)
        self._page_set = page_set
        self._page_sets: dict[int, NDArray[np.integer[Any]]] = {}
        self._support = support
        self._host_pages = host_pages
        self._detection = detection
        self._rejected = rejected
        self._changing = changing
        self.version = version
        self.affixes = affixes
        self.beside = beside
        self.titles = titles
        self.models = models

    def for_page(self, recorded: RecordedPage) -> PageFacts:
        """Returns the facts of a page."""
        page, host, sketches, keys = recorded
        rows = [self._template(sketch, page) for sketch in sketches]
        blocks = self._support.of(keys)
        return PageFacts(
            templates=[template for template, _, _ in rows],
            pagelet_pages=[pages for _, pages, _ in rows],
            pagelet_shares=[share for _, _, share in rows],
            blocks=blocks,
            repeated=repeated(blocks.pages, blocks.shares, self._detection).tolist(),
            pages=self._host_pages.get(host, 0),
            version=self.version,
            affixes=self.affixes,
            beside=self.beside,
            decided=[self._decision(sketch, page) for sketch in sketches] if self._rejected else [],
            changed=self._changing.of(keys),
            named=are_titles(keys["block"], self.titles),
        )

    def aligned(self, recorded: RecordedPage, page: Page, pagelets: int) -> PageFacts:
        """Returns the facts of a page that was read and partitioned.

        Args:
            recorded: the site's record of it.
            page: the page.
            pagelets: the number of its pagelets.

        Raises:
            ValueError: the record has another number of pagelets or blocks.

        """
        known = len(recorded.sketches), len(recorded.keys)
        if known != (pagelets, len(page.blocks)):
            raise ValueError(
                f"{page.url}: {pagelets} pagelets and {len(page.blocks)} blocks, "
                f"its record has {known[0]} and {known[1]}"
            )
        facts = self.for_page(recorded)
        return replace(
            facts,
            counters=counters(page, recorded.keys, facts.blocks, self._support),
            named=other_titles(page, facts.named, self.titles, self.affixes),
        )

    def _decision(self, sketch: int, page: int) -> Decided | None:
        rejected = self._rejected.get(sketch)
        return None if rejected is None else Decided(rejected, *self._row(sketch, page))

    def _template(self, sketch: int, page: int) -> tuple[int, int, float]:
        rejected = self._rejected.get(sketch)
        if rejected:
            return 0, 0, 0.0
        return self._row(sketch, page, anywhere=rejected is not None)

    def _row(self, sketch: int, page: int, *, anywhere: bool = True) -> tuple[int, int, float]:
        """The template of a sketch on a page; with ``anywhere`` else that which is on most pages."""
        rows = self._templates.get(sketch, ())
        for row in rows:
            if row.page_set is None or self._holds(row.page_set, page):
                return row.template, row.pages, row.share
        if anywhere and rows:
            return rows[0].template, rows[0].pages, rows[0].share
        return 0, 0, 0.0

    def _holds(self, page_set: int, page: int) -> bool:
        pages = self._page_sets.get(page_set)
        if pages is None:
            pages = self._page_sets[page_set] = self._page_set(page_set)
        place = int(np.searchsorted(pages, page))
        return place < len(pages) and int(pages[place]) == page


def repeated(pages: NDArray[Any], shares: NDArray[Any], detection: Detection) -> NDArray[np.bool_]:
    """Marks the block texts that count as repeated, by the number of their ``pages`` and the ``shares`` of
    these, and the rules of ``detection``.
    """
    if not detection.block_share:
        return np.zeros(len(pages), bool)
    return (pages >= detection.min_pages) & (shares >= detection.block_share - _ROUNDING)
