"""Notes beside a text that are a part of it: warnings and hints of a manual."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from pagelets.methods.judged.kept_page import KeptPage

_ASIDE: Final = {"aside": 1}


def asides(kept: KeptPage, never: NDArray[np.bool_]) -> NDArray[np.bool_]:
    """Marks the removed texts without links in an ``aside`` right behind a text that is kept of the element
    around it, if no other page of a known site has them there: bool[b].

    Args:
        kept: the page, of b blocks.
        never: the blocks that are not taken, bool[b].

    """
    containers, mask, spoken = kept.containers, kept.mask, kept.spoken
    found = np.zeros(len(never), bool)
    notes = containers.numbered(_ASIDE) > 0
    if kept.is_alone or not notes.any():
        return found
    own = ~(mask | never | kept.linked) & (kept.words > 0) & (kept.evidence.blocks.placed_pages <= 1)
    for place in np.flatnonzero(notes).tolist():
        start, stop = int(containers.start[place]), int(containers.stop[place])
        before = int(spoken.searchsorted(start)) - 1
        around = int(containers.start[containers.parent[place]])
        if before >= 0 and mask[spoken[before]] and around <= spoken[before]:
            found[start:stop] = own[start:stop]
    return found
