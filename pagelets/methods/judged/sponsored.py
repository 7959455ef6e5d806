"""Entries that somebody pays for: a label says so."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Final

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from pagelets.containers import Containers
    from pagelets.page import Page

_LABEL: Final = 6
"""Maximum number of words of a label."""
_MORE: Final = 3
"""The least number of words of an entry beside its label."""
_ENTRY: Final = 120
"""Maximum number of words of an entry."""
_SPONSORED: Final = re.compile(
    r"\W*(?:(?:sponsored|promoted(?: by\b| content\b| post\b|\W*$)|paid (?:post|content|partnership)|"
    r"partner content|advertorial|gesponsert\w*|(?:contenu )?sponsorisée?s?|patrocinad[oa]s? por|"
    r"(?:contenido|conteúdo) patrocinado|(?:contenuto )?sponsorizzat[oi]|gesponsord\w*|sponsrat|sponsrad|"
    r"sponsoreret|sponset|(?:artykuł )?sponsorowan[ey]|на правах рекламы|партн[её]рский материал|sponsorlu|"
    r"szponzorált|được tài trợ)(?!\w)|提供：|赞助内容|贊助內容|प्रायोजित)",
    re.IGNORECASE,
)

_HINTS: Final = (
    "spons", "szponz", "promoted", "paid ", "partner content", "advertorial", "patrocinad", "на правах",
    "партн", "được", "提供", "赞助", "贊助", "प्रायोजित",
)  # fmt: skip
"""Of which each label has one, in lower case. They are faster to look for."""


def sponsored_entries(page: Page, containers: Containers, words: NDArray[np.float64]) -> NDArray[np.bool_]:
    """Marks the entries whose first line labels them as paid: bool[b]. An entry is the smallest element that
    holds more than the label; one with the headline of a page is no entry.

    Args:
        page: a page of b blocks.
        containers: the elements around them.
        words: the words of the blocks, float64[b].

    """
    blocks = page.blocks
    marked = np.zeros(len(blocks), bool)
    short = np.flatnonzero((words > 0) & (words <= _LABEL)).tolist()
    lowered = "\n".join([blocks[place].text for place in short]).lower()
    if not any(hint in lowered for hint in _HINTS):
        return marked
    labels = [place for place in short if _SPONSORED.match(blocks[place].text)]
    if not labels:
        return marked
    size = containers.sums(words)
    headings = containers.sums(np.array([page.tree.tags[block.node] == "h1" for block in blocks], float))
    texts = np.flatnonzero(words)
    for label in labels:
        around = int(containers.of_block[label])
        while around and size[around] < words[label] + _MORE:
            around = int(containers.parent[around])
        start, stop = int(containers.start[around]), int(containers.stop[around])
        begins_with_label = texts[texts.searchsorted(start)] == label
        if around and begins_with_label and size[around] <= _ENTRY and not headings[around]:
            marked[start:stop] = True
    return marked
