"""Tables of properties: their names, and many a value, stand on many pages, which speaks against them."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from pagelets.methods.judged.kept_page import KeptPage

_NAME, _VALUE = 1, 2
_CELLS: Final = {"th": _NAME, "td": _VALUE}
_LEAST: Final = 3
"""So many names with a value make a table of properties."""
_NAMED: Final = 0.6
"""Least share of the names that a value follows; empty cells do not count."""
_VALUED: Final = 0.8
"""Least share of the values that a name stands before."""
_KEPT: Final = 2
_SHARE: Final = 0.2
"""The least number of texts of such a table that are kept, and their least share."""
_HEADED: Final = 0.5
"""Their least share of a table that begins with a row of names."""


def properties(kept: KeptPage, never: NDArray[np.bool_]) -> NDArray[np.bool_]:
    """Marks what is removed in tables of names (``th``) and values (``td``) in turn, of which some texts are
    kept, and in tables below a row of names, of which half are: bool[b].

    Args:
        kept: the page, of b blocks.
        never: the blocks that are not taken, bool[b].

    """
    found, containers = np.zeros(len(never), bool), kept.containers
    if "th" not in kept.page.tree.tag_places:
        return found
    kinds = containers.numbered(_CELLS)
    is_table = containers.numbered({"table": 1}) > 0
    cell, around = containers.nearest(np.stack([kinds > 0, is_table]))[:, containers.of_block]
    around[kept.words == 0] = 0
    size = len(kinds)
    texts, stay = np.bincount(around, minlength=size), np.bincount(around, kept.mask, size)
    wanted = is_table & (texts > 0) & (stay >= np.maximum(_KEPT, _SHARE * texts))
    for table in np.flatnonzero(wanted).tolist():
        start, stop = int(containers.start[table]), int(containers.stop[table])
        inside = start + np.flatnonzero(around[start:stop] == table)
        own = cell[inside]
        row = kinds[own[np.flatnonzero(np.diff(own, prepend=-1))]]
        names, values = np.count_nonzero(row == _NAME), np.count_nonzero(row == _VALUE)
        pairs = np.count_nonzero((row[:-1] == _NAME) & (row[1:] == _VALUE))
        headed = bool((row[:2] == _NAME).all()) and stay[table] >= _HEADED * texts[table]
        if headed or pairs >= max(_LEAST, _NAMED * names, _VALUED * values):
            found[inside] = True
    return found & ~kept.mask & ~never
