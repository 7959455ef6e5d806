"""Content code blurring: where text stays text when it is blurred with the markup around it.

Gottron, DEXA 2008.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, ClassVar, Final, Literal

import numpy as np

from pagelets.literature.source.pieces import SourceMethod, Stream, counted, words_of
from pagelets.methods.base import Curve

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from pagelets.methods.source.tokens import SourceTokens

_LINKS: Final = frozenset({"a"})
_CELLS: Final = 6
"""Cells of a vector that the range of the blur has on each side."""
_MOST: Final = 50
"""So many times a vector is blurred at most."""


def blurred(
    values: NDArray[np.float64], deviation: float, radius: int, beyond: Literal["constant", "edge"]
) -> NDArray[np.float64]:
    """Blurs values by a Gaussian.

    Args:
        values: float64[n].
        deviation: the Gaussian's standard deviation, above 0.
        radius: how many values to each side count.
        beyond: zeros stand beyond the ends (``constant``), or the values at the ends (``edge``).

    Returns:
        float64[n].

    """
    weights = np.exp(-0.5 / (deviation * deviation) * np.arange(-radius, radius + 1) ** 2)
    weights /= weights.sum()
    count, padded = len(values), np.pad(values, radius, mode=beyond)
    # From the outermost pair inwards: the sums of equal values are equal, whatever processor adds them.
    smoothed: NDArray[np.float64] = values * weights[radius]
    for place in range(radius):
        pair = padded[place : place + count] + padded[2 * radius - place : 2 * radius - place + count]
        smoothed += pair * weights[place]
    return smoothed


@dataclass(frozen=True)
class CCBMethod(SourceMethod[Stream]):
    """Keeps what is text by more than ``threshold`` in a blurred vector, of 1 for text and 0 for code.

    The vector has an entry for each character. It is blurred by a Gaussian of ``radius`` characters to each
    side, again and again, until no entry changes by ``stable`` any more. With ``adapted`` (ACCB) link tags
    are left out of it. With ``tokens`` (TCCB) it has an entry for each word and each tag.

    The paper was not at hand: the form and 0.75 are from memory; when a vector is stable, and that the radius
    goes as far as two deviations of the Gaussian, are choices of ours, tried on training folds. A vector of
    characters is made in cells of a sixth of the radius, each with the share of text among its characters:
    the blur is what makes this method dearer than others.
    """

    cite: ClassVar[str] = "Gottron, Content Code Blurring: A New Approach to Content Extraction, DEXA 2008"
    radius: int = 50
    threshold: float = 0.75
    stable: float = 0.1
    adapted: bool = False
    tokens: bool = False

    @property
    def _cell(self) -> int:
        return 1 if self.tokens else max(self.radius // _CELLS, 1)

    def _pieces(self, tokens: SourceTokens) -> Stream:
        if self.tokens:
            return words_of(tokens, 1)
        token = counted(tokens)
        if self.adapted:
            token = token[~tokens.named(_LINKS)[token]]
        return Stream.of(token, tokens.block[token] >= 0, tokens.chars[token], self._cell)

    def _curve(self, pieces: Stream) -> Curve:
        """The content code vector, blurred until it is stable."""
        text = np.append(0, np.cumsum(np.diff(pieces.edges) * pieces.text))
        vector: NDArray[np.float64] = np.diff(np.interp(pieces.borders, pieces.edges, text))
        vector /= np.maximum(np.diff(pieces.borders), 1)
        deviation = self.radius / self._cell / 2
        for _ in range(_MOST if len(vector) else 0):
            before = vector
            vector = blurred(before, deviation, int(2 * deviation + 0.5), "edge")
            if np.abs(vector - before).max() < self.stable:
                break
        along = "words and tags" if self.tokens else f"{self._cell} characters each"
        return Curve(along, "text over code, blurred", vector, self.threshold, vector >= self.threshold)
