"""A method with a curve, small enough for tests: long blocks are content."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, ClassVar

import numpy as np

from pagelets.methods.base import CONTENT, TEMPLATE, Curve, Parameters, Verdict

if TYPE_CHECKING:
    from pagelets.methods.base import Subject


@dataclass(frozen=True)
class LengthMethod(Parameters):
    """Keeps the blocks of so many characters."""

    cite: ClassVar[str] = "none: for tests"
    chars: int = 20

    def curve(self, subject: Subject) -> Curve:
        lengths = np.array([len(block.text) for block in subject.page.blocks], np.float64)
        return Curve("blocks", "characters", lengths, self.chars, lengths >= self.chars)

    def judge(self, subject: Subject) -> Verdict:
        return Verdict.certain([CONTENT if kept else TEMPLATE for kept in self.curve(subject).content])
