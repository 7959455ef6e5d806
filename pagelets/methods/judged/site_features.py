"""Features of a page's blocks that the site tells: how often it repeats them, their tag paths,
and what is around them.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

import numpy as np

from pagelets import loops
from pagelets.methods.judged.context_features import LEVELS

if TYPE_CHECKING:
    from collections.abc import Sequence

    from pagelets.containers import Containers
    from pagelets.judging.page_facts import PageFacts
    from pagelets.methods.judged.table import Floats, Integers, Table
    from pagelets.partition import Pagelet

FEWEST: Final = 2
"""The least pages of a host for its repetitions to count as evidence."""

# The names of columns are those that models ask for: "fresh" is the share of singletons, "repeats" a document
# frequency, "place" a tag path.
_LEVELS: Final = ("own", "up1", "up2", "up3", "up4", "branch")
_SHIFTS: Final = np.array([-2, -1, 1, 2])
_SHIFTED: Final = ("fresh", "share", "template", "place_fresh", "place_share")
_WINDOWS: Final = np.array([5, 15])
_OWN: Final = (
    "block_pages", "block_share", "placed_pages", "placed_share", "elsewhere", "place_pages", "place_share",
    "place_fresh", "place_repeats", "place_repeats_share", "template",
)  # fmt: skip
_OF_PAGELET: Final = ("pages", "share", "fresh", "block_share", "blocks")
_PARTS: Final = ("placed", "fresh", "share", "template", "place_fresh", "fresh_of")
_OWN_NAMES: Final = tuple(f"site_{name}" for name in _OWN)
_PAGELET_NAMES: Final = tuple(f"site_pagelet_{name}" for name in _OF_PAGELET)
_PAGE_NAMES: Final = ("site_pages", "site_page_fresh", "site_page_share")
_LEVEL_NAMES: Final = tuple(f"site_{level}_{part}" for level in _LEVELS for part in _PARTS)
_LEVEL_PLACES: Final = [LEVELS.index(level) for level in _LEVELS]
_NEAR_NAMES: Final = (
    *(f"site_{name}_{by:+d}" for by in _SHIFTS for name in _SHIFTED),
    *(f"site_around{width}_{part}" for width in _WINDOWS for part in ("fresh", "share")),
)
NAMES: Final = (*_OWN_NAMES, *_PAGELET_NAMES, *_PAGE_NAMES, *_LEVEL_NAMES, *_NEAR_NAMES)


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
    if evidence.pages < FEWEST:
        table.add(NAMES, np.full((1, len(NAMES)), np.nan))
        return
    support = evidence.blocks
    spans = np.array([pagelet.stop - pagelet.start for pagelet in pagelets])
    owner = np.arange(len(spans)).repeat(spans)
    templates = (np.array(evidence.templates) != 0)[owner]
    of_blocks = (support.placed_shares, support.pages == 0, support.shares, templates)
    known = np.array([*of_blocks, support.tag_path_singletons, support.tag_path_shares], np.float64)
    bounds = (spans.cumsum(), containers.start, containers.stop)
    repeats = loops.repeats(chars, known, bounds, _SHIFTS, _WINDOWS)
    pages, placed, at_path = _log(np.array([support.pages, support.placed_pages, support.tag_path_pages]))
    columns = (
        pages, support.shares, placed, support.placed_shares, pages - placed, at_path,
        support.tag_path_shares, np.where(support.tag_path_pages > 0, support.tag_path_singletons, np.nan),
        _log(support.tag_path_frequencies), support.tag_path_frequencies / evidence.pages, templates,
    )  # fmt: skip
    table.add(_OWN_NAMES, np.array(columns).T)
    columns = (
        _log(np.array(evidence.pagelet_pages)), np.array(evidence.pagelet_shares), *repeats.pagelets.T,
        _log(spans),
    )  # fmt: skip
    table.add(_PAGELET_NAMES, np.array(columns).T, owner)
    table.add(_PAGE_NAMES, np.array([[np.log2(evidence.pages), *repeats.page]]))
    table.add(_LEVEL_NAMES, repeats.containers, levels[_LEVEL_PLACES])
    table.add(_NEAR_NAMES, repeats.near)


def _log(counts: np.ndarray) -> Floats:
    """Doublings: 0 for 1 and for what is not known."""
    doublings: Floats = np.log2(np.maximum(counts, 1))
    return doublings
