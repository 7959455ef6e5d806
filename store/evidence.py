"""What the site knows of each page, read from the store's tables as arrays aligned with the page."""

from __future__ import annotations

import json
from collections import defaultdict
from typing import TYPE_CHECKING, Any, Final

import numpy as np

from pagelets.block_keys import TRACE
from pagelets.site.evidence import BlockSupport, Decided, Evidence
from store.templates import PINNED, REJECTED

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from pagelets.page import Page
    from store.site import Store
    from store.templates import Template

_ROUNDING: Final = 1e-6
"""Shares are kept in 32 bits."""


class SiteEvidence:
    """The templates, decisions and repeated blocks of a site, looked up page by page.

    A block's text counts as repeated on ``min_pages`` pages that are ``block_share`` of the site's pages; a
    share of 0 switches that off.
    """

    def __init__(self, store: Store, min_pages: int, block_share: float) -> None:
        self._store = store
        self._min_pages = min_pages
        self._block_share = block_share
        self._templates: dict[int, list[Template]] = defaultdict(list)
        for template in store.templates.all():
            self._templates[template.sketch].append(template)
        self._decided = store.decisions.states()
        self._page_sets: dict[int, NDArray[np.int32]] = {}
        self._support = store.support.tables()
        self._changing, self._rounds = store.changing.rounds()
        self._host_pages = store.support.host_pages()
        self.version = store.meta("template_version") or ""
        self.affixes = frozenset(json.loads(store.meta("title_affixes") or "[]"))

    def of(self, page_id: int, page: Page, pagelets: int) -> Evidence:
        """The evidence of a page that was read and partitioned into so many pagelets. Raises as `traced`."""
        return self.traced(page_id, page, pagelets)[0]

    def traced(self, page_id: int, page: Page, pagelets: int) -> tuple[Evidence, NDArray[np.void]]:
        """As `recorded`, of a page that was read and partitioned into so many pagelets.

        Raises ValueError where the store's record of the page has another number of pagelets or blocks.
        """
        evidence, traces = self.recorded(page_id)
        if len(evidence.templates) != pagelets or len(traces) != len(page.blocks):
            raise ValueError(
                f"{page.url}: {pagelets} pagelets and {len(page.blocks)} blocks, "
                f"the store has {len(evidence.templates)} and {len(traces)}"
            )
        return evidence, traces

    def recorded(self, page_id: int) -> tuple[Evidence, NDArray[np.void]]:
        """The evidence of a page as the store has recorded it, without reading the page; and the traces of
        its blocks, an array of `pagelets.block_keys.TRACE`.
        """
        traced = self._store.pages.traced(page_id)
        traces = np.frombuffer(b"".join([packed for _, packed in traced]), TRACE)
        sketches = [sketch for sketch, _ in traced]
        found = [self._template(sketch, page_id) for sketch in sketches]
        decided = [self._decision(sketch, page_id) for sketch in sketches] if self._decided else []
        blocks = self._support.of(traces)
        evidence = Evidence(
            templates=[template for template, _, _ in found],
            pagelet_pages=[pages for _, pages, _ in found],
            pagelet_shares=[share for _, _, share in found],
            blocks=blocks,
            repeated=self._repeated(blocks),
            pages=self._host_pages.get(self._store.pages.host(page_id), 0),
            version=self.version,
            affixes=self.affixes,
            decided=decided,
            changed=self._changed(traces),
        )
        return evidence, traces

    def _changed(self, traces: NDArray[np.void]) -> NDArray[np.int8]:
        if not len(self._changing):
            return np.zeros(len(traces), np.int8)
        placed = traces["placed"].astype(np.int64)
        places = self._changing.searchsorted(placed).clip(max=len(self._changing) - 1)
        known = (self._changing[places] == placed) & (traces["block"] != 0)
        found: NDArray[np.int8] = self._rounds[places] * known
        return found

    def _decision(self, sketch: int, page_id: int) -> Decided | None:
        state = self._decided.get(sketch)
        return None if state is None else Decided(state == REJECTED, *self._row(sketch, page_id))

    def _template(self, sketch: int, page_id: int) -> tuple[int, int, float]:
        state = self._decided.get(sketch)
        if state == REJECTED:
            return 0, 0, 0.0
        if state == PINNED:
            return self._row(sketch, page_id)
        return self._row(sketch, page_id, anywhere=False)

    def _row(self, sketch: int, page_id: int, *, anywhere: bool = True) -> tuple[int, int, float]:
        """The template of a sketch on a page; with ``anywhere`` else that which is on most pages."""
        rows = self._templates.get(sketch, ())
        for row in rows:
            if row.page_set is None or self._holds(row.page_set, page_id):
                return row.template, row.judged_pages, row.judged_share
        if anywhere and rows:
            return rows[0].template, rows[0].judged_pages, rows[0].judged_share
        return 0, 0, 0.0

    def _holds(self, page_set: int, page_id: int) -> bool:
        pages = self._page_sets.get(page_set)
        if pages is None:
            pages = self._page_sets[page_set] = self._store.templates.page_set(page_set)
        place = int(np.searchsorted(pages, page_id))
        return place < len(pages) and int(pages[place]) == page_id

    def _repeated(self, blocks: BlockSupport) -> list[bool]:
        found: list[bool] = repeated(blocks.pages, blocks.shares, self._min_pages, self._block_share).tolist()
        return found


def repeated(
    pages: NDArray[Any], shares: NDArray[Any], min_pages: int, block_share: float
) -> NDArray[np.bool_]:
    """Which block texts count as repeated, by their support; takes what `SiteEvidence` does."""
    if not block_share:
        return np.zeros(len(pages), bool)
    found: NDArray[np.bool_] = (pages >= min_pages) & (shares >= block_share - _ROUNDING)
    return found
