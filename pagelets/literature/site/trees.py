"""The tree of a page as methods see it that compare the pages of a site: the elements around its blocks, and
the blocks as its leaves.

Papers speak of DOM trees, whose leaves are texts, images and links. A leaf here is a block, a text with all
the inline elements in it, as blocks are what is judged; elements that show nothing are left out.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache, cached_property
from hashlib import blake2b
from typing import TYPE_CHECKING, Final, TypeAlias

import numpy as np

from pagelets.sketch import fingerprint

if TYPE_CHECKING:
    from collections.abc import Sequence

    from pagelets.methods.base import Subject

Nodes: TypeAlias = list[tuple[int, int]]
"""Pages, and the places of nodes in them."""

_WORD: Final = 0xFFFFFFFFFFFFFFFF
_ODD: Final = 0x9E3779B97F4A7C15


@dataclass(eq=False)
class BlockTree:
    """n nodes in document order, each behind its parent: elements and, without children, blocks.

    ``parents`` are the places of their parents, -1 of the first. ``labels`` are 64-bit hashes: of an
    element's tag and some of its attributes, of a block's text. ``nodes`` are the elements' places in the
    page's tree, -1 for blocks; ``blocks`` the blocks' places in the page, -1 for elements.
    """

    parents: list[int]
    labels: list[int]
    nodes: list[int]
    blocks: list[int]

    def __len__(self) -> int:
        return len(self.parents)

    @classmethod
    def of(cls, subject: Subject, attributes: Sequence[str] = ()) -> BlockTree:
        """Reads the tree of a page; takes the names of the attributes that count. Linear in its size."""
        containers, page = subject.containers, subject.page
        elements, blocks = len(containers.nodes), len(page.blocks)
        # An element begins right before the first block in it: the outer one first.
        first = np.concatenate([containers.start, np.arange(blocks)])
        order = np.lexsort((np.arange(len(first)) >= elements, first))
        place = np.empty(len(order), np.int64)
        place[order] = np.arange(len(order))
        parents = place[np.concatenate([containers.parent, containers.of_block])[order]]
        parents[0] = -1
        labels = element_labels(subject, attributes)
        labels += [fingerprint((block.text,)) & _WORD for block in page.blocks]
        nodes = np.concatenate([containers.nodes, np.full(blocks, -1)])[order]
        at = np.where(order < elements, -1, order - elements)
        return cls(parents.tolist(), [labels[index] for index in order.tolist()], nodes.tolist(), at.tolist())

    @cached_property
    def children(self) -> list[list[int]]:
        """The places of each node's children, in order."""
        children: list[list[int]] = [[] for _ in self.parents]
        for place, parent in enumerate(self.parents[1:], 1):
            children[parent].append(place)
        return children

    @cached_property
    def sizes(self) -> list[int]:
        """The number of nodes in each node's subtree, itself counted."""
        sizes = [1] * len(self.parents)
        for place in range(len(sizes) - 1, 0, -1):
            sizes[self.parents[place]] += sizes[place]
        return sizes

    @cached_property
    def classes(self) -> list[int]:
        """64-bit hashes of subtrees: those with the same labels in the same shape have the same one."""
        classes = self.labels.copy()
        # The last child comes first: what is behind a node is known when its parent takes it in.
        for place in range(len(classes) - 1, 0, -1):
            parent = self.parents[place]
            classes[parent] = mixed(classes[parent], classes[place])
        return classes

    def kept(self, places: Sequence[int]) -> BlockTree:
        """The tree of some nodes in order, each of whose parents is among them."""
        new = {place: number for number, place in enumerate(places)}
        new[-1] = -1
        return BlockTree(
            [new[self.parents[place]] for place in places],
            *([values[place] for place in places] for values in (self.labels, self.nodes, self.blocks)),
        )


def mixed(value: int, other: int) -> int:
    """A 64-bit hash of two, the order of which counts."""
    total = (value * _ODD + other + 1) & _WORD
    return ((total ^ (total >> 32)) * _ODD) & _WORD


def hashed(*parts: str) -> int:
    """A 64-bit hash of some strings."""
    data = "\x1f".join(parts).encode("utf-8", "surrogatepass")
    return int.from_bytes(blake2b(data, digest_size=8).digest(), "little")


def element_labels(subject: Subject, attributes: Sequence[str]) -> list[int]:
    """Hashes of the tags of a page's containers, and of those attributes that they have."""
    containers = subject.containers
    values = [(name, containers.tree.attribute(name)) for name in attributes]
    label = cache(hashed)
    return [
        label(tag, *(f"{name}={value[node]}" for name, value in values if node in value))
        for node, tag in zip(containers.nodes.tolist(), containers.tags, strict=True)
    ]
