"""Content code blurring: where text stays text when it is blurred with the markup around it.

Gottron, DEXA 2008.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, ClassVar, Final

import numpy as np

from pagelets.literature.source.blur import blurred
from pagelets.literature.source.streams import Stream, counted, words_of
from pagelets.methods.base import Curve, Parameters, Subject, Verdict

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from pagelets.methods.source.tokens import SourceTokens

_LINKS: Final = frozenset({"a"})
_CELLS: Final = 6
"""Cells of a vector that the range of the blur has on each side."""
_MOST: Final = 50
"""So many times a vector is blurred at most."""


@dataclass(frozen=True)
class CCBMethod(Parameters):
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

    def judge(self, subject: Subject) -> Verdict:
        """The verdict on a page's blocks."""
        stream = self._stream(subject.source)
        borders = self._borders(stream)
        return stream.verdict(subject, borders, self._blurred(stream, borders) >= self.threshold)

    def curve(self, subject: Subject) -> Curve:
        """The blurred vector."""
        stream = self._stream(subject.source)
        values = self._blurred(stream, self._borders(stream))
        along = "words and tags" if self.tokens else f"{self._cell} characters each"
        return Curve(along, "text over code, blurred", values, self.threshold, values >= self.threshold)

    @property
    def _cell(self) -> int:
        return 1 if self.tokens else max(self.radius // _CELLS, 1)

    def _stream(self, tokens: SourceTokens) -> Stream:
        if self.tokens:
            return words_of(tokens)
        token = counted(tokens)
        if self.adapted:
            token = token[~tokens.named(_LINKS)[token]]
        return Stream.of(token, tokens.block[token] >= 0, tokens.chars[token])

    def _borders(self, stream: Stream) -> NDArray[np.int64]:
        """Returns the border before each cell of the vector and the one behind the last."""
        return np.append(np.arange(0, stream.edges[-1], self._cell), stream.edges[-1])

    def _blurred(self, stream: Stream, borders: NDArray[np.int64]) -> NDArray[np.float64]:
        """The content code vector, blurred until it is stable."""
        text = np.append(0, np.cumsum(np.diff(stream.edges) * stream.text))
        vector: NDArray[np.float64] = np.diff(np.interp(borders, stream.edges, text))
        vector /= np.maximum(np.diff(borders), 1)
        for _ in range(_MOST if len(vector) else 0):
            before = vector
            deviation = self.radius / self._cell / 2
            vector = blurred(before, deviation, int(2 * deviation + 0.5), "edge")
            if np.abs(vector - before).max() < self.stable:
                break
        return vector
