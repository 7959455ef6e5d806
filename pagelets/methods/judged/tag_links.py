"""Links to the tags and categories of an article: "Tags: bread, rye", "posted in Baking"."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Final

import numpy as np

from pagelets.methods.judged.other_pages import is_home, leads_down

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from pagelets.methods.judged.kept_page import KeptPage

_TAGS: Final = re.compile(
    r"[/?&](?:(?<=/)(?:tags?|tagged|categor(?:y|ies|ia|ias|ie)|kategorien?|labels?|rubriques?|schlagworte?|"
    r"etiquetas?|etiket)/[^/?#]|(?<!/)(?:tag|cat|category|label)=)",
    re.IGNORECASE,
)
"""Addresses of pages that list what has a tag or is of a category."""
_WORDS: Final = 40
"""Maximum number of words of such a line."""
_LABEL: Final = 25
"""Maximum number of characters of it beside its links, and what separates these."""
_SEPARATOR: Final = 2
_SHARE: Final = 0.3
_KNOWN_SHARE: Final = 0.6
"""Maximum share of the kept words that such lines have, of any page and of one of a known site: of a list of
categories they are most.
"""
_BELOW: Final = 0.1
"""The share of the kept words from which on links to pages below this one are what it lists."""
_WELL_KNOWN: Final = 20
"""So many pages make a site well known."""


def tag_links(kept: KeptPage) -> NDArray[np.bool_]:
    """Marks lines whose links all lead to tags and categories of the site, with a label at most: bool[b].
    Headings stay, and on a page of tags those whose pages are below it.
    """
    page, words, mask = kept.page, kept.words, kept.mask
    site = "/".join(page.url.split("/", 3)[:3]) + "/"
    marked, lines = np.zeros(len(mask), bool), mask & kept.linked & ~kept.headed
    for place in np.flatnonzero(lines & (words > 0) & (words <= _WORDS)).tolist():
        block = page.blocks[place]
        links = [link for link in page.links[block.links] if link.text]
        marked[place] = (
            bool(links)
            and all(link.url.startswith(site) and _TAGS.search(link.url) for link in links)
            and len(block.text) <= sum(len(link.text) + _SEPARATOR for link in links) + _LABEL
        )
    kept_words = (words * mask).sum()
    if not is_home(page):
        below = [place for place in np.flatnonzero(marked).tolist() if leads_down(page, [place])]
        if words[below].sum() > _BELOW * kept_words:
            marked[below] = False
    share = _KNOWN_SHARE if kept.evidence.pages >= _WELL_KNOWN else _SHARE
    return marked if words[marked].sum() <= share * kept_words else np.zeros(len(mask), bool)
