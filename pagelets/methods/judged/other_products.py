"""Entries of other products on the page of one: "similar items", "customers also bought"."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Final

import numpy as np

from pagelets.quantities import states_price

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from pagelets.methods.judged.kept_page import KeptPage
    from pagelets.page import Page

_ENTRIES: Final = 3
"""The least number of entries."""
_LONGEST: Final = 200
"""Maximum number of words of an entry."""
_AMOUNT: Final = 8
"""Maximum number of words of a price."""
_HOST: Final = 3
"""Parts of an address up to its host. A folder has to follow: without one, categories have such addresses."""
_SLUG: Final = re.compile(r"[-_\d]")


def other_products(kept: KeptPage) -> NDArray[np.bool_]:
    """Marks entries of a page that presents a product which lead to addresses like its own: bool[b].

    An entry is an element, as large as may be, whose links of that kind all lead to one page; it has a price.
    """
    page, containers, words = kept.page, kept.containers, kept.words
    nothing = np.zeros(len(words), bool)
    if not kept.presents_product:
        return nothing
    places, targets = _like_own(page)
    if len(places) < _ENTRIES:
        return nothing
    first, last = places.searchsorted(containers.start), places.searchsorted(containers.stop) - 1
    alone = (last >= first) & (targets[np.maximum(last, 0)] == targets[np.minimum(first, len(places) - 1)])
    entries = alone & ~alone[containers.parent] & (kept.sizes <= _LONGEST)
    if entries.sum() < _ENTRIES:
        return nothing
    amounts = np.zeros(len(words))
    for place in np.flatnonzero((words > 0) & (words <= _AMOUNT)).tolist():
        amounts[place] = states_price(page.blocks[place].text)
    entries &= containers.sums(amounts) > 0
    return containers.mask(containers.nodes[entries]) if entries.sum() >= _ENTRIES else nothing


def _like_own(page: Page) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Returns the blocks with links to other pages whose addresses are of the kind of the page's own, and for
    each link the number of times that targets have changed up to it.
    """
    own = _parts(page.url)
    if len(own) < _HOST + 2:
        return np.array([], np.int64), np.array([], np.int64)
    kind = _kind(own)
    # Most links are told by how they begin.
    beginning = "/".join(kind[: kind.index("*") if "*" in kind else -2]) + "/"
    places, targets, changes = [], [own], []
    for link in page.links:
        if link.url.startswith(beginning) and (parts := _parts(link.url)) != own and _kind(parts) == kind:
            if parts != targets[-1]:
                targets.append(parts)
            places.append(link.block)
            changes.append(len(targets))
    return np.array(places, np.int64), np.array(changes, np.int64)


def _parts(url: str) -> list[str]:
    return url.partition("#")[0].partition("?")[0].rstrip("/").split("/")


def _kind(parts: list[str]) -> list[str]:
    """Returns what the addresses of a shop's products have in common: host, folders, and how the last part is
    written. Folders with digits or several words are of one product.
    """
    *folders, last = parts
    shared = [*folders[:_HOST], *("*" if _SLUG.search(folder) else folder for folder in folders[_HOST:])]
    ending = last.rpartition(".")[2] if "." in last else ""
    return [*shared, "0" if any(map(str.isdigit, last)) else "", ending]
