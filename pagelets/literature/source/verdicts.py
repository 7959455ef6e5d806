"""Turns a method's judgement of the source into one of the page's blocks."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

import numpy as np

from pagelets.methods.base import Verdict

if TYPE_CHECKING:
    from numpy.typing import NDArray

MARKUP: Final = "markup"
"""Why blocks go that a method finds among too much markup, or away from where most of the text is."""
_SHARE: Final = 0.5
"""The least share of content in the text of a block that is content."""


def verdict_of(
    blocks: int, block: NDArray[np.int32], size: NDArray[np.int32], share: NDArray[np.floating]
) -> Verdict:
    """Returns the verdict on a page's blocks, given the share of each of its n texts that lies in content.

    A block's score is the share of its text that lies in content, 0 for a block without text; it is content
    from a half on.

    Args:
        blocks: the number of blocks of the page.
        block: the block of each text, int32[n].
        size: the characters of each text, or another count of a method, int32[n].
        share: the share of each text that lies in content, 0 to 1, float[n].

    """
    whole = np.bincount(block, size, blocks)
    scores = np.bincount(block, size * share, blocks) / np.maximum(whole, 1)
    return Verdict.of(scores >= _SHARE, scores, MARKUP)
