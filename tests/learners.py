"""A method that learns of a host, small enough for tests: texts that most of its pages have are template."""

from __future__ import annotations

import json
from collections import Counter
from dataclasses import dataclass
from typing import TYPE_CHECKING, ClassVar

from pagelets.methods.base import CONTENT, TEMPLATE, Parameters, Verdict

if TYPE_CHECKING:
    from pagelets.methods.base import SiteView, Subject

CITE = "none: for tests"


@dataclass(frozen=True)
class FrequentMethod(Parameters):
    """Learns which block texts stand on a ``share`` of a host's pages or more."""

    cite: ClassVar[str] = CITE
    share: float = 0.5
    sample: int = 20

    def learn(self, site: SiteView) -> bytes:
        counts: Counter[str] = Counter()
        pages = 0
        for subject in site.sample(self.sample):
            counts.update({block.text for block in subject.page.blocks})
            pages += 1
        known = sorted(text for text, count in counts.items() if count >= self.share * pages)
        return json.dumps(known).encode()

    def learned(self, model: bytes) -> KnownMethod:
        return KnownMethod(frozenset(json.loads(model)))


@dataclass(frozen=True)
class RareMethod(FrequentMethod):
    """Learns nothing: no text stands on more pages than there are."""

    share: float = 2.0


@dataclass(frozen=True)
class KnownMethod(Parameters):
    """Removes the blocks of these texts."""

    cite: ClassVar[str] = CITE
    texts: frozenset[str]

    def judge(self, subject: Subject) -> Verdict:
        return Verdict.certain(
            [TEMPLATE if block.text in self.texts else CONTENT for block in subject.page.blocks]
        )
