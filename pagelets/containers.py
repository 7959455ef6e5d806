"""The elements around a page's blocks, as arrays: who lies in whom, and which blocks each holds."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, TypeAlias

import numpy as np
from numpy.typing import NDArray

from pagelets import loops

if TYPE_CHECKING:
    import re
    from collections.abc import Sequence

    from pagelets.page import Page
    from pagelets.tree import Tree

Integers: TypeAlias = NDArray[np.int64]


@dataclass(eq=False)
class Containers:
    """The elements that hold blocks, parents before children; n of them, for b blocks.

    ``nodes`` int64[n] are the elements of ``tree``, in document order; ``tag`` int32[n] the places of their
    tags in its strings; ``parent`` int64[n] the place of each one's parent, the first's its own;
    ``depth`` int64[n] its distance from the first; ``of_block`` int64[b] the place of each block's element.
    A container's blocks are the slice ``start[i]:stop[i]`` of the page's, from the first in it to the last:
    text between the paragraphs of an inline one, as a link around them, counts as in it too.
    """

    tree: Tree
    nodes: Integers
    tag: NDArray[np.int32]
    parent: Integers
    depth: Integers
    of_block: Integers
    start: Integers
    stop: Integers

    @classmethod
    def of(cls, page: Page) -> Containers:
        """Reads the containers of a page. Linear in the number of its elements and blocks."""
        tree = page.tree
        blocks = np.fromiter([block.node for block in page.blocks], np.int64, len(page.blocks))
        climbed = loops.climb(blocks, tree.parent, tree.last)
        return cls(tree, climbed.nodes, tree.tag[climbed.nodes], *climbed[1:])

    @cached_property
    def tags(self) -> list[str]:
        """The containers' tags."""
        return [self.tree.strings[place] for place in self.tag.tolist()]

    def numbered(self, numbers: dict[str, int]) -> Integers:
        """Returns the number that a table gives each container's tag, 0 for an unknown one: int64[n]."""
        return loops.numbered(self.tag, self.tree.tag_places, numbers, len(self.tree.strings))

    @cached_property
    def end(self) -> Integers:
        """Of each container the place behind the last one inside it, or behind itself: int64[n]."""
        return self.nodes.searchsorted(self.tree.last[self.nodes], "right")

    def sums(self, values: NDArray[np.float64]) -> NDArray[np.float64]:
        """Of each container the sum of the values (float64[b]) of the blocks that lie in it: float64[n]."""
        total = np.zeros(len(self.nodes) + 1)
        np.cumsum(np.bincount(self.of_block, values, len(self.nodes)), out=total[1:])
        return total[self.end] - total[:-1]

    def leads(self, places: Integers) -> Integers:
        """Of each container the first of some blocks that lies in it, b where none does: int64[n].

        Takes the places of the blocks, int64[k], in order.
        """
        none = len(self.of_block)
        following = np.append(places, none)[places.searchsorted(self.start)]
        return np.where(following < self.stop, following, none)

    def count(self, nodes: Sequence[int]) -> Integers:
        """Returns the number of some elements of the page in each container: int64[n].

        Takes the elements by their places in the tree, in order.
        """
        places = np.asarray(nodes, np.int64)
        last = self.tree.last[self.nodes]
        return places.searchsorted(last, "right") - places.searchsorted(self.nodes)

    def mask(self, nodes: Sequence[int] | NDArray[np.integer]) -> NDArray[np.bool_]:
        """Marks the blocks that lie in any of some elements of the page: bool[b].

        Takes elements by their places in the tree; one that holds no block counts for nothing.
        """
        marked = np.zeros(len(self.tree), bool)
        marked[np.asarray(nodes, np.int64)] = True
        wanted = marked[self.nodes]
        return wanted[self.nearest(wanted)[self.of_block]]

    def nearest(self, wanted: NDArray[np.bool_]) -> Integers:
        """For each container the place of itself or the nearest one around it that is ``wanted`` (bool[n]).

        The first container stands in where none is. Of k rows (bool[k, n]) there are as many answers.
        """
        return loops.nearest(wanted.reshape(-1, len(self.nodes)), self.parent).reshape(wanted.shape)

    def named(self, pattern: re.Pattern[str], hints: Sequence[str] = ("",)) -> NDArray[np.bool_]:
        """Marks the containers whose class or id, between white spaces, a pattern is found in: bool[n]. It is
        of a word in them: on most pages there is no match, so names are searched as one text.

        Args:
            pattern: the pattern.
            hints: texts in lower case of which all that it matches has one. They are faster to look for.

        """
        names, lowered = self._names
        strings = self.tree.strings
        likely = [place for hint in hints if hint in lowered for place, name in names if hint in name]
        text = "\n".join(["", *[strings[place] for place in likely], ""])
        if not likely or not pattern.search(text):
            return np.zeros(len(self.nodes), bool)
        # The last place is of a missing name.
        found = np.zeros(len(strings) + 1, bool)
        found[[place for place in likely if pattern.search(f"\n{strings[place]}\n")]] = True
        marked: NDArray[np.bool_] = np.logical_or.reduce(found[self.class_and_id])
        return marked

    @cached_property
    def class_and_id(self) -> NDArray[np.int32]:
        """The places of each container's class and id in the tree's strings, -1 for none: int32[2, n]."""
        tree = self.tree
        return loops.named(self.nodes, tree.starts, tree.name, tree.value, tree.name_places(("class", "id")))

    @cached_property
    def _names(self) -> tuple[list[tuple[int, str]], str]:
        """Each class and id that there is, in lower case, with its place, and all of them as one text."""
        strings = self.tree.strings
        met = np.zeros(len(strings) + 1, bool)
        met[self.class_and_id] = True
        names = [(place, strings[place].lower()) for place in np.flatnonzero(met[:-1]).tolist()]
        return names, "\n".join([name for _, name in names])
