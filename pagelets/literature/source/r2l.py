"""R2L: the letters of right-to-left scripts, where a source is dense with them.

Mohammadzadeh, Schweiggert & Nakhaeizadeh, ICSOFT 2011, as its successor DANAg tells it (KDIR 2011,
Section 2.3).
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, ClassVar

import numpy as np

from pagelets.literature.source.lines import LineMethod, Lines, written_lines
from pagelets.literature.source.regions import main_region
from pagelets.literature.source.verdicts import verdict_of
from pagelets.methods.base import Curve, Subject, Verdict

if TYPE_CHECKING:
    from pagelets.methods.source.tokens import SourceTokens


@dataclass(frozen=True)
class R2LMethod(LineMethod):
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
    gap: int = 20

    def judge(self, subject: Subject) -> Verdict:
        """The verdict on a page's blocks."""
        tokens, lines = subject.source, self._lines(subject.source)
        token = lines.token[lines.text]
        share = tokens.beyond_ascii[token] / np.maximum(lines.size[lines.text], 1)
        share *= self._curve(lines).content[lines.line[lines.text]]
        return verdict_of(len(subject.page.blocks), tokens.block[token], lines.size[lines.text], share)

    def _lines(self, tokens: SourceTokens) -> Lines:
        return written_lines(tokens)

    def _curve(self, lines: Lines) -> Curve:
        beyond = lines.tokens.beyond_ascii[lines.token]
        content = lines.sum(beyond)
        difference = content - lines.sum(lines.size - beyond)
        region = main_region(difference > 0, content, self.gap)
        return Curve("lines", "characters beyond ASCII over those of ASCII", difference, None, region)
