"""Headings of what is kept: shops and manuals repeat theirs on every page, which speaks against them, and
menus have the headline of each page.
"""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING, Final

import numpy as np

from pagelets.judging.title import clean
from pagelets.methods.judged.labels import kind_of
from pagelets.methods.judged.other_pages import begins_with

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from pagelets.methods.judged.kept_page import KeptPage

_LONGEST: Final = 12
"""Maximum number of words of such a heading."""
_ALL: Final = 0.9
"""Maximum share of the pages that have it at this tag path: what all have is the site's own."""
_ASKS: Final = 6
"""The least number of words of a heading with a link in it that pages share: "Log in to answer a post"."""
_LINES: Final = 8
"""Maximum number of lines between the title of an entry and its text."""
_LABEL: Final = 3
"""Maximum number of words of a label, which a colon ends."""
_NEAR: Final = 20
"""Maximum number of texts between the headline and what is kept: a price, buttons, links to share."""
_RARE: Final = 0.1
_PART: Final = 2
_FEWEST: Final = 4
"""The share of the site's pages from which on an ``h1`` names the site or one of its parts, unless the pages
with this tag path are at least so many times as many, and at least so many.
"""


def headings(kept: KeptPage, never: NDArray[np.bool_]) -> NDArray[np.bool_]:
    """Marks the headings that are removed inside what is kept, bool[b], and labels with a colon: text is kept
    before them, and right after them. Those of boxes ("Recently viewed") are left out.

    Args:
        kept: the page, of b blocks.
        never: the blocks that are not taken, bool[b].

    """
    mask, words = kept.mask, kept.words
    found = np.zeros(len(mask), bool)
    spoken = kept.spoken
    if not mask[spoken].any():
        return found
    blocks, headed, texts = kept.page.blocks, kept.headed, kept.kept_texts()
    support = kept.evidence.blocks
    candidates = (words <= _LONGEST) & ~mask & ~never
    candidates &= np.minimum(support.shares, support.placed_shares) <= _ALL
    asks = kept.linked & ~kept.named & (words >= _ASKS) & (support.placed_pages >= _FEWEST)
    candidates[: spoken[mask[spoken]][0]] = False
    # From the end: the heading of a section may stand right before that of its first part.
    at = np.flatnonzero(candidates[spoken[:-1]])[::-1]
    for place, after in zip(spoken[at].tolist(), spoken[at + 1].tolist(), strict=True):
        if mask[after] or found[after]:
            text = blocks[place].text
            is_label = words[place] <= _LABEL and text.endswith((":", "："))
            of_section = headed[place] and kind_of(text) is None and not kept.alike_above(place, texts)[0]
            of_section = of_section and not (asks[place] and _leads_on(kept, place))
            found[place] = of_section or (is_label and not headed[after])
    return found


def _leads_on(kept: KeptPage, place: int) -> bool:
    """Returns True if a link of a block leads to another page."""
    page = kept.page
    own = page.url.partition("#")[0]
    return any(link.url.partition("#")[0] != own for link in page.links[page.blocks[place].links])


def entry_titles(kept: KeptPage, never: NDArray[np.bool_]) -> NDArray[np.bool_]:
    """Marks the removed headings of a listing's entries whose text is kept, right after them or behind some
    lines such as a date and tags: bool[b]. An entry that stands in several lists of a site loses its title.

    Args:
        kept: the page, of b blocks.
        never: the blocks that are not taken, bool[b].

    """
    mask, words, found = kept.mask, kept.words, np.zeros(len(never), bool)
    if kept.is_alone:
        return found
    blocks, spoken, headed = kept.page.blocks, kept.spoken, kept.headed
    for at in np.flatnonzero((headed & ~(mask | never))[spoken]).tolist():
        place = int(spoken[at])
        for line in spoken[at + 1 : at + 2 + _LINES].tolist():
            found[place] = mask[line]
            if mask[line] or words[line] > _LONGEST or headed[line]:
                break
    said = Counter(blocks[place].text for place in np.flatnonzero(found).tolist())
    # The posts of a thread have its title.
    found[[place for place in np.flatnonzero(found).tolist() if said[blocks[place].text] > 1]] = False
    return kept.listed(found) if begins_with(kept, found) else np.zeros(len(found), bool)


def headline(kept: KeptPage, never: NDArray[np.bool_]) -> NDArray[np.bool_]:
    """Marks the headline of a page of a known site above what is kept, the nearest heading that says its
    title and not the site's, else its only ``h1``, if no such heading is kept: bool[b].

    Args:
        kept: the page, of b blocks.
        never: the blocks that are not taken, bool[b].

    """
    page, mask, words, affixes = kept.page, kept.mask, kept.words, kept.evidence.affixes
    found = np.zeros(len(mask), bool)
    if kept.is_alone:
        return found
    title, blocks = clean(page.title, affixes).casefold(), page.blocks
    own = [place for place in kept.headlines if blocks[place].text.casefold() in title]
    headed = [place for place in own if kept.headed[place] and not never[place]]
    if not headed:
        spoken = np.flatnonzero(kept.headed & (words > 0)).tolist()
        tops = [place for place in spoken if page.tree.tags[blocks[place].node] == "h1"]
        support = kept.evidence.blocks
        usual = support.tag_path_pages >= _FEWEST
        rare = (support.shares < _RARE) | (usual & (_PART * support.placed_pages <= support.tag_path_pages))
        own += (headed := [place for place in tops if len(tops) == 1 and rare[place] and not never[place]])
    others = mask & (words > 0)
    others[own] = False
    first = int(others.argmax())
    above = headed[: np.searchsorted(headed, first)]
    if (
        above
        and others[first]
        and not mask[headed].any()
        and not kept.alike_above(above[-1], kept.kept_texts())[0]
    ):
        found[above[-1]] = np.count_nonzero(words[above[-1] : first]) <= _NEAR
    return found


def said_again(kept: KeptPage, headings: NDArray[np.bool_]) -> NDArray[np.bool_]:
    """Marks the kept lines that one of some ``headings`` (bool[b]) right below says again: bool[b]. The
    heading stays, as what is below it is its section.
    """
    found, texts = np.zeros(len(headings), bool), kept.kept_texts()
    for place in np.flatnonzero(headings).tolist():
        found[kept.alike_above(place, texts)[1]] = True
    return found


def said_twice(kept: KeptPage) -> NDArray[np.bool_]:
    """Marks the kept ``h1`` that the next kept text, a heading too, says again: bool[b]. In a forum the first
    post says the thread's title again.
    """
    found, blocks = np.zeros(len(kept.mask), bool), kept.page.blocks
    texts, tags = kept.kept_texts(), kept.page.tree.tags
    headed = kept.headed[texts]
    for at in np.flatnonzero(headed[:-1] & headed[1:]).tolist():
        first, second = (blocks[place] for place in texts[at : at + 2].tolist())
        found[texts[at]] = tags[first.node] == "h1" and first.text.casefold() == second.text.casefold()
    return found
