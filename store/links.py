"""The links between a site's pages, as link analysis takes them, and those of pagelets to what is due."""

from __future__ import annotations

import json
from itertools import chain
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from pagelets.judging.decisions import PINNED, REJECTED
from pagelets.ranking.graph import Links
from store.states import CURRENT, ELSEWHERE
from store.templates import TemplateTable

if TYPE_CHECKING:
    import sqlite3
    from collections.abc import Collection

    from numpy.typing import NDArray


class SiteLinks(NamedTuple):
    """The ``links`` between the n pages that have a document, with their ids in the store.

    ``page`` int64[n] are the ids of the pages, sorted; ``position`` int64[p] is the place of each pagelet on
    its page, ``template`` int64[p] the id of its template, 0 for no template; ``anchors`` are the texts of
    links, if asked for, and ``anchor`` int64[l] the place of each link's text among them.
    """

    links: Links
    page: NDArray[np.int64]
    position: NDArray[np.int64]
    template: NDArray[np.int64]
    anchors: list[str]
    anchor: NDArray[np.int64]


def read_links(connection: sqlite3.Connection, *, anchors: bool = False) -> SiteLinks:
    """The links of a site, without those that ask not to be followed and those that lead to no document; with
    the texts of their ``anchors`` where these are asked for, as they take the most memory.

    A link to a page that redirects, or names another as its canonical one, leads to that.
    """
    page, position, fragment, sketch = _columns(
        connection,
        "SELECT page, position, fragment, sketch FROM pagelets JOIN fragments USING (fragment) "
        f"WHERE page IN (SELECT page FROM pages WHERE {CURRENT}) ORDER BY page, position",
        4,
    )
    (pages,) = _columns(connection, f"SELECT page FROM pages WHERE {CURRENT} ORDER BY page", 1)
    links_of = "FROM fragment_links WHERE NOT nofollow ORDER BY fragment, position"
    source, target = _columns(connection, f"SELECT fragment, target {links_of}", 2)
    target = _settled(connection, target)
    known = np.isin(target, pages)
    source, target, anchor = source[known], target[known], np.flatnonzero(known)
    starts, stops = source.searchsorted(fragment), source.searchsorted(fragment, "right")
    counts = stops - starts
    # The links of each pagelet, one after the other: those of its fragment.
    of_link = np.repeat(stops - counts.cumsum(), counts) + np.arange(counts.sum())
    template = _templates(TemplateTable(connection), page, sketch)
    links = Links(
        len(pages),
        pages.searchsorted(page),
        template > 0,
        np.repeat(np.arange(len(page)), counts),
        pages.searchsorted(target[of_link]),
    )
    texts = [text for (text,) in connection.execute(f"SELECT anchor {links_of}")] if anchors else []
    return SiteLinks(links, pages, position, template, texts, anchor[of_link])


def _columns(connection: sqlite3.Connection, statement: str, width: int) -> NDArray[np.int64]:
    rows = connection.execute(statement)
    return np.fromiter(chain.from_iterable(rows), np.int64).reshape(-1, width).T


def _settled(connection: sqlite3.Connection, targets: NDArray[np.int64]) -> NDArray[np.int64]:
    """Returns the final targets of links to these pages: int64[l]. One in a circle leads nowhere."""
    ways = dict(connection.execute(f"SELECT page, {ELSEWHERE} FROM pages WHERE {ELSEWHERE} IS NOT NULL"))
    ends: dict[int, int] = {}
    for page, end in ways.items():
        passed = {page}
        while end in ways and end not in passed:
            passed.add(end)
            end = ways[end]
        ends[page] = end
    if not ends:
        return targets
    moved = np.array(sorted(ends), np.int64)
    places = moved.searchsorted(targets).clip(max=len(moved) - 1)
    there = np.array([ends[page] for page in moved.tolist()], np.int64)
    return np.where(moved[places] == targets, there[places], targets)


def _templates(table: TemplateTable, page: NDArray[np.int64], sketch: NDArray[np.int64]) -> NDArray[np.int64]:
    """The template that each pagelet is of, given their pages and their sketches: int64[p], 0 for none. Of
    several it is that on most pages.
    """
    of_pagelet = np.zeros(len(sketch), np.int64)
    order = np.argsort(sketch, kind="stable")
    ordered = sketch[order]
    for template in table.all():
        if template.state == REJECTED:
            continue
        first, last = (int(ordered.searchsorted(template.sketch, side)) for side in ("left", "right"))
        rows = order[first:last]
        if template.page_set is not None and template.state != PINNED:
            rows = rows[np.isin(page[rows], table.page_set(template.page_set))]
        of_pagelet[rows[of_pagelet[rows] == 0]] = template.template
    return of_pagelet


class StoredPagelets(NamedTuple):
    """The p pagelets of some pages, by page and place: int64[p] each. ``words`` counts the words of their
    text.
    """

    page: NDArray[np.int64]
    position: NDArray[np.int64]
    fragment: NDArray[np.int64]
    sketch: NDArray[np.int64]
    words: NDArray[np.int64]


def pagelets_of(connection: sqlite3.Connection, pages: Collection[int]) -> StoredPagelets:
    """The pagelets of some pages as they are stored."""
    rows = connection.execute(
        "SELECT page, position, fragment, sketch, words FROM json_each(?) "
        "CROSS JOIN pagelets ON pagelets.page = json_each.value CROSS JOIN fragments USING (fragment) "
        "ORDER BY page, position",
        (json.dumps(sorted(pages)),),
    ).fetchall()
    return StoredPagelets(*np.array(rows, np.int64).reshape(-1, 5).T)


def links_to_due(
    connection: sqlite3.Connection, fragments: Collection[int]
) -> tuple[NDArray[np.int64], NDArray[np.int64], list[str]]:
    """The l links of some fragments that lead to URLs which are due: the ids of fragments and of URLs, each
    int64[l], and the texts of the anchors. Those that ask not to be followed are not among them.
    """
    rows = connection.execute(
        "SELECT fragment, fragment_links.target, anchor FROM json_each(?) "
        "CROSS JOIN fragment_links ON fragment = json_each.value "
        "CROSS JOIN pages ON page = fragment_links.target WHERE NOT nofollow AND due",
        (json.dumps(sorted(fragments)),),
    ).fetchall()
    columns = np.array([row[:2] for row in rows], np.int64).reshape(-1, 2).T
    return columns[0], columns[1], [row[2] for row in rows]


def mean_words(connection: sqlite3.Connection, pages: int, templates: Collection[int]) -> float:
    """Returns the mean number of words of so many ``pages``, read by a ``connection``, without the words of
    pagelets with the sketches of ``templates``.
    """
    (words,) = connection.execute(
        "SELECT coalesce(sum(words), 0) FROM pagelets JOIN fragments USING (fragment) "
        "WHERE sketch NOT IN (SELECT value FROM json_each(?))",
        (json.dumps(sorted(templates)),),
    ).fetchone()
    return float(words / max(pages, 1))
