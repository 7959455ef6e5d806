"""Features of a page's blocks as named columns."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

if TYPE_CHECKING:
    from collections.abc import Sequence

Floats: TypeAlias = NDArray[np.float64]
Integers: TypeAlias = NDArray[np.int64]


class Table:
    """Columns of features with their names, of n blocks."""

    def __init__(self, rows: int) -> None:
        self.rows = rows
        self.names: list[str] = []
        self._parts: list[NDArray[Any]] = []

    def add(self, names: Sequence[str], *columns: NDArray[Any]) -> None:
        """Appends columns: as many of shape [n] as there are names, or one array of [n, names]."""
        self.names += names
        if len(columns) == 1:
            self._parts.append(columns[0].reshape(self.rows, len(names)))
        else:
            self._parts.append(np.stack(columns, axis=1))
        assert self._parts[-1].shape[1] == len(names)

    def column(self, name: str) -> Floats:
        """The column of a name: float64[n]. Raises ValueError where there is none."""
        place = self.names.index(name)
        for part in self._parts:
            if place < part.shape[1]:
                return np.asarray(part[:, place], np.float64)
            place -= part.shape[1]
        raise ValueError(name)

    def matrix(self) -> NDArray[np.float32]:
        """All columns, in the order of ``names``: float32[n, number of names]."""
        matrix = np.empty((self.rows, len(self.names)), np.float32)
        start = 0
        for part in self._parts:
            stop = start + part.shape[1]
            matrix[:, start:stop] = part
            start = stop
        return matrix


def share(part: NDArray[Any], whole: NDArray[Any]) -> Floats:
    """``part`` by ``whole``, and 0 where there is nothing to share."""
    found: Floats = part / np.maximum(whole, 1e-9)
    return found


def shifted(values: Floats, shifts: Sequence[int]) -> Floats:
    """The rows of ``values`` [n, m] so many places on: [n, len(shifts) * m], not a number beyond the ends."""
    reach = max(map(abs, shifts))
    padded = np.full((len(values) + 2 * reach, values.shape[1]), np.nan)
    padded[reach : reach + len(values)] = values
    return np.concatenate([padded[reach + by : reach + by + len(values)] for by in shifts], axis=1)


def running(values: Floats) -> Floats:
    """Sums of the rows before each of ``values`` [n, m], and of all, as [n + 1, m]."""
    total = np.zeros((len(values) + 1, values.shape[1]))
    np.cumsum(values, axis=0, out=total[1:])
    return total
