"""All visible text is content: what every other method is measured against."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from pagelets.methods.base import CONTENT, Parameters, Subject, Verdict


@dataclass(frozen=True)
class AllTextMethod(Parameters):
    """Keeps every block."""

    cite: ClassVar[str] = "none: it judges nothing"
    reads_html: ClassVar[bool] = False

    def judge(self, subject: Subject) -> Verdict:
        """A mask that is true throughout."""
        return Verdict.certain([CONTENT] * len(subject.page.blocks))
