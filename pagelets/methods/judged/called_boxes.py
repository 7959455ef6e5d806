"""Boxes that are called other pages or products: "related articles", "customers also bought"."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

import numpy as np

from pagelets.methods.judged.headlines import heading_of
from pagelets.methods.judged.kept_page import KeptPage
from pagelets.methods.judged.labels import PAGES
from pagelets.methods.judged.other_pages import HINTS, NAMED, is_home

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from pagelets.methods.base import Subject

_SHARE: Final = 0.4
_KNOWN_SHARE: Final = 0.7
"""Maximum share of the kept words that boxes have, of a page alone and of one of a known site. Of listings it
is most. The page of one product, and a known site's boxes that both a line and a name call so, need none.
"""
_LABEL: Final = 12
"""Maximum number of words of an element that holds the label of a box alone."""


def called_boxes(kept: KeptPage) -> NDArray[np.bool_]:
    """Marks boxes whose first line, class or id calls them so, and lines of links whose beginning does, below
    some of the page's own text: bool[b].
    """
    page, containers, _, words, _, mask = kept
    led, named = kept.led_by(PAGES), containers.named(NAMED, HINTS)
    boxes = kept.behind & (led | named)
    lines = kept.lines_of(PAGES)
    if not boxes.any() and not lines:
        return np.zeros(len(words), bool)
    boxes &= (containers.start > kept.headline) | (containers.stop <= kept.headline)
    boxes &= containers.count(page.tree.of_tag("h1")) == 0
    # What is around a box with a name begins with its label, too.
    called = boxes & led & named
    outer = led & ~named & np.isin(kept.leads, kept.leads[called])
    boxes &= ~(outer & np.isin(kept.leads, kept.leads[called & (kept.sizes > _LABEL)]))
    sure = boxes & ~outer if kept.presents_product else called & (not kept.is_alone)
    share, values = _SHARE if kept.is_alone else _KNOWN_SHARE, words * mask
    for taken, most in ((boxes, share), (sure, 1.0)) if sure.any() else ((boxes, share),):
        marked = containers.mask(containers.nodes[taken])
        marked[lines] = True
        if values[~marked].sum() >= max(kept.least, (1 - most) * values.sum()):
            return marked
    return np.zeros(len(words), bool)


def marked_boxes(subject: Subject) -> NDArray[np.bool_]:
    """Marks all boxes of a page of a known site that are called so, whether they are kept or not: bool[b]."""
    kept = KeptPage.whole(subject)
    heading = heading_of(kept.page, kept.headline)
    if heading < 0 or is_home(kept.page):
        return ~kept.mask
    boxes = called_boxes(kept)
    boxes[: heading + 1] = False
    return boxes
