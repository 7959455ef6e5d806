"""Features of a page's blocks that their context tells: containers at several levels, and neighbours.

The same counts of the elements around a block, and of the blocks before and after it, are what Vogels, Ganea
& Eickhoff, "Web2Text", ECIR 2018, Section 3.2, give to a block beside its own.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

import numpy as np

from pagelets import loops
from pagelets.loops.plain import Ratio, Ratios
from pagelets.methods.judged.page_features import COUNTS, SHAPE, PageFeatures
from pagelets.methods.judged.table import Floats, Integers, Numbers, Table, shifted

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from pagelets.containers import Containers

_UP: Final = 5
_TRUNKS: Final = {"trunk20": 0.2, "trunk50": 0.5, "trunk80": 0.8}
_LEAST: Final = np.array([[least] for least in _TRUNKS.values()])
_MARKED: Final = dict.fromkeys("article main section aside nav header footer form table ul ol dl".split(), 1)
_SHIFTS: Final = (-3, -2, -1, 1, 2, 3)
_WINDOWS: Final = (4, 12)
_FAR: Final = 999
_AT: Final = {name: place for place, name in enumerate(COUNTS)}
_RATIOS: Final = {
    "chars": Ratio("chars"), "blocks": Ratio("blocks"), "block_chars": Ratio("chars", "blocks", least=1),
    "share": Ratio("chars"), "link_share": Ratio("link_chars", "chars"), "links": Ratio("links", "blocks"),
    "stops": Ratio("stops", "words"), "commas": Ratio("commas", "words"), "digits": Ratio("digits", "chars"),
    "external": Ratio("external", "links"),
    **{
        name: Ratio(name, "blocks")
        for name in ("headings", "long", "paragraphs", "pictures", "short", "currency")
    },
}  # fmt: skip
"""What is told of a container as a number, or as a share of another that counts at least 1. The first three
are told by their logarithms.
"""
_PLAN: Final = Ratios.of(COUNTS, _RATIOS.values())
_OTHERS: Final = ("siblings", "depth", "ordinal", "has_title", "has_h1")
_WINDOW_RATIOS: Final = {
    "chars": Ratio("chars"), "link_share": Ratio("link_chars", "chars", 1e-9),
    "stops": Ratio("stops", "words", 1e-9),
    **{name: Ratio(name, "blocks") for name in ("headings", "long", "short", "pictures")},
}  # fmt: skip
_WINDOW_PLAN: Final = Ratios.of(COUNTS, _WINDOW_RATIOS.values())
_WINDOW_STARTS: Final = np.array([[-width] for width in _WINDOWS] + [[1]] * len(_WINDOWS))
_WINDOW_STOPS: Final = np.array([[0]] * len(_WINDOWS) + [[1 + width] for width in _WINDOWS])
_WINDOW_NAMES: Final = tuple(
    f"{side}{width}_{name}" for side in ("before", "after") for width in _WINDOWS for name in _WINDOW_RATIOS
)
LEVELS: Final = (
    "own",
    *(f"up{level}" for level in range(1, _UP + 1)),
    *_TRUNKS,
    "branch",
    "marked",
    "listed",
    "list",
)
_LEVEL_NAMES: Final = tuple(f"{level}_{name}" for level in LEVELS for name in (*_RATIOS, *_OTHERS))
_PLACE_NAMES: Final = tuple(f"{level}_place" for level in LEVELS)
_SHIFTED_NAMES: Final = tuple(f"{name}_{by:+d}" for by in _SHIFTS for name in SHAPE)
_DISTANCE_NAMES: Final = (
    "since_heading", "since_long", "until_heading", "until_long", "last_heading", "last_heading_chars",
)  # fmt: skip


def levels(containers: Containers, chars: Floats, siblings: Integers) -> Integers:
    """For each of b blocks the containers that its context is counted in, as `LEVELS` names them:
    int64[levels, b].

    ``own`` is the block's element, ``up1`` to ``up5`` those around it; ``trunk20``, ... the nearest with so
    many percent of the page's ``chars`` (float64[n]); ``branch`` the largest with less than half; ``marked``
    the nearest whose tag names a part of a page; ``listed`` the nearest with three ``siblings`` (int64[n])
    alike, ``list`` the one around that.
    """
    parent, of_block = containers.parent, containers.of_block
    part = chars / max(float(chars[0]), 1)
    small = part < 0.5
    wanted = np.empty((len(_TRUNKS) + 3, len(part)), bool)
    wanted[: len(_TRUNKS)] = part >= _LEAST
    wanted[-3] = small & ~small[parent]
    wanted[-2] = containers.numbered(_MARKED) > 0
    wanted[-1] = siblings >= 3
    nearest = containers.nearest(wanted)
    places = np.empty((len(LEVELS), len(of_block)), np.int64)
    places[0] = of_block
    for level in range(1, _UP + 1):
        places[level] = parent[places[level - 1]]
    places[_UP + 1 : -1] = nearest[:, of_block]
    places[-1] = parent[places[-2]]
    return places


def context_features(containers: Containers, page: PageFeatures, table: Table) -> Integers:
    """Adds the features of ``containers`` and neighbours to ``table``, from a page's ``page`` features;
    returns the blocks' `levels`.
    """
    order, size, held = np.arange(table.rows), table.rows, len(containers.nodes)
    low = np.concatenate([containers.start, (order + _WINDOW_STARTS).ravel()])
    high = np.concatenate([containers.stop, (order + _WINDOW_STOPS).ravel()])
    every = loops.between(page.counts, low, high)
    sums = every[:held]
    siblings, ordinal = loops.ordinals(loops.alike(containers.parent, page.kind))
    at = levels(containers, sums[:, 0], siblings)
    table.add(_LEVEL_NAMES, _parts(containers, page, sums, siblings, ordinal), at)
    # Where in its container the block stands: the one thing that is not the same for all in it.
    blocks = np.maximum(sums[:, _AT["blocks"]], 1)
    table.add(_PLACE_NAMES, ((order - containers.start[at]) / blocks[at]).T)
    windows = loops.ratios(every[held:], _WINDOW_PLAN)
    windows[:, 0] = np.log1p(windows[:, 0])
    table.add(_WINDOW_NAMES, windows, np.arange(len(windows)).reshape(-1, size))
    alike = page.same == page.same[page.title] if page.title >= 0 else np.full(table.rows, np.nan)
    table.add(("title_alike",), np.cumsum(alike, dtype=np.float64))
    table.add(_SHIFTED_NAMES, *shifted(page.shape, _SHIFTS))
    last, ahead = _distances(np.stack([page.heading > 0, page.long]))
    chars = page.counts[:, 0]
    known, at_last = last[0] >= 0, last[0]
    columns = [
        np.where(last >= 0, order - last, _FAR), np.where(ahead < table.rows, ahead - order, _FAR),
        np.where(known, [page.heading[at_last], chars[at_last]], 0),
    ]  # fmt: skip
    table.add(_DISTANCE_NAMES, np.concatenate(columns).T)
    return at


def _parts(
    containers: Containers, page: PageFeatures, sums: Floats, siblings: Integers, ordinal: Integers
) -> Floats:
    """Returns the features of each of n containers: float64[n, `_RATIOS` and `_OTHERS`].

    ``siblings`` are the children of the same container that are named alike, ``ordinal`` is the place of each
    among them.
    """
    shares = loops.ratios(sums, _PLAN)
    shares[:, :3] = np.log1p(shares[:, :3])
    shares[:, 3] /= max(float(page.counts[:, 0].sum()), 1.0)
    others: list[Numbers] = [siblings, containers.depth, ordinal]
    for block in (page.title, page.first):
        inside = (containers.start <= block) & (block < containers.stop)
        others.append(inside if block >= 0 else np.full(len(inside), np.nan))
    return np.concatenate([shares, np.stack(others, axis=1)], axis=1)


def _distances(marked: NDArray[np.bool_]) -> tuple[Integers, Integers]:
    """The places of the last marked block before each and of the next behind it; -1 and b where there is
    none.

    Takes k rows of b marks; returns int64[k, b] each.
    """
    rows, size = marked.shape
    order = np.arange(size)
    last, ahead = np.full((rows, size), -1), np.full((rows, size), size)
    np.maximum.accumulate(np.where(marked, order, -1)[:, :-1], axis=1, out=last[:, 1:])
    ahead[:, :-1] = np.minimum.accumulate(np.where(marked, order, size)[:, :0:-1], axis=1)[:, ::-1]
    return last, ahead
