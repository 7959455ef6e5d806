"""Features of a page's blocks that their context tells: containers at several levels, and neighbours.

The same counts of the elements around a block, and of the blocks before and after it, are what Vogels, Ganea
& Eickhoff, "Web2Text", ECIR 2018, Section 3.2, give to a block beside its own.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

import numpy as np

from pagelets import loops
from pagelets.loops.contexts import Around, Climbed, Counted, Ratio, Ratios
from pagelets.methods.judged.page_features import COUNTS, SHAPE

if TYPE_CHECKING:
    from pagelets.containers import Containers
    from pagelets.methods.judged.table import Integers, Table

_UP: Final = 5
_TRUNKS: Final = {"trunk20": 0.2, "trunk50": 0.5, "trunk80": 0.8}
_MARKED: Final = dict.fromkeys("article main section aside nav header footer form table ul ol dl".split(), 1)
_SHIFTS: Final = (-3, -2, -1, 1, 2, 3)
_WINDOWS: Final = (4, 12)
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
_OTHERS: Final = ("siblings", "depth", "ordinal", "has_title", "has_h1")
_WINDOW_RATIOS: Final = {
    "chars": Ratio("chars"), "link_share": Ratio("link_chars", "chars", 1e-9),
    "stops": Ratio("stops", "words", 1e-9),
    **{name: Ratio(name, "blocks") for name in ("headings", "long", "short", "pictures")},
}  # fmt: skip
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
_BLOCK_NAMES: Final = (
    *_PLACE_NAMES, *_WINDOW_NAMES, "title_alike", *_SHIFTED_NAMES,
    "since_heading", "since_long", "until_heading", "until_long", "last_heading", "last_heading_chars",
)  # fmt: skip
_LOGARITHMS: Final = slice(len(LEVELS), len(LEVELS) + len(_WINDOW_NAMES), len(_WINDOW_RATIOS))
_AROUND: Final = Around(
    _UP, np.array([*_TRUNKS.values()]), np.array(_WINDOWS), np.array(_SHIFTS), 999,
    Ratios.of(COUNTS, _RATIOS.values()), Ratios.of(COUNTS, _WINDOW_RATIOS.values()),
    COUNTS.index("blocks"), [*_RATIOS].index("share"),
)  # fmt: skip


def context_features(containers: Containers, page: Counted, table: Table) -> Integers:
    """Adds the features of ``containers`` and neighbours to ``table``, from what was counted of a ``page``;
    returns the blocks' containers as `LEVELS` names them: int64[levels, b].

    ``own`` is the block's element, ``up1`` to ``up5`` those around it; ``trunk20``, ... the nearest with so
    many percent of the page's characters; ``branch`` the largest with less than half; ``marked`` the nearest
    whose tag names a part of a page; ``listed`` the nearest with three siblings alike, ``list`` that around.
    """
    of = containers
    held = Climbed(of.nodes, of.parent, of.depth, of.of_block, of.start, of.stop)
    siblings = loops.ordinals(loops.alike(containers.parent, page.kind))
    context = loops.context(held, page, containers.numbered(_MARKED), siblings, _AROUND)
    context.parts[:, :3] = np.log1p(context.parts[:, :3])
    table.add(_LEVEL_NAMES, context.parts, context.levels)
    context.values[:, _LOGARITHMS] = np.log1p(context.values[:, _LOGARITHMS])
    table.add(_BLOCK_NAMES, context.values)
    return context.levels
