"""Names and prices of the entries of a list: shops and magazines show an entry in boxes of many pages, which
speaks against it where it is listed.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from itertools import pairwise
from typing import TYPE_CHECKING, Final

import numpy as np

from pagelets.methods.judged.kept_page import TEXTS
from pagelets.methods.judged.labels import kind_of
from pagelets.methods.judged.other_pages import BEFORE, NAMES, PLACED, is_home
from pagelets.quantities import states_price

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from pagelets.methods.judged.kept_page import KeptPage

_LIST: Final = 3
"""The least number of entries of a list."""
_LONGEST: Final = 20
"""Maximum number of words of a name."""
_AMOUNT: Final = 12
"""Maximum number of words of a price."""
_DISTINCT: Final = 0.8
"""The least share of the names in a list that are said once: the posts of a thread have its title, articles
their topic.
"""
_PLACES: Final = 3
"""The least number of pages with the place of a listing, and of those for each that says the same there."""


def listed_names(kept: KeptPage, never: NDArray[np.bool_]) -> NDArray[np.bool_]:
    """Marks the links to other pages of the site, by their titles, of a listing: bool[b].

    A listing begins with its entries, which have more than a title. They stand at a place that some of the
    site's pages have, with other entries on each; a box beside articles is on most pages.

    Args:
        kept: the page, of b blocks.
        never: the blocks that are not taken, bool[b].

    """
    evidence, support, home = kept.evidence, kept.evidence.blocks, is_home(kept.page)
    nothing = np.zeros(len(never), bool)
    if not len(evidence.named) or kept.presents_product or (kept.headline < 0 and not home):
        return nothing
    found = (evidence.named >= NAMES) & kept.linked & (kept.words <= _LONGEST) & ~never
    found &= support.tag_path_shares < PLACED
    if not home:
        found &= support.tag_path_pages >= _PLACES * np.maximum(1, support.placed_pages)
    found[: kept.headline + 1] = False
    if not home and (not found[: kept.opening(BEFORE)].any() or _is_led(kept, int(found.argmax()))):
        return nothing
    # Several entries name the same topic.
    lines = list(zip([block.text for block in kept.page.blocks], kept.tag_paths.tolist(), strict=True))
    said = Counter(lines[place] for place in np.flatnonzero(found).tolist())
    found &= [said[line] == 1 for line in lines]
    containers = kept.containers
    around = containers.nearest(kept.texts >= TEXTS)[containers.of_block]
    found &= ~kept.mask & (containers.sums(np.array(found, float)) == 1)[around]
    return found


def _is_led(kept: KeptPage, first: int) -> bool:
    """Returns True if a line above the ``first`` entry calls it a box: "Related posts"."""
    lines = [block.text for block in kept.page.blocks[kept.headline + 1 : first]]
    return any(map(kind_of, lines))


def entry_names(kept: KeptPage, never: NDArray[np.bool_]) -> NDArray[np.bool_]:
    """Marks the removed names of the entries of lists that are kept at least in part, by half of their
    entries: the first heading of each, else its first text that is one link. bool[b].

    Args:
        kept: the page, of b blocks.
        never: the blocks that are not taken, bool[b].

    """
    headings: dict[int, int] = {}
    links: dict[int, int] = {}
    entry = kept.entries[0]
    for place in np.flatnonzero((entry >= 0) & (kept.headed | kept.named)).tolist():
        if 0 < kept.words[place] <= _LONGEST and not states_price(kept.page.blocks[place].text):
            (headings if kept.headed[place] else links).setdefault(int(entry[place]), place)
    return _of_kept_lists(kept, {**links, **headings}, _DISTINCT) & ~never


def entry_prices(kept: KeptPage, never: NDArray[np.bool_]) -> NDArray[np.bool_]:
    """Marks the removed prices of such entries, the first of each: bool[b].

    Args:
        kept: the page, of b blocks.
        never: the blocks that are not taken, bool[b].

    """
    prices: dict[int, int] = {}
    entry = kept.entries[0]
    for place in np.flatnonzero((entry >= 0) & (kept.words > 0) & (kept.words <= _AMOUNT)).tolist():
        if states_price(kept.page.blocks[place].text):
            prices.setdefault(int(entry[place]), place)
    return _of_kept_lists(kept, prices) & ~never


def _of_kept_lists(kept: KeptPage, parts: dict[int, int], least: float = 0.0) -> NDArray[np.bool_]:
    """Marks those of the parts of entries, one of each, that several entries of a list have at the same tag
    path, if at least half of its entries are kept in part, and a share of the parts is said once: bool[b].

    Nothing speaks against them where the site is not known. A page that declares one product lists others.
    """
    found = np.zeros(len(kept.mask), bool)
    if kept.is_alone or kept.presents_product or len(parts) < _LIST:
        return found
    entry, list_of = kept.entries
    total, held = (
        np.bincount(list_of[np.unique(entry[(entry >= 0) & some])], minlength=len(list_of))
        for some in (kept.words > 0, kept.mask)
    )
    alike = defaultdict(list)
    for of, place in parts.items():
        alike[int(list_of[of]), int(kept.tag_paths[place])].append(place)
    for (listed, _), places in alike.items():
        distinct = len({kept.page.blocks[place].text for place in places})
        if len(places) >= _LIST and distinct > least * len(places) and 2 * held[listed] >= total[listed]:
            found[places] = True
    return found & ~kept.mask


def twins(kept: KeptPage) -> NDArray[np.bool_]:
    """Marks the second of two equal links that follow each other, in at least three entries of a list:
    bool[b]. Cards have their name in the picture, and below it.
    """
    url_of = {link.block: link.url for link in kept.page.links}
    texts, entry = [block.text for block in kept.page.blocks], kept.entries[0]
    pairs = defaultdict(list)
    for earlier, later in pairwise(np.flatnonzero(kept.mask & kept.named & (entry >= 0)).tolist()):
        if (
            texts[earlier] == texts[later]
            and url_of[earlier] == url_of[later]
            and entry[earlier] == entry[later]
        ):
            pairs[int(kept.tag_paths[earlier]), int(kept.tag_paths[later])].append(later)
    marked = np.zeros(len(texts), bool)
    for (first, second), places in pairs.items():
        marked[places] = first != second and len(places) >= _LIST
    return marked
