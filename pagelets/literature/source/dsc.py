"""DSC, the document slope curve: where the number of tags grows slowly along a page.

Pinto, Branstein, Coleman, Croft, King, Li & Wei, JCDL 2002.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, ClassVar, Final

import numpy as np

from pagelets.literature.source.streams import Stream, words_of
from pagelets.methods.base import Curve, Parameters, Subject, Verdict

if TYPE_CHECKING:
    from numpy.typing import NDArray


_EVEN: Final = 0.5
"""The slope of a curve where there are as many words as tags."""


@dataclass(frozen=True)
class DSCMethod(Parameters):
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

    def judge(self, subject: Subject) -> Verdict:
        """The verdict on a page's blocks."""
        stream = words_of(subject.source)
        return stream.verdict(subject, np.arange(stream.edges[-1] + 1), self._curve(stream).content)

    def curve(self, subject: Subject) -> Curve:
        """The number of tags so far, token by token."""
        return self._curve(words_of(subject.source))

    def _curve(self, stream: Stream) -> Curve:
        tags = np.append(0, np.cumsum(np.repeat(~stream.text, np.diff(stream.edges))))
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
        slopes: NDArray[np.float64] = (tags[stop] - tags[start]) / (stop - start)
        return slopes

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
