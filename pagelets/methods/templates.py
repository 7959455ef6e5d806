"""Repeated parts of a site are template: detection alone decides.

Bar-Yossef & Rajagopalan, WWW 2002, Section 3.2: a page's template pagelets are dropped. Beyond the paper, a
block that most pages of the site repeat goes too where its pagelet is no template, as a footer that a long
pagelet ends with.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from pagelets.methods.base import CONTENT, REPEATED, TEMPLATE, Parameters, Subject, Verdict


@dataclass(frozen=True)
class TemplatesMethod(Parameters):
    """Drops the blocks of template pagelets and, with ``blocks``, those that the site repeats.

    Of a page whose site is not known it keeps all.
    """

    cite: ClassVar[str] = (
        "Bar-Yossef & Rajagopalan, Template Detection via Data Mining and its Applications, WWW 2002"
    )
    reads_html: ClassVar[bool] = False
    blocks: bool = True

    def judge(self, subject: Subject) -> Verdict:
        """A mask that is false on template pagelets and repeated blocks."""
        evidence = subject.facts
        reasons = [REPEATED if repeated and self.blocks else CONTENT for repeated in evidence.repeated]
        for pagelet, template in zip(subject.pagelets, evidence.templates, strict=True):
            if template:
                size = pagelet.stop - pagelet.start
                reasons[pagelet.start : pagelet.stop] = [TEMPLATE] * size
        return Verdict.certain(reasons)
