"""The similarity of pages to the class of a sample, and the threshold from which they belong to it."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Final, TypeAlias

import numpy as np
from numpy.typing import NDArray

Mask: TypeAlias = NDArray[np.bool_]
Floats: TypeAlias = NDArray[np.float64]

LEAST_SIMILARITY: Final = 0.25
"""Lowest threshold that is chosen."""
_FIRST: Final = 0.5
"""The threshold of the first few pages, which show no gap, and as long as no other page is so alike."""
_FEW: Final = 4
_GAPS: Final = 25
"""The number of gaps that are weighed, the widest ones."""
_ROUNDS: Final = 3
"""How often the class is compared with its own pages: first with the sample alone."""
_APART: Final = 1.0
"""The worth of a gap whose sides links and URLs do not tell apart."""


class Rows:
    """A growing table of rows of features, each a number, as two flat arrays."""

    def __init__(self) -> None:
        self.numbers: dict[object, int] = {}
        self._flat: list[int] = []
        self._lengths: list[int] = []

    def __len__(self) -> int:
        return len(self._lengths)

    def add(self, features: Iterable[object]) -> None:
        """Adds a row."""
        before = len(self._flat)
        self._flat += [self.numbers.setdefault(one, len(self.numbers)) for one in features]
        self._lengths.append(len(self._flat) - before)

    def arrays(self) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
        """The features of all rows, and the row of each."""
        return np.array(self._flat, np.int64), np.repeat(np.arange(len(self._lengths)), self._lengths)


class Likeness:
    """Compares pages with a class, each described by some sets of features.

    The similarity of a page to the class is the mean of Jaccard coefficients, one for each set, of its
    features and of those of the class. A feature counts as much for the class as pages of it have it.

    Args:
        similarity: the threshold T; None to choose it by the gaps between the similarities.

    """

    def __init__(self, kinds: int, similarity: float | None = None) -> None:
        self._rows = [Rows() for _ in range(kinds)]
        self._given = similarity
        self.threshold = _FIRST if similarity is None else similarity
        self.similarities: Floats = np.zeros(0)

    def add(self, *sets: Iterable[object]) -> None:
        """Adds a page; the first is the sample."""
        for rows, features in zip(self._rows, sets, strict=True):
            rows.add(features)

    def near(self, distance: float) -> Mask:
        """Returns the pages that are so little less alike, or more, than those of the class are at least."""
        return np.asarray(self.similarities >= self.threshold - distance, np.bool_)

    def members(self, told_apart: Callable[[Mask], float]) -> Mask:
        """Returns the pages of the class among those that were added.

        Args:
            told_apart: how well links and URLs tell the pages of a mask from the others, from 0 to 1.

        """
        arrays = [(*rows.arrays(), len(rows.numbers)) for rows in self._rows]
        count = len(self._rows[0])
        members: Mask = np.arange(count) == 0
        for _ in range(_ROUNDS):
            similarities = np.mean([_to_class(*each, members) for each in arrays], axis=0)
            threshold = self._given or _threshold(similarities, told_apart)
            inside: Mask = similarities >= threshold
            # A class that has lost its sample is another one.
            if not inside[0]:
                break
            self.threshold, self.similarities = threshold, similarities
            if (inside == members).all():
                break
            members = inside
        return members


def _to_class(numbers: NDArray[np.int64], rows: NDArray[np.int64], count: int, members: Mask) -> Floats:
    """Returns the Jaccard coefficients of all rows and the mean row of some members."""
    share = np.bincount(numbers[members[rows]], minlength=count) / members.sum()
    both = np.bincount(rows, share[numbers], minlength=len(members))
    either = np.bincount(rows, minlength=len(members)) + share.sum() - both
    return np.where(either > 0, both / np.maximum(either, 1e-9), 0.0)


def _threshold(similarities: Floats, told_apart: Callable[[Mask], float]) -> float:
    """Returns the middle of the gap that parts the similarities best.

    A gap is worth the share of their variance that lies between its sides, as with Otsu, times how well links
    and URLs tell the sides apart.
    """
    spread = float(similarities.var())
    if len(similarities) < _FEW or not spread or (similarities >= _FIRST).sum() < 2:
        return _FIRST
    ordered = np.sort(similarities)[::-1]
    gaps = ordered[:-1] - ordered[1:]
    candidates: list[tuple[float, float]] = []
    for place in np.argsort(-gaps, kind="stable")[:_GAPS].tolist():
        middle = float(ordered[place] + ordered[place + 1]) / 2
        if not place or gaps[place] < 1e-9 or middle < LEAST_SIMILARITY:
            continue
        inside = similarities >= middle
        share = float(inside.mean())
        apart = float(similarities[inside].mean() - similarities[~inside].mean())
        candidates.append((share * (1 - share) * apart**2 / spread * (told_apart(inside) + _APART), middle))
    return max(candidates, default=(0.0, _FIRST))[1]
