"""The facts of a site, filled from the tables of its store."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from pagelets.block_keys import BLOCK_KEYS
from pagelets.judging.decisions import REJECTED
from pagelets.judging.facts import Changing, KnownTemplate, RecordedPage, SiteFacts
from pagelets.registry import OURS, Registry
from store.learning import StoredModels
from store.meta import TEMPLATE_VERSION, TITLE_AFFIXES, TITLE_BESIDE, TITLE_KEYS

if TYPE_CHECKING:
    from pagelets.judging.parameters import Detection
    from store.site import Store


def facts_of(store: Store, detection: Detection, registry: Registry = OURS) -> SiteFacts:
    """Returns the facts of a store's site, whose templates this detection has found, and of which methods of
    the registry have learned.
    """
    titles: bytes = store.meta(TITLE_KEYS) or b""
    return SiteFacts(
        (
            KnownTemplate(row.template, row.sketch, row.judged_pages, row.judged_share, row.page_set)
            for row in store.templates.all()
        ),
        store.templates.page_set,
        store.support.tables(),
        store.support.host_pages(),
        detection=detection,
        rejected={sketch: state == REJECTED for sketch, state in store.decisions.states().items()},
        changing=Changing(*store.changing.rounds()),
        version=store.meta(TEMPLATE_VERSION) or "",
        affixes=frozenset(store.meta(TITLE_AFFIXES) or ()),
        beside=frozenset(store.meta(TITLE_BESIDE) or ()),
        titles=np.frombuffer(titles, "<i8"),
        models=StoredModels(store, registry),
    )


def recorded(store: Store, page_id: int) -> RecordedPage:
    """Returns the store's record of a page, without reading the page."""
    keyed = store.pages.keyed(page_id)
    keys = np.frombuffer(b"".join([packed for _, packed in keyed]), BLOCK_KEYS)
    return RecordedPage(page_id, store.pages.host(page_id), [sketch for sketch, _ in keyed], keys)
