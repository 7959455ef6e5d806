"""Small boxes among a page's own text, led by a label such as "Facts": pages share it, and not the text."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

import numpy as np

from pagelets.methods.judged.labels import kind_of

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from pagelets.methods.judged.kept_page import KeptPage

_LABEL: Final = 4
"""Maximum number of words of a label."""
_PAGES: Final = 5
"""The least number of pages that have it at its tag path."""
_SAID: Final = 0.5
"""Maximum share of these that have a text below it."""
_BLOCKS: Final = 12
"""Maximum number of blocks of a box."""
_LEAST: Final = 4
"""The least number of words below the label."""


def fact_boxes(kept: KeptPage, never: NDArray[np.bool_]) -> NDArray[np.bool_]:
    """Marks the removed texts of a box without links that begins with a label of several pages, between kept
    texts, if each text below it stands on few of them: bool[b].

    Args:
        kept: the page, of b blocks.
        never: the blocks that are not taken, bool[b].

    """
    found, words, mask = np.zeros(len(never), bool), kept.words, kept.mask
    support, containers, spoken = kept.evidence.blocks, kept.containers, kept.spoken
    texts, said = kept.kept_texts(), np.maximum(support.pages, support.placed_pages)
    if kept.is_alone or not len(texts):
        return found
    label = ~(never | kept.linked) & (words <= _LABEL) & (support.placed_pages >= _PAGES)
    own, first = spoken[1:], spoken[:-1]
    led = label[first] & ~(mask | never)[own] & (said[own] <= _SAID * support.placed_pages[first])
    led &= (first > texts[0]) & (own < texts[-1])
    for place in first[led].tolist():
        box = int(containers.parent[containers.of_block[place]])
        start, stop = int(containers.start[box]), int(containers.stop[box])
        if stop - start > _BLOCKS or texts[-1] < stop:
            continue
        inside = start + np.flatnonzero(words[start:stop])
        own = inside[1:]
        if (
            len(own)
            and inside[0] == place
            and not (never | kept.linked)[inside].any()
            and words[own].sum() >= _LEAST
            and (said[own] <= _SAID * support.placed_pages[place]).all()
            and kind_of(kept.page.blocks[place].text) is None
        ):
            found[inside] = True
    return found & ~mask
