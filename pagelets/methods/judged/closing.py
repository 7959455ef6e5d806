"""Lines of the site's own in its articles: those that close them (to follow the author, not to copy, where to
discuss), and boxes with the page's own address (its licence, how to cite it).
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Final
from urllib.parse import unquote

import numpy as np

from pagelets.bylines import names_date
from pagelets.judging.title import clean
from pagelets.quantities import states_quantity

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from pagelets.methods.judged.kept_page import KeptPage

_LAST: Final = 3
"""So many of the last texts that are kept are looked at."""
_OWN_TAGS: Final = ("pre", "th", "time")
"""Elements of code and of what heads a post."""
_WORDS: Final = 6
"""The least number of words of such a line: shorter ones are fields, such as a licence."""
_SHARE: Final = 0.3
_PAGES: Final = 10
"""The least share, and number, of the site's pages that have the line at the same tag path."""
_EDITED: Final = 40
"""Maximum number of words of a line with a page's title and the date of its last change."""
_OWN: Final = 0.4
"""The least share of the other texts at this tag path that stand on one page: it is that of running text."""
_ADDRESS: Final = re.compile(r"\w+://(?:www\.)?([^/?#]+/[^?#]+?)/?(?:index\.\w+)?(?:[?#].*)?")
_END: Final = re.compile(r"/?(?:index\.\w+)?\W*")
_BESIDE_ADDRESS: Final = 25
"""Maximum number of words of a box beside the line with the address: title, author, date, licence."""
_PARTS: Final = re.compile(r"[:/?&=]+")
_HOST_PARTS: Final = 3
"""Parts of an address up to a folder's name: its scheme, host and the folder."""
_LONGEST_URL: Final = 2000
_BEHIND_PATH: Final = re.compile(r"(?:\.\w{1,5})?(?!\w)")
_BEFORE_ADDRESS: Final = 60
"""Maximum number of characters of that line before it."""


def are_most(lines: NDArray[np.bool_], words: NDArray[np.float64], mask: NDArray[np.bool_]) -> bool:
    """Returns True if lines that differ from page to page in their numbers alone are more than half of what
    is kept: the text of pages that a program has written.

    Args:
        lines: which of b blocks they are, bool[b].
        words: the words of the blocks, float64[b].
        mask: the blocks that are kept, bool[b].

    """
    return bool(words[lines & mask].sum() > words[mask].sum() / 2)


def closing(kept: KeptPage) -> NDArray[np.bool_]:
    """Marks lines that the site repeats where its articles end, among their own paragraphs: bool[b]. Lines
    that differ in their numbers stay where these are of a date or a price, or where the lines are most of
    what is kept; code stays. Also the line of the last change of a page: "TITLE (last edited 2009-08-15)".
    """
    words, support = kept.words, kept.evidence.blocks
    blocks, tags = kept.page.blocks, kept.page.tree.tags
    last = np.zeros(len(words), bool)
    for place in np.flatnonzero(kept.mask & (words > 0))[-_LAST:].tolist():
        last[place] = tags[blocks[place].node] not in _OWN_TAGS
    marked = (
        last
        & (words >= _WORDS)
        & (support.placed_shares >= _SHARE)
        & (support.placed_pages >= _PAGES)
        & (support.tag_path_singletons >= _OWN)
    )
    numbered = marked & (support.shares < _SHARE)
    for place in np.flatnonzero(numbered).tolist():
        marked[place] = numbered[place] = not states_quantity(blocks[place].text)
    if are_most(numbered, words, kept.mask):
        marked &= ~numbered
    return marked | _edited(kept, last & (words >= _WORDS))


def _edited(kept: KeptPage, lines: NDArray[np.bool_]) -> NDArray[np.bool_]:
    """Marks those of some ``lines`` (bool[b]) that begin with the page's title and have a date, where many of
    the site's pages have one at this tag path: bool[b].
    """
    support, found = kept.evidence.blocks, np.zeros(len(lines), bool)
    title = clean(kept.page.title, kept.evidence.affixes)
    usual = (support.tag_path_shares >= _SHARE) & (support.tag_path_pages >= _PAGES)
    for place in np.flatnonzero(lines & usual & (kept.words <= _EDITED)).tolist():
        text = kept.page.blocks[place].text
        if title and text.startswith(title) and names_date(text[len(title) :]):
            found[place] = np.count_nonzero(kept.tag_paths == kept.tag_paths[place]) == 1
    return found


def addressed(kept: KeptPage) -> NDArray[np.bool_]:
    """Marks small boxes in the second half of what is expected with a line that ends with the page's own
    address, and lines of a template that begin with the end of its path: bool[b].
    """
    containers, words = kept.containers, kept.words
    marked, own = np.zeros(len(words), bool), _ADDRESS.fullmatch(kept.page.url)
    if own is None:
        return marked
    first = kept.opening(float(kept.likely @ words) / 2)
    texts = [block.text for block in kept.page.blocks]
    for place in [place for place in range(first, len(texts)) if own[1] in texts[place]]:
        before, _, after = texts[place].rpartition(own[1])
        if len(before) <= _BEFORE_ADDRESS and _END.fullmatch(after):
            marked[place] = True
            most, around = words[place] + _BESIDE_ADDRESS, int(containers.of_block[place])
            while around and containers.start[around] >= first and kept.sizes[around] <= most:
                marked[containers.start[around] : containers.stop[around]] = True
                around = int(containers.parent[around])
    parts = [part for part in _PARTS.split(unquote(kept.page.url.partition("#")[0])[:_LONGEST_URL]) if part]
    if len(parts) > _HOST_PARTS:
        folder, name = parts[-2:]
        support = kept.evidence.blocks
        usual = (support.tag_path_shares >= _SHARE) & (support.tag_path_pages >= _PAGES) & ~kept.headed
        begins = f"{folder}:{name}", f"{folder}/{name}"
        for place in np.flatnonzero(usual & (words <= _BESIDE_ADDRESS)).tolist():
            if texts[place].startswith(begins):
                marked[place] |= _BEHIND_PATH.match(texts[place], len(begins[0])) is not None
    return marked if (words * kept.mask)[~marked].sum() >= kept.least else np.zeros(len(words), bool)
