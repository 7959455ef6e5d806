"""Short lines of a template among a page's own texts: what readers may do, whom to call, labels alone."""

from __future__ import annotations

import re
from collections import Counter
from typing import TYPE_CHECKING, Final

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from pagelets.methods.judged.kept_page import KeptPage

_PAGES: Final = 5
"""The least number of pages that have such a line at its tag path."""
_ALL: Final = 0.95
"""The least share of the pages with this tag path that say the same there."""
_WORDS: Final = 3
"""The least number of words of what readers may do: names ("java.lang.Object") are shorter."""
_CALLED: Final = 10
"""The least number of pages that have a line with a number to call or an address to write to."""
_CALL: Final = re.compile(r"(?<![\w./-])\+?\(?\d(?:[\s().-]{0,2}\d){8,14}(?![\w./:-])|[\w.+-]@[\w-]+\.\w")
_LABELLED: Final = 3
"""The least number of pages that have a label."""
_LABEL: Final = 8
"""Maximum number of words of a label, and of a line with a number to call."""
_COLONS: Final = (":", "：")


def actions(kept: KeptPage) -> NDArray[np.bool_]:
    """Marks lines with a link that stand once at their tag path, where all of the site's pages that have it
    say the same ("Be the first to review this product"), but for headings and numbers: bool[b].
    """
    support = kept.evidence.blocks
    found = kept.mask & kept.linked & ~kept.headed & (support.pages >= _PAGES)
    found &= support.placed_pages >= np.maximum(_PAGES, _ALL * support.tag_path_pages)
    if not found.any():
        return found
    times = Counter(kept.tag_paths[kept.spoken].tolist())
    for place in np.flatnonzero(found).tolist():
        text = kept.page.blocks[place].text
        once = times[int(kept.tag_paths[place])] == 1
        found[place] = once and len(text.split()) >= _WORDS and not any(map(str.isdigit, text))
    return found


def calls(kept: KeptPage) -> NDArray[np.bool_]:
    """Marks lines with a telephone number or an e-mail address that all of the site's pages with their tag
    path have there ("Tel: 0123 456789"), but for headings: bool[b].
    """
    support = kept.evidence.blocks
    found = kept.mask & ~kept.headed & (kept.words <= _LABEL)
    found &= np.minimum(support.pages, support.placed_pages) >= np.maximum(
        _CALLED, _ALL * support.tag_path_pages
    )
    for place in np.flatnonzero(found).tolist():
        found[place] = _CALL.search(kept.page.blocks[place].text) is not None
    return found


def labels_alone(kept: KeptPage) -> NDArray[np.bool_]:
    """Marks kept labels with a colon ("Follow us:") that several pages have, if the next text is removed:
    bool[b].
    """
    spoken = kept.spoken
    followed = np.append(kept.mask[spoken[1:]], False)
    repeated = (kept.evidence.blocks.pages >= _LABELLED) & (kept.words <= _LABEL) & kept.mask
    found = np.zeros(len(kept.mask), bool)
    for place in spoken[repeated[spoken] & ~followed].tolist():
        found[place] = kept.page.blocks[place].text.endswith(_COLONS)
    return found
