"""What the site knows of each page, read from the store's tables as arrays aligned with the page."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from pagelets.block_keys import BLOCK_KEYS
from pagelets.site.known import Changing, KnownTemplate, SiteEvidence
from store.meta import TEMPLATE_VERSION, TITLE_AFFIXES
from store.templates import REJECTED

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from pagelets.page import Page
    from pagelets.site.evidence import Evidence
    from store.site import Store


class StoredEvidence:
    """The site's evidence as its store has it, looked up by the ids of pages.

    Takes the store, and the support that makes a block repeated, as `pagelets.site.known.SiteEvidence`.
    """

    def __init__(self, store: Store, min_pages: int, block_share: float) -> None:
        self._store = store
        self._site = SiteEvidence(
            (
                KnownTemplate(one.template, one.sketch, one.judged_pages, one.judged_share, one.page_set)
                for one in store.templates.all()
            ),
            store.templates.page_set,
            store.support.tables(),
            store.support.host_pages(),
            min_pages=min_pages,
            block_share=block_share,
            rejected={sketch: state == REJECTED for sketch, state in store.decisions.states().items()},
            changing=Changing(*store.changing.rounds()),
            version=store.meta(TEMPLATE_VERSION) or "",
            affixes=frozenset(store.meta(TITLE_AFFIXES) or ()),
        )
        self.version, self.affixes = self._site.version, self._site.affixes

    def of(self, page_id: int, page: Page, pagelets: int) -> Evidence:
        """The evidence of a page that was read and partitioned into so many pagelets. Raises as `keyed`."""
        return self.keyed(page_id, page, pagelets)[0]

    def keyed(self, page_id: int, page: Page, pagelets: int) -> tuple[Evidence, NDArray[np.void]]:
        """As `recorded`, of a page that was read and partitioned into so many pagelets.

        Raises ValueError where the store's record of the page has another number of pagelets or blocks.
        """
        evidence, keys = self.recorded(page_id)
        if len(evidence.templates) != pagelets or len(keys) != len(page.blocks):
            raise ValueError(
                f"{page.url}: {pagelets} pagelets and {len(page.blocks)} blocks, "
                f"the store has {len(evidence.templates)} and {len(keys)}"
            )
        return evidence, keys

    def recorded(self, page_id: int) -> tuple[Evidence, NDArray[np.void]]:
        """The evidence of a page as the store has recorded it, without reading the page; and the keys of
        its blocks, an array of `pagelets.block_keys.BLOCK_KEYS`.
        """
        keyed = self._store.pages.keyed(page_id)
        keys = np.frombuffer(b"".join([packed for _, packed in keyed]), BLOCK_KEYS)
        sketches = [sketch for sketch, _ in keyed]
        return self._site.of(page_id, self._store.pages.host(page_id), sketches, keys), keys
