"""DANAg and AdDANAg: the lines of a source in which text outweighs markup.

Mohammadzadeh, Gottron, Schweiggert & Nakhaeizadeh, KDIR 2011, Section 3, and WEBIST 2012.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, ClassVar, Final

import numpy as np

from pagelets.literature.source.lines import LineMethod, Lines
from pagelets.literature.source.regions import main_region
from pagelets.methods.base import Curve

if TYPE_CHECKING:
    from numpy.typing import NDArray

_LINKS: Final = frozenset({"a"})


@dataclass(frozen=True)
class DANAgMethod(LineMethod):
    """Keeps the region of lines whose text is longer than their markup, smoothed over three lines.

    T1 and T2 are the characters of text and of tags in each line, diff their difference in a line and its two
    neighbours (Formula 1). The region of lines with diff > 0 that has the most text is the first paragraph.
    Further ones belong to the main content while no more than ``gap`` lines part two of them (20 in
    Section 3.3); the area from the first to the last is handed to the parser whole.

    Where the paper is silent: its "normalised source" is here one that breaks lines at block-level elements
    (`pagelets.literature.source.lines.normalised_lines`); a missing neighbour counts 0.
    """

    cite: ClassVar[str] = (
        "Mohammadzadeh, Gottron, Schweiggert & Nakhaeizadeh, Extracting the Main Content of Web Documents "
        "Based on a Naive Smoothing Method, KDIR 2011"
    )
    gap: int = 20

    def _curve(self, lines: Lines) -> Curve:
        content, code = lines.sum(lines.size * lines.text), lines.sum(self._markup(lines))
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
