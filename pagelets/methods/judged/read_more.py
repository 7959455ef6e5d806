"""Links that say the same in each entry of a list: "Read more", "Details", "Read more of TITLE"."""

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
    """Marks lines that are one link and say the same on the page several times, but for the text of another
    kept link to the same page, if they lead to pages that other kept links lead to: bool[b].
    """
    page, mask = kept.page, kept.mask
    found = np.zeros(len(mask), bool)
    lines: defaultdict[tuple[bool, str], dict[str, int]] = defaultdict(dict)
    titles: dict[str, str] = {}
    for place in np.flatnonzero(mask & kept.linked & (kept.words > 0)).tolist():
        block = page.blocks[place]
        links = page.links[block.links]
        if len(links) == 1 and len(links[0].text) >= _LINKED * len(block.text):
            url = _page_of(links[0].url)
            title = titles.setdefault(url, block.text)
            is_titled = title != block.text and title in block.text
            text = block.text.replace(title, "", 1) if is_titled else block.text
            # Prices of entries may be equal.
            if len(text.split()) <= _LONGEST and not any(map(str.isdigit, text)):
                lines[is_titled, text].setdefault(url, place)
    several = {line: places for line, places in lines.items() if len(places) >= _ENTRIES}
    if several:
        kept_links = [(_page_of(link.url), link.block) for link in page.links if mask[link.block]]
        last, first = dict(kept_links), dict(reversed(kept_links))
        for (is_titled, _), places in several.items():
            # Of one title in several entries it is another text.
            if is_titled and len({titles[url] for url in places}) < len(places):
                continue
            titled = sum(not first[url] == place == last[url] for url, place in places.items())
            if titled >= _SHARE * len(places):
                found[list(places.values())] = True
    return found


def _page_of(url: str) -> str:
    return url.partition("#more")[0]
