"""The documents of a store as they went out: what an index is filled with that was not fed by their crawl."""

from __future__ import annotations

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
        self._make = judge
        self._judge: StoredJudge | None = None

    def __call__(self, page: int, fields: Sequence[str]) -> Document | None:
        """The Document of a page with some fields, None where the store cannot tell it any more."""
        if self._judge is None:
            self._judge = self._make()
        released = self._judge.released(page)
        if released is None:
            return None
        return released.document(fields, self._store.duplicates.marked(page))
