"""From what a method says of the source to what it says of the page's blocks."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, Final

import numpy as np

from pagelets.methods.base import CONTENT, Reason, Verdict

if TYPE_CHECKING:
    from numpy.typing import NDArray

MARKUP: Final = "markup"
"""Why blocks go that a method finds among too much markup, or away from where most of the text is."""
_SHARE: Final = 0.5
"""A block is content where so much of its text is."""


def verdict_of(
    blocks: int, block: NDArray[np.int32], size: NDArray[np.int32], share: NDArray[np.floating]
) -> Verdict:
    """The verdict on a page's blocks, given which share of each of its n texts lies in content.

    ``block`` int32[n] is the block that each is a part of, ``size`` its characters, or what else a method
    counts; ``share`` float[n] is from 0 to 1. A block's score is the share of its text that lies in content,
    0 where it has none; it is content where that is half or more.
    """
    whole = np.bincount(block, size, blocks)
    scores = np.bincount(block, size * share, blocks) / np.maximum(whole, 1)
    mask = scores >= _SHARE
    return Verdict(mask, scores, partial(_reasons, mask))


def _reasons(mask: NDArray[np.bool_]) -> list[Reason]:
    return [Reason(CONTENT if content else MARKUP) for content in mask.tolist()]
