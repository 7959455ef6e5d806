"""The similarity of pages to the class of a sample, and the choice of those that belong to it."""

from __future__ import annotations

from itertools import chain
from typing import TYPE_CHECKING, Final, TypeAlias

import numpy as np
from numpy.typing import NDArray

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator

Mask: TypeAlias = NDArray[np.bool_]
Floats: TypeAlias = NDArray[np.float64]
Places: TypeAlias = NDArray[np.int64]
Features: TypeAlias = tuple[Places, Places, int]
"""The features of some rows, the row of each, and the number of all features."""

LEAST_SIMILARITY: Final = 0.25
"""Lowest similarity at which a gap is taken for the edge of the class."""
_FIRST: Final = 0.5
"""The threshold of the first few pages, which show no gap, and as long as no other page is so alike."""
_FEW: Final = 4
_GAPS: Final = 25
"""The number of gaps that are weighed, the widest ones."""
_MOST: Final = 400
"""Pages by which candidates are weighed; of more pages as many are taken evenly."""
_ROUNDS: Final = 3
"""How often the gaps are looked for: around the sample, then around the class chosen."""
_OTHERS: Final = 0.95
"""The similarity below which this share of other pages lies bounds the class; the rest are outliers."""
_APART: Final = 0.3
"""What links and URLs say counts this much where other pages are as alike to the class as its own."""


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
        return np.array(self._flat, np.int64), rows, len(self.numbers)


class Likeness:
    """Compares pages with a class, each described by some sets of features.

    The similarity of a page to the class is the mean of Jaccard coefficients, one for each set, of its
    features and of those of the class. A feature counts as much for the class as pages of it have it; a page
    of the class is compared with the others.

    Args:
        similarity: the threshold T; None to choose the class by marks and gaps.

    """

    def __init__(self, kinds: int, similarity: float | None = None) -> None:
        self._rows = [Rows() for _ in range(kinds)]
        self._given = similarity
        self.threshold = self._usual = _FIRST if similarity is None else similarity
        self.similarities: Floats = np.zeros(0)

    def add(self, *sets: Iterable[object]) -> None:
        """Adds a page; the first is the sample."""
        for rows, features in zip(self._rows, sets, strict=True):
            rows.add(features)

    def near(self, distance: float) -> Mask:
        """Returns the pages that are so little less alike, or more, than nearly all of the class."""
        return np.asarray(self.similarities >= self._usual - distance, np.bool_)

    def members(self, told_apart: Callable[[Places], Callable[[Mask], float]]) -> Mask:
        """Returns the pages of the class among those that were added.

        Args:
            told_apart: for the places of some pages, how well links and URLs tell those of a mask from the
                others, from 0 to 1.

        """
        features = [rows.features() for rows in self._rows]
        similarities = _alike(features, np.arange(len(self._rows[0])) == 0)
        if self._given is not None:
            members = self._above(features, similarities, self._given)
        elif len(similarities) < _FEW or (similarities >= _FIRST).sum() < 2:
            members = similarities >= _FIRST
        else:
            members = _Choice(features, len(similarities), told_apart).of(similarities)
        self.similarities = _alike(features, members)
        alike = self.similarities[members]
        if self._given is None:
            self.threshold = float(alike.min()) if len(alike) > 1 else _FIRST
        self._usual = self._given or float(np.quantile(alike, 1 - _OTHERS))
        return members

    def _above(self, features: list[Features], similarities: Floats, threshold: float) -> Mask:
        members: Mask = similarities >= threshold
        for _ in range(_ROUNDS - 1):
            inside: Mask = _alike(features, members) >= threshold
            # A class that has lost its sample is another one.
            if not inside[0] or (inside == members).all():
                break
            members = inside
        return members


class _Choice:
    """Chooses the class of the sample among candidates: the pages that have a feature of the sample, such as
    a mark of their generator, and those above a gap of the similarities.

    A candidate is worth how much more alike its pages are than the others are to them, and how well links and
    URLs tell these from those.

    Args:
        features: the features of all pages, for each kind; the first page is the sample.
        count: the number of pages.
        told_apart: see `Likeness.members`.

    """

    def __init__(
        self,
        features: list[Features],
        count: int,
        told_apart: Callable[[Places], Callable[[Mask], float]],
    ) -> None:
        self._features, self._count = features, count
        self._places = np.unique(np.linspace(0, count - 1, min(count, _MOST)).astype(np.int64))
        self._told_apart = told_apart(self._places)
        place = np.full(count, -1)
        place[self._places] = np.arange(len(self._places))
        self._some: list[Features] = []
        for numbers, rows, size in features:
            taken = place[rows] >= 0
            self._some.append((numbers[taken], place[rows[taken]], size))
        self._seen: set[bytes] = set()
        self._best = 0.0
        self._members: Mask = np.arange(count) == 0

    def of(self, similarities: Floats) -> Mask:
        """Returns the class, given how alike the pages are to the sample."""
        candidates = chain(self._marked(), _cut(similarities))
        for _ in range(_ROUNDS):
            before = self._members
            for candidate in candidates:
                self._weigh(candidate)
            if self._members is before:
                break
            candidates = chain(_cut(_alike(self._features, self._members)))
        return self._members

    def _weigh(self, candidate: Mask) -> None:
        inside = candidate[self._places]
        key = inside.tobytes()
        if key in self._seen or not inside[0] or not 1 < inside.sum() < len(inside):
            return
        self._seen.add(key)
        similarities = _alike(self._some, inside)
        apart = float(similarities[inside].mean() - np.quantile(similarities[~inside], _OTHERS))
        worth = apart + _APART
        if worth > self._best and (worth := worth * self._told_apart(inside)) > self._best:
            self._best, self._members = worth, candidate

    def _marked(self) -> Iterator[Mask]:
        for numbers, rows, size in self._features:
            marks = numbers[rows == 0]
            place = np.full(size, -1)
            place[marks] = np.arange(len(marks))
            of_sample = place[numbers] >= 0
            table = np.zeros((len(marks), self._count), np.bool_)
            table[place[numbers[of_sample]], rows[of_sample]] = True
            yield from table


def _cut(similarities: Floats) -> Iterator[Mask]:
    """Yields the pages above each of the widest gaps."""
    ordered = np.sort(similarities)[::-1]
    gaps = ordered[:-1] - ordered[1:]
    for place in np.argsort(-gaps, kind="stable")[:_GAPS].tolist():
        middle = float(ordered[place] + ordered[place + 1]) / 2
        if gaps[place] > 1e-9 and middle >= LEAST_SIMILARITY:
            yield np.asarray(similarities >= middle, np.bool_)


def _alike(features: list[Features], members: Mask) -> Floats:
    return np.asarray(np.mean([_to_class(*each, members) for each in features], axis=0), np.float64)


def _to_class(numbers: Places, rows: Places, count: int, members: Mask) -> Floats:
    """Returns the Jaccard coefficients of all rows and the mean row of members, for these of the others."""
    lengths = np.bincount(rows, minlength=len(members))
    counts = np.bincount(numbers[members[rows]], minlength=count)
    both = np.bincount(rows, counts[numbers].astype(np.float64), minlength=len(members))
    itself = members & (members.sum() > 1)
    others = members.sum() - itself
    both = (both - itself * lengths) / others
    either = lengths + (counts.sum() - itself * lengths) / others - both
    return np.where(either > 0, both / np.maximum(either, 1e-9), 0.0)
