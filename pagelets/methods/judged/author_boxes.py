"""Boxes that tell of the author below an article: "About the author", "Written by"."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Final

import numpy as np

from pagelets.methods.judged.labels import AUTHOR

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from pagelets.methods.judged.kept_page import KeptPage

_FEWEST: Final = 7
_MOST: Final = 150
"""Words of such a box: a shorter one is the line that names who wrote the page."""
_SHARE: Final = 0.4
"""Maximum share of the kept words that they have: of a page about people it is most."""
_NAMED: Final = re.compile(
    r"\s(?:[a-z]{1,4}[-_]+)?(?:(?:about|post|entry|article|single|blog|content)[-_]*)*(?:the[-_]*)?author"
    r"(?:[-_]*(?:box|bio(?:graphy)?|info|card|profile|desc(?:ription)?|block|widget|area|section|about|"
    r"wrap(?:per)?|text|footer|bottom))+(?:__\w+)?\s|\s(?:about|meet)[-_]*(?:the[-_]*)?authors?\s",
    re.IGNORECASE,
)
"""Classes and ids of their elements."""
_HINTS: Final = ("author",)


def author_boxes(kept: KeptPage) -> NDArray[np.bool_]:
    """Marks boxes about an author below some of the page's own text, by their first line, class or id:
    bool[b]. On the page of a product, such as a book, they are content.
    """
    containers, words = kept.containers, kept.words
    boxes = kept.behind & (kept.led_by(AUTHOR) | containers.named(_NAMED, _HINTS))
    if not boxes.any() or kept.presents_product:
        return np.zeros(len(words), bool)
    sizes, values = kept.sizes, words * kept.mask
    marked = containers.mask(containers.nodes[boxes & (sizes >= _FEWEST) & (sizes <= _MOST)])
    return marked if values[marked].sum() <= _SHARE * values.sum() else np.zeros(len(words), bool)
