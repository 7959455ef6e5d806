"""Clues to a page that is not fetched yet: the pattern of its URL, and the links that lead to it.

A clue is the arm of a bandit as well: its reward is what the pages that have it were worth. After
SB-CLASSIFIER, whose arms are links with similar tag paths (Gauquier, Manolescu & Senellart, "Efficient
crawling for scalable web data acquisition", arXiv 2602.11874). Here a link has an arm for each of its clues,
and arms rarely tried have no bonus.
"""

from __future__ import annotations

import re
from collections import Counter
from typing import TYPE_CHECKING, Final
from urllib.parse import urlsplit

import numpy as np

from pagelets.literature.indesit.likeness import Features, Floats, Numbers

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from numpy.typing import NDArray

    from pagelets.literature.indesit.search import LinkedPage

_PRIOR: Final = 1
"""So many pages of the mean worth are added to the pages of each arm."""
_LEAST_VARIANCE: Final = 0.04
"""Added to the variance of each arm, so that an arm of few pages does not decide alone."""

_RECURRENT: Final = 3
"""On so many pages an anchor text stands at a path that is one of a menu, such as "Use" in a bar."""
_STEPS: Final = 12
_STRENGTH: Final = 0.3
"""Steps of a fit from one turn to the next, and the strength of its L2 penalty."""
_DIGITS: Final = re.compile(r"\d+")
_PARTS: Final = re.compile(r"([^A-Za-z0-9]+)")


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


def url_pattern(url: str) -> Iterator[tuple[object, ...]]:
    """The parts of a URL that other URLs of its kind may share: folders, how its last part begins and ends,
    names of query arguments. Digits count as one.
    """
    parts = urlsplit(url)
    folders, last = parts.path.split("/")[1:-1], _DIGITS.sub("0", parts.path.rpartition("/")[2])
    yield "depth", len(folders)
    for depth, folder in enumerate(_DIGITS.sub("0", folder) for folder in folders[:16]):
        yield "folder", folder
        yield "folder", depth, folder
    words = _PARTS.split(last)
    yield "words", min(len(words) // 2, 4)
    yield "first", "".join(words[:2])
    yield "last", "".join(words[-4:])
    yield "type", last.rpartition(".")[2] if "." in last else bool(last)
    for argument in parts.query.split("&", 16)[:16]:
        yield "argument", argument.partition("=")[0]


class Clues:
    """The clues to all addresses that are known, and what they promise.

    A link is known by its path, by the collection that it stands in, and by its path and anchor text where
    that recurs.

    Args:
        url_of: the URL of an address.

    """

    def __init__(self, url_of: Callable[[int], str]) -> None:
        self._url_of = url_of
        self._numbers = Numbers()
        self._of: dict[int, dict[int, None]] = {}
        self._recurrent: Counter[tuple[bytes, str]] = Counter()
        self._weights: Floats = np.zeros(0)
        self._base = 0.0
        self._arms: Arms

    def add(self, address: int) -> dict[int, None]:
        """Adds an address, unless it is known; returns its clues."""
        clues = self._of.get(address)
        if clues is None:
            pattern = url_pattern(self._url_of(address))
            clues = self._of[address] = dict.fromkeys(map(self._numbers.of, pattern))
        return clues

    def add_links(self, page: LinkedPage) -> None:
        """Adds the links of a page."""
        for path, targets in page.collections.items():
            anchors = page.anchors.get(path, {})
            self._recurrent.update({(path, anchor) for anchor in anchors.values()})
            for target in targets:
                clues = self.add(target)
                clues[self._numbers.of(path)] = None
                if len(targets) > 1:
                    clues[self._numbers.of((page.address, path))] = None
                link = path, anchors.get(target, "")
                if self._recurrent[link] >= _RECURRENT:
                    clues[self._numbers.of(link)] = None

    def features(self, addresses: Sequence[int]) -> Features:
        """The clues of addresses."""
        return self._numbers.features([self._of[address] for address in addresses])

    def learn(self, addresses: Sequence[int], worth: Floats) -> None:
        """Fits the weights of clues (logistic regression, from those of before) to the worth of pages, and
        the rewards of clues as arms.

        Args:
            addresses: the pages that were fetched.
            worth: of each, from 0 to 1.

        """
        features, count = self.features(addresses), len(addresses)
        clues, rows, size = features
        weights = np.concatenate([self._weights, np.zeros(size - len(self._weights))])
        base, each = self._base, max(len(clues) / count / 2, 1.0)
        for _ in range(_STEPS):
            promised = _logistic(base + np.bincount(rows, weights[clues], minlength=count))
            slope = np.maximum(promised * (1 - promised), 0.05)
            missed = promised - worth
            gradient = np.bincount(clues, missed[rows], minlength=size) + _STRENGTH * weights
            weights -= gradient / ((np.bincount(clues, slope[rows], minlength=size) + _STRENGTH) * each)
            base -= float(missed.sum() / (2 * slope.sum() + 0.5))
        self._weights, self._base = weights, base
        self._arms = Arms(features, worth)

    def promises(self, addresses: Sequence[int]) -> Floats:
        """The worth that addresses promise, from 0 to 1, by what was learned: the mean of both ways. The
        regression adds clues up that say the same; arms are not added up.
        """
        links, count = self.features(addresses), len(addresses)
        added = np.bincount(links.rows, self._weights[links.numbers], minlength=count)
        return (_logistic(self._base + added) + self._arms.promises(links, count)) / 2


def _logistic(values: NDArray[np.floating]) -> Floats:
    return np.asarray(1 / (1 + np.exp(-np.clip(values, -30, 30))), np.float64)
