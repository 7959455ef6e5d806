"""The formulas of the site style tree and of the compressed structure tree, computed by hand."""

from __future__ import annotations

from math import log

import numpy as np
import pytest

from pagelets.literature.site.style_tree import (
    ElementNode,
    PresentationStyle,
    StyledPage,
    composite_importance,
    content_importance,
    least_thresholds,
    node_importance,
    path_importance,
    style_tree,
)
from pagelets.methods.base import CONTENT, REPEATED
from tests.hosts import method_of, subject

ABOUT = "<body><table><tr><td>home news</table><p>{}</p>"


def features(*words: int) -> np.ndarray[tuple[int], np.dtype[np.uint64]]:
    return np.array(words, np.uint64)


def test_the_importance_of_an_element_is_the_entropy_of_its_styles() -> None:
    assert node_importance([100], 100) == 0
    assert node_importance([1] * 100, 100) == pytest.approx(1)
    assert node_importance([50, 50], 100) == pytest.approx(log(2, 100))
    # 35 pages with one style, 65 with another: -(0.35 log_100 0.35 + 0.65 log_100 0.65)
    assert node_importance([35, 65], 100) == pytest.approx(0.1406, abs=1e-4)
    assert node_importance([1], 1) == 1


def test_the_importance_of_contents_is_one_less_the_mean_entropy_of_features() -> None:
    assert content_importance([features(1, 2)]) == 1
    assert content_importance([features(1, 2), features(2, 1)]) == pytest.approx(0)
    assert content_importance([features(1), features(2)]) == pytest.approx(1)
    # Entropies: of 1 it is 1, of 2 and of 3 it is 0.
    assert content_importance([features(1, 2), features(1, 3)]) == pytest.approx(2 / 3)
    # 3 of 4 occurrences on one of two pages: 0.8113
    assert content_importance([features(1, 1, 1), features(1)]) == pytest.approx(1 - 0.8113, abs=1e-4)
    assert content_importance([features(), features()]) == 0


def test_composite_importance_attenuates_what_is_inside() -> None:
    # A root with two styles, on 3 pages and on 1; the first has two blocks, of importance 0.2 and 0.6.
    nodes = [(page, 0) for page in range(4)]
    tree = [
        ElementNode(nodes, [PresentationStyle(7, 3, range(1, 3)), PresentationStyle(8, 1, range(3, 3))]),
        *[ElementNode(nodes)] * 2,
    ]
    own = -(3 / 4 * log(3 / 4, 4) + 1 / 4 * log(1 / 4, 4))
    inner = 3 / 4 * 0.4 + 1 / 4 * 1
    found = composite_importance(tree, [0, 0.2, 0.6], 0.9)
    assert found == pytest.approx([(1 - 0.81) * own + 0.81 * inner, 0.2, 0.6])
    # What one page alone has is important: no threshold makes the root noisy, nor its blocks.
    assert least_thresholds(tree, found) == [1, 1, 1]
    tree = [ElementNode(nodes, [PresentationStyle(7, 4, range(1, 3))]), *[ElementNode(nodes)] * 2]
    found = composite_importance(tree, [0, 0.2, 0.6], 0.9)
    assert found == pytest.approx([0.9 * 0.4, 0.2, 0.6])
    assert least_thresholds(tree, found) == pytest.approx([0.6] * 3)


def test_the_importance_of_a_path_is_what_no_node_on_it_takes_away() -> None:
    nodes = [(0, 0), (1, 0)]
    tree = [
        ElementNode(nodes, [PresentationStyle(1, 2, range(1, 3))]),
        ElementNode(nodes, [PresentationStyle(2, 2, range(3, 4))]),
        ElementNode(nodes),
        ElementNode(nodes),
    ]
    assert path_importance(tree, [0.5, 0.2, 0, 0.1]) == pytest.approx([0.5, 0.6, 0.5, 1 - 0.5 * 0.8 * 0.9])


def test_tag_nodes_with_the_same_style_above_them_are_merged() -> None:
    html = [
        "<p>one</p><p>two</p>",
        "<p>three</p><p>four</p>",
        "<p>five</p>",
        "<p width=9>six</p><p>seven</p>",
    ]
    tree = style_tree([StyledPage.of(subject(one)) for one in html])
    root, body = tree[:2]
    assert [(style.pages, len(style.children)) for style in root.styles] == [(4, 1)]
    assert [(style.pages, len(style.children)) for style in body.styles] == [(2, 2), (1, 0), (1, 0)]
    assert [[page for page, _ in element.nodes] for element in tree[2:]] == [[0, 1]] * 4
    assert [bool(element.styles) for element in tree[2:]] == [True, True, False, False]


@pytest.mark.parametrize("name", ["sst", "cst"])
def test_what_is_alike_on_all_pages_is_removed(name: str) -> None:
    method = method_of(name, *(ABOUT.format(text) for text in ("bread", "stone", "river")))
    found = subject(ABOUT.format("a page that was not seen"))
    verdict = method.judge(found)
    assert verdict.mask.tolist() == [False, True]
    assert verdict.scores.tolist() == pytest.approx([0, 1])
    assert [reason.name for reason in verdict.reasons()] == [REPEATED, CONTENT]
    # A style that no page of the sample has, or a single one.
    assert method.judge(subject(ABOUT.format("bread</p><p>home news"))).mask.tolist() == [True] * 3
    assert method_of(name, ABOUT.format("bread")).judge(found).mask.tolist() == [True] * 2


def test_text_beside_elements_goes_with_its_element_alone() -> None:
    # The words of the div are alike; what is in it differs.
    pages = [f"<div>read on<p>{text}</div>" for text in ("bread", "stone", "river")]
    assert method_of("sst", *pages).judge(subject(pages[0])).mask.tolist() == [True, True]
    assert method_of("cst", *pages).judge(subject(pages[0])).mask.tolist() == [False, True]
