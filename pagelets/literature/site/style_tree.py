"""Trees that merge those of a site's pages by their presentation styles, and how much their nodes differ.

The site style tree (SST), by which blocks that look and read alike wherever they are on a site are noise: Yi,
Liu & Li, Eliminating Noisy Information in Web Pages for Data Mining, KDD 2003. The tree merges the pages'
elements that are in the same place of the same presentation style. An element node is noisy where its
importance and that of all in it is below a threshold; a page loses what is mapped to a noisy one, and keeps
what has a style that the tree does not know. All beyond the formulas is from memory. A leaf is a block; text
directly in an element goes and stays with that element. Features are words and the targets of links. The
threshold, which the paper sets for each site, is the best on the training folds of a corpus.

The compressed structure tree (CST), by which blocks weigh little on whose way from the root all pages are
alike: Yi & Liu, Web Page Cleaning for Web Mining through Feature Weighting, IJCAI 2003. A word weighs as much
as its block differs from page to page, and as the elements around it do. The tree is made as the survey of
Shinde, Bolli & Kulkarni (2013) tells: elements are merged whose parents are, and have the same presentation
style. The paper weighs words and removes none; here a block goes that weighs less than a threshold, which was
chosen on a corpus: from 0.6 to 0.85 all are nearly as good. That a leaf's importance is 1 less the mean
entropy of its features, as in the style tree of the same authors, is from memory.
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


class StyledPage(NamedTuple):
    """A page as style trees see it: its tree and, while learning, the texts of its blocks and the targets of
    their links.
    """

    tree: BlockTree
    contents: Sequence[tuple[str, list[str]]] = ()

    @classmethod
    def of(cls, subject: Subject) -> StyledPage:
        """A page with the contents of its blocks."""
        page = subject.page
        contents = [(block.text, [link.url for link in page.links[block.links]]) for block in page.blocks]
        return cls(BlockTree.of(subject, DISPLAY), contents)

    def style(self, place: int) -> int:
        """The presentation style of an element: the sequence of its children, as a hash."""
        tree = self.tree
        key = 0
        for child in tree.children[place]:
            key = mixed(key, TEXT if tree.blocks[child] >= 0 else tree.labels[child])
        return key

    def content(self, place: int) -> tuple[str, list[str]]:
        """The text of a block, and the targets of its links."""
        return self.contents[self.tree.blocks[place]]

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
class StyleMethod(Parameters):
    """Removes the blocks that the style tree of a host gives less than ``threshold``.

    Of an element node ``nodes`` holds the styles that several pages have, each with the number of the first
    child, of a block its score, from 0 to 1. What the tree has not merged has 1.
    """

    cite: ClassVar[str] = (
        "Yi, Liu & Li, Eliminating Noisy Information in Web Pages for Data Mining, KDD 2003; "
        "Yi & Liu, Web Page Cleaning for Web Mining through Feature Weighting, IJCAI 2003"
    )
    threshold: float
    nodes: list[dict[int, int] | float]

    def judge(self, subject: Subject) -> Verdict:
        """Scores are importance: that of where a block's styles lead to, from the root down."""
        page = StyledPage(BlockTree.of(subject, DISPLAY))
        scores = np.ones(len(subject.page.blocks))
        stack = [(0, 0)]
        while stack:
            number, place = stack.pop()
            node = self.nodes[number]
            if isinstance(node, float):
                scores[page.tree.blocks[place]] = node
            elif node and (first := node.get(page.style(place))) is not None:
                stack += enumerate(page.tree.children[place], first)
        return Verdict.of(scores >= self.threshold, scores, REPEATED)


class StyleTreeMethod(Parameters, ABC):
    """The base of SST and CST, which judge by the style tree of ``sample`` pages."""

    sample: int
    threshold: float

    def learn(self, site: SiteView) -> bytes:
        """The nodes of `StyleMethod`, as JSON; empty where the host has fewer than two pages."""
        pages = [StyledPage.of(subject) for subject in site.sample(self.sample)]
        if len(pages) < 2:
            return b""
        tree = style_tree(pages)
        nodes = [
            [(style.key, style.children.start) for style in element.styles if style.children]
            if element.styles
            else round(weight, _DIGITS)
            for element, weight in zip(tree, self._weights(pages, tree), strict=True)
        ]
        return json.dumps(nodes, separators=(",", ":")).encode()

    def learned(self, model: bytes) -> StyleMethod:
        """The method that judges by a tree."""
        nodes = json.loads(model) if model else [[]]
        return StyleMethod(
            self.threshold, [node if isinstance(node, float) else dict(node) for node in nodes]
        )

    @abstractmethod
    def _weights(self, pages: Sequence[StyledPage], tree: Sequence[ElementNode]) -> Sequence[float]:
        """The weight of each element node of a tree of pages, from 0 to 1."""


