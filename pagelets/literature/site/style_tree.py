"""Trees that merge those of a site's pages by their presentation styles, and how much their nodes differ.

Yi, Liu & Li, Eliminating Noisy Information in Web Pages for Data Mining, KDD 2003 (site style tree);
Yi & Liu, Web Page Cleaning for Web Mining through Feature Weighting, IJCAI 2003 (compressed structure tree),
as summarised in the survey of Shinde, Bolli & Kulkarni, 2013.
"""

from __future__ import annotations

import json
from abc import ABC, abstractmethod
from dataclasses import dataclass, field
from math import log
from typing import TYPE_CHECKING, ClassVar, Final, NamedTuple

import numpy as np

from pagelets.literature.site.trees import BlockTree, Nodes, hashed, mixed
from pagelets.methods.base import REPEATED, Parameters, SiteView, Subject, Verdict
from pagelets.sketch import hashed as word_hashes

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from numpy.typing import NDArray


TEXT: Final = hashed("#text")
"""The mark of a block in a presentation style."""

DISPLAY: Final = ("align", "bgcolor", "border", "color", "height", "size", "valign", "width")
"""The attributes that say how an element is displayed: with its tag they make a presentation style."""

_DIGITS: Final = 6


class PresentationStyle(NamedTuple):
    """A presentation style of an element node: the hash of the sequence of its child tags, the number of its
    pages, and the numbers of its child element nodes, empty if a single page has it.
    """

    key: int
    pages: int
    children: range


@dataclass(slots=True, eq=False)
class ElementNode:
    """Tag nodes that were merged, one of each of some pages: ``nodes`` are the pages and the places in them.

    ``styles`` are the sequences of their children, empty for a block.
    """

    nodes: Nodes
    styles: list[PresentationStyle] = field(default_factory=list)


class StyledPage:
    """A page as style trees see it: its tree and, while learning, the contents of its blocks."""

    def __init__(self, tree: BlockTree, contents: Sequence[tuple[str, list[str]]] = ()) -> None:
        self.tree = tree
        self._contents = contents

    @classmethod
    def of(cls, subject: Subject, attributes: Sequence[str] = DISPLAY) -> StyledPage:
        """A page with the contents of its blocks; takes the attributes that are part of a style."""
        page = subject.page
        contents = [(block.text, [link.url for link in page.links[block.links]]) for block in page.blocks]
        return cls(BlockTree.of(subject, attributes), contents)

    def style(self, place: int) -> int:
        """The presentation style of an element: the sequence of its children, as a hash."""
        tree = self.tree
        key = 0
        for child in tree.children[place]:
            key = mixed(key, TEXT if tree.blocks[child] >= 0 else tree.labels[child])
        return key

    def content(self, place: int) -> tuple[str, list[str]]:
        """The text of a block, and the targets of its links."""
        return self._contents[self.tree.blocks[place]]

    def features(self, place: int) -> NDArray[np.uint64]:
        """The features of a block: hashes of its words, and of the targets of its links."""
        text, links = self.content(place)
        targets = np.fromiter(map(hashed, links), np.uint64, len(links))
        return np.concatenate([word_hashes(text), targets])


def style_tree(pages: Sequence[StyledPage]) -> list[ElementNode]:
    """Merges the trees of pages from their roots down, parents before children; the first node is the root.

    Tag nodes are merged whose parents are, and have the same style. Linear in the size of the pages.
    """
    elements = [ElementNode([(number, 0) for number in range(len(pages))])]
    for element in elements:
        by_style: dict[int, Nodes] = {}
        for page, place in element.nodes:
            if pages[page].tree.blocks[place] < 0:
                by_style.setdefault(pages[page].style(place), []).append((page, place))
        for key, nodes in by_style.items():
            first = len(elements)
            if len(nodes) > 1:
                rows = [
                    [(page, child) for child in pages[page].tree.children[place]] for page, place in nodes
                ]
                elements += [ElementNode(list(column)) for column in zip(*rows, strict=True)]
            element.styles.append(PresentationStyle(key, len(nodes), range(first, len(elements))))
    return elements


def node_importance(counts: Iterable[int], total: int) -> float:
    """The entropy of the styles of an element node, from 0 to 1: NodeImp.

    Takes how many tag nodes have each style, and how many there are, the base of the logarithm; it is 1 where
    there is one.
    """
    if total == 1:
        return 1.0
    return abs(sum(count / total * log(count / total, total) for count in counts))


