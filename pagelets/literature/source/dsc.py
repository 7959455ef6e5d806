"""BTE and DSC: where the curve of tags along the words of a page rises slowly.

BTE, body text extraction, finds the one span with many words and few tags: Finn, Kushmerick & Smyth, DELOS
workshop, 2001. DSC, the document slope curve: Pinto, Branstein, Coleman, Croft, King, Li & Wei, JCDL 2002.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, ClassVar, Final

import numpy as np

from pagelets.literature.source.pieces import SourceMethod, Stream, words_of
from pagelets.methods.base import Curve

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from pagelets.methods.source.tokens import SourceTokens

_EVEN: Final = 0.5
"""The slope of a curve where there are as many words as tags."""


@dataclass(frozen=True)
class BTEMethod(SourceMethod[Stream]):
    """Keeps the tokens from i to j that maximise the tags outside plus the words inside.

    That is the span with the largest sum, where a word is 1 and a tag -1: found in one pass, while its
    authors' own code tries all pairs. Of several, the first to end, and the longest of these.
    """

    cite: ClassVar[str] = (
        "Finn, Kushmerick & Smyth, Fact or Fiction: Content Classification for Digital Libraries, DELOS 2001"
    )

    def _pieces(self, tokens: SourceTokens) -> Stream:
        return words_of(tokens)

    def _curve(self, pieces: Stream) -> Curve:
        """Words over tags up to each token: its content is where it climbs most."""
        heights = np.append(0, np.cumsum(np.where(pieces.text, np.diff(pieces.edges), -1)))
        content = np.zeros(len(pieces.token), bool)
        if len(content):
            last = int(np.argmax(heights[1:] - np.minimum.accumulate(heights[:-1])))
            content[int(np.argmin(heights[: last + 1])) : last + 1] = True
        return Curve("tags and texts", "words over tags so far", heights[1:].astype(float), None, content)


@dataclass(frozen=True)
class DSCMethod(SourceMethod[Stream]):
    """Keeps the sections in which the curve of tags over tokens, words and tags, rises slowly.

    A window of ``window`` tokens moves by half of it. Its slope, tags per token, is low up to ``ratio`` of
    the page's. A section begins where ``run`` windows in a row are low, and ends where so many are not. With
    ``advanced``, Gottron's form (2008), the window moves token by token, and a token is content where the
    window around it is low and has more words than tags.

    The paper was not at hand. That half of the mean slope is low is from memory; so is the advanced form.
    Three windows, moved by half, are from a public implementation that names the paper; its window grows with
    the page from 8 tokens to 50.
    """

    cite: ClassVar[str] = (
        "Pinto, Branstein, Coleman, Croft, King, Li & Wei, QuASM: A System for Question Answering Using "
        "Semi-Structured Data, JCDL 2002"
    )
    window: int = 50
    ratio: float = 0.5
    run: int = 3
    advanced: bool = True

    def _pieces(self, tokens: SourceTokens) -> Stream:
        return words_of(tokens, 1)

    def _curve(self, pieces: Stream) -> Curve:
        """The number of tags so far, token by token."""
        tags = np.append(0, np.cumsum(np.repeat(~pieces.text, np.diff(pieces.edges))))
        if len(tags) == 1:
            content = np.zeros(0, bool)
        elif self.advanced:
            content = self._among_words(tags)
        else:
            content = self._sections(tags)
        return Curve("words and tags", "tags so far", tags[1:].astype(float), None, content)

    def _slopes(self, tags: NDArray[np.int64], start: NDArray[np.int64]) -> NDArray[np.float64]:
        """The slopes of the windows that begin there, cut at both ends: float[m]."""
        stop = np.minimum(start + self.window, len(tags) - 1)
        start = np.maximum(start, 0)
        return (tags[stop] - tags[start]) / (stop - start)

    def _sections(self, tags: NDArray[np.int64]) -> NDArray[np.bool_]:
        """Marks the n tokens in sections of low slope: bool[n]; takes the tags before each, int[n + 1]."""
        n = len(tags) - 1
        start = np.arange(0, n, max(self.window // 2, 1))
        low = self._slopes(tags, start) <= self.ratio * tags[-1] / n
        ahead = np.convolve(np.append(low, np.repeat(low[-1], self.run - 1)), np.ones(self.run), "valid")
        begins, ends = ahead == self.run, ahead == 0
        # What is neither is as before.
        known = np.maximum.accumulate(np.where(begins | ends, np.arange(len(low)), 0))
        content: NDArray[np.bool_] = begins[known].repeat(np.diff(np.append(start, n)))
        return content

    def _among_words(self, tags: NDArray[np.int64]) -> NDArray[np.bool_]:
        """Marks the n tokens amid more words than tags, with a low slope: bool[n]."""
        n = len(tags) - 1
        slopes = self._slopes(tags, np.arange(n) - self.window // 2)
        low: NDArray[np.bool_] = (slopes <= self.ratio * tags[-1] / n) & (slopes < _EVEN)
        return low
