"""A page whose blocks were chosen, as the steps that find boxes in it see it."""

from __future__ import annotations

from functools import cached_property
from typing import TYPE_CHECKING, Final, NamedTuple

import numpy as np

from pagelets.block_keys import tag_path_keys
from pagelets.methods.judged.labels import LONGEST, is_label
from pagelets.methods.judged.products import presents_product

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from pagelets.containers import Containers
    from pagelets.judging.page_facts import PageFacts
    from pagelets.page import Page

BEFORE: Final = 30
"""The expected words of a page before its first box, and the kept ones that are left."""


class _KeptPage(NamedTuple):
    page: Page
    containers: Containers
    evidence: PageFacts
    words: NDArray[np.float64]
    likely: NDArray[np.float64]
    mask: NDArray[np.bool_]


class KeptPage(_KeptPage):
    """A page of b blocks, the elements around them, and the site's facts on the page.

    Of each block ``words`` float64[b] are the number of its words, ``likely`` float64[b] the probability that
    it is content, and ``mask`` bool[b] tells if it is kept.
    """

    @cached_property
    def tag_paths(self) -> NDArray[np.uint32]:
        """The keys of the tag paths to its blocks, uint32[b]; who knows them already may set them."""
        return tag_path_keys(self.page, self.containers)

    @cached_property
    def presents_product(self) -> bool:
        """True if the page declares one product."""
        return presents_product(self.page)

    @cached_property
    def first(self) -> int:
        """The block behind the words of the page that stand before its first box."""
        return int(np.cumsum(self.likely * self.words).searchsorted(BEFORE))

    @cached_property
    def later(self) -> NDArray[np.bool_]:
        """Marks the containers behind these words of which something was kept: bool[n]."""
        containers = self.containers
        later: NDArray[np.bool_] = containers.start >= self.first
        return later & (containers.sums(self.words * self.mask) > 0)

    @cached_property
    def _leads(self) -> tuple[NDArray[np.int64], dict[int, str]]:
        leads = self.containers.leads(np.flatnonzero(self.words))
        blocks = self.page.blocks
        return leads, {lead: blocks[lead].text[: LONGEST + 1] for lead in set(leads[self.later].tolist())}

    def led_by(self, name: str, behind: str = "") -> NDArray[np.bool_]:
        """Marks the containers behind these words whose first text is a label: bool[n].

        Takes the file of labels, and a regular expression of what may follow them
        (`pagelets.methods.judged.labels`).
        """
        leads, texts = self._leads
        called = np.zeros(len(self.words) + 1, bool)
        called[[lead for lead, text in texts.items() if is_label(text, name, behind)]] = True
        return called[leads] & self.later
