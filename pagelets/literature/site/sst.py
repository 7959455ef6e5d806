"""Blocks that look and read alike wherever they are on a site are noise: the site style tree (SST).

Yi, Liu & Li, Eliminating Noisy Information in Web Pages for Data Mining, KDD 2003. The tree merges the pages'
elements that are in the same place of the same presentation style. An element node is noisy where its
importance and that of all in it is below a threshold; a page loses what is mapped to a noisy one, and keeps
what has a style that the tree does not know.

All beyond the formulas is from memory. A leaf is a block; text directly in an element goes and stays with
that element. Features are words and the targets of links. The threshold, which the paper sets
for each site, is the best on the training folds of a corpus.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, ClassVar

from pagelets.literature.site.style_tree import StyleTreeMethod, leaf_importance, node_importance

if TYPE_CHECKING:
    from collections.abc import Sequence

    from pagelets.literature.site.style_tree import ElementNode, StyledPage


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
            scores[number] = (1 - rest) * node_importance(
                (presentation.pages for presentation in styles), pages
            ) + rest * inner
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
