"""Local detection and the repeated blocks of a small site, in memory.

To start a database and to plan its queries takes longer than what there is to be counted. The results are
those of `pagelets.detection.local` and `pagelets.detection.blocks`, whose SELECTs say what is counted.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

import numpy as np

from pagelets.detection.base import PageSets, Templates
from pagelets.detection.blocks import KEYS, RepeatedBlocks, Support
from pagelets.detection.portions import entries_of

if TYPE_CHECKING:
    from collections.abc import Mapping

    from numpy.typing import NDArray

    from pagelets.detection import Algorithm

    Integers = NDArray[np.int64]

MOST_ROWS: Final = 50_000
"""Blocks of pages that are counted here; for more a database takes less time."""
_SHIFT: Final = 1 << 32


def small_site(given: Mapping[str, Mapping[str, NDArray[Any]]], algorithm: Algorithm) -> SmallSite | None:
    """Returns the site of some relations (`SmallSite`), None for one that only a database can take.

    Args:
        given: the relations.
        algorithm: what finds its templates.

    """
    if algorithm != "local" or len(given["fragment_blocks"]["block"]) > MOST_ROWS:
        return None
    site = SmallSite(given)
    return site if site.rows <= MOST_ROWS else None


class SmallSite:
    """A small site.

    Args:
        given: the relations that `pagelets.detection.find_templates` and
            `pagelets.detection.blocks.find_repeated_blocks` read, by their names, each by its columns.

    """

    def __init__(self, given: Mapping[str, Mapping[str, NDArray[Any]]]) -> None:
        pages, pagelets, fragments = given["pages"], given["pagelets"], given["fragments"]
        # By URL; of the pages of a host with one fingerprint the first counts.
        order = np.argsort(pages["url"])
        page, host, print_ = (pages[name][order] for name in ("page", "host", "fingerprint"))
        self._hosts, of_host = np.unique(host, return_inverse=True)
        first = np.zeros(len(page), bool)
        prints = np.unique(print_, return_inverse=True)[1]
        first[np.unique(_pairs(of_host, prints), return_index=True)[1]] = True
        self._page, self._host = page, of_host
        self._sizes = np.bincount(of_host[first], minlength=len(self._hosts))
        # Pagelets by the places of their pages and positions, those that count.
        counted = np.isin(pagelets["page"], page[first])
        holder, position, fragment = (pagelets[name][counted] for name in ("page", "position", "fragment"))
        by_id = np.argsort(page)
        place = by_id[np.searchsorted(page, holder, sorter=by_id)]
        order = np.lexsort((position, place))
        self._place, self._position, fragment = place[order], position[order], fragment[order]
        by_id = np.argsort(fragments["fragment"])
        self._sketch = fragments["sketch"][
            by_id[np.searchsorted(fragments["fragment"], fragment, sorter=by_id)]
        ]
        blocks = given["fragment_blocks"]
        by_id = np.argsort(blocks["fragment"], kind="stable")
        start, stop = (
            np.searchsorted(blocks["fragment"], fragment, side, by_id) for side in ("left", "right")
        )
        self._blocks, self._by_id, self._start, self._lengths = blocks, by_id, start, stop - start

    @property
    def rows(self) -> int:
        """The number of blocks on its pages."""
        return int(self._lengths.sum())

    def templates(self, min_pages: int, min_share: float) -> Templates:
        """Finds the templates, as `pagelets.detection.find_templates` by ``local``."""
        found, first = self._count(self._sketch, self._place)
        kept = (found.pages >= min_pages) & (found.share >= min_share)
        first = first[kept]
        return Templates(
            sketch=found.key[kept],
            pages=found.pages[kept],
            share=found.share[kept],
            group=np.full(len(first), -1, np.int32),
            sample_page=self._page[self._place[first]],
            sample_position=self._position[first].astype(np.int32),
            groups=PageSets.empty(),
        )

    def repeated_blocks(self) -> RepeatedBlocks:
        """Counts blocks, as `pagelets.detection.blocks.find_repeated_blocks`."""
        place = np.repeat(self._place, self._lengths)
        rows = self._by_id[entries_of(self._start, self._lengths)]
        with_text = self._blocks["block"][rows] != 0
        place, rows = place[with_text], rows[with_text]
        keys = {name: self._blocks[name][rows] for name in KEYS}
        counted = {name: self._count(key, place)[0] for name, key in keys.items()}
        blocks, placed, paths = (_part(support, support.pages > 1) for support in counted.values())
        # The texts of each tag path, and their pages.
        path, block = (np.searchsorted(counted[name].key, keys[name]) for name in ("tag_path_key", "block"))
        texts, text = np.unique(_pairs(path, block), return_inverse=True)
        pages = np.bincount(np.divmod(np.unique(_pairs(text, place)), _SHIFT)[0])
        of_path, block = np.divmod(texts, _SHIFT)
        single = counted["block"].pages[block] == 1
        several = counted["tag_path_key"].pages > 1
        count, singles, stands = (
            np.bincount(of_path, weights, len(several))[several] for weights in (None, single, pages)
        )
        sizes = self._sizes.astype(np.int32)
        return RepeatedBlocks(blocks, placed, paths, singles / count, stands / count, self._hosts, sizes)

    def _count(self, key: Integers, place: Integers) -> tuple[Support, Integers]:
        """Counts on how many pages each of n keys stands, given the pages' places; returns this for each
        distinct key, and where it stands first.
        """
        found, first, of_key = np.unique(key, return_index=True, return_inverse=True)
        of_key, place = np.divmod(np.unique(_pairs(of_key, place)), _SHIFT)
        count = np.bincount(of_key, minlength=len(found))
        of_key, host = np.divmod(np.unique(_pairs(of_key, self._host[place])), _SHIFT)
        size = np.bincount(of_key, self._sizes[host], len(found))
        return Support(found, count.astype(np.int32), count / size), first


def _pairs(first: Integers, second: Integers) -> Integers:
    """Returns pairs of numbers below `_SHIFT` as one number each."""
    return first * _SHIFT + second


def _part(support: Support, kept: NDArray[np.bool_]) -> Support:
    return Support(support.key[kept], support.pages[kept], support.share[kept])
