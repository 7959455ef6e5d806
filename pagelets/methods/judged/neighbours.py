"""Boxes and lines that lead to the page before or after: "Previous article", its title, and how it begins."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Final

import numpy as np

from pagelets.methods.judged.labels import NEIGHBOURS

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from pagelets.methods.judged.kept_page import KeptPage

_BLOCKS: Final = 12
"""Maximum number of blocks of such a box: a list of many entries may begin with the link to older ones."""
_LINKED: Final = 0.5
"""The least share of its words that are in blocks with links, or in links."""
_NAMED: Final = re.compile(
    r"\s(?:(?:[a-z]{1,3}|posts?|entry|articles?|blog|page|site|content)[-_]+)*(?:pagination|pager|prev(?:ious)?|"
    r"nav(?:igation)?[-_]?(?:links|prev(?:ious)?|next)|(?:post|article)[-_]?nav(?:igation)?)(?:[-_]\w+)?\s",
    re.IGNORECASE,
)
"""Classes and ids of such boxes."""
_HINTS: Final = ("pag", "prev", "nav")


def neighbours(kept: KeptPage) -> NDArray[np.bool_]:
    """Marks boxes whose first line, class or id says that they lead to the page before or after, and such
    lines of links, behind some of the page's own text: bool[b].
    """
    containers, words, mask = kept.containers, kept.words, kept.mask
    boxes = kept.led_by(NEIGHBOURS) | kept.behind & containers.named(_NAMED, _HINTS)
    boxes &= containers.stop - containers.start <= _BLOCKS
    if boxes.any():
        linked = containers.mask(containers.nodes[containers.numbered({"a": 1}) > 0])
        boxes &= containers.sums(words * (linked | kept.linked)) >= _LINKED * kept.sizes
    lines = kept.lines_of(NEIGHBOURS)
    if not boxes.any() and not lines:
        return np.zeros(len(words), bool)
    marked = containers.mask(containers.nodes[boxes])
    marked[lines] = True
    left = (words * mask)[~marked].sum()
    return marked if left >= kept.least else np.zeros(len(words), bool)
