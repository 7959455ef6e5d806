"""Tables of properties: their names, and many a value, stand on many pages, which speaks against them."""

from __future__ import annotations

import re
from collections import Counter
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
_OWN: Final = 0.2
"""The singleton share of tag paths from which on their texts are a page's own; names are below it."""
PROPERTY: Final = re.compile(r"([^:：/]{2,30})[:：](?!//)\s*(\S.*)", re.DOTALL)
"""A line with a name and its value."""
_LONGEST: Final = 25
"""Maximum number of words of such a line."""
_FEWEST: Final = 5
"""The least number of pages that have the tag paths of such rows."""


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


def site_properties(kept: KeptPage, never: NDArray[np.bool_]) -> NDArray[np.bool_]:
    """Marks what is removed of at least three names and values in turn, or lines of both ("Salary: 500 €"),
    below a kept text, if the site's pages share the names, and have values of their own: bool[b]. Lists that
    stand on a page several times are profiles, or belong to entries; numbers alone count something, and links
    lead to other pages. A list with the page's own path is of its licence.

    Args:
        kept: the page, of b blocks.
        never: the blocks that are not taken, bool[b].

    """
    found, support = np.zeros(len(never), bool), kept.evidence.blocks
    if kept.is_alone:
        return found
    first = kept.kept_texts()[:1]
    spoken = kept.spoken[kept.spoken > (first[0] if len(first) else len(never))]
    paths, own = kept.tag_paths[spoken], support.tag_path_singletons[spoken] >= _OWN
    if not own.any():
        return found
    texts, said = [kept.page.blocks[place].text for place in spoken.tolist()], Counter(paths.tolist())
    usual, path = support.tag_path_pages[spoken] >= _FEWEST, kept.page.url.rstrip("/").split("/", 3)[-1]
    named = np.flatnonzero(usual[:-1] & ~(own | kept.linked[spoken])[:-1] & own[1:])
    lines = np.flatnonzero(usual & own & (kept.words[spoken] <= _LONGEST))
    stated = {at: line for at in lines.tolist() if (line := PROPERTY.fullmatch(texts[at]))}
    for places, step in ((named, 2), (np.array(list(stated), np.int64), 1)):
        rows = np.split(places, np.flatnonzero((np.diff(places) != step) | (np.diff(paths[places]) != 0)) + 1)
        for row in (row.tolist() for row in rows if len(row) >= _LEAST):
            pairs = [stated[at].groups() if step == 1 else (texts[at], texts[at + 1]) for at in row]
            once = said[int(paths[row[0]])] == len({name for name, _ in pairs})
            values = "\n".join(value for _, value in pairs)
            says = any(map(str.isalpha, values)) and path not in values
            if once and says and 2 * np.count_nonzero(kept.linked[spoken[row]]) < len(row):
                found[spoken[row]] = found[spoken[np.array(row) + step - 1]] = True
    return found & ~kept.mask & ~never
