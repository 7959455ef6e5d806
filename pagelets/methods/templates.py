"""What the site repeats is template: detection alone decides.

Bar-Yossef & Rajagopalan, WWW 2002, Section 4: a page's template pagelets are dropped. Beyond the paper, a
block that most pages of the site repeat goes too where its pagelet is no template, as a footer that a long
pagelet ends with.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from pagelets.methods.base import CONTENT, REPEATED, TEMPLATE, Verdict

if TYPE_CHECKING:
    from collections.abc import Sequence

    from pagelets.evidence import Evidence
    from pagelets.page import Page
    from pagelets.partition import Pagelet


class Templates:
    """Drops the blocks of template pagelets and, with ``blocks``, those that the site repeats."""

    def __init__(self, *, blocks: bool) -> None:
        self.blocks = blocks

    def judge(self, page: Page, pagelets: Sequence[Pagelet], evidence: Evidence) -> Verdict:
        """A mask that is false on template pagelets and repeated blocks."""
        reasons = [CONTENT] * len(page.blocks)
        if self.blocks:
            reasons = [REPEATED if repeated else CONTENT for repeated in evidence.repeated]
        for pagelet, template in zip(pagelets, evidence.templates, strict=True):
            if template:
                size = pagelet.stop - pagelet.start
                reasons[pagelet.start : pagelet.stop] = [TEMPLATE] * size
        return Verdict.certain(reasons)
