"""The k-link partition of a page into pagelets.

Bar-Yossef & Rajagopalan, "Template Detection via Data Mining and its Applications", WWW 2002, Section 3.1,
Definition 2 and Figure 3.
"""

from __future__ import annotations

import re
from functools import lru_cache
from typing import TYPE_CHECKING, Final, NamedTuple

import numpy as np

from pagelets import loops
from pagelets.compiled import chosen
from pagelets.tree import ROOT, Tree

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from pagelets.page import Block, Page

DEFAULT_K: Final = 3

_DIGIT: Final = re.compile(r"\d")
_NONE: Final = -1
_LONG_NAME: Final = 100
_LONG_PATH: Final = 1000
"""Characters. A hostile page has names of megabytes, thousands of levels, and many pagelets below them."""


class Pagelet(NamedTuple):
    """The blocks ``[start, stop)`` of a page that make one region of it, the element ``node`` of its tree.

    ``anonymous`` tells text that stands between the children of a split element, and inline runs: the paper
    gives it no pagelet.
    """

    start: int
    stop: int
    node: int
    anonymous: bool


def partition(page: Page, k: int = DEFAULT_K) -> list[Pagelet]:
    """Cuts a page into pagelets by Definition 2 (Figure 3): the topmost elements with no child of k links.

    Returns the pagelets in document order; their slices cover ``page.blocks`` exactly, without overlap. What
    the definition leaves out (text directly in a split element, inline runs across several of its children)
    becomes anonymous pagelets of one block each. An element without text and links has no pagelet.

    Raises ValueError where ``k`` is less than 1.
    """
    if k < 1:
        raise ValueError(f"k = {k}: a pagelet takes at least 1 link")
    tree = page.tree
    linked = bytearray(len(tree))
    hrefs = tree.attribute("href")
    for node in tree.of_tag("a"):
        linked[node] = node in hrefs
    return list(map(Pagelet._make, _slices(page, bytes(linked), k)))


def slices(page: Page, linked: bytes, k: int) -> list[tuple[int, int, int, bool]]:
    """The bounds of the pagelets of a page, their elements, and whether each is anonymous.

    Args:
        page: the page.
        linked: whether each element is a link, a byte each.
        k: the least number of links of a pagelet.
    """
    regions = _Regions(page.tree, _split_nodes(page.tree.parents, linked, k))
    cuts: list[tuple[int, int, int, bool]] = []
    start, owner, anonymous = 0, ROOT, False
    for position, block in enumerate(page.blocks):
        node = regions.of(block.node)
        loose = node < 0
        if loose:
            node = regions.of_run(block)
            loose = node == block.node
        if position and (loose or anonymous or node != owner):
            cuts.append((start, position, owner, anonymous))
            start = position
        owner, anonymous = node, loose
    if page.blocks:
        cuts.append((start, len(page.blocks), owner, anonymous))
    return cuts


def _split_nodes(parents: list[int], linked: bytes, k: int) -> set[int]:
    """The elements that Figure 3 splits: those with a child in whose subtree lie at least k links."""
    links: dict[int, int] = {}
    split: set[int] = set()
    node = linked.find(1)
    while node >= 0:
        above = node
        while above >= 0:
            links[above] = count = links.get(above, 0) + 1
            if count >= k:
                if count > k:
                    # This one and all above it have their k links already.
                    break
                split.add(parents[above])
            above = parents[above]
        node = linked.find(1, node + 1)
    split.discard(_NONE)
    return split


class _Regions:
    """Finds the pagelet that a block lies in, by climbing; remembers what it has climbed."""

    def __init__(self, tree: Tree, split: set[int]) -> None:
        self.tree = tree
        self.regions: dict[int, int] = dict.fromkeys(split, _NONE)

    def of(self, node: int) -> int:
        """The pagelet's element around a node, -1 if it is itself split."""
        regions, parents = self.regions, self.tree.parents
        if node in regions:
            return regions[node]
        climbed = [node]
        above = parents[node]
        while above >= 0 and above not in regions:
            climbed.append(above)
            above = parents[above]
        region = _NONE if above < 0 else regions[above]
        if region < 0:
            region = climbed[-1]
        for below in climbed:
            regions[below] = region
        return region

    def of_run(self, block: Block) -> int:
        """The pagelet of a run that lies directly in a split element: the one child that holds all of it."""
        owners = {self.of(holder) for text, holder in block.source[block.span] if not text.isspace()}
        owner = owners.pop() if len(owners) == 1 else _NONE
        return block.node if owner < 0 else owner


def tag_paths(tree: Tree, pagelets: Iterable[Pagelet]) -> list[str]:
    """The tag path of each pagelet: tags with ids and classes from the root to its element; a long one ends
    early.
    """
    nodes = np.array([pagelet.node for pagelet in pagelets], np.int64)
    climbed = loops.climb(nodes, tree.parent, tree.last)
    steps = node_steps(tree, climbed.nodes.tolist())
    paths = steps[:1]
    for parent, step in zip(climbed.parent[1:].tolist(), steps[1:], strict=True):
        path = paths[parent]
        paths.append(f"{path}/{step}" if len(path) < _LONG_PATH else path)
    return [paths[place] for place in climbed.of_block.tolist()]


def node_steps(tree: Tree, nodes: Sequence[int]) -> list[str]:
    """Steps of paths, one for each of the ``nodes`` of a ``tree``: its tag with its id, or with its first
    classes.
    """
    identifiers, classes, tags = tree.attribute("id"), tree.attribute("class"), tree.tags
    return [_step(tags[node], identifiers.get(node, ""), classes.get(node, "")) for node in nodes]


_slices = chosen("pagelets.native_pages", slices)


def _step(tag: str, identifier: str, classes: str) -> str:
    return _short_step(tag[:_LONG_NAME], identifier[:_LONG_NAME], classes[:_LONG_NAME])


@lru_cache(maxsize=1 << 14)
def _short_step(tag: str, identifier: str, classes: str) -> str:
    """One step of a path. Names with digits (post-1234) tell pages apart, not places: they are left out."""
    identifier = identifier.strip()
    if identifier and not _DIGIT.search(identifier):
        return f"{tag}#{identifier}"
    names = classes.split()
    if _DIGIT.search(classes):
        names = [name for name in names if not _DIGIT.search(name)]
    return ".".join([tag, *names[:2]])
