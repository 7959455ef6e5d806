"""Scores texts by the words of a topic: Okapi BM25.

Source: Robertson, Walker, Jones, Hancock-Beaulieu & Gatford, Okapi at TREC-3, 1994; the inverse document
frequency never below 0, as in Lucene.
"""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING, Final, Self

import numpy as np

from pagelets.text.words import words

if TYPE_CHECKING:
    from collections.abc import Mapping

    from numpy.typing import NDArray

SATURATION: Final = 1.2
"""k1: how soon another occurrence of a word counts no more."""
LENGTH: Final = 0.75
"""b: how much a long text counts less than a short one, from 0 to 1."""
MOST_WORDS: Final = 1000
"""So many words a topic has at most, the most frequent ones of what it is given by."""


class Topic:
    """The t words of a topic, each with the number of times that it was given: ``weights`` float64[t]."""

    def __init__(self, given: Mapping[str, int]) -> None:
        self._places = {word: place for place, word in enumerate(given)}
        self.weights = np.array([*given.values()], np.float64)

    @classmethod
    def of(cls, text: str) -> Self:
        """The topic of a query, or of other texts. Raises ValueError where they have no word."""
        given = Counter(words(text)).most_common(MOST_WORDS)
        if not given:
            raise ValueError("it has no word; give one that pages have")
        return cls(dict(given))

    def __len__(self) -> int:
        return len(self._places)

    def counts(self, text: str) -> NDArray[np.float64] | None:
        """Counts each of the words in a text: float64[t], None for a text without any of them."""
        folded = text.casefold()
        if not any(word in folded for word in self._places):
            return None
        places = [place for word in words(text) if (place := self._places.get(word)) is not None]
        return np.bincount(places, minlength=len(self)).astype(np.float64) if places else None


def idf(documents: int, having: NDArray[np.float64]) -> NDArray[np.float64]:
    """Returns the inverse document frequency of t words, given how many documents have each: float64[t]."""
    return np.log1p((documents - having + 0.5) / (having + 0.5)).clip(min=1e-9)


def bm25(
    counts: NDArray[np.float64],
    lengths: NDArray[np.float64],
    average: float,
    weights: NDArray[np.float64],
) -> NDArray[np.float64]:
    """Returns the scores of n texts: float64[n], 0 for those without any of the words.

    Args:
        counts: how often each text has each word, float64[n, t].
        lengths: the words of each text, float64[n].
        average: the average length of a text in words.
        weights: the weight of each word, `idf` times how often it was given, float64[t].

    """
    damped = SATURATION * (1 - LENGTH + LENGTH * lengths / max(average, 1.0))
    return (counts * (SATURATION + 1) / (counts + damped[:, None])) @ weights
