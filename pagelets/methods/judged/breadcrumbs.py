"""A page's own entry at the end of its breadcrumb."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Final

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from pagelets.methods.judged.kept_page import KeptPage

_NAMED: Final = re.compile(r"[\s_-](?:breadcrumbs?|crumbs)[\s_-]", re.IGNORECASE)
_HINTS: Final = ("crumb",)
"""Classes and ids of breadcrumbs."""
_MARKS: Final = " /|»›>→"
"""Characters that part the entries of a breadcrumb."""


_LONGEST: Final = 25
"""Maximum number of words of a breadcrumb that its name alone gives away."""
_SHARE: Final = 0.3
"""Maximum share of the kept words that it has."""


def breadcrumbs(kept: KeptPage) -> NDArray[np.bool_]:
    """Marks short breadcrumbs with links, and texts that say the first heading that is kept once more, in a
    breadcrumb, right behind removed links to pages above this one, behind a mark, or as the last of several
    lines below it: bool[b].
    """
    page, mask, containers = kept.page, kept.mask, kept.containers
    marked, blocks = np.zeros(len(mask), bool), page.blocks
    named, values = containers.named(_NAMED, _HINTS), kept.words * mask
    if named.any():
        short = containers.mask(containers.nodes[named & (kept.sizes <= _LONGEST)]) & mask
        short &= kept.linked
        marked[short] = values[short].sum() <= _SHARE * values.sum()
    spoken = kept.spoken
    headings = spoken[(mask & kept.headed)[spoken]].tolist()
    if not headings:
        return marked
    heading = headings[0]
    said, saying = blocks[heading].text.casefold(), []
    below = spoken[mask[spoken] & (spoken > heading)].tolist()
    last = below[-1] if len(below) > 1 and heading in kept.headlines else -1
    lines = spoken[mask[spoken] & (kept.words[spoken] == kept.words[heading])].tolist()
    for place in lines:
        text = blocks[place].text.strip()
        is_beside = text[:1] in _MARKS or place == last
        marked[place] |= is_beside and text.strip(_MARKS).casefold() == said and not kept.headed[place]
    for at in (np.flatnonzero(mask[spoken[1:]] & ~mask[spoken[:-1]]) + 1).tolist():
        before, place = spoken[at - 1 : at + 1].tolist()
        if place != heading and blocks[place].text.strip(_MARKS).casefold() == said:
            saying.append(place)
            above = [link.url.rstrip("/") + "/" for link in page.links[blocks[before].links] if link.text]
            marked[place] |= bool(above) and all(page.url.startswith(url) for url in above)
    if saying:
        marked[saying] |= containers.mask(containers.nodes[named])[saying]
    return marked
