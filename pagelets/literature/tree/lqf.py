"""LQF, the link quota filter: elements most of whose text is links go.

Mantratzis, Orgun & Cassidy, "Separating XHTML Content from Navigation Clutter Using DOM-Structure Block
Analysis", Hypertext 2005; the name and the quotas 0.25, 0.5 and 0.75 are Gottron's ("Evaluating Content
Extraction on HTML Documents", ITA 2007).
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar, Final

from pagelets.literature.tree.linked import inner, linked_words, scores, verdict
from pagelets.methods.base import Parameters, Subject, Verdict

LINKS: Final = "links"


@dataclass(frozen=True)
class LqfMethod(Parameters):
    """Drops each element of whose words more than ``quota`` stand in links, with all that is in it.

    The papers were not at hand: the quotas are from memory. The choices of ours: text is counted in words; an
    element is measured by what is left of it when elements inside it have gone; the root and the body never
    go.
    """

    cite: ClassVar[str] = (
        "Mantratzis, Orgun & Cassidy, Separating XHTML Content from Navigation Clutter Using DOM-Structure "
        "Block Analysis, Hypertext 2005"
    )
    quota: float = 0.5

    def judge(self, subject: Subject) -> Verdict:
        """A mask that is false on elements that are mostly links; a score of 0.5 is at the quota."""
        containers = subject.containers
        counted = linked_words(subject.page, containers)
        block_scores = scores(containers, inner(containers), counted.linked, counted.words, self.quota)
        return verdict(block_scores, LINKS)
