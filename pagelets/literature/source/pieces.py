"""The pieces of a source that methods judge, its tokens in a row or its lines, and the verdict."""

from __future__ import annotations

from abc import ABC, abstractmethod
from typing import TYPE_CHECKING, Final, Generic, NamedTuple, TypeVar

import numpy as np

from pagelets.methods.base import Curve, Parameters, Subject, Verdict

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from pagelets.methods.source.tokens import SourceTokens

MARKUP: Final = "markup"
"""Why blocks go that a method finds among too much markup, or away from where most of the text is."""
_SHARE: Final = 0.5
"""The least share of content in the text of a block that is content."""

_SCRIPTS: Final = frozenset({"script", "style"})
_ON_LINES_OF_THEIR_OWN: Final = frozenset(
    """address article aside blockquote body br center dd details dialog dir div dl dt fieldset figcaption
    figure footer form h1 h2 h3 h4 h5 h6 head header hr html li link main menu meta nav noscript ol option p
    pre section select summary table tbody td tfoot th thead title tr ul""".split()
)
"""Elements that no line goes beyond, where lines are normalised."""


def verdict_of(
    blocks: int, block: NDArray[np.int32], size: NDArray[np.int32], share: NDArray[np.floating]
) -> Verdict:
    """Returns the verdict on a page's blocks, given the share of each of its n texts that lies in content.

    A block's score is the share of its text that lies in content, 0 for a block without text; it is content
    from a half on.

    Args:
        blocks: the number of blocks of the page.
        block: the block of each text, int32[n].
        size: the characters of each text, or another count of a method, int32[n].
        share: the share of each text that lies in content, 0 to 1, float[n].

    """
    whole = np.bincount(block, size, blocks)
    scores = np.bincount(block, size * share, blocks) / np.maximum(whole, 1)
    return Verdict.of(scores >= _SHARE, scores, MARKUP)


class Stream(NamedTuple):
    """The n tokens of a source that count, in order: ``token`` int[n] are their places among all.

    ``text`` bool[n] tells texts from tags; ``edges`` int[n + 1] is where each begins and the last one ends,
    counted in the units that a method counts, as characters or words. The pieces that are judged, m of them,
    lie between the ``borders`` int[m + 1].
    """

    token: NDArray[np.intp]
    text: NDArray[np.bool_]
    edges: NDArray[np.int64]
    borders: NDArray[np.int64]

    @classmethod
    def of(
        cls, token: NDArray[np.intp], text: NDArray[np.bool_], size: NDArray[np.integer], cell: int | None
    ) -> Stream:
        """Returns the stream of n tokens.

        Args:
            token: their places among all tokens of the source, int[n].
            text: which of them are texts, bool[n].
            size: their lengths in units of the method, int[n].
            cell: the units of a piece, None if each token is one.

        """
        edges = np.append(0, np.cumsum(size, dtype=np.int64))
        borders = edges if cell is None else np.append(np.arange(0, edges[-1], cell), edges[-1])
        return cls(token, text, edges, borders)

    def verdict(self, subject: Subject, content: NDArray[np.bool_]) -> Verdict:
        """The verdict on a page's blocks, given which pieces are content (bool[m])."""
        inside = np.append(0, np.cumsum(np.diff(self.borders) * content))
        size = np.diff(self.edges)
        share = np.diff(np.interp(self.edges, self.borders, inside)) / np.maximum(size, 1)
        block = subject.source.block[self.token[self.text]]
        return verdict_of(len(subject.page.blocks), block, size[self.text], share[self.text])


def counted(tokens: SourceTokens) -> NDArray[np.intp]:
    """The tokens that count: texts that the page shows, and tags but those of scripts and styles."""
    return np.flatnonzero((tokens.block >= 0) | (tokens.is_tag & ~tokens.named(_SCRIPTS)))


def words_of(tokens: SourceTokens, cell: int | None = None) -> Stream:
    """The stream in which each word of a text is a unit, and each tag; takes the ``cell`` of `Stream.of`."""
    token = counted(tokens)
    text = tokens.block[token] >= 0
    return Stream.of(token, text, np.where(text, tokens.words[token], 1), cell)


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


Pieces = TypeVar("Pieces", Stream, Lines)


class SourceMethod(Parameters, ABC, Generic[Pieces]):
    """A method that judges the pieces of a source by a curve along them."""

    def judge(self, subject: Subject) -> Verdict:
        """The verdict on a page's blocks."""
        pieces = self._pieces(subject.source)
        return pieces.verdict(subject, self._curve(pieces).content)

    def curve(self, subject: Subject) -> Curve:
        """The curve along a page's source."""
        return self._curve(self._pieces(subject.source))

    @abstractmethod
    def _pieces(self, tokens: SourceTokens) -> Pieces:
        """The pieces of a source that it judges."""

    @abstractmethod
    def _curve(self, pieces: Pieces) -> Curve:
        """The curve along the pieces of a source, and which of them are content."""


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
