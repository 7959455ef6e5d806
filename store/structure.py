"""The structure of a site: ranks and classes of its pages, links between classes, and its template graph."""

from __future__ import annotations

from functools import cached_property
from typing import TYPE_CHECKING, Any, Final, NamedTuple

import numpy as np

from pagelets.ranking.rankings import RANKINGS, Matches, rank
from store.classes import ClassRow, SiteClasses, described, read_classes
from store.links import SiteLinks, read_links

if TYPE_CHECKING:
    import sqlite3
    from collections.abc import Callable, Iterator

    from numpy.typing import NDArray


RANK_COLUMNS: Final = [name.replace("-", "_") for name in RANKINGS]


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
    order = np.lexsort(columns[::-1])
    ordered = [column[order] for column in columns]
    first = np.zeros(len(order), bool)
    first[:1] = True
    for column in ordered:
        first[1:] |= column[1:] != column[:-1]
    starts = np.flatnonzero(first)
    return [column[starts] for column in ordered], np.diff(starts, append=len(order))


def _rows(columns: list[NDArray[Any]]) -> Iterator[tuple[int, ...]]:
    return zip(*(column.tolist() for column in columns), strict=True)
