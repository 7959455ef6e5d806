"""A page whose blocks were chosen, as the steps that find boxes in it see it."""

from __future__ import annotations

from functools import cached_property
from typing import TYPE_CHECKING, NamedTuple

from pagelets.block_keys import tag_path_keys
from pagelets.methods.judged.products import presents_product

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from pagelets.containers import Containers
    from pagelets.judging.page_facts import PageFacts
    from pagelets.page import Page


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
