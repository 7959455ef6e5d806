"""The stores of this machine, as the inspector is handed them."""

from __future__ import annotations

import contextlib
import threading
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final, Protocol

from inspection.overview import Due
from inspection.pages import FoundPage, evidence_state, find_page
from inspection.scratch import Trial
from inspection.taught_change import TaughtFiles
from pagelets.partitions import Partition
from pagelets.reading.fields import Extraction
from settings.errors import ConfigurationError, UnknownName
from store.database import FILE
from store.judging import StoredJudge
from store.site import Store

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping
    from contextlib import AbstractContextManager

    from search.query import Found


KEPT: Final = 4
"""Stores that a thread keeps open: each takes files, of which a process may have a thousand, and memory."""


class Stores(Protocol):
    """Opens stores; its methods raise ConfigurationError and StoreError."""

    def sites(self) -> list[str]:
        """Returns the sites that have a store."""

    def due(self) -> Mapping[str, Due]:
        """Returns the schedules of the sites that have one, or a mistake in their file, by name."""

    def open_store(self, site: str) -> Store:
        """Opens a site's store."""

    def changing(self, site: str) -> AbstractContextManager[Store]:
        """Opens a site's store, which nobody else changes meanwhile. Raises SiteBusy."""

    def judge_of(self, store: Store) -> StoredJudge:
        """Returns what judges the pages of a store as its last crawl did."""

    def extraction(self, site: str) -> Extraction:
        """Returns the fields that the site's file has taken from pages."""

    def partition_of(self, store: Store) -> Partition:
        """Returns the partition that a store's pagelets were made with."""

    def form(self, url: str, site: str) -> str:
        """Returns the one form that a URL has in a site."""

    def files(self, site: str) -> TaughtFiles:
        """Returns the files of a site that take what is taught."""

    def trial(self, store: Store, asked: Mapping[str, str]) -> Trial:
        """Returns a trial of other arguments; a selector is added to those that there are."""

    def search(self, site: str, text: str, limit: int) -> Found:
        """Returns the hits of a query in the index of a site.

        Args:
            site: the site.
            text: the query, as a person writes it.
            limit: the number of hits at most.

        """


@dataclass(slots=True)
class _Open:
    """An open store; ``inode`` names its file. It has a judge once a view has asked for that; ``state`` names
    what the judge knows.
    """

    store: Store
    inode: int
    judge: StoredJudge | None = None
    state: str = ""


class OpenStores:
    """Stores and judges that stay open between requests: of each thread its own, those asked for last."""

    def __init__(self, stores: Stores) -> None:
        self.stores = stores
        self._of_threads: dict[int, dict[str, _Open]] = {}

    def close(self) -> None:
        """Closes the stores of all threads, none of which may use them any more."""
        for known in self._of_threads.values():
            while known:
                known.popitem()[1].store.close()

    @contextlib.contextmanager
    def reading(self, site: str) -> Iterator[Store]:
        """A site's store as it is at this moment. Raises ConfigurationError or StoreError."""
        opened = self._opened(site)
        with opened.store.snapshot():
            yield opened.store

    @contextlib.contextmanager
    def judging(self, site: str) -> Iterator[tuple[Store, StoredJudge]]:
        """A site's store as it is at this moment, and what judges its pages.

        Raises ConfigurationError or StoreError.
        """
        opened = self._opened(site)
        with opened.store.snapshot():
            state = self._state(opened.store)
            if opened.judge is None or opened.state != state:
                # All that the site knows is read for a judge: lists do without.
                opened.judge, opened.state = self.stores.judge_of(opened.store), state
            yield opened.store, opened.judge

    def find(self, url: str, site: str) -> FoundPage:
        """Finds a page of a site by its URL. Raises ConfigurationError or StoreError."""
        return find_page(url, [self.named(site)], self.reading, lambda name: self.stores.form(url, name))

    def named(self, site: str) -> str:
        """Returns the name of a site that has a store. Raises UnknownName."""
        names = self.stores.sites()
        if site not in names:
            if not names:
                raise ConfigurationError(
                    "there is no store yet; crawl a site first: scrapy crawl site -a url=URL"
                )
            raise UnknownName("site", site, names)
        return site

    def _opened(self, site: str) -> _Open:
        known = self._of_threads.setdefault(threading.get_ident(), {})
        opened = known.pop(self.named(site), None)
        if opened is not None:
            with contextlib.suppress(OSError):
                # A crawl may have put another store in its place.
                if (opened.store.folder / FILE).stat().st_ino == opened.inode:
                    known[site] = opened
                    return opened
            opened.store.close()
        while len(known) >= KEPT:
            known.pop(next(iter(known))).store.close()
        store = self.stores.open_store(site)
        try:
            store.only_read()
            known[site] = _Open(store, (store.folder / FILE).stat().st_ino)
        except BaseException:
            store.close()
            raise
        return known[site]

    def _state(self, store: Store) -> str:
        """Returns what names all that a judge knows, the site file too."""
        path = self.stores.files(store.name).path
        try:
            changed = path.stat().st_mtime_ns
        except OSError:
            changed = 0
        return f"{evidence_state(store)} {changed}"
