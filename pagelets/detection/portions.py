"""Portions of a large site for one query each, so that none takes much more memory than another.

DuckDB writes to the disk what does not fit into its memory, but a query that joins and groups has to have
some of each at once: where all of them are large it runs out of memory all the same.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import NDArray

EVERY: Final = (-(2**63) + 1, 2**63 - 1)
"""A range with every id."""
BATCH_ROWS: Final = 100_000
"""About so many rows are taken out of DuckDB at once."""


def ranges_of(ids: NDArray[np.int64], parts: int) -> list[tuple[int, int]]:
    """Cuts ids into ranges, first and last, of about as many of them each; without ids one range of all.

    Parquet written in the order of its ids skips what is in none of a range.
    """
    cut = np.array_split(np.sort(ids), max(1, min(parts, len(ids))))
    return [(int(part[0]), int(part[-1])) for part in cut if len(part)] or [EVERY]
