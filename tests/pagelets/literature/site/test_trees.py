from __future__ import annotations

from pagelets.literature.site.trees import BlockTree, hashed, mixed
from tests.hosts import subject

PAGE = "<body><div class=a>one<p>two <b>three</b></p>four</div><div class=b></div><ul><li>one<li>five</ul>"


def tree(html: str, *attributes: str) -> BlockTree:
    return BlockTree.of(subject(html), attributes)


def test_a_tree_has_the_elements_around_blocks_and_the_blocks() -> None:
    found = tree(PAGE)
    page = subject(PAGE).page
    shown = [
        page.tree.tags[node] if node >= 0 else page.blocks[block].text
        for node, block in zip(found.nodes, found.blocks, strict=True)
    ]
    # The div that shows nothing is no part of it.
    assert shown == "html body div one p|two three|four ul li one li five".replace(" ", "|").replace(
        "two|three", "two three"
    ).split("|")
    assert found.parents == [-1, 0, 1, 2, 2, 4, 2, 1, 7, 8, 7, 10]
    assert found.children[2] == [3, 4, 6]
    assert found.sizes == [12, 11, 5, 1, 2, 1, 1, 5, 2, 1, 2, 1]


def test_labels_are_those_of_tags_attributes_and_texts() -> None:
    found, classed = tree(PAGE), tree(PAGE, "class")
    assert found.labels[3] == found.labels[9] != found.labels[11]
    assert found.labels[2] == hashed("div")
    assert classed.labels[2] == hashed("div", "class=a")
    assert classed.labels[1] == found.labels[1]


def test_subtrees_that_are_alike_have_one_class() -> None:
    found = tree("<ul><li>one<li>one<li>two</ul><ol><li>one<p>two</p></ol><div>two<p>one</p></div>")
    first, second, third = found.children[found.children[1][0]]
    assert found.classes[first] == found.classes[second] != found.classes[third]
    assert mixed(1, 2) != mixed(2, 1)


def test_some_nodes_make_a_tree() -> None:
    found = tree(PAGE)
    kept = found.kept([0, 1, 2, 4, 7])
    assert kept.parents == [-1, 0, 1, 2, 1]
    assert kept.labels == [found.labels[place] for place in (0, 1, 2, 4, 7)]
    assert kept.blocks == [-1] * 5


def test_a_page_without_text_is_its_root() -> None:
    assert tree("").parents == [-1]
    assert tree("").children == [[]]
