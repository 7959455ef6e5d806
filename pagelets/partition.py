"""The k-link partition of a page into pagelets.

Bar-Yossef & Rajagopalan, "Template Detection via Data Mining and its Applications", WWW 2002, Section 3.1,
Definition 2 and Figure 3.
"""

from __future__ import annotations

import re
from functools import lru_cache
from typing import TYPE_CHECKING, Final, NamedTuple

from pagelets.tree import ROOT

if TYPE_CHECKING:
    from pagelets.page import Block, Page
    from pagelets.tree import Tree

DEFAULT_K: Final = 3

_DIGIT: Final = re.compile(r"\d")
_NONE: Final = -1
_LONG_NAME: Final = 100
_LONG_PATH: Final = 1000
"""Characters. A hostile page has names of megabytes, thousands of levels, and many pagelets below them."""


class Pagelet(NamedTuple):
    """The blocks ``[start, stop)`` of a page that make one region of it.

    ``path`` leads from the root to the pagelet's element, as tags with ids and classes. ``anonymous`` tells
    text that stands between the children of a split element, and inline runs: the paper gives it no pagelet.
    """

    start: int
    stop: int
    path: str
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
    regions = _Regions(page.tree, _split_nodes(page.tree, k))
    pagelets: list[Pagelet] = []
    start, owner, anonymous = 0, ROOT, False
    for position, block in enumerate(page.blocks):
        node = regions.of(block.node)
        loose = node < 0
        if loose:
            node = regions.of_run(block)
            loose = node == block.node
        if position and (loose or anonymous or node != owner):
            pagelets.append(Pagelet(start, position, regions.path(owner), anonymous))
            start = position
        owner, anonymous = node, loose
    if page.blocks:
        pagelets.append(Pagelet(start, len(page.blocks), regions.path(owner), anonymous))
    return pagelets


def _split_nodes(tree: Tree, k: int) -> set[int]:
    """The elements that Figure 3 splits: those with a child in whose subtree lie at least k links."""
    parents, linked = tree.parents, tree.attribute("href")
    links: dict[int, int] = {}
    split: set[int] = set()
    for node in tree.of_tag("a"):
        if node not in linked:
            continue
        while node >= 0:
            links[node] = count = links.get(node, 0) + 1
            if count >= k:
                if count > k:
                    # This one and all above it have their k links already.
                    break
                split.add(parents[node])
            node = parents[node]
    split.discard(_NONE)
    return split


class _Regions:
    """Finds the pagelet that a block lies in, by climbing; remembers what it has climbed."""

    def __init__(self, tree: Tree, split: set[int]) -> None:
        self.tree = tree
        self.regions: dict[int, int] = dict.fromkeys(split, _NONE)
        self.paths: dict[int, str] = {}

    def of(self, node: int) -> int:
        """The pagelet's element around a node, -1 where that is itself split."""
        regions, parents = self.regions, self.tree.parents
        if node in regions:
            return regions[node]
        climbed = [node]
        above = parents[node]
        while above >= 0 and above not in regions:
            climbed.append(above)
            above = parents[above]
        found = _NONE if above < 0 else regions[above]
        if found < 0:
            found = climbed[-1]
        for below in climbed:
            regions[below] = found
        return found

    def of_run(self, block: Block) -> int:
        """The pagelet of a run that lies directly in a split element: the one child that holds all of it."""
        owners = {self.of(holder) for text, holder in block.runs if not text.isspace()}
        owner = owners.pop() if len(owners) == 1 else _NONE
        return block.node if owner < 0 else owner

    def path(self, node: int) -> str:
        """Tags with ids and classes from the root to a node; a long path ends before it."""
        path = self.paths.get(node)
        if path is not None:
            return path
        # Without recursion: a hostile page nests deeper than Python calls.
        missing, parents = [node], self.tree.parents
        above = parents[node]
        while above >= 0 and above not in self.paths:
            missing.append(above)
            above = parents[above]
        path = "" if above < 0 else self.paths[above]
        for below in reversed(missing):
            if len(path) < _LONG_PATH:
                step = node_step(self.tree, below)
                path = f"{path}/{step}" if path else step
            self.paths[below] = path
        return path


def node_step(tree: Tree, node: int) -> str:
    """One step of a path: the element's tag with its id, or with its first classes."""
    identifier, classes = tree.get(node, "id") or "", tree.get(node, "class") or ""
    return _step(tree.tags[node][:_LONG_NAME], identifier[:_LONG_NAME], classes[:_LONG_NAME])


@lru_cache(maxsize=1 << 14)
def _step(tag: str, identifier: str, classes: str) -> str:
    """One step of a path. Names with digits (post-1234) tell pages apart, not places: they are left out."""
    identifier = identifier.strip()
    if identifier and not _DIGIT.search(identifier):
        return f"{tag}#{identifier}"
    names = [name for name in classes.split() if not _DIGIT.search(name)]
    return ".".join([tag, *names[:2]])
