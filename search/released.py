"""The documents of a store as they went out: what an index is filled with that was not fed by their crawl."""

from __future__ import annotations

from functools import cache
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from pagelets.document import Document
    from store.judging import StoredJudge
    from store.site import Store


class ReleasedDocuments:
    """The documents of a store as they went out. ``judge`` makes their judge when the first is asked for."""

    def __init__(self, store: Store, judge: Callable[[], StoredJudge]) -> None:
        self._store = store
        self._judge = cache(judge)

    def __call__(self, page: int, fields: Sequence[str]) -> Document | None:
        """The Document of a page with some fields, None where the store cannot tell it any more."""
        released = self._judge().released(page)
        if released is None:
            return None
        return released.document(fields, self._store.duplicates.marked(page))
