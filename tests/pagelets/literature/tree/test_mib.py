from __future__ import annotations

import itertools
from typing import TYPE_CHECKING

import numpy as np
import pytest

from pagelets.containers import Containers
from pagelets.literature.tree.wisdom import (
    UNINFORMATIVE,
    CoverageTree,
    KMibMethod,
    Targets,
    WisdomMethod,
    structure_index,
)
from pagelets.methods.base import CONTENT, Subject
from pagelets.reading import read

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping

URL = "https://example.org/"


class Host:
    """Pages by their addresses."""

    def __init__(self, pages: Mapping[str, str]) -> None:
        self.read = {url: Subject(read(html, url), []) for url, html in pages.items()}

    def links(self) -> Iterator[tuple[str, str]]:
        found = {(url, link.url) for url, one in self.read.items() for link in one.page.links}
        return iter(sorted(pair for pair in found if pair[1] in self.read))

    def pages(self, urls: Iterable[str]) -> Iterator[Subject]:
        return (self.read[url] for url in urls if url in self.read)

    def sample(self, size: int) -> Iterator[Subject]:
        return itertools.islice(self.read.values(), size)


def tree_of(html: str) -> CoverageTree:
    return CoverageTree.of(Containers.of(read(html, URL)))


def words_of(tree: CoverageTree, html: str) -> np.ndarray:
    return tree.aggregated(np.array([float(len(block.text.split())) for block in read(html, URL).blocks]))


@pytest.mark.parametrize(
    ("shares", "index"),
    [
        ((1, 1), 1.0), ((2, 2, 2), 1.0), ((3, 1), 0.811278), ((2, 1, 1), 0.946395), ((4, 0), 0.0),
        ((5,), 0.0), ((0, 0), 0.0), ((), 0.0),
    ],
)  # fmt: skip
def test_the_structure_index_is_the_entropy_of_what_children_have(shares, index) -> None:
    # -(3/4 log2 3/4 + 1/4 log2 1/4); -(1/2 log3 1/2 + 2 * 1/4 log3 1/4)
    values = np.array([sum(shares), *shares], np.float64)
    parent = np.zeros(len(values), np.int64)
    assert structure_index(parent, values)[0] == pytest.approx(index, abs=1e-6)


def test_each_node_sums_up_what_is_below_it() -> None:
    html = "<div>a b<p>c</p>d</div><p>e f g"
    tree = tree_of(html)
    # html, body, div, p, p; then the two blocks of the div that are not all of it.
    assert tree.parent.tolist() == [0, 0, 1, 2, 1, 2, 2]
    assert words_of(tree, html).tolist() == [7, 7, 4, 1, 3, 2, 1]
    assert tree.of_block.tolist() == [5, 3, 6, 4]


def test_the_greedy_search_goes_down_where_one_child_has_nearly_all() -> None:
    paragraphs = "<p>some words to be read here</p>" * 4
    html = f"<div><nav>a b</nav><main>{paragraphs}</main></div><footer>one</footer>"
    tree = tree_of(html)
    values = words_of(tree, html)
    names = [tree.containers.tags[node] for node in tree.informative(values, 1, 0.9)]
    assert names == ["main"]
    # Not even four equal paragraphs are so much alike; the 26 words and the 1 of the body's children are.
    assert [tree.containers.tags[node] for node in tree.informative(values, 9, 1.1)][:4] == ["p"] * 4
    assert [tree.containers.tags[node] for node in tree.informative(values, 1, 0.2)] == ["body"]
    assert [tree.containers.tags[node] for node in tree.informative(values, 3, 0.9)] == [
        "main",
        "nav",
        "footer",
    ]
    assert tree.informative(np.zeros(len(values)), 3, 0.9) == []


def test_expansion_takes_siblings_of_the_same_tag() -> None:
    tree = tree_of("<p>a</p><p>b</p><div>c</div><div><p>d</p></div>")
    tags = tree.containers.tags
    first = tags.index("p")
    assert np.flatnonzero(tree.expanded([first])).tolist() == [first, first + 1]
    assert np.flatnonzero(tree.expanded([0])).tolist() == [0]
    assert not tree.expanded([]).any()
    assert tree.inside(tree.expanded([first])).tolist() == [True, True, False, False]
    assert tree.inside(tree.expanded([0])).all()


ARTICLE = """<nav><a href=/1>One</a> <a href=/2>Two</a> and</nav><article><h1>Name</h1>
<p>Words of the page that are read by many, and <a href=/3>a link</a></p><p>More of it for them to read</p>
<ul><li><a href=/4>Something like it</a><li><a href=/5>Something else</a></ul>
<p>And the last words of this page come here</p></article><footer>All rights</footer>"""


def test_the_block_with_most_text_is_kept_without_its_links() -> None:
    page = read(ARTICLE, URL)
    verdict = KMibMethod().judge(Subject(page, []))
    texts = [block.text for block in page.blocks]
    gone = {"One Two and", "Something like it", "Something else", "All rights"}
    assert verdict.mask.tolist() == [text not in gone for text in texts]
    assert [reason.name for reason in verdict.reasons()] == [
        UNINFORMATIVE if text in gone else CONTENT for text in texts
    ]


PAGES = {
    f"{URL}": "<nav><a href=/>Start</a><a href=/bread>Bread</a></nav><main><div>"
    "<p><a href=/bread>Bread of rye</a><p><a href=/cake>A cake with plums</a></div></main>",
    f"{URL}bread": "<nav><a href=/>Start</a><a href=/bread>Bread</a></nav><p>Bread of rye takes time",
    f"{URL}cake": "<nav><a href=/>Start</a><a href=/bread>Bread</a></nav><p>Plums make a cake",
}


def test_anchors_are_as_precise_as_what_their_targets_say_that_others_do_not() -> None:
    host = Host(PAGES)
    model = WisdomMethod().learn(host)
    targets = Targets.of(model)
    assert sorted(targets.pages) == sorted(PAGES)
    links = next(host.pages([URL])).page.links
    # "start" and "bread" are on three of three pages, the others of "bread of rye" and "a cake with plums"
    # on two, but "with" is not on the target.
    one = 1 - np.log(2) / np.log(3)
    assert targets.precision(links).tolist() == pytest.approx([0, 0, 2 * one / 3, 3 * one / 4], abs=1e-6)
    assert targets.precision([]).tolist() == []


def test_links_inform_where_they_lead_to_what_they_say() -> None:
    host = Host(PAGES)
    subject = next(host.pages([URL]))
    assert not KMibMethod().judge(subject).mask.any()
    method = WisdomMethod(share=0.2).learned(WisdomMethod().learn(host))
    mask = method.judge(subject).mask.tolist()
    assert [block.text for block, keep in zip(subject.page.blocks, mask, strict=True) if keep] == [
        "Bread of rye", "A cake with plums"
    ]  # fmt: skip


def test_equal_pages_give_equal_models_in_whatever_order_they_come() -> None:
    model = WisdomMethod().learn(Host(PAGES))
    assert WisdomMethod().learn(Host(dict(reversed(PAGES.items())))) == model
    assert len(Targets.of(WisdomMethod(sample=2).learn(Host(PAGES))).pages) == 2


def test_of_a_host_without_links_nothing_is_known() -> None:
    for pages in ({}, {URL: "<p>One page"}, {URL: ""}):
        method = WisdomMethod().learned(WisdomMethod().learn(Host(pages)))
        subject = Subject(read(ARTICLE, URL), [])
        assert method.judge(subject).mask.tolist() == KMibMethod().judge(subject).mask.tolist()
