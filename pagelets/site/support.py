"""What a site repeats block by block, looked up for the blocks of a page."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple, Self

import numpy as np

from pagelets.site.evidence import BlockSupport

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from pagelets.detection.blocks import RepeatedBlocks


class CountTable(NamedTuple):
    """Rows of a table: their keys int64[n], sorted, and their values float32[columns, n]."""

    keys: NDArray[np.int64]
    values: NDArray[np.float32]

    def find(self, wanted: NDArray[np.int64]) -> NDArray[np.float32]:
        """The values of these keys, one row a column; 0 where a key is not there."""
        if not len(self.keys):
            return np.zeros((len(self.values), len(wanted)), np.float32)
        places = self.keys.searchsorted(wanted).clip(max=len(self.keys) - 1)
        found: NDArray[np.float32] = self.values[:, places] * (self.keys[places] == wanted)
        return found


class SupportTables:
    """The three tables in memory, looked up for the blocks of a page."""

    def __init__(self, blocks: CountTable, placed: CountTable, places: CountTable) -> None:
        self._blocks = blocks
        self._placed = placed
        self._places = places

    @classmethod
    def found(cls, blocks: RepeatedBlocks) -> Self:
        """The tables of what a detection has counted."""
        tables = (
            (blocks.blocks, ()),
            (blocks.placed, ()),
            (blocks.places, (blocks.fresh, blocks.repeats)),
        )
        return cls(
            *(
                CountTable(counted.trace, np.array([counted.pages, counted.share, *others], np.float32))
                for counted, others in tables
            )
        )

    def of(self, traces: NDArray[np.void]) -> BlockSupport:
        """The support of blocks by their traces, an array of `pagelets.block_keys.TRACE`."""
        texts = traces["block"]
        written = texts != 0
        pages, shares = self._blocks.find(texts)
        placed_pages, placed_shares = self._placed.find(traces["placed"].astype(np.int64)) * written
        place_pages, *of_place = self._places.find(traces["place"].astype(np.int64)) * written
        return BlockSupport(
            pages.astype(np.int32),
            shares,
            placed_pages.astype(np.int32),
            placed_shares,
            place_pages.astype(np.int32),
            *of_place,
        )
