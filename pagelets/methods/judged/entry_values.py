"""Facts of a list's entries, such as the place of a job: many entries have the same, which speaks against
them.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from typing import TYPE_CHECKING, Final

import numpy as np

from pagelets.methods.judged.other_pages import NAMES, begins_with

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from pagelets.methods.judged.kept_page import KeptPage

_LONGEST: Final = 8
"""Maximum number of words of a fact."""
_ENTRY: Final = 80
"""Maximum number of words of an entry: the posts of a thread have profiles of their authors."""
_ENTRIES: Final = 4
"""The least number of entries with a fact."""
_SAME: Final = 0.7
"""Maximum share of the entries that have the same one."""
_KINDS: Final = 2
"""The least number of different facts without numbers."""


def entry_values(kept: KeptPage, never: NDArray[np.bool_]) -> NDArray[np.bool_]:
    """Marks short removed texts without links at one place of a list's entries, if half of these name
    other pages and are kept in part, and the texts differ in their words; and those that differ in numbers
    ("3 rooms") with them, or with a short text that is kept, in one element of the entry: bool[b].

    Args:
        kept: the page, of b blocks.
        never: the blocks that are not taken, bool[b].

    """
    found, named = np.zeros(len(never), bool), kept.evidence.named
    if not len(named) or kept.presents_product:
        return found
    removed = ~(kept.mask | never | kept.linked) & (kept.words > 0) & (kept.words <= _LONGEST)
    if np.count_nonzero(removed) < _ENTRIES:
        return found
    entry, list_of = kept.entries
    removed &= entry >= 0
    if np.count_nonzero(removed) < _ENTRIES:
        return found
    every, held = (
        np.bincount(entry[(entry >= 0) & some], minlength=len(list_of)) > 0
        for some in (kept.words > 0, kept.mask)
    )
    held &= np.bincount(entry[(entry >= 0) & (named >= NAMES)], minlength=len(list_of)) > 0
    total, stay = (np.bincount(list_of, some, len(list_of)) for some in (every, held))
    removed &= (2 * stay >= total)[list_of[entry]] & (kept.sizes[entry] <= _ENTRY)
    said = {kept.page.blocks[place].text for place in kept.kept_texts().tolist()}
    places: defaultdict[tuple[int, int], list[int]] = defaultdict(list)
    for place in np.flatnonzero(removed).tolist():
        if kept.page.blocks[place].text not in said:
            lead = kept.leads[entry[place]]
            within = int(np.count_nonzero(kept.words[lead:place]))
            places[int(list_of[entry[place]]), within].append(place)
    told: list[int] = []
    counts: list[int] = []
    for (listed, _), alike in places.items():
        if len(alike) >= max(_ENTRIES, total[listed] / 2):
            texts = Counter(kept.page.blocks[place].text for place in alike)
            if max(texts.values()) <= _SAME * len(alike):
                in_words = sum(not any(map(str.isdigit, text)) for text in texts)
                (told if in_words >= _KINDS else counts).extend(alike)
    found[told] = True
    if counts:
        parent = kept.containers.parent[kept.containers.of_block]
        short = kept.mask & (kept.words > 0) & (kept.words <= _LONGEST)
        told += np.flatnonzero(short & (entry >= 0)).tolist()
        around = set(parent[told].tolist()) - set(entry[told].tolist())
        found[[place for place in counts if parent[place] in around]] = True
    return found if begins_with(kept, found) else np.zeros_like(found)
