"""Links that say the same in each entry of a list: "Read more", "Details"."""

from __future__ import annotations

from collections import defaultdict
from typing import TYPE_CHECKING, Final

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from pagelets.methods.judged.kept_page import KeptPage

_LONGEST: Final = 6
"""Maximum number of words of such a link."""
_ENTRIES: Final = 3
"""The least number of entries that have it."""
_LINKED: Final = 0.8
"""The least share of its line that is the link."""
_SHARE: Final = 0.7
"""The least share of them that lead where another kept link does, such as the entry's title."""


def read_more(kept: KeptPage) -> NDArray[np.bool_]:
    """Marks lines that are one link and say the same on the page several times, if they lead to pages that
    other kept links lead to: bool[b].
    """
    page, mask = kept.page, kept.mask
    found = np.zeros(len(mask), bool)
    lines: defaultdict[str, dict[str, int]] = defaultdict(dict)
    for place in np.flatnonzero(mask & kept.linked & (kept.words > 0) & (kept.words <= _LONGEST)).tolist():
        block = page.blocks[place]
        if block.links.stop - block.links.start == 1:
            link = page.links[block.links.start]
            # Prices of entries may be equal.
            if len(link.text) >= _LINKED * len(block.text) and not any(map(str.isdigit, block.text)):
                lines[block.text].setdefault(_page_of(link.url), place)
    several = [places for places in lines.values() if len(places) >= _ENTRIES]
    if several:
        kept_links = [(_page_of(link.url), link.block) for link in page.links if mask[link.block]]
        last, first = dict(kept_links), dict(reversed(kept_links))
        for places in several:
            titled = sum(not first[url] == place == last[url] for url, place in places.items())
            if titled >= _SHARE * len(places):
                found[list(places.values())] = True
    return found


def _page_of(url: str) -> str:
    return url.partition("#more")[0]
