"""k-MIB on a page alone: the subtrees that hold most text outside links.

Kao, Ho & Chen, "WISDOM: Web Intrapage Informative Structure Mining Based on Document Object Model", IEEE
TKDE 17(5), 2005.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, ClassVar, Final

import numpy as np

from pagelets.literature.tree.linked import linked_words, verdict
from pagelets.literature.tree.mib import CoverageTree, Floats
from pagelets.methods.base import Parameters, Subject, Verdict

if TYPE_CHECKING:
    from pagelets.containers import Containers

UNINFORMATIVE: Final = "uninformative"

CITE: Final = (
    "Kao, Ho & Chen, WISDOM: Web Intrapage Informative Structure Mining Based on Document Object Model, "
    "IEEE TKDE 17(5), 2005"
)


@dataclass(frozen=True)
class KMibMethod(Parameters):
    """Keeps the at most ``k`` subtrees that MIB(k, f, ST) finds, expanded and condensed; ``threshold`` is ST.

    f is CII, which is CLEN here: the words outside links. What API is a page alone cannot tell: it is 0, and
    ALEN, the words in links, informs of nothing. Expansion takes in the siblings of what was found that have
    its tag. Condensation takes out each part of whose words less than ``share`` inform. How these two go, k,
    ST and the share are known from summaries of the paper that leave them open: they are this project's,
    chosen on the pages of its corpora.
    """

    cite: ClassVar[str] = CITE
    k: int = 1
    threshold: float = 0.6
    share: float = 0.25

    def judge(self, subject: Subject) -> Verdict:
        """A mask that is true on informative blocks; scores are 0 or 1."""
        containers = subject.containers
        counted = linked_words(subject.page, containers)
        return self.mined(containers, counted.words - counted.linked, counted.words)

    def mined(self, containers: Containers, informs: Floats, words: Floats) -> Verdict:
        """Returns the verdict on b blocks.

        Args:
            containers: the elements around the blocks.
            informs: the words of each block that inform, float64[b].
            words: all words of each block, float64[b].

        """
        tree = CoverageTree.of(containers)
        values = tree.aggregated(informs)
        informative = tree.inside(tree.expanded(tree.informative(values, self.k, self.threshold)))
        informative &= ~tree.inside(values < self.share * tree.aggregated(words))
        return verdict(informative.astype(np.float64), UNINFORMATIVE)
