"""The structure of a site: ranks and classes of its pages, links between classes, and its template graph.

Classes are made by the tag paths of pagelets: no page is read for them.
"""

from __future__ import annotations

from array import array
from functools import cached_property, lru_cache
from hashlib import blake2b
from typing import TYPE_CHECKING, Any, Final, NamedTuple

import numpy as np

from pagelets.page_classes import group, url_pattern
from pagelets.ranking.rankings import RANKINGS, Matches, rank
from store.links import SiteLinks, read_links
from store.states import CURRENT

if TYPE_CHECKING:
    import sqlite3
    from collections.abc import Callable, Iterable, Iterator

    from numpy.typing import NDArray


RANK_COLUMNS: Final = [name.replace("-", "_") for name in RANKINGS]
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


class RankingQuery(NamedTuple):
    """The query that a site is ranked for: its words, and a function that finds the links that fit them."""

    words: str
    matches: Callable[[SiteLinks], Matches]


class Structure:
    """The structure of a site as rows of tables (docs/store.md); what several need is read once.

    A page or a template that links to another page several times does so once; a link to the page itself is
    none. With a query pages are ranked for it.
    """

    def __init__(self, connection: sqlite3.Connection, query: RankingQuery | None = None) -> None:
        self._connection = connection
        self._query = query

    @cached_property
    def _links(self) -> SiteLinks:
        return read_links(self._connection, anchors=self._query is not None)

    @cached_property
    def _classes(self) -> SiteClasses:
        return read_classes(self._connection)

    def ranks(self) -> Iterator[tuple[Any, ...]]:
        """Yields for each page with a document its id, the query, and its score by each of `RANK_COLUMNS`:
        without a query None for those that count its words.
        """
        site_links, query = self._links, self._query
        matches = None if query is None else query.matches(site_links)
        scores: list[list[float | None]] = [
            [None] * len(site_links.page)
            if matches is None and ranking.weighted
            else rank(site_links.links, ranking, matches).tolist()
            for ranking in RANKINGS.values()
        ]
        words = [None if query is None else query.words] * len(site_links.page)
        return zip(site_links.page.tolist(), words, *scores, strict=True)

    def classes(self) -> Iterator[ClassRow]:
        """The classes, those of most pages first."""
        return described(self._connection, self._classes)

    def page_classes(self) -> Iterator[tuple[int, ...]]:
        """Of each page that has a document its id and its class."""
        return _rows([self._classes.page, self._classes.of])

    def class_links(self) -> Iterator[tuple[int, ...]]:
        """From class, to class, whether templates hold the links, how many links, and from how many pages."""
        of, links = self._classes.of, self._links.links
        source, target, pagelet = self._between_pages()
        ends, _ = _counted(source, target, links.template[pagelet].astype(np.int64))
        source, start, end, template = ends[0], of[ends[0]], of[ends[1]], ends[2]
        rows, counts = _counted(start, end, template)
        pages, _ = _counted(start, end, template, source)
        return _rows([*rows, counts, _counted(*pages[:3])[1]])

    def template_classes(self) -> Iterator[tuple[int, ...]]:
        """Template, class, and on how many of its pages the template stands."""
        template = self._links.template
        standing, _ = _counted(template[template > 0], self._links.links.owner[template > 0])
        rows, counts = _counted(standing[0], self._classes.of[standing[1]])
        return _rows([*rows, counts])

    def template_links(self) -> Iterator[tuple[int, ...]]:
        """Template, page that it links to, and from how many pages."""
        source, target, pagelet = self._between_pages()
        template = self._links.template[pagelet]
        links, _ = _counted(*(each[template > 0] for each in (template, target, source)))
        rows, counts = _counted(links[0], self._links.page[links[1]])
        return _rows([*rows, counts])

    def _between_pages(self) -> tuple[NDArray[np.int64], NDArray[np.int64], NDArray[np.int64]]:
        """Of each link its page, the page that it leads to, and its pagelet."""
        links = self._links.links
        source = links.owner[links.pagelet]
        other = source != links.target
        return source[other], links.target[other], links.pagelet[other]


def _counted(*columns: NDArray[np.int64]) -> tuple[list[NDArray[np.int64]], NDArray[np.int64]]:
    """The distinct rows of some columns, in order, and how often each is there."""
    rows, counts = np.unique(np.column_stack(columns), axis=0, return_counts=True)
    return list(rows.T), counts


def _rows(columns: list[NDArray[Any]]) -> Iterator[tuple[int, ...]]:
    return zip(*(column.tolist() for column in columns), strict=True)
