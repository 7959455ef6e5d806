"""All visible text is content: what every other method is measured against."""

from __future__ import annotations

from typing import TYPE_CHECKING

from pagelets.methods.base import CONTENT, Verdict

if TYPE_CHECKING:
    from collections.abc import Sequence

    from pagelets.evidence import Evidence
    from pagelets.page import Page
    from pagelets.partition import Pagelet


class AllText:
    """Keeps every block."""

    def judge(self, page: Page, pagelets: Sequence[Pagelet], evidence: Evidence) -> Verdict:
        """A mask that is true throughout."""
        del pagelets, evidence
        return Verdict.certain([CONTENT] * len(page.blocks))
