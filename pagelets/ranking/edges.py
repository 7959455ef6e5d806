"""Weighted edges from hubs to pages: what link analysis multiplies vectors by."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import NDArray


@dataclass(frozen=True, slots=True, eq=False)
class Edges:
    """A sparse matrix of hubs by pages: ``weight`` float64[e] stands in row ``hub`` and column ``page``
    (int64[e] each). Edges are sorted by hub, then page; each pair has one edge at most.
    """

    hubs: int
    pages: int
    hub: NDArray[np.int64]
    page: NDArray[np.int64]
    weight: NDArray[np.float64]

    def of_pages(self, scores: NDArray[np.float64]) -> NDArray[np.float64]:
        """Returns the weighted sums of the scores (float64[pages]) of each hub's pages: float64[hubs]."""
        return np.bincount(self.hub, self.weight * scores[self.page], self.hubs).astype(np.float64)

    def of_hubs(self, scores: NDArray[np.float64]) -> NDArray[np.float64]:
        """Returns the weighted sums of the scores (float64[hubs]) of each page's hubs: float64[pages]."""
        return np.bincount(self.page, self.weight * scores[self.hub], self.pages).astype(np.float64)

    def strongest(self) -> NDArray[np.float64]:
        """Returns the largest weight that leads to each page, 0 where none does: float64[pages]."""
        largest = np.zeros(self.pages)
        np.maximum.at(largest, self.page, self.weight)
        return largest
