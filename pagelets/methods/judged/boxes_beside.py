"""Boxes beside an article: about its author, or a form to sign up to a newsletter."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

import numpy as np

from pagelets.bylines import author_names
from pagelets.methods.judged.other_pages import BEFORE, is_home

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from pagelets.containers import Containers
    from pagelets.methods.judged.kept_page import KeptPage
    from pagelets.page import Page

_PAGES: Final = 3
"""The least number of pages that each text of a box with a field stands on."""
_BEFORE_FORM: Final = 60
"""The words of a page that stand before such a box: listings have them between entries, too."""
_PLACED: Final = 0.1
"""The least share of the site's pages that have the tag path of the line that names an author."""
_BOX: Final = 120
"""Maximum number of words of a box."""
_ABOUT: Final = 10
"""Minimum number of words of a box about an author: a byline has fewer."""
_LEAD: Final = 40
"""Characters that may stand before the name of an author in the first line of their box."""
_INPUTS: Final = frozenset({"", "text", "email"})
"""The types of fields for an address."""


def boxes_beside(kept: KeptPage) -> NDArray[np.bool_]:
    """Marks boxes below the beginning of an article, bool[b]: those that begin with the name of its author,
    and those with a field for an address whose every text the site repeats.
    """
    page, containers, evidence, words, _, mask = kept
    nothing = np.zeros(len(words), bool)
    first, after_some = kept.opening(BEFORE), kept.opening(_BEFORE_FORM)
    if evidence.pages <= 1 or not mask[after_some:].any() or is_home(page):
        return nothing
    headline = kept.headline
    if not 0 <= headline <= first:
        return nothing
    start, stop, size = containers.start, containers.stop, kept.sizes
    boxes = (size <= _BOX) & (start >= after_some) & (containers.sums(words * mask) > 0)
    boxes &= (start > headline) | (stop <= headline)
    support = evidence.blocks
    once = np.maximum(support.pages, support.placed_pages) < _PAGES
    forms = boxes & (containers.sums(words * once) == 0)
    if forms.any():
        forms &= _fields(page, containers)
    authors = boxes & (start >= first) & (size >= _ABOUT)
    if authors.any():
        authors &= _about(kept, authors, support.tag_path_shares >= _PLACED)
    boxes = forms | authors
    if not boxes.any():
        return nothing
    marked: NDArray[np.bool_] = boxes[containers.nearest(boxes)[containers.of_block]]
    return marked


def _fields(page: Page, containers: Containers) -> NDArray[np.bool_]:
    """Marks the containers with one field for an address. Forms for orders have several, and fields for a
    number of pieces have a value.
    """
    tree = page.tree
    types, values = tree.attribute("type"), tree.attribute("value")
    places = [
        node
        for node in tree.of_tag("input")
        if types.get(node, "").lower() in _INPUTS and not values.get(node)
    ]
    found: NDArray[np.bool_] = containers.count(places) == 1
    return found


def _about(kept: KeptPage, boxes: NDArray[np.bool_], placed: NDArray[np.bool_]) -> NDArray[np.bool_]:
    """Marks the containers whose first line is that of one of some ``boxes`` (bool[n]), names an author, and
    stands at a place of its own: the posts of an author in a thread all begin so.
    """
    texts = [block.text for block in kept.page.blocks]
    begins = np.array([place for place, text in enumerate(texts) if text])
    leads = kept.containers.leads(begins)
    lines = [place for place in set(leads[boxes].tolist()) if placed[place]]
    if not lines:
        # Tag paths take time.
        return np.zeros(len(leads), bool)
    places, counts = np.unique(kept.tag_paths[begins], return_counts=True)
    alone = set(places[counts == 1].tolist())
    lines = [place for place in lines if kept.tag_paths[place] in alone]
    names = author_names(kept.page) if lines else ()
    found = np.zeros(len(texts) + 1, bool)
    found[
        [place for place in lines if any(name in texts[place][: len(name) + _LEAD].lower() for name in names)]
    ] = True
    return found[leads]
