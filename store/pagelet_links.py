"""The pagelets of some pages, and what they link to of what is to be requested."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

if TYPE_CHECKING:
    import sqlite3
    from collections.abc import Collection

    from numpy.typing import NDArray


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
