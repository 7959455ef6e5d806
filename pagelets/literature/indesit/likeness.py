"""The similarity of pages to the class of a sample, and the pages that belong to it."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Final

import numpy as np

from pagelets.literature.indesit.choice import Features, Floats, Mask, alike, chosen

_FIRST: Final = 0.5
"""The threshold of the first few pages, and as long as no other page is so alike."""
_FEW: Final = 4
_ROUNDS: Final = 3
"""With a threshold: how often the class is compared with its own pages, first with the sample alone."""
_OUTLIERS: Final = 0.05
"""This share of the pages of a class may be less alike than its threshold."""


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

    def features(self) -> Features:
        """The features of all rows."""
        rows = np.repeat(np.arange(len(self._lengths)), self._lengths)
        return Features(np.array(self._flat, np.int64), rows, len(self.numbers))


class Likeness:
    """Compares pages with a class, each described by some sets of features.

    The similarity of a page to the class is the mean of Jaccard coefficients, one for each set, of its
    features and of those of the class. A feature counts as much for the class as pages of it have it.

    Args:
        similarity: the threshold T; None to choose the class.

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
        """Returns the pages that are so little less alike, or more, than nearly all of the class."""
        return np.asarray(self.similarities >= self.threshold - distance, np.bool_)

    def members(self, clues: Features) -> Mask:
        """Returns the pages of the class among those that were added.

        Args:
            clues: what links and URLs say of each page.

        """
        kinds = [rows.features() for rows in self._rows]
        self.similarities = alike(kinds, np.arange(len(self._rows[0])) == 0)
        if self._given is not None:
            return self._above(kinds, self._given)
        self.threshold = _FIRST
        first: Mask = self.similarities >= _FIRST
        first[0] = True
        members = chosen(kinds, clues, self.similarities) if len(first) >= _FEW and first.sum() > 1 else None
        if members is None:
            return first
        self.similarities = alike(kinds, members)
        self.threshold = float(np.quantile(self.similarities[members], _OUTLIERS))
        return members

    def _above(self, kinds: list[Features], threshold: float) -> Mask:
        members: Mask = np.arange(len(self.similarities)) == 0
        for _ in range(_ROUNDS):
            similarities = alike(kinds, members)
            inside: Mask = similarities >= threshold
            # A class that has lost its sample is another one.
            if not inside[0]:
                break
            self.similarities = similarities
            if (inside == members).all():
                break
            members = inside
        return members
