"""The lines of a source, for the methods that judge line by line."""

from __future__ import annotations

from abc import ABC, abstractmethod
from typing import TYPE_CHECKING, Final, NamedTuple

import numpy as np

from pagelets.literature.source.streams import counted
from pagelets.literature.source.verdicts import verdict_of
from pagelets.methods.base import Curve, Parameters, Subject, Verdict

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from pagelets.methods.source.tokens import SourceTokens

_ON_LINES_OF_THEIR_OWN: Final = frozenset(
    """address article aside blockquote body br center dd details dialog dir div dl dt fieldset figcaption
    figure footer form h1 h2 h3 h4 h5 h6 head header hr html li link main menu meta nav noscript ol option p
    pre section select summary table tbody td tfoot th thead title tr ul""".split()
)
"""Elements that no line goes beyond, where lines are normalised."""


class Lines(NamedTuple):
    """The l lines of a source that are not empty, and the n pieces of its ``tokens`` that they are made of.

    A piece is a tag, or what a line has of a text that the page shows: ``token`` int[n] is its token,
    ``size`` int[n] its characters, without a line end, ``line`` int[n] its line; ``text`` bool[n] tells texts
    from tags. Scripts, styles, comments and texts that the page does not show are left out.
    """

    tokens: SourceTokens
    token: NDArray[np.intp]
    text: NDArray[np.bool_]
    size: NDArray[np.int32]
    line: NDArray[np.intp]

    def sum(self, values: NDArray[np.integer] | NDArray[np.bool_]) -> NDArray[np.float64]:
        """The sum of a value of each piece (int[n] or bool[n]) over each line: float64[l]."""
        return np.bincount(self.line, values).astype(np.float64)

    def verdict(self, subject: Subject, content: NDArray[np.bool_]) -> Verdict:
        """The verdict on a page's blocks, given which lines are content (bool[l])."""
        block = self.tokens.block[self.token[self.text]]
        share = content[self.line[self.text]].astype(np.float64)
        return verdict_of(len(subject.page.blocks), block, self.size[self.text], share)


class LineMethod(Parameters, ABC):
    """A method that judges a source line by line, by a curve along its lines."""

    def judge(self, subject: Subject) -> Verdict:
        """The verdict on a page's blocks."""
        lines = self._lines(subject.source)
        return lines.verdict(subject, self._curve(lines).content)

    def curve(self, subject: Subject) -> Curve:
        """The curve along the lines of a page's source."""
        return self._curve(self._lines(subject.source))

    def _lines(self, tokens: SourceTokens) -> Lines:
        """The l lines of a source that it judges: normalised, where a subclass does not say otherwise."""
        return normalised_lines(tokens)

    @abstractmethod
    def _curve(self, lines: Lines) -> Curve:
        """The curve along l lines of a source, and which of them are content."""


def written_lines(tokens: SourceTokens) -> Lines:
    """The lines of a source as it is written."""
    token = counted(tokens)
    return _lines(tokens, token, np.diff(tokens.line[token], prepend=-1) > 0)


def normalised_lines(tokens: SourceTokens) -> Lines:
    """The lines of a source that were written in one and the same way, whatever its own lines are.

    A line begins before the start tag of an element that cannot stand within a line of text, and behind the
    end tags of such elements, which stay on the line that they end: a paragraph with its links is one line.
    """
    token = counted(tokens)
    block_level = tokens.named(_ON_LINES_OF_THEIR_OWN)[token]
    ends = block_level & (tokens.codes.take(tokens.start[token] + 1, mode="clip") == ord("/"))
    begins = block_level & ~ends
    begins[1:] |= ends[:-1] & ~ends[1:]
    return _lines(tokens, token, begins)


def _lines(tokens: SourceTokens, token: NDArray[np.intp], begins: NDArray[np.bool_]) -> Lines:
    """The lines of some tokens, given where each begins (bool[n])."""
    text = tokens.block[token] >= 0
    size = tokens.chars[token] - (text & (tokens.codes[tokens.start[token + 1] - 1] == ord("\n")))
    begins[:1] = True
    return Lines(tokens, token, text, size, np.cumsum(begins) - 1)


def cut(lines: Lines, width: int) -> Lines:
    """The lines, each cut after every ``width`` characters; a tag is in the line that it begins in."""
    first_of_line = np.flatnonzero(np.diff(lines.line, prepend=-1))
    start = np.cumsum(lines.size, dtype=np.int64) - lines.size
    start -= start[first_of_line][lines.line]
    stop = start + lines.size
    first = start // width
    count = np.where(lines.text, np.maximum(stop - 1, start) // width - first, 0) + 1
    owner = np.repeat(np.arange(len(count)), count)
    row = np.arange(len(owner)) - np.repeat(np.cumsum(count) - count - first, count)
    text = lines.text[owner]
    begin = np.maximum(start[owner], row * width)
    end = np.where(text, np.minimum(stop[owner], (row + 1) * width), stop[owner])
    begins = (np.diff(lines.line[owner], prepend=-1) > 0) | (np.diff(row, prepend=-1) != 0)
    return Lines(
        lines.tokens, lines.token[owner], text, (end - begin).astype(np.int32), np.cumsum(begins) - 1
    )
