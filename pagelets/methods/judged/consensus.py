"""The consensus of a site's pages on its tag paths: blocks that a template puts at one place are alike."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Final, Self

import numpy as np

from pagelets.judging.taught import clipped

if TYPE_CHECKING:
    from collections.abc import Iterable

    from numpy.typing import NDArray

VERSION: Final = 1
"""Counts the changes of this step: it is a part of the version of the method."""
SAMPLE: Final = 30
"""Pages of a host that the consensus is of; more add nothing (docs/benchmarks.md)."""
FEWEST: Final = 3
"""The least number of pages with a tag path for a consensus on it."""
_SHARED: Final = 0.6
"""The part of a block's log odds that the consensus gives."""
_STEP: Final = 0.5
"""Log odds are rounded to multiples of this, so that one page more seldom changes the consensus."""
_SMOOTHING: Final = 2.0
"""Words that are added to each block."""
_ROW: Final = np.dtype([("tag_path", "<u4"), ("steps", "i1")])


@dataclass(frozen=True, eq=False)
class Consensus:
    """Mean log odds of the blocks at each of n tag paths of a host, over its pages.

    ``tag_paths`` uint32[n] are sorted (`pagelets.block_keys`), ``steps`` int8[n] are log odds in half units.
    """

    tag_paths: NDArray[np.uint32]
    steps: NDArray[np.int8]

    @classmethod
    def of(cls, pages: Iterable[tuple[NDArray[np.uint32], NDArray[np.float64], NDArray[np.float64]]]) -> Self:
        """Returns the consensus of pages.

        Args:
            pages: of the b blocks of each page the tag paths, uint32[b], how likely they are content,
                float64[b], and their words, float64[b].

        """
        paths, means = [], []
        for tag_paths, likely, words in pages:
            distinct, place = np.unique(tag_paths, return_inverse=True)
            weight = words + _SMOOTHING
            paths.append(distinct)
            means.append(np.bincount(place, weight * clipped(likely)) / np.bincount(place, weight))
        if not paths:
            return cls(np.empty(0, np.uint32), np.empty(0, np.int8))
        distinct, place, count = np.unique(np.concatenate(paths), return_inverse=True, return_counts=True)
        mean = np.bincount(place, np.concatenate(means)) / count
        agreed = count >= FEWEST
        return cls(distinct[agreed], np.round(mean[agreed] / _STEP).astype(np.int8))

    @classmethod
    def from_bytes(cls, packed: bytes) -> Self:
        """Reads what `to_bytes` has written."""
        rows = np.frombuffer(packed, _ROW)
        return cls(rows["tag_path"], rows["steps"])

    def to_bytes(self) -> bytes:
        """Returns it as bytes: 5 for each tag path."""
        rows = np.empty(len(self.tag_paths), _ROW)
        rows["tag_path"], rows["steps"] = self.tag_paths, self.steps
        return rows.tobytes()

    def part(self, tag_paths: NDArray[np.uint32]) -> bytes:
        """Names the consensus on some tag paths: where it is the same, a page with these is judged alike."""
        found, steps = self._find(tag_paths)
        return np.where(found, steps, np.int8(-128)).astype(np.int8).tobytes()

    def shift(self, likely: NDArray[np.float64], tag_paths: NDArray[np.uint32]) -> NDArray[np.float64]:
        """Returns how the consensus changes the log odds of b blocks: float64[b], 0 where there is none.

        Args:
            likely: how likely each block is content by its page, float64[b].
            tag_paths: their tag paths, uint32[b].

        """
        found, steps = self._find(tag_paths)
        shift: NDArray[np.float64] = np.where(found, _SHARED * (steps * _STEP - clipped(likely)), 0.0)
        return shift

    def agreed(self, likely: NDArray[np.float64], tag_paths: NDArray[np.uint32]) -> NDArray[np.float64]:
        """Returns how likely blocks are content, given the consensus; takes what `shift` does."""
        found, _ = self._find(tag_paths)
        odds = clipped(likely) + self.shift(likely, tag_paths)
        return np.where(found, 1 / (1 + np.exp(-odds)), likely)

    def _find(self, tag_paths: NDArray[np.uint32]) -> tuple[NDArray[np.bool_], NDArray[np.int8]]:
        """Returns which of the tag paths have a consensus, and its steps, where they have."""
        if not len(self.tag_paths):
            return np.zeros(len(tag_paths), bool), np.zeros(len(tag_paths), np.int8)
        places = self.tag_paths.searchsorted(tag_paths).clip(max=len(self.tag_paths) - 1)
        return self.tag_paths[places] == tag_paths, self.steps[places]
