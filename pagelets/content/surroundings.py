"""Features of a page's blocks that their surroundings tell: containers at several levels, and neighbours.

The same counts of the elements around a block, and of the blocks before and after it, are what Vogels, Ganea
& Eickhoff, "Web2Text", ECIR 2018, Section 3.2, give to a block beside its own.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

import numpy as np

from pagelets.content.looks import COUNTS, SHAPE
from pagelets.content.table import Integers, Table, running, share, shifted

if TYPE_CHECKING:
    from collections.abc import Sequence

    from pagelets.containers import Containers
    from pagelets.content.looks import Looks

_UP: Final = 5
_TRUNKS: Final = {"trunk20": 0.2, "trunk50": 0.5, "trunk80": 0.8}
_MARKED: Final = frozenset(
    {"article", "main", "section", "aside", "nav", "header", "footer", "form", "table", "ul", "ol", "dl"}
)
_SHIFTS: Final = (-3, -2, -1, 1, 2, 3)
_WINDOWS: Final = (4, 12)
_FAR: Final = 999
_ROWS: Final = 1 << 16
"""So many blocks, each counted once for a level, are worked on at once."""
_PARTS: Final = (
    "chars", "share", "link_share", "links", "blocks", "block_chars", "stops", "commas", "digits", "headings",
    "long", "paragraphs", "pictures", "external", "short", "place", "siblings", "currency", "depth",
    "ordinal", "has_title", "has_h1",
)  # fmt: skip
_WINDOW_PARTS: Final = ("chars", "link_share", "stops", "headings", "long", "short", "pictures")
_LEVELS: Final = (
    "own",
    *(f"up{level}" for level in range(1, _UP + 1)),
    *_TRUNKS,
    "branch",
    "marked",
    "listed",
    "list",
)
_LEVEL_NAMES: Final = {level: [f"{level}_{name}" for name in _PARTS] for level in _LEVELS}
_SHIFTED_NAMES: Final = [f"{name}_{by:+d}" for by in _SHIFTS for name in SHAPE]
_AT: Final = {name: place for place, name in enumerate(COUNTS)}


def levels(containers: Containers, chars: Integers, siblings: Integers) -> dict[str, Integers]:
    """For each block the containers that its surroundings are counted in, by name: int64[b] each.

    ``own`` is the block's element, ``up1`` to ``up5`` those around it; ``trunk20``, ... the nearest with so
    many percent of the page's ``chars`` (int64[n]); ``branch`` the largest with less than half; ``marked``
    the nearest whose tag names a part of a page; ``listed`` the nearest with three ``siblings`` (int64[n])
    alike, ``list`` the one around that.
    """
    parent, of_block = containers.parent, containers.of_block
    found = {"own": of_block}
    place = of_block
    for level in range(1, _UP + 1):
        place = parent[place]
        found[f"up{level}"] = place
    part = chars / max(int(chars[0]), 1)
    for name, least in _TRUNKS.items():
        found[name] = containers.nearest(part >= least)[of_block]
    small = part < 0.5
    found["branch"] = containers.nearest(small & ~small[parent])[of_block]
    marked = np.array([tag in _MARKED for tag in containers.tags])
    found["marked"] = containers.nearest(marked)[of_block]
    listed = containers.nearest(siblings >= 3)
    found["listed"] = listed[of_block]
    found["list"] = parent[listed][of_block]
    assert tuple(found) == _LEVELS
    return found


def surroundings(containers: Containers, looks: Looks, table: Table) -> dict[str, Integers]:
    """Adds the features of containers and neighbours to ``table``; returns the blocks' `levels`."""
    size = len(looks.heading)
    order = np.arange(size)
    before = running(looks.counts)
    sums = before[containers.stop] - before[containers.start]
    siblings, ordinal = _siblings(containers, looks.kind)
    named = levels(containers, sums[:, 0].astype(np.int64), siblings)
    # All levels at once for a page as most are; level by level for one that would take gigabytes.
    together = max(_ROWS // size, 1)
    for first in range(0, len(_LEVELS), together):
        some = _LEVELS[first : first + together]
        places = np.concatenate([named[name] for name in some])
        _containers(containers, looks, sums[places], places, siblings, ordinal, some, table)
    alike = looks.same == looks.same[looks.title] if looks.title >= 0 else np.full(size, np.nan)
    table.add(["title_alike"], np.cumsum(alike, dtype=np.float64))
    table.add(_SHIFTED_NAMES, shifted(looks.shape, _SHIFTS))
    for width in _WINDOWS:
        spans = {
            "before": (np.maximum(order - width, 0), order),
            "after": (order + 1, np.minimum(order + 1 + width, size)),
        }
        for side, (low, high) in spans.items():
            part = before[np.minimum(high, size)] - before[np.minimum(low, size)]
            blocks = np.maximum(part[:, _AT["blocks"]], 1)
            table.add(
                [f"{side}{width}_{name}" for name in _WINDOW_PARTS],
                np.log1p(part[:, 0]), share(part[:, _AT["link_chars"]], part[:, 0]),
                share(part[:, _AT["stops"]], part[:, _AT["words"]]),
                *(part[:, _AT[name]] / blocks for name in ("headings", "long", "short", "pictures")),
            )  # fmt: skip
    last = _distances("heading", looks.heading > 0, table)
    _distances("long", looks.long > 0, table)
    known = last >= 0
    chars = looks.counts[:, 0]
    table.add(
        ["last_heading", "last_heading_chars"],
        np.where(known, looks.heading[last], 0), np.where(known, chars[last], 0),
    )  # fmt: skip
    return named


def _siblings(containers: Containers, kind: Integers) -> tuple[Integers, Integers]:
    """How many children of the same container are named alike, and which of them each is: int64[n] each."""
    _, groups, members = np.unique(
        containers.parent * (int(kind.max()) + 1) + kind, return_inverse=True, return_counts=True
    )
    sorting = np.argsort(groups, kind="stable")
    starts = np.cumsum(members) - members
    ordinal = np.empty(len(groups), np.int64)
    ordinal[sorting] = np.arange(len(groups)) - starts[groups[sorting]]
    return members[groups], ordinal


def _containers(
    containers: Containers, looks: Looks, sums: np.ndarray, places: Integers, siblings: Integers,
    ordinal: Integers, named: Sequence[str], table: Table,
) -> None:  # fmt: skip
    order = np.tile(np.arange(table.rows), len(named))
    part = dict(zip(COUNTS, sums.T, strict=True))
    chars, words = np.maximum(part["chars"], 1), np.maximum(part["words"], 1)
    blocks = np.maximum(part["blocks"], 1)
    start, stop = containers.start[places], containers.stop[places]
    holds = [
        ((start <= block) & (block < stop)).astype(np.float64) if block >= 0 else np.full(len(places), np.nan)
        for block in (looks.title, looks.first)
    ]
    columns = np.stack(
        [
            np.log1p(part["chars"]), part["chars"] / max(float(looks.counts[:, 0].sum()), 1.0),
            part["link_chars"] / chars, part["links"] / blocks, np.log1p(part["blocks"]),
            np.log1p(chars / blocks), part["stops"] / words, part["commas"] / words, part["digits"] / chars,
            part["headings"] / blocks, part["long"] / blocks, part["paragraphs"] / blocks,
            part["pictures"] / blocks, part["external"] / np.maximum(part["links"], 1),
            part["short"] / blocks,
            (order - start) / blocks, siblings[places], part["currency"] / blocks, containers.depth[places],
            ordinal[places], *holds,
        ],
        axis=1,
    )  # fmt: skip
    width = len(_PARTS)
    # Level by level, as the names are.
    by_level = columns.reshape(len(named), table.rows, width).transpose(1, 0, 2).reshape(table.rows, -1)
    table.add([name for level in named for name in _LEVEL_NAMES[level]], by_level)


def _distances(name: str, marked: np.ndarray, table: Table) -> Integers:
    """Adds how far the last and the next ``marked`` block are; returns the place of the last, -1 for none."""
    size = len(marked)
    order = np.arange(size)
    last = np.concatenate(([-1], np.maximum.accumulate(np.where(marked, order, -1))[:-1]))
    ahead = np.minimum.accumulate(np.where(marked, order, size)[::-1])[::-1]
    following = np.concatenate((ahead[1:], [size]))
    table.add(
        [f"since_{name}", f"until_{name}"],
        np.where(last >= 0, order - last, _FAR), np.where(following < size, following - order, _FAR),
    )  # fmt: skip
    return last
