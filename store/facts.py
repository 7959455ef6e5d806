"""What a site knows, filled from the tables of its store."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from pagelets.block_keys import BLOCK_KEYS
from pagelets.judging.decisions import REJECTED
from pagelets.judging.facts import Changing, KnownTemplate, RecordedPage, SiteFacts
from store.learning import StoredModels
from store.meta import TEMPLATE_VERSION, TITLE_AFFIXES

if TYPE_CHECKING:
    from pagelets.judging.config import Detection
    from pagelets.judging.page_facts import PageFacts
    from pagelets.page import Page
    from store.site import Store


def facts_of(store: Store, detection: Detection) -> SiteFacts:
    """What the site of a store knows; takes how its templates were found."""
    return SiteFacts(
        (
            KnownTemplate(one.template, one.sketch, one.judged_pages, one.judged_share, one.page_set)
            for one in store.templates.all()
        ),
        store.templates.page_set,
        store.support.tables(),
        store.support.host_pages(),
        detection=detection,
        rejected={sketch: state == REJECTED for sketch, state in store.decisions.states().items()},
        changing=Changing(*store.changing.rounds()),
        version=store.meta(TEMPLATE_VERSION) or "",
        affixes=frozenset(store.meta(TITLE_AFFIXES) or ()),
        models=StoredModels(store),
    )


def recorded(store: Store, page_id: int) -> RecordedPage:
    """What the store has recorded of a page, which is not read."""
    keyed = store.pages.keyed(page_id)
    keys = np.frombuffer(b"".join([packed for _, packed in keyed]), BLOCK_KEYS)
    return RecordedPage(page_id, store.pages.host(page_id), [sketch for sketch, _ in keyed], keys)


def page_facts(facts: SiteFacts, known: RecordedPage, page: Page, pagelets: int) -> PageFacts:
    """What the site knows of a page that was read and partitioned into so many pagelets.

    Args:
        facts: what the site knows.
        known: what the store has recorded of the page.
        page: the page.
        pagelets: how many it was partitioned into.

    Raises:
        ValueError: the store's record has another number of pagelets or blocks.

    """
    if len(known.sketches) != pagelets or len(known.keys) != len(page.blocks):
        raise ValueError(
            f"{page.url}: {pagelets} pagelets and {len(page.blocks)} blocks, "
            f"the store has {len(known.sketches)} and {len(known.keys)}"
        )
    return facts.for_page(known)
