"""Counts that hold still while they hardly move.

A page more or less changes the shares of all that a site repeats a little, and with them what every page
is judged by. So a stored count stays until it has moved past a margin: a page is judged again where something
has moved that it depends on, and a block near the threshold does not change sides for nothing. A count that
drifts on is taken when it is past the margin, so that it is never further off than that.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import NDArray

MARGIN: Final = 0.05
"""Of the greater of two counts or shares. docs/benchmarks.md has its gain and its cost."""


FEWEST: Final = 100
"""Pages of a site: of fewer each one moves shares by a lot, and all are judged in no time."""


def steady(old: NDArray[Any], new: NDArray[Any], size: int) -> NDArray[np.bool_]:
    """Marks counts or shares of a site of ``size`` pages that stay as they are, from ``old`` to ``new``; a
    negative one is unknown.
    """
    margin = MARGIN if size >= FEWEST else 0.0
    stays: NDArray[np.bool_] = np.abs(old - new) <= margin * np.maximum(old, new)
    return stays
