"""Features of a page's blocks that the site tells: how often it repeats them, their tag paths,
and what is around them.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

import numpy as np

from pagelets.methods.judged.context_features import LEVELS
from pagelets.methods.judged.table import Floats, Integers, Table, running, share, shifted

if TYPE_CHECKING:
    from collections.abc import Sequence

    from pagelets.containers import Containers
    from pagelets.judging.page_facts import PageFacts
    from pagelets.partition import Pagelet

FEWEST: Final = 2
"""The least pages of a host for its repetitions to count as evidence."""

# The names of columns are those that models ask for: "fresh" is the share of singletons, "repeats" a document
# frequency, "place" a tag path.
_LEVELS: Final = ("own", "up1", "up2", "up3", "up4", "branch")
_SHIFTS: Final = (-2, -1, 1, 2)
_SHIFTED: Final = ("share", "fresh", "place_fresh", "template", "place_share")
_WINDOWS: Final = (5, 15)
_OWN: Final = (
    "block_pages", "block_share", "placed_pages", "placed_share", "elsewhere", "place_pages", "place_share",
    "place_fresh", "place_repeats", "place_repeats_share", "template", "pagelet_pages", "pagelet_share",
    "pagelet_fresh", "pagelet_block_share", "pagelet_blocks", "pages", "page_fresh", "page_share",
)  # fmt: skip
_PARTS: Final = ("fresh", "share", "placed", "template", "place_fresh", "fresh_of")
_OWN_NAMES: Final = tuple(f"site_{name}" for name in _OWN)
_SHIFTED_NAMES: Final = tuple(f"site_{name}_{by:+d}" for by in _SHIFTS for name in _SHIFTED)
_LEVEL_NAMES: Final = tuple(f"site_{level}_{part}" for level in _LEVELS for part in _PARTS)
_LEVEL_PLACES: Final = [LEVELS.index(level) for level in _LEVELS]
_WINDOW_NAMES: Final = tuple(
    f"site_around{width}_{part}" for width in _WINDOWS for part in ("fresh", "share")
)
NAMES: Final = (*_OWN_NAMES, *_SHIFTED_NAMES, *_LEVEL_NAMES, *_WINDOW_NAMES)


def site_features(
    chars: Floats, pagelets: Sequence[Pagelet], containers: Containers, levels: Integers,
    evidence: PageFacts, table: Table,
) -> None:  # fmt: skip
    """Adds the features that the site gives to a page's blocks, and not a number for unknown ones.

    Args:
        chars: the characters of the blocks, float64[b].
        pagelets: the pagelets of the page.
        containers: the elements around its blocks.
        levels: the containers around each block, by `levels`.
        evidence: the site's facts on the page.
        table: where the features go.

    """
    size = table.rows
    if evidence.pages < FEWEST:
        table.add(NAMES, np.full((1, len(NAMES)), np.nan))
        return
    support = evidence.blocks
    weight = np.maximum(chars, 1)
    singletons = (support.pages == 0).astype(np.float64)
    spans = np.array([pagelet.stop - pagelet.start for pagelet in pagelets])
    owner = np.repeat(np.arange(len(pagelets)), spans)
    template = (np.array(evidence.templates) != 0)[owner].astype(np.float64)
    shares = (support.shares, support.placed_shares)
    raw = weight[:, None] * np.stack(
        [np.ones(size), singletons, *shares, template, support.tag_path_singletons], axis=1
    )
    before = running(raw)
    stops = np.cumsum(spans)
    by_pagelet = before[stops] - before[stops - spans]
    of_pagelet = by_pagelet[:, 1:3] / by_pagelet[:, :1]
    total = before[-1]
    pages = _log(support.pages)
    columns = (
        pages, support.shares, _log(support.placed_pages), support.placed_shares,
        pages - _log(support.placed_pages), _log(support.tag_path_pages), support.tag_path_shares,
        np.where(support.tag_path_pages > 0, support.tag_path_singletons, np.nan),
        _log(support.tag_path_frequencies), support.tag_path_frequencies / evidence.pages, template,
        _log(np.array(evidence.pagelet_pages))[owner],
        np.array(evidence.pagelet_shares)[owner], of_pagelet[owner, 0], of_pagelet[owner, 1],
        _log(spans)[owner], np.full(size, np.log2(evidence.pages)), np.full(size, total[1] / total[0]),
        np.full(size, total[2] / total[0]),
    )  # fmt: skip
    table.add(_OWN_NAMES, np.stack(columns, axis=1))
    near = np.stack(
        [support.shares, singletons, support.tag_path_singletons, template, support.tag_path_shares],
        axis=1,
        dtype=np.float64,
    )
    table.add(_SHIFTED_NAMES, *shifted(near, _SHIFTS))
    sums = before[containers.stop] - before[containers.start]
    around = np.concatenate([sums[:, 1:] / sums[:, :1], sums[:, 1:2] / max(float(total[1]), 1.0)], axis=1)
    table.add(_LEVEL_NAMES, around, levels[_LEVEL_PLACES])
    order = np.arange(size)
    widths = np.array(_WINDOWS)[:, None]
    low, high = np.maximum(order - widths, 0), np.minimum(order + widths + 1, size)
    part = before[high.ravel()] - before[low.ravel()]
    table.add(_WINDOW_NAMES, share(part[:, 1:3], part[:, :1]), np.arange(len(part)).reshape(-1, size))


def _log(counts: np.ndarray) -> Floats:
    """Doublings: 0 for 1 and for what is not known."""
    doublings: Floats = np.log2(np.maximum(counts, 1))
    return doublings
