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
    mask, containers = kept.mask, kept.containers
    marked, values = np.zeros(len(mask), bool), kept.words * mask
    named = containers.named(_NAMED, _HINTS)
    if named.any():
        short = containers.mask(containers.nodes[named & (kept.sizes <= _LONGEST)]) & mask
        short &= kept.linked
        marked[short] = values[short].sum() <= _SHARE * values.sum()
    texts = kept.kept_texts()
    headings = texts[kept.headed[texts]].tolist()
    if not headings:
        return marked
    heading, blocks = headings[0], kept.page.blocks
    said, below = blocks[heading].text.casefold(), texts[texts > heading].tolist()
    last = below[-1] if len(below) > 1 and heading in kept.headlines else -1
    alike = texts[kept.words[texts] == kept.words[heading]].tolist()
    saying = [place for place in alike if blocks[place].text.strip(_MARKS).casefold() == said]
    inside = containers.mask(containers.nodes[named]) if len(saying) > 1 else marked
    for place in saying:
        if place != heading:
            is_end = not kept.headed[place] and (place == last or blocks[place].text[0] in _MARKS)
            marked[place] |= is_end or _is_behind_others(kept, place, inside)
    return marked


def _is_behind_others(kept: KeptPage, place: int, inside: NDArray[np.bool_]) -> bool:
    """Returns True for a text right behind a removed one, which links to pages above this one alone, or if
    the text is ``inside`` of a breadcrumb (bool[b]).
    """
    page, at = kept.page, int(kept.spoken.searchsorted(place)) - 1
    if at < 0 or kept.mask[before := int(kept.spoken[at])]:
        return False
    above = [link.url.rstrip("/") + "/" for link in page.links[page.blocks[before].links] if link.text]
    return bool(inside[place]) or (bool(above) and all(page.url.startswith(url) for url in above))
