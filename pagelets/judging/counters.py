"""Counters: blocks that say on most pages of a site the same but for a number, such as "1,234 views"."""

from __future__ import annotations

from collections import Counter
from functools import lru_cache
from typing import TYPE_CHECKING, Final

import numpy as np

from pagelets.block_keys import placed_key
from pagelets.counts import (
    LONGEST,
    NAMED_SHARE,
    NUMBER,
    SHARE,
    counts_entries,
    least_share,
    written_forms,
)
from pagelets.page import HEADING_TAGS, Page

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from pagelets.judging.page_facts import BlockSupport
    from pagelets.judging.support import SupportTables

FEWEST_PAGES: Final = 10
_FEWEST_NAMED: Final = 3
"""The same of a text that names an event of the site, or says which entries of a listing a page has."""


@lru_cache(maxsize=1 << 12)
def _placed_keys(forms: tuple[str, ...], tag_path: int) -> NDArray[np.int64]:
    return np.array([placed_key(form, tag_path) for form in forms], np.int64)


def counters(
    page: Page, keys: NDArray[np.void], blocks: BlockSupport, tables: SupportTables
) -> NDArray[np.float32]:
    """Returns the share of the site's pages on which each counter stands, 0 for blocks that are none.

    A counter stands once at its tag path, and is no code. At most half of the pages that have it there have
    the same number, unless it names an event of the site: lists of what is read most repeat such numbers.

    Args:
        page: a page of b blocks.
        keys: their keys, an array of `pagelets.block_keys.BLOCK_KEYS`.
        blocks: their support.
        tables: the support of all blocks of the site.

    """
    counted = np.zeros(len(page.blocks), np.float32)
    frequent = blocks.tag_path_shares >= NAMED_SHARE
    tag_paths = keys["tag_path"].tolist()
    masked = {
        place: (NUMBER.sub("0", text), tag_paths[place])
        for place in np.flatnonzero(blocks.tag_path_pages >= _FEWEST_NAMED).tolist()
        if len(text := page.blocks[place].text) <= LONGEST
        and any(map(str.isdecimal, text))
        and (frequent[place] or counts_entries(text))
    }
    # Above and below a listing it says the same.
    texts = {place: page.blocks[place].text for place in masked}
    lines = {(line, texts[at] if counts_entries(texts[at]) else at) for at, line in masked.items()}
    times = Counter(line for line, _ in lines)
    for place, line in masked.items():
        if times[line] > 1:
            continue
        block = page.blocks[place]
        least, tag = least_share(block.text), page.tree.tags[block.node]
        if least is None or tag == "pre" or (least == SHARE and tag in HEADING_TAGS):
            continue
        pages, shares = tables.placed(_placed_keys(tuple(written_forms(block.text)), tag_paths[place]))
        total = float(pages.sum())
        same = int(blocks.pages[place]) if least == SHARE else 0
        fewest = FEWEST_PAGES if least == SHARE else _FEWEST_NAMED
        if total < max(fewest, 2 * same):
            continue
        share = total / float((pages[pages > 0] / shares[pages > 0]).max())
        if share >= least - 1e-6:
            counted[place] = min(share, 1.0)
    return counted
