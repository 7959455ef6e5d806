"""Sharing probabilities among blocks that a page writes alike: entries of a list, and cells of a row."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

import numpy as np

from pagelets import loops

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from pagelets.containers import Containers

NONE: Final = -1
_LIST: Final = 3
"""So many neighbours named alike make a list."""
_SHARED: Final = 0.6
"""The part of a block's log odds that its list tells."""
_SMOOTHING: Final = 2.0
"""Words that are added to each block."""
_LEAST: Final = 1e-4
"""No block is surer than this."""
_CELLS: Final = (2, 3)
"""The least and the largest number of blocks of a row whose cells belong together: a name and its value."""
_ROW: Final = 1
_CELL: Final = {"tr": _ROW, "dt": 2, "dd": 3}
_COLUMNS: Final = {"td": 1, "th": 1}


def joints(containers: Containers) -> NDArray[np.int64]:
    """Groups a page's b blocks that belong together: int64[2, b], the number of a group or `NONE`.

    The first row numbers the parts of lists: blocks whose elements are named alike, inside children of one
    element that are named alike. The second numbers table rows, and terms with their descriptions.
    """
    tree, of_block, parent = containers.tree, containers.of_block, containers.parent
    kind = loops.alike(containers.tag, containers.class_and_id[0])
    listed = loops.ordinals(loops.alike(parent, kind))[0] >= _LIST
    # The root has itself for a parent.
    listed[0] = False
    entry = containers.nearest(listed)[of_block]
    parts = np.where(listed[entry], loops.alike(parent[entry], kind[entry], kind[of_block]), NONE)
    groups = np.full((2, len(of_block)), NONE)
    groups[0] = _counted(parts, _LIST, len(of_block))
    if _CELL.keys().isdisjoint(tree.tag_places):
        return groups
    cell = containers.numbered(_CELL)
    row, term = containers.nearest(np.array([cell == _ROW, cell > _ROW]))[:, of_block]
    rows = _counted(np.where(cell[row] == _ROW, row, NONE), *_CELLS)
    # A table that lays out a page has several texts in one cell.
    columns = containers.nearest(containers.numbered(_COLUMNS) > 0)[of_block]
    first = np.empty(len(parent) + 1, np.int64)
    first[rows[::-1]] = columns[::-1]
    several = np.bincount(rows + 1, columns != first[rows]) > 0
    groups[1] = np.where(several[rows + 1], rows, NONE)
    named = cell[term]
    first = np.flatnonzero((named[:-1] == _CELL["dt"]) & (named[1:] == _CELL["dd"]))
    groups[1, first] = groups[1, first + 1] = len(parent) + first
    return groups


def joined(
    likely: NDArray[np.float64], words: NDArray[np.float64], groups: NDArray[np.int64]
) -> NDArray[np.float64]:
    """Returns how likely each block is content, given the other blocks of its groups.

    A block of a list takes a share of its log odds from their mean, weighed by words: entries of a list are
    content together, or not. All cells of a row are as likely as the likeliest: the name of a property says
    the same on all pages of a shop, and yet belongs to its value.

    Args:
        likely: the probability of each block by itself, float64[b].
        words: the number of words of each block, float64[b].
        groups: what `joints` returned.

    """
    parts, rows = groups
    if (groups == NONE).all():
        return likely
    bounded = np.minimum(np.maximum(likely, _LEAST), 1 - _LEAST)
    odds = np.log(bounded / (1 - bounded))
    listed = parts != NONE
    if listed.any():
        weights = words[listed] + _SMOOTHING
        total = np.bincount(parts[listed], weights)
        mean = np.bincount(parts[listed], weights * odds[listed])[parts[listed]] / total[parts[listed]]
        odds[listed] += _SHARED * (mean - odds[listed])
    inside = rows != NONE
    if inside.any():
        most = np.full(int(rows.max()) + 1, -np.inf)
        np.maximum.at(most, rows[inside], odds[inside])
        odds[inside] = most[rows[inside]]
    return np.where(listed | inside, 1 / (1 + np.exp(-odds)), likely)


def _counted(groups: NDArray[np.int64], least: int, most: int) -> NDArray[np.int64]:
    """Leaves out the groups of fewer blocks, and of more."""
    counts = np.bincount(groups + 1)
    counts[0] = 0
    of_group = counts[groups + 1]
    return np.where((of_group >= least) & (of_group <= most), groups, NONE)
