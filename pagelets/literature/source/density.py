"""Density: lines of long text that lie close to each other.

Moreno, Deschacht & Moens, DIR 2009.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from pagelets.literature.source.lines import LineMethod, Lines
from pagelets.literature.source.regions import Regions
from pagelets.methods.base import Curve


@dataclass(frozen=True)
class DensityMethod(LineMethod):
    """Keeps the region with the most text: lines of ``c1`` characters, no more than ``c2`` lines apart.

    Characters of markup do not count; lines between two of a region belong to it. The paper was not at hand:
    its values of c1 and c2 are not known here, and these were chosen on training folds. The source is
    normalised (`pagelets.literature.source.lines.normalised_lines`).
    """

    cite: ClassVar[str] = (
        "Moreno, Deschacht & Moens, Language Independent Content Extraction from Web Pages, DIR 2009"
    )
    c1: int = 40
    c2: int = 40

    def _curve(self, lines: Lines) -> Curve:
        lengths = lines.sum(lines.size * lines.text)
        region = np.zeros(len(lengths), bool)
        region[Regions.of(lengths >= self.c1, self.c2).largest(lengths)] = True
        return Curve("lines", "characters of text", lengths, None, region)
