"""DANA: the lines of a source in which characters beyond ASCII outnumber those of ASCII.

Mohammadzadeh, Gottron, Schweiggert & Nakhaeizadeh, TIR 2011, as its successor DANAg tells it (KDIR 2011,
Sections 2.3 and 3).
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, ClassVar

from pagelets.literature.source.danag import paragraphs
from pagelets.literature.source.lines import LineMethod, Lines, written_lines

if TYPE_CHECKING:
    from pagelets.methods.base import Curve
    from pagelets.methods.source.tokens import SourceTokens


@dataclass(frozen=True)
class DANAMethod(LineMethod):
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

    def _lines(self, tokens: SourceTokens) -> Lines:
        return written_lines(tokens)

    def _curve(self, lines: Lines) -> Curve:
        beyond = lines.tokens.beyond_ascii[lines.token]
        curve = paragraphs(lines.sum(beyond), lines.sum(lines.size - beyond), self.gap)
        return curve._replace(label="characters beyond ASCII over those of ASCII, smoothed")
