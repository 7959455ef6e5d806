"""The keys by which a site counts a block: its text, the tag path to its element, and both together."""

from __future__ import annotations

import re
import zlib
from typing import TYPE_CHECKING, Final

import numpy as np

from pagelets.compiled import chosen
from pagelets.filled_lines import filled_lines
from pagelets.partition import node_steps
from pagelets.sketch import fingerprint

if TYPE_CHECKING:
    from collections.abc import Mapping

    from numpy.typing import NDArray

    from pagelets.containers import Containers
    from pagelets.page import Page

BLOCK_KEYS: Final = np.dtype([("block", "<i8"), ("tag_path", "<u4"), ("placed", "<u4")])
"""``block`` is the fingerprint of the text (0 where there is none), ``tag_path`` that of the tag path to its
element, ``placed`` that of the tag path and the text with its digits masked, and the page's title where the
text is a sentence with it (`pagelets.filled_lines`).

Tag paths are 32 bits wide: two of a million that fall together blur a count, and no more.
"""

_DIGITS: Final = re.compile(r"\d+")
_WHOLE_PAGE: Final = frozenset({"html", "body"})
"""Their names tell kinds of pages apart; the tag path of a menu is the same on all."""


def block_keys(
    page: Page, containers: Containers, filled: Mapping[int, str] | None = None
) -> NDArray[np.void]:  # fmt: skip
    """The keys of a page's blocks, an array of `BLOCK_KEYS`, aligned with them. The same on every machine.

    Args:
        page: the page.
        containers: the elements around its blocks.
        filled: its `pagelets.filled_lines.filled_lines`, where they are known.

    """
    keys = np.zeros(len(page.blocks), BLOCK_KEYS)
    keys["tag_path"] = at = tag_path_keys(page, containers)
    _write_keys([block.text for block in page.blocks], at, keys["block"], keys["placed"])
    for place, line in (filled_lines(page) if filled is None else filled).items():
        keys["placed"][place] = placed_key(line, int(at[place]))
    return keys


def tag_path_keys(page: Page, containers: Containers) -> NDArray[np.uint32]:
    """The keys of the tag paths to the elements of a page's b blocks: uint32[b]."""
    tags, nodes = page.tree.tags, containers.nodes[1:].tolist()
    steps = [
        tags[node] if tags[node] in _WHOLE_PAGE else step
        for node, step in zip(nodes, node_steps(page.tree, nodes), strict=True)
    ]
    return _tag_path_sums(steps, containers.parent)[containers.of_block]


def tag_path_sums(steps: list[str], parents: NDArray[np.int64]) -> NDArray[np.uint32]:
    """Sums of the paths to n elements, uint32[n], 0 for the first; takes the steps to the others, and places
    of parents among them all.
    """
    sums: list[int] = [0]
    for step, parent in zip(steps, parents[1:].tolist(), strict=True):
        sums.append(zlib.crc32(f"/{step}".encode("utf-8", "surrogatepass"), sums[parent]))
    return np.array(sums, np.uint32)


def write_keys(
    texts: list[str], tag_paths: NDArray[np.uint32], blocks: NDArray[np.int64], placed: NDArray[np.uint32]
) -> None:
    """Writes the fingerprints of ``texts`` into ``blocks``, and those with their ``tag_paths`` into
    ``placed``.
    """
    blocks[:] = [block_fingerprint(text) for text in texts]
    placed[:] = list(map(placed_key, texts, tag_paths.tolist()))


_tag_path_sums = chosen("pagelets.native", tag_path_sums)
_write_keys = chosen("pagelets.native", write_keys)


def placed_key(text: str, tag_path: int) -> int:
    """The key of a text, its digits masked, at a tag path."""
    return zlib.crc32(_DIGITS.sub("0", text).encode("utf-8", "surrogatepass"), tag_path)


def block_fingerprint(text: str) -> int:
    """Returns the fingerprint of a block's text; 0 for an empty one."""
    return fingerprint((text,)) if text else 0


def block_fingerprints(texts: list[str]) -> NDArray[np.int64]:
    """Returns the `block_fingerprint` of each of n texts: int64[n]."""
    blocks, others = np.zeros(len(texts), np.int64), np.zeros(len(texts), np.uint32)
    _write_keys(texts, others, blocks, others.copy())
    return blocks
