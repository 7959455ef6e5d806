"""The titles of a site's pages, and where its links say them."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Final

import numpy as np

from pagelets.block_keys import block_fingerprints
from pagelets.judging.other_titles import are_titles
from store.states import ALIVE
from store.table import Table

if TYPE_CHECKING:
    import sqlite3
    from collections.abc import Collection, Iterator

    from numpy.typing import NDArray

_KNOWN: Final = 8192
"""Fragments whose links are remembered, about: those of templates are looked up once."""


class Titles(Table):
    """The titles of the pages that a site has, read anew from the store each time."""

    def __iter__(self) -> Iterator[str]:
        return self._each(str, f"SELECT coalesce(title, '') FROM pages WHERE {ALIVE}")


class TitleAnchors(Table):
    """The links of a site's pages whose anchor text is a title of the site.

    Args:
        connection: reads the store.
        titles: the fingerprints of the titles (`pagelets.judging.other_titles.title_keys`).

    """

    def __init__(self, connection: sqlite3.Connection, titles: NDArray[np.int64]) -> None:
        super().__init__(connection)
        self._titles = titles
        self._known: dict[int, list[int]] = {}

    def of(self, page: int) -> bytes:
        """Names those of a page, without reading it; empty where no titles are known."""
        if not len(self._titles):
            return b""
        pagelets = "SELECT position, fragment FROM pagelets WHERE page = ?"
        fragments: dict[int, int] = dict(self._execute(pagelets, (page,)))
        if len(self._known) > _KNOWN:
            self._known.clear()
        self._read(set(fragments.values()).difference(self._known))
        named = {
            position: found for position, fragment in fragments.items() if (found := self._known[fragment])
        }
        return repr(sorted(named.items())).encode() if named else b""

    def _read(self, fragments: Collection[int]) -> None:
        """Finds the links of these fragments that say titles, by their places in the fragment."""
        self._known.update((fragment, []) for fragment in fragments)
        rows = self._execute(
            "SELECT fragment, position, anchor FROM fragment_links "
            "WHERE fragment IN (SELECT value FROM json_each(?)) ORDER BY fragment, position",
            (json.dumps([*fragments]),),
        ).fetchall()
        keys = block_fingerprints([anchor for *_, anchor in rows])
        for row in np.flatnonzero(are_titles(keys, self._titles)).tolist():
            fragment, position, _ = rows[row]
            self._known[fragment].append(position)