def content_importance(features: Sequence[NDArray[np.uint64]]) -> float:
    """Returns the variety of a block over its m pages: 1 less the mean entropy of its features.

    Takes the features of each page's, one that occurs twice being there twice. The entropy of a feature is
    that of the pages that its occurrences are on, to the base m. 1 where m is 1; 0 where there is no feature.
    """
    if len(features) == 1:
        return 1.0
    sizes = [len(hashes) for hashes in features]
    if not any(sizes):
        return 0.0
    pages = np.repeat(np.arange(len(features)), sizes)
    _, names = np.unique(np.concatenate(features), return_inverse=True)
    cells, counts = np.unique(names * len(features) + pages, return_counts=True)
    owners = cells // len(features)
    shares = counts / np.bincount(names)[owners]
    entropies = -np.bincount(owners, shares * np.log(shares)) / log(len(features))
    return float(1 - entropies.mean())


def leaf_importance(pages: Sequence[StyledPage], element: ElementNode) -> float:
    """Returns the variety of the contents of an element node that is a block."""
    page, place = element.nodes[0]
    content = pages[page].content(place)
    if all(pages[page].content(place) == content for page, place in element.nodes[1:]):
        # Each feature is on all pages alike.
        return float(len(element.nodes) == 1)
    return content_importance([pages[page].features(place) for page, place in element.nodes])


@dataclass(frozen=True, eq=False)
class StyleScores:
    """The scores that a style tree gives to blocks, from 0 to 1; what it has not merged has 1.

    Of an element node ``nodes`` holds the styles that several pages have, each with the number of the first
    child, of a block its score.
    """

    nodes: list[dict[int, int] | float]

    @classmethod
    def of(cls, tree: Sequence[ElementNode], scores: Sequence[float]) -> StyleScores:
        """Returns the part of a style tree that is stored, given the score of each node that is a block."""
        return cls(
            [
                {style.key: style.children.start for style in element.styles if style.children}
                if element.styles
                else round(score, _DIGITS)
                for element, score in zip(tree, scores, strict=True)
            ]
        )

    def written(self) -> bytes:
        """As JSON."""
        plain = [node if isinstance(node, float) else list(node.items()) for node in self.nodes]
        return json.dumps(plain, separators=(",", ":")).encode()

    @classmethod
    def read(cls, model: bytes) -> StyleScores:
        """As it was written; of nothing, scores that are all 1."""
        plain = json.loads(model) if model else [[]]
        return cls([node if isinstance(node, float) else dict(node) for node in plain])

    def scores(self, subject: Subject, attributes: Sequence[str] = DISPLAY) -> NDArray[np.float64]:
        """The scores of a page's b blocks, float64[b]: where its styles lead to, from the root down."""
        page = StyledPage(BlockTree.of(subject, attributes))
        scores = np.ones(len(subject.page.blocks))
        stack = [(0, 0)]
        while stack:
            number, place = stack.pop()
            node = self.nodes[number]
            if isinstance(node, float):
                scores[page.tree.blocks[place]] = node
            elif node:
                first = node.get(page.style(place))
                if first is not None:
                    stack += enumerate(page.tree.children[place], first)
        return scores


@dataclass(frozen=True, eq=False)
class StyleMethod(Parameters):
    """Removes the blocks that the style tree of a host gives less than ``threshold``."""

    cite: ClassVar[str] = (
        "Yi, Liu & Li, Eliminating Noisy Information in Web Pages for Data Mining, KDD 2003; "
        "Yi & Liu, Web Page Cleaning for Web Mining through Feature Weighting, IJCAI 2003"
    )
    threshold: float
    styles: StyleScores

    def judge(self, subject: Subject) -> Verdict:
        """Scores are importance."""
        scores = self.styles.scores(subject)
        mask = scores >= self.threshold
        return Verdict.of(mask, scores, REPEATED)


class StyleTreeMethod(Parameters, ABC):
    """The base of SST and CST, which judge by the style tree of ``sample`` pages."""

    sample: int
    threshold: float

    def learn(self, site: SiteView) -> bytes:
        """The weights of the tree's blocks, as JSON; empty where the host has fewer than two pages."""
        pages = [StyledPage.of(subject) for subject in site.sample(self.sample)]
        if len(pages) < 2:
            return b""
        tree = style_tree(pages)
        return StyleScores.of(tree, self._weights(pages, tree)).written()

    def learned(self, model: bytes) -> StyleMethod:
        """The method that judges by a tree."""
        return StyleMethod(self.threshold, StyleScores.read(model))

    @abstractmethod
    def _weights(self, pages: Sequence[StyledPage], tree: Sequence[ElementNode]) -> Sequence[float]:
        """The weight of each element node of a tree of pages, from 0 to 1."""