@dataclass(frozen=True)
class SstMethod(StyleTreeMethod):
    """Removes what is in noisy element nodes of the site style tree of ``sample`` pages.

    Noisy is what is less important than ``threshold``, and all in it as well. ``gamma`` attenuates, for each
    style of an element, what the importance of its children adds to its own.
    """

    cite: ClassVar[str] = "Yi, Liu & Li, Eliminating Noisy Information in Web Pages for Data Mining, KDD 2003"
    sample: int = 200
    gamma: float = 0.9
    threshold: float = 0.4

    def _weights(self, pages: Sequence[StyledPage], tree: Sequence[ElementNode]) -> Sequence[float]:
        leaves = [0.0 if element.styles else leaf_importance(pages, element) for element in tree]
        return least_thresholds(tree, composite_importance(tree, leaves, self.gamma))


def composite_importance(tree: Sequence[ElementNode], leaves: Sequence[float], gamma: float) -> list[float]:
    """Returns the composite importance of each element node: CompImp, from 0 to 1.

    Of an element with l styles it is (1 - gamma^l) NodeImp + gamma^l times the mean importance of its styles,
    by how many pages have them; of a style the mean of its children's, and 1 if a single page has it.

    Args:
        tree: the element nodes of the style tree.
        leaves: the importance of those that are blocks.
        gamma: how fast styles inside lose weight, 0 to 1.

    """
    scores = list(leaves)
    for number in range(len(tree) - 1, -1, -1):
        styles, pages = tree[number].styles, len(tree[number].nodes)
        if styles:
            inner = sum(style.pages * _mean(scores, style.children, style.pages) for style in styles) / pages
            rest = gamma ** len(styles)
            own = node_importance([style.pages for style in styles], pages)
            scores[number] = (1 - rest) * own + rest * inner
    return scores


def _mean(importance: Sequence[float], children: range, pages: int) -> float:
    if pages == 1:
        return 1.0
    return sum(importance[child] for child in children) / len(children) if children else 0.0


def least_thresholds(tree: Sequence[ElementNode], importance: Sequence[float]) -> list[float]:
    """Above which threshold each element node is noisy; of a block, above which its element is."""
    thresholds = list(importance)
    for number in range(len(tree) - 1, -1, -1):
        for style in tree[number].styles:
            if style.pages == 1:
                thresholds[number] = 1.0
            for child in style.children:
                thresholds[number] = max(thresholds[number], thresholds[child])
    for number, element in enumerate(tree):
        for style in element.styles:
            for child in style.children:
                if not tree[child].styles:
                    thresholds[child] = thresholds[number]
    return thresholds


@dataclass(frozen=True)
class CstMethod(StyleTreeMethod):
    """Removes the blocks whose path in the compressed structure tree of ``sample`` pages weighs less than
    ``threshold``.
    """

    cite: ClassVar[str] = "Yi & Liu, Web Page Cleaning for Web Mining through Feature Weighting, IJCAI 2003"
    sample: int = 200
    threshold: float = 0.7

    def _weights(self, pages: Sequence[StyledPage], tree: Sequence[ElementNode]) -> Sequence[float]:
        importance = [
            node_importance([style.pages for style in element.styles], len(element.nodes))
            if element.styles
            else leaf_importance(pages, element)
            for element in tree
        ]
        return path_importance(tree, importance)


def path_importance(tree: Sequence[ElementNode], importance: Sequence[float]) -> list[float]:
    """The importance of the path to each element node: PathImp, from 0 to 1.

    It is 1 less the product, over the nodes from the root to it, of 1 less their importance.
    """
    missing = [1 - value for value in importance]
    for number, element in enumerate(tree):
        for style in element.styles:
            for child in style.children:
                missing[child] *= missing[number]
    return [1 - value for value in missing]
