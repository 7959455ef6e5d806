"""Choosing the blocks of a page together, from what each is likely to be."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import NDArray


def choose(likely: NDArray[np.float64], words: NDArray[np.float64]) -> tuple[NDArray[np.bool_], float]:
    """The choice of blocks whose F1 is highest as far as the probabilities tell.

    Takes for each of n blocks how likely it is content, and its number of words. Returns the mask bool[n],
    and the probability from which on blocks are chosen. What is chosen with a threshold depends on the page:
    where much is unsure, F1 loses more by what is missed than by what is too much (Lipton, Elkan &
    Naryanaswamy, "Optimal Thresholding of Classifiers to Maximize F1 Measure", ECML PKDD 2014, Theorem 1: the
    threshold is half of the F1 that it gives).
    """
    if not len(likely):
        return np.zeros(0, bool), 0.0
    order = np.argsort(-likely, kind="stable")
    expected = np.cumsum((likely * words)[order])
    chosen = np.cumsum(words[order])
    best = int(np.argmax(expected / np.maximum(chosen + expected[-1], 1e-9)))
    threshold = float(likely[order[best]])
    mask: NDArray[np.bool_] = likely >= threshold
    return mask, threshold


def choose_own(
    likely: NDArray[np.float64], words: NDArray[np.float64], other: NDArray[np.bool_]
) -> NDArray[np.bool_]:
    """`choose` for a page that carries several documents: none of the ``other`` blocks (bool[n]) is taken."""
    mask, _ = choose(np.where(other, 0.0, likely), words)
    return mask & ~other
