"""The parameters of a store's pagelets: pagelets made with different ones are never mixed."""

from __future__ import annotations

import json
import sqlite3
from pathlib import Path

from pagelets.overrides import NO_SELECTORS, Selectors
from pagelets.partitions import Partition
from store.errors import StoreHalfDerived
from store.meta import DERIVATION, DERIVING, Meta


class Derivation:
    """The parameters that a store's pagelets were made with, as text, and the way from one to another.

    `store.rederivation` goes that way; if it is cut short, nothing is judged or published before its end.
    """

    def __init__(self, connection: sqlite3.Connection, folder: Path) -> None:
        self._meta = Meta(connection)
        self._folder = folder

    @property
    def partition(self) -> Partition | None:
        """The partition that the pagelets were made with, None before the first page."""
        made = self._meta.get(DERIVATION)
        return None if made is None else Partition.made_with(json.loads(made))

    @property
    def selectors(self) -> Selectors:
        """The selectors that the pagelets were made with, which also part the blocks."""
        made = self._meta.get(DERIVATION)
        return NO_SELECTORS if made is None else Selectors.from_parameters(json.loads(made))

    def lacks(self, wanted: str) -> bool:
        """Returns True if pages have to be derived again for these parameters; a new store notes them, in
        the caller's transaction.
        """
        made = self._meta.get(DERIVATION)
        if made is None:
            self._meta.set(DERIVATION, wanted)
        return made not in (None, wanted) or self._meta.get(DERIVING) is not None

    def check(self) -> None:
        """Raises StoreHalfDerived where some pages are derived with other parameters than the rest."""
        if self._meta.get(DERIVING) is not None:
            raise StoreHalfDerived(
                f"{self._folder}: its pages are being partitioned anew, and not all of them are; "
                "crawl the site to go on"
            )
