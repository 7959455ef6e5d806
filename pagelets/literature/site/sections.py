"""Pages in sections, and the terms of their blocks: what methods see that count a site's terms and sections.

A section is an element of some tags with the text in it that lies in no smaller one.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final, NamedTuple

import numpy as np

from pagelets.sketch import hashed

if TYPE_CHECKING:
    from collections.abc import Collection, Sequence

    from numpy.typing import NDArray

    from pagelets.containers import Containers
    from pagelets.page import Block

MOST_TERMS: Final = 20_000
"""Of a page so many terms are looked at, and no others: bounds the memory that learning takes."""


class Terms(NamedTuple):
    """The terms of a page's blocks in order: ``hashes`` uint32[t], and the ``block`` of each, int64[t]."""

    hashes: NDArray[np.uint32]
    block: NDArray[np.int64]


def sections(containers: Containers, tags: Collection[str]) -> NDArray[np.int64]:
    """The section that each block of a page lies in, as the place of its container: int64[b].

    Of what lies in no element of these tags, the first container is the section.
    """
    wanted = containers.numbered(dict.fromkeys(tags, 1)) > 0
    return containers.nearest(wanted)[containers.of_block]


def terms(blocks: Sequence[Block]) -> Terms:
    """The terms of a page's blocks: words, case folded, and single characters where scripts write no spaces.

    Hashes are 32 bits wide: two of 10,000 terms that fall together blur a count, and no more.
    """
    block_hashes = [hashed(block.text) for block in blocks]
    sizes = [len(hashes) for hashes in block_hashes]
    hashes = np.concatenate([np.empty(0, np.uint64), *block_hashes])
    block = np.repeat(np.arange(len(blocks)), sizes)
    return Terms((hashes[:MOST_TERMS] >> np.uint64(32)).astype(np.uint32), block[:MOST_TERMS])


def pairs(
    section: NDArray[np.int64], hashes: NDArray[np.uint32]
) -> tuple[NDArray[np.int64], NDArray[np.uint32]]:
    """The distinct terms of each section, in order of sections and of hashes.

    Takes for each term its section, a number below 2 ** 31, and its hash.
    """
    both = np.unique((section.astype(np.uint64) << np.uint64(32)) | hashes)
    return (both >> np.uint64(32)).astype(np.int64), both.astype(np.uint32)
