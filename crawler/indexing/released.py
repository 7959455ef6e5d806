"""The documents of a store as they went out: what an index is filled with that was not fed by their crawl."""

from __future__ import annotations

from typing import TYPE_CHECKING

from crawler.judgement import stored_judge

if TYPE_CHECKING:
    from collections.abc import Sequence

    from scrapy.settings import BaseSettings

    from pagelets.document import Document
    from store.judging import Judge
    from store.site import Store


class ReleasedDocuments:
    """The documents of a store as they went out. The judge is made when the first is asked for."""

    def __init__(self, site: str, store: Store, settings: BaseSettings) -> None:
        self._site = site
        self._store = store
        self._settings = settings
        self._judge: Judge | None = None

    def __call__(self, page: int, fields: Sequence[str]) -> Document | None:
        """The Document of a page with some fields, None where the store cannot tell it any more."""
        if self._judge is None:
            self._judge = stored_judge(self._store, self._settings, site=self._site)
        released = self._judge.released(page)
        if released is None:
            return None
        return released.document(fields, self._store.duplicates.marked(page))
