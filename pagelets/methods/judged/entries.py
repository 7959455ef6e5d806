"""Names, prices and other parts of the entries of a list: shops and magazines repeat them in boxes of many
pages, which counts against them in their list, too.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from itertools import pairwise
from typing import TYPE_CHECKING, Final

import numpy as np

from pagelets.methods.judged.kept_page import TEXTS
from pagelets.methods.judged.labels import kind_of
from pagelets.methods.judged.other_pages import NAMES, PLACED, begins_with, is_home
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
"""The least share of the names in a list that are distinct: the posts of a thread have its title, articles
their topic.
"""
_HELD: Final = 0.4
"""The least share of the texts at a tag path in a list that are kept."""
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
    if not begins_with(kept, found) or (not home and _is_led(kept, int(found.argmax()))):
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
    likely = kept.in_kept_lists & (kept.headed | kept.named) & (kept.words > 0) & (kept.words <= _LONGEST)
    headings: dict[int, int] = {}
    links: dict[int, int] = {}
    if (likely & ~(kept.mask | never)).any():
        for place in np.flatnonzero(likely).tolist():
            if not states_price(kept.page.blocks[place].text):
                (headings if kept.headed[place] else links).setdefault(int(kept.entries[0][place]), place)
    return _of_lists(kept, {**links, **headings}, _DISTINCT) & ~never


def entry_prices(kept: KeptPage, never: NDArray[np.bool_]) -> NDArray[np.bool_]:
    """Marks the removed prices of such entries, the first of each: bool[b].

    Args:
        kept: the page, of b blocks.
        never: the blocks that are not taken, bool[b].

    """
    likely = kept.in_kept_lists & (kept.words > 0) & (kept.words <= _AMOUNT)
    prices: dict[int, int] = {}
    if (likely & ~(kept.mask | never)).any():
        for place in np.flatnonzero(likely).tolist():
            if states_price(kept.page.blocks[place].text):
                prices.setdefault(int(kept.entries[0][place]), place)
    return _of_lists(kept, prices) & ~never


def entry_parts(kept: KeptPage, never: NDArray[np.bool_]) -> NDArray[np.bool_]:
    """Marks the removed texts of such entries at tag paths of which the list keeps many texts, but for links
    that say the same ("Add to cart"): bool[b].

    Args:
        kept: the page, of b blocks.
        never: the blocks that are not taken, bool[b].

    """
    found, blocks = np.zeros(len(never), bool), kept.page.blocks
    places = np.flatnonzero(kept.in_kept_lists & (kept.words > 0))
    removed = ~(kept.mask | never)
    if not removed[places].any():
        return found
    entry, list_of = kept.entries
    columns: defaultdict[tuple[int, int], list[int]] = defaultdict(list)
    of_list, of_path = list_of[entry[places]].tolist(), kept.tag_paths[places].tolist()
    for listed, path, place in zip(of_list, of_path, places.tolist(), strict=True):
        columns[listed, path].append(place)
    for column in columns.values():
        if len(column) >= _LIST and np.count_nonzero(kept.mask[column]) >= _HELD * len(column):
            distinct = len({blocks[place].text for place in column})
            if distinct > _DISTINCT * len(column) or not kept.linked[column].any():
                found[column] = True
    found &= removed
    return found if begins_with(kept, found) else np.zeros_like(found)


def _of_lists(kept: KeptPage, parts: dict[int, int], least: float = 0.0) -> NDArray[np.bool_]:
    """Marks those of the parts of entries, one of each, that several entries of a list have at the same tag
    path and that are removed, if a share of them is distinct: bool[b].
    """
    found = np.zeros(len(kept.mask), bool)
    if len(parts) < _LIST:
        return found
    alike = defaultdict(list)
    for of, place in parts.items():
        alike[int(kept.entries[1][of]), int(kept.tag_paths[place])].append(place)
    for places in alike.values():
        distinct = len({kept.page.blocks[place].text for place in places})
        if len(places) >= _LIST and distinct > least * len(places):
            found[places] = True
    found &= ~kept.mask
    return found if begins_with(kept, found) else np.zeros_like(found)


def twins(kept: KeptPage) -> NDArray[np.bool_]:
    """Marks the second of two equal links that follow each other, in at least three entries of a list:
    bool[b]. Cards have their name in the picture, and below it.
    """
    page, marked = kept.page, np.zeros(len(kept.mask), bool)
    places = np.flatnonzero(kept.mask & kept.named).tolist()
    named = [(page.blocks[place].text, page.links[page.blocks[place].links][0].url) for place in places]
    pairs = defaultdict(list)
    for at, (first, second) in enumerate(pairwise(named)):
        earlier, later = places[at : at + 2]
        if first == second and kept.entries[0][earlier] == kept.entries[0][later] >= 0:
            pairs[int(kept.tag_paths[earlier]), int(kept.tag_paths[later])].append(later)
    for (path, other), found in pairs.items():
        marked[found] = path != other and len(found) >= _LIST
    return marked
