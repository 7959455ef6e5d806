"""Agreement on the nodes of a page's template, as Alarte et al. measure it (PROLE 2014).

Their gold is the template of a page, marked by hand. Ours is the gold text of the content: a block is content
where at least half of its words stand in that text, in order, and template otherwise. So all that the gold
text leaves out counts as template, advertisements and related articles too.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from evaluation.scoring import Score
from pagelets.containers import Containers
from pagelets.literature.baselines.alignment import aligned
from pagelets.literature.baselines.extractors import KEPT_SHARE

if TYPE_CHECKING:
    from numpy.typing import ArrayLike, NDArray

    from pagelets.page import Page


def node_score(page: Page, kept: ArrayLike, gold: str) -> Score:
    """Compares the nodes that a method takes for template with those that are it by the gold text.

    Nodes are the page's blocks and the elements that hold them; an element is template unless all of its
    blocks are content. Two templates without nodes agree wholly, one without and one with nodes not at all.

    Args:
        page: the page.
        kept: True for each block that the method keeps.
        gold: the gold text of the content.

    """
    containers = Containers.of(page)
    found = _template(containers, np.asarray(kept, bool))
    wanted = _template(containers, aligned([block.text for block in page.blocks], gold) >= KEPT_SHARE)
    if not found.any() or not wanted.any():
        agreement = float(found.any() == wanted.any())
        return Score(agreement, agreement, agreement)
    shared, of_found, of_wanted = (int(nodes.sum()) for nodes in (found & wanted, found, wanted))
    return Score(2 * shared / (of_found + of_wanted), shared / of_found, shared / of_wanted)


def _template(containers: Containers, content: NDArray[np.bool_]) -> NDArray[np.bool_]:
    """Marks the elements with a block of the template, and behind them its blocks."""
    sums = np.concatenate([[0], np.cumsum(~content)])
    return np.concatenate([sums[containers.stop] > sums[containers.start], ~content])
