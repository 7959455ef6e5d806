"""What a site counts a block by: its text, its place among the elements of the page, and both together."""

from __future__ import annotations

import re
import zlib
from typing import TYPE_CHECKING, Final

import numpy as np

from pagelets.partition import node_step
from pagelets.sketch import fingerprint

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from pagelets.containers import Containers
    from pagelets.page import Page

TRACE: Final = np.dtype([("block", "<i8"), ("place", "<u4"), ("placed", "<u4")])
"""``block`` is the fingerprint of the text (0 where there is none), ``place`` that of the path to the block's
element, ``placed`` that of the place and the text with its digits masked.

Places are 32 bits wide: two of a million that fall together blur a count, and no more.
"""

_DIGITS: Final = re.compile(r"\d+")
_WHOLE_PAGE: Final = frozenset({"html", "body"})
"""Their names tell kinds of pages apart; the place of a menu is the same on all."""


def traces(page: Page, containers: Containers) -> NDArray[np.void]:
    """The traces of a page's blocks, an array of `TRACE`, aligned with them. The same on every machine."""
    places: list[int] = [0]
    tags = page.tree.tags
    for node, parent in zip(containers.nodes[1:].tolist(), containers.parent[1:].tolist(), strict=True):
        step = tags[node] if tags[node] in _WHOLE_PAGE else node_step(page.tree, node)
        places.append(zlib.crc32(f"/{step}".encode("utf-8", "surrogatepass"), places[parent]))
    found = np.zeros(len(page.blocks), TRACE)
    found["block"] = [block_fingerprint(block.text) for block in page.blocks]
    found["place"] = at = [places[place] for place in containers.of_block.tolist()]
    found["placed"] = [
        zlib.crc32(_DIGITS.sub("0", block.text).encode("utf-8", "surrogatepass"), place)
        for block, place in zip(page.blocks, at, strict=True)
    ]
    return found


def block_fingerprint(text: str) -> int:
    """The fingerprint of a block's text; 0 where it is empty."""
    return fingerprint((text,)) if text else 0
