"""Texts of a form among what is kept: filters and searches of listings, which few pages have."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

import numpy as np

from pagelets.quantities import states_price

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from pagelets.methods.judged.kept_page import KeptPage

_FORMS: Final = {"form": 1, "fieldset": 2}
_CONTROLS: Final = ("input", "select", "textarea")
_LONGEST: Final = 12
"""Maximum number of words of such a text."""
_MOST: Final = 0.2
"""Maximum share of the kept words that are in a form: some sites have the whole page in one."""
_PAGES: Final = 3
"""The least number of pages that say the same there."""


def form_texts(kept: KeptPage) -> NDArray[np.bool_]:
    """Marks short kept texts, but for headings and prices, in a form with controls, or a set of them, that
    several pages have there: bool[b].
    """
    words, containers = kept.words * kept.mask, kept.containers
    found = np.zeros(len(words), bool)
    if not any(tag in kept.page.tree.tag_places for tag in _FORMS):
        return found
    short = (words > 0) & (words <= _LONGEST) & (kept.evidence.blocks.placed_pages >= _PAGES) & ~kept.headed
    if not short.any():
        return found
    tree = kept.page.tree
    tags = [tree.tag_places[tag] for tag in _CONTROLS if tag in tree.tag_places]
    controls = np.flatnonzero(np.isin(tree.tag, tags)).tolist()
    kinds = containers.numbered(_FORMS)
    forms = (kinds > 1) | ((kinds > 0) & (containers.count(controls) > 0))
    forms &= containers.sums(words) <= _MOST * words.sum()
    found = short & containers.mask(containers.nodes[forms])
    for place in np.flatnonzero(found).tolist():
        found[place] = not states_price(kept.page.blocks[place].text)
    return found
