"""What the site knows of each page, read from the store's tables as arrays aligned with the page."""

from __future__ import annotations

import json
from collections import defaultdict
from typing import TYPE_CHECKING

import numpy as np

from pagelets.evidence import Evidence
from pagelets.sketch import fingerprint

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from pagelets.page import Page
    from store.site import Store


class SiteEvidence:
    """The templates and repeated blocks of a site, looked up page by page.

    A block's text counts as repeated on ``min_pages`` pages that are ``block_share`` of the site's pages; a
    share of 0 switches that off.
    """

    def __init__(self, store: Store, min_pages: int, block_share: float) -> None:
        self._store = store
        self._templates: dict[int, list[tuple[int, int | None, int, float]]] = defaultdict(list)
        for template in store.templates.all():
            self._templates[template.sketch].append(
                (template.template, template.page_set, template.pages, template.share)
            )
        self._page_sets: dict[int, NDArray[np.int32]] = {}
        self._blocks = store.templates.repeated_blocks(min_pages, block_share) if block_share else {}
        self.version = store.meta("template_version") or ""
        self._affixes = frozenset(json.loads(store.meta("title_affixes") or "[]"))

    def of(self, page_id: int, page: Page, pagelets: int) -> Evidence:
        """The evidence of a page: of ``pagelets`` pagelets, as the store has recorded them.

        Raises ValueError where the store's record of the page has another number of pagelets.
        """
        sketches = self._store.pages.sketches(page_id)
        if len(sketches) != pagelets:
            raise ValueError(f"{page.url}: {pagelets} pagelets, the store has {len(sketches)}")
        found = [self._template(sketch, page_id) for sketch in sketches]
        blocks = self._of_blocks(page)
        return Evidence(
            templates=[template for template, _, _ in found],
            pagelet_pages=[pages for _, pages, _ in found],
            pagelet_shares=[share for _, _, share in found],
            block_pages=[pages for pages, _ in blocks],
            block_shares=[share for _, share in blocks],
            version=self.version,
            affixes=self._affixes,
        )

    def _template(self, sketch: int, page_id: int) -> tuple[int, int, float]:
        for template, page_set, pages, share in self._templates.get(sketch, ()):
            if page_set is None or self._holds(page_set, page_id):
                return template, pages, share
        return 0, 0, 0.0

    def _holds(self, page_set: int, page_id: int) -> bool:
        pages = self._page_sets.get(page_set)
        if pages is None:
            pages = self._page_sets[page_set] = self._store.templates.page_set(page_set)
        place = int(np.searchsorted(pages, page_id))
        return place < len(pages) and int(pages[place]) == page_id

    def _of_blocks(self, page: Page) -> Sequence[tuple[int, float]]:
        if not self._blocks:
            return [(0, 0.0)] * len(page.blocks)
        find = self._blocks.get
        return [
            find(block_fingerprint(block.text), (0, 0.0)) if block.text else (0, 0.0) for block in page.blocks
        ]


def block_fingerprint(text: str) -> int:
    """The fingerprint that BLOCKS knows a block's text by."""
    return fingerprint((text,))
