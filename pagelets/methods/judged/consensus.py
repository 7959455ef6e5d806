"""The consensus of a site's pages on its tag paths: blocks that a template puts at one place are alike."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Final, Self

import numpy as np

from pagelets.judging.taught import clipped

if TYPE_CHECKING:
    from collections.abc import Iterable

    from numpy.typing import NDArray

SAMPLE: Final = 20
"""Pages of a host that the consensus is of; more add nothing (docs/benchmarks.md)."""
FEWEST: Final = 3
"""The least number of pages with a tag path for a consensus on it."""
_SHARED: Final = 0.7
"""The part of the way to the consensus that a block's log odds go, where all pages agree."""
_STEP: Final = 0.5
"""Log odds are rounded to multiples of this, so that one page more seldom changes the consensus."""
_SMOOTHING: Final = 2.0
"""Words that are added to each block."""
_EIGHTHS: Final = 8
_ROW: Final = np.dtype([("tag_path", "<u4"), ("steps", "i1"), ("eighths", "u1")])


@dataclass(frozen=True, eq=False)
class Consensus:
    """The mean log odds of the blocks at each of n tag paths of a host, over its pages, and their agreement.

    ``rows`` are n of `_ROW`, sorted by tag path (`pagelets.block_keys`): ``steps`` count halves of log odds,
    ``eighths`` those of the agreement, which is 1 where all pages say the same, and 0 where they cancel out.
    """

    rows: NDArray[np.void]

    @classmethod
    def of(cls, pages: Iterable[tuple[NDArray[np.uint32], NDArray[np.float64], NDArray[np.float64]]]) -> Self:
        """Returns the consensus of pages.

        Args:
            pages: of the b blocks of each page the tag paths, uint32[b], how likely they are content,
                float64[b], and their words, float64[b].

        """
        paths, means = [np.empty(0, np.uint32)], [np.empty(0)]
        for tag_paths, likely, words in pages:
            distinct, place = np.unique(tag_paths, return_inverse=True)
            weight = words + _SMOOTHING
            paths.append(distinct)
            means.append(np.bincount(place, weight * clipped(likely)) / np.bincount(place, weight))
        distinct, place, count = np.unique(np.concatenate(paths), return_inverse=True, return_counts=True)
        odds = np.concatenate(means)
        mean = np.bincount(place, odds, len(count)) / count
        spread = np.sqrt(np.bincount(place, odds**2, len(count)) / count)
        rows = np.empty(len(count), _ROW)
        rows["tag_path"] = distinct
        rows["steps"] = np.round(mean / _STEP)
        rows["eighths"] = np.round(_EIGHTHS * np.abs(mean) / np.maximum(spread, 1e-9))
        return cls(rows[count >= FEWEST])

    @classmethod
    def from_bytes(cls, packed: bytes) -> Self:
        """Reads what `to_bytes` has written."""
        return cls(np.frombuffer(packed, _ROW))

    def to_bytes(self) -> bytes:
        """Returns it as bytes: 6 for each tag path."""
        return self.rows.tobytes()

    def part(self, tag_paths: NDArray[np.uint32]) -> bytes:
        """Names the consensus on some tag paths: where it is the same, a page with these is judged alike."""
        found, rows = self._find(tag_paths)
        return found.tobytes() + rows[found].tobytes()

    def agreed(
        self, likely: NDArray[np.float64], tag_paths: NDArray[np.uint32]
    ) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
        """Returns how likely b blocks are content, given the consensus, and how it changes their log odds, 0
        where there is no consensus: both float64[b].

        Args:
            likely: how likely each block is content by its page, float64[b].
            tag_paths: their tag paths, uint32[b].

        """
        found, rows = self._find(tag_paths)
        odds, shift = clipped(likely), np.zeros(len(likely))
        part = _SHARED * rows["eighths"][found] / _EIGHTHS
        shift[found] = part * (rows["steps"][found] * _STEP - odds[found])
        return np.where(found, 1 / (1 + np.exp(-odds - shift)), likely), shift

    def _find(self, tag_paths: NDArray[np.uint32]) -> tuple[NDArray[np.bool_], NDArray[np.void]]:
        """Returns which of b tag paths have a consensus, bool[b], and b rows, theirs if they have one."""
        if not len(self.rows):
            return np.zeros(len(tag_paths), bool), np.zeros(len(tag_paths), _ROW)
        known = self.rows["tag_path"]
        places = known.searchsorted(tag_paths).clip(max=len(known) - 1)
        return known[places] == tag_paths, self.rows[places]
