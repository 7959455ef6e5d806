"""The similarity of pages to the class of a sample, and the pages that belong to it.

The class are the pages that share a feature with the sample, or those above a gap.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Sequence
from itertools import chain
from typing import Final, NamedTuple, TypeAlias

import numpy as np
from numpy.typing import NDArray

Mask: TypeAlias = NDArray[np.bool_]
Floats: TypeAlias = NDArray[np.float64]
Places: TypeAlias = NDArray[np.int64]
Table: TypeAlias = NDArray[np.float32]

LEAST_SIMILARITY: Final = 0.25
"""Lowest similarity at which a gap is taken for the edge of a class."""
_GAPS: Final = 25
"""The number of gaps that are weighed, the widest ones."""
_MOST: Final = 300
"""Pages by which candidates are weighed; of more pages as many are taken evenly."""
_APART: Final = 0.5
"""The worth of a candidate that links and URLs do not tell apart."""
_SMALL: Final = 8
"""Of so many pages or fewer a candidate is worth the more the further it is apart from the rest. Of more
pages this counts less and less: there a small distance is no accident.
"""
_LOOKS: Final = 4
_CLEAN: Final = 0.95
_LEAST: Final = 4
"""How often a class is looked for, the later times inside of the one before. It is taken then if structure
and clues tell it from the rest so well, and both have so many pages."""

_FIRST: Final = 0.5
"""The threshold of the first few pages, and as long as no other page is so alike."""
_FEW: Final = 4
_ROUNDS: Final = 3
"""With a threshold: how often the class is compared with its own pages, first with the sample alone."""
_OUTLIERS: Final = 0.05
"""This share of the pages of a class may be less alike than its threshold."""


class Features(NamedTuple):
    """The features of some pages: a number and a row for each, and the number of all features."""

    numbers: Places
    rows: Places
    size: int

    def of(self, places: Places, pages: int) -> Features:
        """The features of some of the pages, numbered anew."""
        place = np.full(pages, -1)
        place[places] = np.arange(len(places))
        taken = place[self.rows] >= 0
        known, numbers = np.unique(self.numbers[taken], return_inverse=True)
        return Features(numbers, place[self.rows[taken]], len(known))

    def table(self, pages: int) -> Table:
        """A row for each page, with a 1 for each feature of it that another page has too."""
        shared = np.bincount(self.numbers, minlength=self.size) > 1
        taken = shared[self.numbers]
        table = np.zeros((pages, int(shared.sum())), np.float32)
        table[self.rows[taken], (np.cumsum(shared) - 1)[self.numbers[taken]]] = 1
        return table

    def marked(self, pages: int) -> Iterator[Mask]:
        """Yields for each feature of the first page those that have it."""
        marks = self.numbers[self.rows == 0]
        place = np.full(self.size, -1)
        place[marks] = np.arange(len(marks))
        taken = place[self.numbers] >= 0
        table = np.zeros((len(marks), pages), np.bool_)
        table[place[self.numbers[taken]], self.rows[taken]] = True
        yield from table


def alike(kinds: Sequence[Features], members: Mask) -> Floats:
    """The mean of Jaccard coefficients of all pages and the mean page of some members."""
    return np.asarray(np.mean([_to_class(*kind, members) for kind in kinds], axis=0), np.float64)


def _to_class(numbers: Places, rows: Places, count: int, members: Mask) -> Floats:
    share = np.bincount(numbers[members[rows]], minlength=count) / members.sum()
    both = np.bincount(rows, share[numbers], minlength=len(members))
    either = np.bincount(rows, minlength=len(members)) + share.sum() - both
    return np.where(either > 0, both / np.maximum(either, 1e-9), 0.0)


def chosen(kinds: Sequence[Features], clues: Features, similarities: Floats) -> Mask | None:
    """The class of the first page, the sample; None where no page has anything in common with it.

    A candidate is worth the root of the share of the similarities' variance that lies between it and the rest
    (as with Otsu), times how far they are apart where pages are few, times how well naive Bayes finds it by
    the structure of pages, and tells it apart by their clues, each page left out once. Inside of the best one
    a class is looked for again.

    Args:
        kinds: the features of structure of all pages, for each kind.
        clues: the features of their links and URLs.
        similarities: how alike all pages are to the sample.

    """
    pages = len(similarities)
    inside: Mask = np.ones(pages, np.bool_)
    found: Mask | None = None
    for _ in range(_LOOKS):
        places = np.flatnonzero(inside)
        places = places[np.unique(np.linspace(0, len(places) - 1, min(len(places), _MOST)).astype(np.int64))]
        candidates: dict[bytes, Mask] = {}
        for each in _candidates(kinds, similarities, inside):
            candidate = each & inside
            weighed = candidate[places]
            if weighed[0] and 1 < weighed.sum() < len(places):
                candidates.setdefault(weighed.tobytes(), candidate)
        if not candidates:
            break
        masks = list(candidates.values())
        weights = _Weights([kind.of(places, pages) for kind in kinds], clues.of(places, pages), len(places))
        best, clean = weights.best(np.array([mask[places] for mask in masks], np.float32))
        if found is not None and not clean:
            break
        found = inside = masks[best]
    return found


def _candidates(kinds: Sequence[Features], similarities: Floats, inside: Mask) -> Iterator[Mask]:
    ordered = np.sort(similarities[inside])[::-1]
    gaps = ordered[:-1] - ordered[1:]
    for place in np.argsort(-gaps, kind="stable")[:_GAPS].tolist():
        middle = float(ordered[place] + ordered[place + 1]) / 2
        if gaps[place] > 1e-9 and middle >= LEAST_SIMILARITY:
            yield np.asarray(similarities >= middle, np.bool_)
    for kind in kinds:
        yield from kind.marked(len(similarities))


class _Weights:
    """Weighs candidates, each a row of 1 for its pages and 0 for the others."""

    def __init__(self, kinds: Sequence[Features], clues: Features, pages: int) -> None:
        self._kinds = [
            (kind.table(pages), np.bincount(kind.rows, minlength=pages).astype(np.float32)) for kind in kinds
        ]
        self._structure = np.hstack([table for table, _ in self._kinds])
        self._clues = clues.table(pages)

    def best(self, candidates: Table) -> tuple[int, bool]:
        """Returns the place of the best candidate, and if naive Bayes knows it nearly without error."""
        many, others = candidates.sum(1), (1 - candidates).sum(1)
        similarities, share = self._similarities(candidates, many), many / candidates.shape[1]
        apart = (similarities * candidates).sum(1) / many - (similarities * (1 - candidates)).sum(1) / others
        spread = np.maximum(similarities.var(1), 1e-9)
        parted = share * (1 - share) * np.maximum(apart, 0) ** 2 / spread
        told, told_f = _told_apart(self._clues, candidates)
        built, built_f = _told_apart(self._structure, candidates)
        distance = np.maximum(apart, 1e-3) ** min(1.0, _SMALL / candidates.shape[1])
        best = int(np.argmax(np.sqrt(parted) * distance * (np.maximum(told, 0.01) + _APART) * built_f))
        clean = min(each[best] for each in (told, told_f, built, built_f)) > _CLEAN
        return best, bool(clean and min(many[best], others[best]) >= _LEAST)

    def _similarities(self, candidates: Table, many: Table) -> Table:
        """Returns the similarity of each page to each candidate, of its own pages to the others of it."""
        itself = candidates * (many > 1)[:, None]
        others = many[:, None] - itself
        total = np.zeros_like(candidates)
        for table, lengths in self._kinds:
            both = (candidates @ table @ table.T - itself * lengths) / others
            either = lengths + ((candidates @ lengths)[:, None] - itself * lengths) / others - both
            total += np.where(either > 0, both / np.maximum(either, 1e-6), 0)
        return total / np.float32(len(self._kinds))


def _told_apart(table: Table, candidates: Table) -> tuple[Table, Table]:
    """Returns figures of naive Bayes for each candidate, each page left out once: balanced accuracy, above
    that of chance, and F1.
    """
    many, pages = candidates.sum(1)[:, None], candidates.shape[1]
    few, left, within = pages - many, table.sum(0) - 1, candidates @ table

    def odds(have: Table, inside: Table, outside: Table) -> Table:
        one = (np.maximum(have, 0) + 0.5 * many / pages) / (inside + 0.5)
        other = (np.maximum(left - have, 0) + 0.5 * few / pages) / (outside + 0.5)
        return np.asarray((np.log(one) - np.log(other)) @ table.T, np.float32)

    inside = candidates > 0
    taken = np.where(inside, odds(within - 1, many - 1, few), odds(within, many, few - 1)) > 0
    right, size = (taken & inside).sum(1), inside.sum(1)
    balanced = right / size + (~taken & ~inside).sum(1) / (~inside).sum(1) - 1
    return balanced.astype(np.float32), (2 * right / (taken.sum(1) + size)).astype(np.float32)


class Numbers:
    """Features by numbers, in the order in which they are asked for."""

    def __init__(self) -> None:
        self._known: dict[object, int] = {}

    def of(self, feature: object) -> int:
        """Returns the number of a feature."""
        return self._known.setdefault(feature, len(self._known))

    def features(self, rows: Sequence[Collection[int]]) -> Features:
        """The features of rows of numbers, of a page each."""
        lengths = [len(row) for row in rows]
        numbers = np.fromiter(chain.from_iterable(rows), np.int64, sum(lengths))
        return Features(numbers, np.repeat(np.arange(len(rows)), lengths), len(self._known))


class Likeness:
    """Compares pages with a class, each described by some sets of features.

    The similarity of a page to the class is the mean of Jaccard coefficients, one for each set, of its
    features and of those of the class. A feature counts as much for the class as pages of it have it.

    Args:
        similarity: the threshold T; None to choose the class.

    """

    def __init__(self, kinds: int, similarity: float | None = None) -> None:
        self._kinds: list[tuple[Numbers, list[list[int]]]] = [(Numbers(), []) for _ in range(kinds)]
        self._given = similarity
        self.threshold = _FIRST if similarity is None else similarity
        self.similarities: Floats = np.zeros(0)

    def add(self, *sets: Iterable[object]) -> None:
        """Adds a page; the first is the sample."""
        for (numbers, rows), features in zip(self._kinds, sets, strict=True):
            rows.append([*map(numbers.of, features)])

    def near(self, distance: float) -> Mask:
        """Returns the pages that are so little less alike, or more, than nearly all of the class."""
        return np.asarray(self.similarities >= self.threshold - distance, np.bool_)

    def members(self, clues: Features) -> Mask:
        """Returns the pages of the class among those that were added.

        Args:
            clues: what links and URLs say of each page.

        """
        kinds = [numbers.features(rows) for numbers, rows in self._kinds]
        self.similarities = alike(kinds, np.arange(len(self._kinds[0][1])) == 0)
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
