"""Features of a page's blocks as named columns."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from pagelets import loops
from pagelets.loops.contexts import ColumnPlan

Floats: TypeAlias = NDArray[np.float64]
Integers: TypeAlias = NDArray[np.int64]
Numbers: TypeAlias = NDArray[np.number[Any]] | NDArray[np.bool_]


class Columns:
    """The names of the columns that are wanted, in their order. Made once, for as many pages as come.

    Raises ValueError where a name stands twice.
    """

    def __init__(self, names: Iterable[str]) -> None:
        self.names = tuple(names)
        self.places = {name: place for place, name in enumerate(self.names)}
        if len(self.places) < len(self.names):
            raise ValueError("a column is wanted twice")
        self._plans: dict[tuple[str, ...], ColumnPlan] = {}

    def plan(self, names: tuple[str, ...], layers: int = 1) -> ColumnPlan:
        """Plans where the wanted ones of some columns go; ``names`` are of so many ``layers``, one after the
        other.
        """
        plan = self._plans.get(names)
        if plan is None:
            width = len(names) // layers
            wanted = [place for place, name in enumerate(names) if name in self.places]
            plan = self._plans[names] = ColumnPlan(
                np.array([place // width for place in wanted], np.int32),
                np.array([place % width for place in wanted], np.int32),
                np.array([self.places[names[place]] for place in wanted], np.int32),
            )
        return plan


class Table:
    """Columns of features of n blocks, float32: all in the order they come, or those ``wanted`` in theirs."""

    def __init__(self, rows: int, wanted: Columns | None = None) -> None:
        self.rows = rows
        self._wanted = wanted
        self._added: list[tuple[str, ...]] = []
        self._parts = [np.empty((rows, len(wanted.names) if wanted else 0), np.float32)]
        self._counted = 0

    @property
    def names(self) -> list[str]:
        """The names of the columns that are kept, in the order they came."""
        return [name for names in self._added for name in names if self.wants(name)]

    def wants(self, *names: str) -> bool:
        """Returns True if any of some columns is to be added."""
        return self._wanted is None or any(name in self._wanted.places for name in names)

    def add(self, names: tuple[str, ...], values: Numbers, at: Integers | None = None) -> None:
        """Adds columns: ``values`` are [m, names], or [m] for one name.

        Row i of the table is row ``at[i]`` of the values (int64[n]); without ``at`` it is row i, or the only
        one. Where ``at`` has layers (int64[l, n]) there are l times as many names as columns of values, those
        of the first layer first.
        """
        numbers = np.asarray(values, np.float64)
        if numbers.ndim == 1:
            numbers = numbers[:, None]
        if at is not None:
            at = np.atleast_2d(at)
        loops.write(*self._place(names, 1 if at is None else len(at)), numbers, at)

    def mark(self, names: tuple[str, ...], masks: NDArray[np.uint64], at: Integers | None = None) -> None:
        """Adds columns of zeros and ones.

        Args:
            names: the names of the columns.
            masks: the bits of each row, from the lowest of the first number on, uint64[m, w].
            at: the row of the masks for each row of the table, int64[n]; without it row i is row i of the
                masks, or the only one.

        """
        loops.mark(*self._place(names), masks, at)

    def _place(self, names: tuple[str, ...], layers: int = 1) -> tuple[NDArray[np.float32], ColumnPlan]:
        """Returns the matrix that columns go to, and their plan."""
        plan = (self._wanted or Columns(names)).plan(names, layers)
        if self._wanted is None:
            self._parts.append(np.empty((self.rows, len(names)), np.float32))
        self._counted += len(plan.picks)
        self._added.append(names)
        return self._parts[-1], plan

    def matrix(self) -> NDArray[np.float32]:
        """The columns: float32[n, columns]. Raises KeyError where one that is wanted was not added, and
        ValueError where one was added twice.
        """
        if self._wanted is None:
            return np.concatenate(self._parts, axis=1)
        if self._counted < len(self._wanted.names):
            raise KeyError(min(self._wanted.places.keys() - set(self.names)))
        if self._counted > len(self._wanted.names):
            raise ValueError("a column that is wanted was added twice")
        return self._parts[0]


def running(values: Floats) -> Floats:
    """Sums of the rows before each of ``values`` [n, m], and of all, as [n + 1, m]."""
    total = np.zeros((len(values) + 1, values.shape[1]))
    np.cumsum(values, axis=0, out=total[1:])
    return total
