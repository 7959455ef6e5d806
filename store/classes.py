"""The classes of a site's pages, by the tag paths of their pagelets: no page is read for it."""

from __future__ import annotations

from array import array
from functools import lru_cache
from hashlib import blake2b
from typing import TYPE_CHECKING, Final, NamedTuple

import numpy as np

from pagelets.page_classes import group, url_pattern
from store.states import CURRENT

if TYPE_CHECKING:
    import sqlite3
    from collections.abc import Iterable, Iterator

    from numpy.typing import NDArray

MOST_PATHS: Final = 256
"""Of a page with more paths those with the lowest hashes count, the same on all pages (Broder 1997)."""
_KNOWN: Final = 1 << 13


class SiteClasses(NamedTuple):
    """The classes of the n pages that have a document: ``page`` int64[n] are their ids, sorted; ``of``
    int64[n] is the class of each, from 1, those of most pages first; ``typical`` bool[n] tells the pages that
    are built as most of their class.
    """

    page: NDArray[np.int64]
    of: NDArray[np.int64]
    typical: NDArray[np.bool_]


class ClassRow(NamedTuple):
    """A class: its number, on how many pages it is, what their addresses have in common, and a typical page,
    the first of them by address.
    """

    number: int
    pages: int
    pattern: str
    sample_page: int


def read_classes(connection: sqlite3.Connection) -> SiteClasses:
    """The classes of a site's pages.

    A page's schema are the tag paths from its root to its pagelets, and to the elements around them, without
    ids: those name single pages on many sites. Where the paper takes the paths to links it has to read the
    pages; these are in the store.
    """
    paths = _Paths(connection)
    places: dict[bytes, int] = {}
    page, of_schema = array("q"), array("q")

    @lru_cache(_KNOWN)
    def place(tag_paths: str) -> int:
        schema = paths.schema(map(int, tag_paths.split(","))) if tag_paths else b""
        return places.setdefault(schema, len(places))

    for number, tag_paths in connection.execute(
        "SELECT pages.page, coalesce(group_concat(DISTINCT tag_path), '') FROM pages "
        f"LEFT JOIN pagelets USING (page) WHERE {CURRENT} GROUP BY pages.page ORDER BY pages.page"
    ):
        page.append(number)
        of_schema.append(place(tag_paths))
    at = np.array(of_schema, np.int64)
    schemas = [np.frombuffer(schema, np.uint64) for schema in places]
    grouping = group(schemas, np.bincount(at, minlength=len(schemas)).tolist())
    return SiteClasses(np.array(page, np.int64), grouping.of[at] + 1, grouping.typical[at])


class _Paths:
    """Hashes of tag paths by their numbers in TAG_PATHS, each made of that of the path around it."""

    def __init__(self, connection: sqlite3.Connection) -> None:
        (last,) = connection.execute("SELECT coalesce(max(tag_path), 0) FROM tag_paths").fetchone()
        self._parents, self._hashes = array("q", bytes(8 * (last + 1))), array("Q", bytes(8 * (last + 1)))
        # A step comes after the one around it.
        for tag_path, parent, step in connection.execute("SELECT * FROM tag_paths ORDER BY tag_path"):
            encoded = self._hashes[parent].to_bytes(8, "little") + step.partition("#")[0].encode()
            self._parents[tag_path] = parent
            self._hashes[tag_path] = int.from_bytes(blake2b(encoded, digest_size=8).digest(), "little")

    def schema(self, tag_paths: Iterable[int]) -> bytes:
        """The sorted hashes, uint64, of some tag paths and of those around them."""
        met: set[int] = set()
        for tag_path in tag_paths:
            while tag_path and tag_path not in met:
                met.add(tag_path)
                tag_path = self._parents[tag_path]
        return np.unique(np.array([self._hashes[number] for number in met], np.uint64))[:MOST_PATHS].tobytes()


def described(connection: sqlite3.Connection, classes: SiteClasses) -> Iterator[ClassRow]:
    """Describes each class, in order of their numbers."""
    urls = dict(connection.execute(f"SELECT page, url FROM pages WHERE {CURRENT}").fetchall())
    order = np.argsort(classes.of, kind="stable")
    starts = np.flatnonzero(np.diff(classes.of[order], prepend=0))
    for number, rows in enumerate(np.split(order, starts[1:]), 1):
        pages = classes.page[rows].tolist()
        typical = classes.page[rows[classes.typical[rows]]].tolist()
        if pages:
            pattern = url_pattern(urls[page] for page in pages)
            yield ClassRow(number, len(pages), pattern, min(typical, key=urls.__getitem__))
