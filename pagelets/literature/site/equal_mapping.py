"""Equal top-down mappings between the trees of pages.

Alarte, Insa, Silva & Tamarit, Web Template Extraction Based on Hyperlink Analysis, 2014, Definition 3.2 and
Algorithm 2.
"""

from __future__ import annotations

from bisect import bisect_left
from collections import defaultdict
from dataclasses import dataclass
from functools import cache
from typing import TYPE_CHECKING, Final, NamedTuple, TypeAlias

from pagelets.literature.site.trees import BlockTree

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from pagelets.methods.base import Subject

_PAIRS: Final = 1000
"""Of siblings with more pairs than this those are paired that have the same classes and attributes, in order:
a mapping takes time in proportion to the sizes of its trees.
"""

_LONGEST: Final = 80
"""Of a longer class or attribute this many characters count: what is learned of a page stays small."""

Pair: TypeAlias = tuple[int, int]


class Element(NamedTuple):
    """The compared features of an element: its classes, its other attributes, the number of its children and
    its place among its siblings, from 0 to 1.
    """

    classes: frozenset[str]
    attributes: frozenset[str]
    children: int
    position: float


@dataclass(frozen=True)
class NodeEquality:
    """The equality of two elements with the same tag, from 0 to 1: a weighted mean of four likenesses.

    The likeness of their classes, and of their other attributes, is the share that both have of all that
    either has; of the numbers of their children the smaller one over the larger; of their positions 1 less
    the distance. At least one weight is above 0.
    """

    classes: float
    attributes: float
    children: float
    position: float

    def __call__(self, element: Element, other: Element) -> float:
        """The likeness of two elements."""
        fewer, more = sorted((element.children, other.children))
        weighted = (
            self.classes * _shared(element.classes, other.classes)
            + self.attributes * _shared(element.attributes, other.attributes)
            + self.children * (fewer / more if more else 1.0)
            + self.position * (1 - abs(element.position - other.position))
        )
        return weighted / (self.classes + self.attributes + self.children + self.position)


def _shared(features: frozenset[str], other: frozenset[str]) -> float:
    return len(features & other) / len(features | other) if features or other else 1.0


class Layout(NamedTuple):
    """A tree whose elements can be compared.

    ``tree`` has the tags of elements and the texts of blocks for its labels. ``element`` gives the compared
    features of an element.
    """

    tree: BlockTree
    element: Callable[[int], Element]

    @classmethod
    def of(cls, subject: Subject) -> Layout:
        """The layout of a page."""
        tree = BlockTree.of(subject)
        page = subject.page.tree
        starts = page.starts.tolist()

        def read(place: int) -> Element:
            span = slice(starts[tree.nodes[place]], starts[tree.nodes[place] + 1])
            classes: frozenset[str] = frozenset()
            attributes = []
            for name, value in zip(page.name[span].tolist(), page.value[span].tolist(), strict=True):
                if page.strings[name] == "class":
                    classes = frozenset(class_name[:_LONGEST] for class_name in page.strings[value].split())
                else:
                    attributes.append(f"{page.strings[name]}={page.strings[value]}"[:_LONGEST])
            siblings = tree.children[tree.parents[place]] if place else [place]
            position = bisect_left(siblings, place) / len(siblings)
            return Element(classes, frozenset(attributes), len(tree.children[place]), position)

        return cls(tree, cache(read))

    def kept(self, places: Sequence[int]) -> Layout:
        """The layout of some nodes in order, each of whose parents is among them.

        The numbers of children and the positions stay those of the page that they were read of.
        """
        elements = {
            number: self.element(place) for number, place in enumerate(places) if self.tree.blocks[place] < 0
        }
        return Layout(self.tree.kept(places), elements.__getitem__)


def equal_mapping(first: Layout, other: Layout, equality: NodeEquality, threshold: float) -> list[Pair]:
    """Returns the pairs of an equal top-down mapping between two trees: the places in the one and the other.

    Nodes are paired whose parents are: elements with the same tag that are alike enough, the most alike
    first; blocks with the same text, in order.

    Args:
        first: the first tree.
        other: the second tree.
        equality: compares two elements.
        threshold: the least equality of elements that are paired, 0 to 1.

    """
    if first.tree.labels[0] != other.tree.labels[0]:
        return []
    if equality(first.element(0), other.element(0)) < threshold:
        return []
    pairs = [(0, 0)]
    for place, counterpart in pairs:
        alike: defaultdict[int, tuple[list[int], list[int]]] = defaultdict(lambda: ([], []))
        for child in first.tree.children[place]:
            alike[first.tree.labels[child]][0].append(child)
        for child in other.tree.children[counterpart]:
            alike[other.tree.labels[child]][1].append(child)
        for ours, theirs in alike.values():
            if not ours or not theirs:
                continue
            if first.tree.blocks[ours[0]] >= 0:
                pairs += zip(ours, theirs, strict=False)
            elif len(ours) * len(theirs) > _PAIRS:
                pairs += _same(first, other, ours, theirs)
            else:
                pairs += _most_alike(first, other, ours, theirs, equality, threshold)
    return pairs


def _same(first: Layout, other: Layout, ours: list[int], theirs: list[int]) -> Iterator[Pair]:
    known: defaultdict[tuple[frozenset[str], frozenset[str]], list[int]] = defaultdict(list)
    for place in reversed(theirs):
        known[other.element(place)[:2]].append(place)
    for place in ours:
        if left := known[first.element(place)[:2]]:
            yield place, left.pop()


def _most_alike(
    first: Layout, other: Layout, ours: list[int], theirs: list[int], equality: NodeEquality, threshold: float
) -> Iterator[Pair]:
    scored = []
    for place in ours:
        element = first.element(place)
        for counterpart in theirs:
            likeness = equality(element, other.element(counterpart))
            if likeness >= threshold:
                scored.append((-likeness, place, counterpart))
    paired: set[int] = set()
    taken: set[int] = set()
    for _, place, counterpart in sorted(scored):
        if place not in paired and counterpart not in taken:
            paired.add(place)
            taken.add(counterpart)
            yield place, counterpart
