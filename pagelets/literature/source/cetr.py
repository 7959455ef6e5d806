"""CETR, content extraction via tag ratios: lines with much text for each tag.

Weninger, Hsu & Han, WWW 2010.
"""

from __future__ import annotations

from abc import abstractmethod
from dataclasses import dataclass
from math import ceil
from typing import TYPE_CHECKING, ClassVar, Final

import numpy as np

from pagelets.literature.source.ccb import blurred
from pagelets.literature.source.pieces import Lines, SourceMethod, cut, written_lines
from pagelets.methods.base import Curve

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from pagelets.methods.source.tokens import SourceTokens

_STEPS: Final = 100
"""Clusters that still move after so many steps stay where they are."""


@dataclass(frozen=True)
class _CETR(SourceMethod[Lines]):
    """The smoothed tag ratios T of lines, which the three methods of CETR share.

    A line's ratio is that of its characters of text to its tags, of which it has one at least; lines are cut
    after ``width`` characters, for sources without line ends. T is smoothed by a Gaussian of its own standard
    deviation s, as far as ceil(s) lines to each side.

    The paper was not at hand. The ratios and their use are from a survey (Shinde et al., 2013); 65
    characters, the Gaussian, the window of three lines and three clusters from a public implementation
    (nwc-toolkit, 2010). One deviation as the threshold of TM is from memory.
    """

    cite: ClassVar[str] = "Weninger, Hsu & Han, CETR: Content Extraction via Tag Ratios, WWW 2010"
    width: int = 65

    def _pieces(self, tokens: SourceTokens) -> Lines:
        return cut(written_lines(tokens), self.width)

    def _curve(self, pieces: Lines) -> Curve:
        ratios = smoothed(tag_ratios(pieces))
        threshold, content = self._decided(ratios)
        return Curve("lines", "text to tag ratio, smoothed", ratios, threshold, content)

    @abstractmethod
    def _decided(self, ratios: NDArray[np.float64]) -> tuple[float | None, NDArray[np.bool_]]:
        """Of l smoothed ratios (float64[l]) the one that content reaches, and which lines are content."""


@dataclass(frozen=True)
class CETRTMMethod(_CETR):
    """CETR-TM: keeps lines whose smoothed ratio is ``factor`` standard deviations of these or more."""

    factor: float = 1.0

    def _decided(self, ratios: NDArray[np.float64]) -> tuple[float | None, NDArray[np.bool_]]:
        threshold = self.factor * float(np.std(ratios)) if len(ratios) else 0.0
        return threshold, ratios >= threshold


@dataclass(frozen=True)
class CETRKMMethod(_CETR):
    """CETR-KM: keeps all but the lowest of ``clusters`` clusters of smoothed ratios."""

    clusters: int = 3

    def _decided(self, ratios: NDArray[np.float64]) -> tuple[float | None, NDArray[np.bool_]]:
        return None, k_means(ratios[None], self.clusters, held=False) > 0


@dataclass(frozen=True)
class CETRMethod(_CETR):
    """CETR in two dimensions: keeps lines away from the origin of smoothed ratios and their derivatives.

    A derivative is the mean ratio of the next ``ahead`` lines less that of the line, smoothed as ratios are;
    its absolute value counts. One of ``clusters`` clusters is held at the origin: it is no content.
    """

    clusters: int = 3
    ahead: int = 3

    def _decided(self, ratios: NDArray[np.float64]) -> tuple[float | None, NDArray[np.bool_]]:
        slopes = np.abs(smoothed(derivatives(ratios, self.ahead)))
        return None, k_means(np.stack([ratios, slopes]), self.clusters, held=True) > 0


def tag_ratios(lines: Lines) -> NDArray[np.float64]:
    """The ratio of characters of text to tags of each of l lines: float64[l]."""
    return lines.sum(lines.size * lines.text) / np.maximum(lines.sum(~lines.text), 1)


def smoothed(values: NDArray[np.float64]) -> NDArray[np.float64]:
    """Values (float64[l]) blurred by a Gaussian of their own standard deviation."""
    deviation = float(np.std(values)) if len(values) else 0.0
    if not deviation:
        return values
    radius = min(ceil(deviation), len(values))
    return blurred(values, deviation, radius, "constant")


def derivatives(values: NDArray[np.float64], ahead: int) -> NDArray[np.float64]:
    """The mean of the next values less each value (float64[l]), of fewer near the end; 0 for the last."""
    before = np.append(0, np.cumsum(values))
    start = np.arange(1, len(values) + 1)
    stop = np.minimum(start + ahead, len(values))
    means = (before[stop] - before[start]) / np.maximum(stop - start, 1)
    return np.where(stop > start, means - values, 0)


def k_means(points: NDArray[np.float64], clusters: int, *, held: bool) -> NDArray[np.intp]:
    """The cluster that each of l points (float64[d, l]) is in, 0 for the one nearest to the origin: int[l].

    With ``held`` that one's centre stays at the origin; otherwise it begins at the point that is nearest to
    it. The others begin at the points that are the farthest from those before, so that equal points give
    equal clusters. Each step takes centres to the means of the points that are nearest.
    """
    if not points.size:
        return np.zeros(points.shape[1], np.intp)
    centres = np.zeros((len(points), clusters))
    if not held:
        centres[:, 0] = points[:, np.argmin((points**2).sum(axis=0))]
    apart = _distances(points, centres[:, :1])[0]
    for number in range(1, clusters):
        centres[:, number] = points[:, np.argmax(apart)]
        apart = np.minimum(apart, _distances(points, centres[:, number : number + 1])[0])
    nearest = np.argmin(_distances(points, centres), axis=0)
    for _ in range(_STEPS):
        counts = np.bincount(nearest, minlength=clusters)
        moves = counts > 0
        moves[0] &= not held
        for row, values in zip(centres, points, strict=True):
            row[moves] = np.bincount(nearest, values, clusters)[moves] / counts[moves]
        before, nearest = nearest, np.argmin(_distances(points, centres), axis=0)
        if (nearest == before).all():
            break
    order = np.argsort((centres**2).sum(axis=0), kind="stable")
    numbers: NDArray[np.intp] = np.argsort(order)[nearest]
    return numbers


def _distances(points: NDArray[np.float64], centres: NDArray[np.float64]) -> NDArray[np.float64]:
    """The squared distance of each centre (float64[d, k]) from each point (float64[d, l]): float64[k, l]."""
    distances: NDArray[np.float64] = np.zeros((centres.shape[1], points.shape[1]))
    for row, values in zip(centres, points, strict=True):
        distances += (row[:, None] - values) ** 2
    return distances
