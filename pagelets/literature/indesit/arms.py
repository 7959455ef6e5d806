"""Clues as arms of a bandit: the reward of a clue is what the pages that have it were worth.

After SB-CLASSIFIER, whose arms are links with similar tag paths (Gauquier, Manolescu & Senellart, "Efficient
crawling for scalable web data acquisition", arXiv 2602.11874). Here a link has an arm for each of its clues,
and arms rarely tried have no bonus.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

import numpy as np

if TYPE_CHECKING:
    from pagelets.literature.indesit.choice import Features, Floats

_PRIOR: Final = 1
"""So many pages of the mean worth are added to the pages of each arm."""
_LEAST_VARIANCE: Final = 0.04
"""Added to the variance of each arm, so that an arm of few pages does not decide alone."""


class Arms:
    """The rewards of arms, by the pages that were fetched.

    A regression adds the weights of clues that say the same, so links with many clues promise too much or too
    little. The rewards of arms are averaged.

    Args:
        pages: the arms of each page.
        worth: of each page, from 0 to 1.

    """

    def __init__(self, pages: Features, worth: Floats) -> None:
        count = np.bincount(pages.numbers, minlength=pages.size)
        total = np.bincount(pages.numbers, worth[pages.rows], minlength=pages.size)
        squares = np.bincount(pages.numbers, worth[pages.rows] ** 2, minlength=pages.size)
        self._mean = worth.mean()
        rewards = (total + _PRIOR * self._mean) / (count + _PRIOR)
        spread = squares - 2 * rewards * total + count * rewards**2
        variance = (spread + _PRIOR * worth.var()) / (count + _PRIOR)
        self._weights = count / (count + _PRIOR) / (variance + _LEAST_VARIANCE) ** 2
        self._rewards = rewards

    def promises(self, links: Features, count: int) -> Floats:
        """The mean reward of the arms of each link. An arm whose pages are all worth the same counts most;
        a link without a known arm promises the mean worth of all pages.
        """
        weights = self._weights[links.numbers]
        total = np.bincount(links.rows, weights * self._rewards[links.numbers], minlength=count)
        known = np.bincount(links.rows, weights, minlength=count)
        return np.where(known > 0, total / np.maximum(known, 1e-9), self._mean)
