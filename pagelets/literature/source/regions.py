"""Regions of lines in a row that reach a value, and the methods that keep the main one.

DANAg and AdDANAg (lines in which text outweighs markup): Mohammadzadeh, Gottron, Schweiggert & Nakhaeizadeh,
KDIR 2011, Section 3, and WEBIST 2012. DANA (lines in which characters beyond ASCII outnumber those of ASCII):
the same, TIR 2011; R2L (letters of right-to-left scripts): Mohammadzadeh, Schweiggert & Nakhaeizadeh, ICSOFT
2011; both as their successor DANAg tells them (KDIR 2011, Sections 2.3 and 3). Density (lines of long text
that lie close to each other): Moreno, Deschacht & Moens, DIR 2009.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, ClassVar, Final, NamedTuple

import numpy as np

from pagelets.literature.source.pieces import Lines, SourceMethod, normalised_lines, verdict_of, written_lines
from pagelets.methods.base import Curve, Subject, Verdict

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from pagelets.methods.source.tokens import SourceTokens

_LINKS: Final = frozenset({"a"})


class Regions(NamedTuple):
    """The r regions of l lines, in order: the slices ``start[i]:stop[i]``."""

    start: NDArray[np.intp]
    stop: NDArray[np.intp]

    @classmethod
    def of(cls, high: NDArray[np.bool_], gap: int = 0) -> Regions:
        """The regions of lines that are ``high`` (bool[l]); no more than ``gap`` others part those of one."""
        edges = np.flatnonzero(np.diff(high.astype(np.int8), prepend=0, append=0))
        start, stop = edges[::2], edges[1::2]
        apart = start[1:] - stop[:-1] > gap
        return cls(start[np.append(True, apart)[: len(start)]], stop[np.append(apart, True)[: len(stop)]])

    def largest(self, sizes: NDArray[np.float64]) -> slice:
        """The region with the largest sum of sizes (float64[l]), the first of several; none is empty."""
        if not len(self.start):
            return slice(0, 0)
        before = np.append(0, np.cumsum(sizes))
        return self._slice(int(np.argmax(before[self.stop] - before[self.start])))

    def around(self, region: slice) -> slice:
        """Returns the region that holds all of another one; an empty region is returned as it is."""
        if region.start == region.stop:
            return region
        return self._slice(int(self.start.searchsorted(region.start, "right")) - 1)

    def _slice(self, number: int) -> slice:
        return slice(int(self.start[number]), int(self.stop[number]))


def main_region(high: NDArray[np.bool_], sizes: NDArray[np.float64], gap: int) -> NDArray[np.bool_]:
    """The lines around the first paragraph: bool[l].

    That is the region of ``high`` lines (bool[l]) with the largest sum of sizes (float64[l]). Regions that no
    more than ``gap`` lines part from those that were found go with them, and the lines between them.
    """
    lines = np.zeros(len(high), bool)
    lines[Regions.of(high, gap).around(Regions.of(high).largest(sizes))] = True
    return lines


@dataclass(frozen=True)
class DANAgMethod(SourceMethod[Lines]):
    """Keeps the region of lines whose text is longer than their markup, smoothed over three lines.

    T1 and T2 are the characters of text and of tags in each line, diff their difference in a line and its two
    neighbours (Formula 1). The region of lines with diff > 0 that has the most text is the first paragraph.
    Further ones belong to the main content while no more than ``gap`` lines part two of them (20 in
    Section 3.3); the area from the first to the last is handed to the parser whole.

    Where the paper is silent: its "normalised source" is here one that breaks lines at block-level elements
    (`pagelets.literature.source.pieces.normalised_lines`); a missing neighbour counts 0.
    """

    cite: ClassVar[str] = (
        "Mohammadzadeh, Gottron, Schweiggert & Nakhaeizadeh, Extracting the Main Content of Web Documents "
        "Based on a Naive Smoothing Method, KDIR 2011"
    )
    gap: int = 20

    def _pieces(self, tokens: SourceTokens) -> Lines:
        return normalised_lines(tokens)

    def _curve(self, pieces: Lines) -> Curve:
        content, code = pieces.sum(pieces.size * pieces.text), pieces.sum(self._markup(pieces))
        return paragraphs(content, code, self.gap)

    def _markup(self, lines: Lines) -> NDArray[np.integer]:
        """Returns the characters that each of n pieces counts as markup: int[n]."""
        return lines.size * ~lines.text


@dataclass(frozen=True)
class AdDANAgMethod(DANAgMethod):
    """Keeps what DANAg keeps of a source whose links are written alike (AdDANAg).

    Two steps come before DANAg: the lines of the source are normalised, and what a link's syntax weighs is
    damped, so that text with many links stays text. The damping here: a start tag ``<a ...>`` counts as
    ``link`` characters, whatever its attributes.

    The text of the paper was not at hand, only its abstract: the two steps are from there, the length of a
    link is this project's (a tag without attributes).
    """

    cite: ClassVar[str] = (
        "Mohammadzadeh, Gottron, Schweiggert & Nakhaeizadeh, The Impact of Source Code Normalization on Main "
        "Content Extraction, WEBIST 2012"
    )
    link: int = 3

    def _markup(self, lines: Lines) -> NDArray[np.integer]:
        links = lines.tokens.named(_LINKS)[lines.token]
        return np.where(links, np.minimum(lines.size, self.link), super()._markup(lines))


def paragraphs(content: NDArray[np.float64], code: NDArray[np.float64], gap: int) -> Curve:
    """Returns the smoothed curve of the difference between content and code in each of l lines.

    Args:
        content: the characters of content of each line, float64[l].
        code: the characters of markup of each line, float64[l].
        gap: the most lines between two paragraphs of the main content.

    """
    difference = content - code
    smoothed = difference.copy()
    smoothed[1:] += difference[:-1]
    smoothed[:-1] += difference[1:]
    region = main_region(smoothed > 0, content, gap)
    return Curve("lines", "characters of text over those of markup, smoothed", smoothed, None, region)


@dataclass(frozen=True)
class DANAMethod(SourceMethod[Lines]):
    """Keeps the region of lines that have more characters beyond ASCII than of it, smoothed as by DANAg.

    For languages that are written without Latin letters: markup is ASCII. All text of the region is content,
    in whatever letters. ``gap`` is as of DANAg, whose paper calls phases two and three the same. The lines
    are read from the source as it is written.
    """

    cite: ClassVar[str] = (
        "Mohammadzadeh, Gottron, Schweiggert & Nakhaeizadeh, A Fast and Accurate Approach for Main Content "
        "Extraction Based on Character Encoding, TIR 2011"
    )
    gap: int = 20

    def _pieces(self, tokens: SourceTokens) -> Lines:
        return written_lines(tokens)

    def _curve(self, pieces: Lines) -> Curve:
        beyond = pieces.tokens.beyond_ascii[pieces.token]
        curve = paragraphs(pieces.sum(beyond), pieces.sum(pieces.size - beyond), self.gap)
        return curve._replace(label="characters beyond ASCII over those of ASCII, smoothed")


@dataclass(frozen=True)
class R2LMethod(DANAMethod):
    """Keeps the right-to-left characters of the area of lines that have more of them than of others.

    Each character beyond ASCII ([0, 127]) counts as right-to-left: the paper's rule, which takes other
    scripts for it, and loses the Latin words and the digits of the content. A block is content where half of
    its characters are right-to-left ones of the area.

    The area is the region with the most of them, and those that no more than ``gap`` lines part from it. The
    paper has such a parameter, P, and sets it anew for each site; 20 is what DANAg takes.
    """

    cite: ClassVar[str] = (
        "Mohammadzadeh, Schweiggert & Nakhaeizadeh, Using UTF-8 to Extract Main Content of Right to Left "
        "Language Web Pages, ICSOFT 2011"
    )

    def judge(self, subject: Subject) -> Verdict:
        """The verdict on a page's blocks."""
        tokens, lines = subject.source, self._pieces(subject.source)
        token = lines.token[lines.text]
        share = tokens.beyond_ascii[token] / np.maximum(lines.size[lines.text], 1)
        share *= self._curve(lines).content[lines.line[lines.text]]
        return verdict_of(len(subject.page.blocks), tokens.block[token], lines.size[lines.text], share)

    def _curve(self, pieces: Lines) -> Curve:
        beyond = pieces.tokens.beyond_ascii[pieces.token]
        content = pieces.sum(beyond)
        difference = content - pieces.sum(pieces.size - beyond)
        region = main_region(difference > 0, content, self.gap)
        return Curve("lines", "characters beyond ASCII over those of ASCII", difference, None, region)


@dataclass(frozen=True)
class DensityMethod(SourceMethod[Lines]):
    """Keeps the region with the most text: lines of ``c1`` characters, no more than ``c2`` lines apart.

    Characters of markup do not count; lines between two of a region belong to it. The paper was not at hand:
    its values of c1 and c2 are not known here, and these were chosen on training folds. The source is
    normalised (`pagelets.literature.source.pieces.normalised_lines`).
    """

    cite: ClassVar[str] = (
        "Moreno, Deschacht & Moens, Language Independent Content Extraction from Web Pages, DIR 2009"
    )
    c1: int = 40
    c2: int = 40

    def _pieces(self, tokens: SourceTokens) -> Lines:
        return normalised_lines(tokens)

    def _curve(self, pieces: Lines) -> Curve:
        lengths = pieces.sum(pieces.size * pieces.text)
        region = np.zeros(len(lengths), bool)
        region[Regions.of(lengths >= self.c1, self.c2).largest(lengths)] = True
        return Curve("lines", "characters of text", lengths, None, region)
