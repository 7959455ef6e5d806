"""Repeated blocks of a site, looked up for the blocks of a page."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple, Self

import numpy as np

from pagelets.judging.page_facts import BlockSupport

if TYPE_CHECKING:
    from collections.abc import Iterator

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
        places = np.minimum(self.keys.searchsorted(wanted), len(self.keys) - 1)
        values: NDArray[np.float32] = self.values[:, places] * (self.keys[places] == wanted)
        return values


class SupportTables:
    """The three tables in memory, looked up for the blocks of a page."""

    def __init__(self, blocks: CountTable, placed: CountTable, tag_paths: CountTable) -> None:
        self._blocks = blocks
        self._placed = placed
        self._tag_paths = tag_paths

    @classmethod
    def found(cls, blocks: RepeatedBlocks) -> Self:
        """The tables of what a detection has counted."""
        tables = (
            (blocks.blocks, ()),
            (blocks.placed, ()),
            (blocks.tag_paths, (blocks.singleton_share, blocks.document_frequency)),
        )
        return cls(
            *(
                CountTable(counted.key, np.array([counted.pages, counted.share, *others], np.float32))
                for counted, others in tables
            )
        )

    def __iter__(self) -> Iterator[CountTable]:
        return iter((self._blocks, self._placed, self._tag_paths))

    def placed(self, keys: NDArray[np.int64]) -> NDArray[np.float32]:
        """The pages and shares of texts at tag paths, by these keys."""
        return self._placed.find(keys)

    def of(self, keys: NDArray[np.void]) -> BlockSupport:
        """The support of blocks by their keys, an array of `pagelets.block_keys.BLOCK_KEYS`."""
        texts = keys["block"]
        written = texts != 0
        pages, shares = self._blocks.find(texts)
        placed_pages, placed_shares = self._placed.find(keys["placed"].astype(np.int64)) * written
        tag_path_pages, *of_tag_path = self._tag_paths.find(keys["tag_path"].astype(np.int64)) * written
        return BlockSupport(
            pages.astype(np.int32),
            shares,
            placed_pages.astype(np.int32),
            placed_shares,
            tag_path_pages.astype(np.int32),
            *of_tag_path,
        )
