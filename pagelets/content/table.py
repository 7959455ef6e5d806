"""Features of a page's blocks as named columns."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

if TYPE_CHECKING:
    from collections.abc import Collection, Sequence

Floats: TypeAlias = NDArray[np.float64]
Integers: TypeAlias = NDArray[np.int64]


class Table:
    """Columns of features with their names, of n blocks; all, or only those that are ``wanted``.

    ``names`` are those of the columns that are kept, in the order they came.
    """

    def __init__(self, rows: int, wanted: Collection[str] | None = None) -> None:
        self.rows = rows
        self.names: list[str] = []
        self._wanted = wanted
        self._parts: list[NDArray[np.float32]] = []

    def add(self, names: Sequence[str], *columns: NDArray[Any]) -> None:
        """Appends columns: as many of shape [n] as there are names, or one array of [n, names]."""
        part = np.stack(columns, axis=1) if len(columns) > 1 else columns[0].reshape(self.rows, len(names))
        if self._wanted is not None:
            wanted = self._wanted
            kept = [place for place, name in enumerate(names) if name in wanted]
            names, part = [names[place] for place in kept], part[:, kept]
        assert part.shape[1] == len(names)
        self.names += names
        self._parts.append(part.astype(np.float32))

    def matrix(self, names: Sequence[str] | None = None) -> NDArray[np.float32]:
        """The columns of these names, of all in the order of ``names`` where none are given: float32[n,
        names].

        Raises KeyError where there is no such column.
        """
        chosen = self.names if names is None else names
        places = {name: place for place, name in enumerate(chosen)}
        missing = places.keys() - set(self.names)
        if missing:
            raise KeyError(min(missing))
        matrix = np.empty((self.rows, len(chosen)), np.float32)
        start = 0
        for part in self._parts:
            stop = start + part.shape[1]
            found = [
                (place, places[name]) for place, name in enumerate(self.names[start:stop]) if name in places
            ]
            if found:
                source, target = zip(*found, strict=True)
                matrix[:, target] = part[:, source]
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
