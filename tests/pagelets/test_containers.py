from __future__ import annotations

from random import Random

import numpy as np
from hypothesis import example, given, settings
from hypothesis import strategies as st

from pagelets.containers import Containers
from pagelets.reading import read
from pagelets.reading.elements import BLOCK_TAGS
from tests.pagelets.reading.test_reading import HTML, URL


def containers(html: str):
    page = read(html, URL)
    return page, Containers.of(page)


def test_containers_are_the_elements_around_blocks() -> None:
    page, found = containers(
        "<body><div><p>one</p><p>two</p></div><div><i></i></div><ul><li>a<ul><li>b</ul>c</ul></body>"
    )
    assert [block.text for block in page.blocks] == ["one", "two", "a", "b", "c"]
    assert found.tags == ["html", "body", "div", "p", "p", *["ul", "li"] * 2]
    assert found.parent.tolist() == [0, 0, 1, 2, 2, 1, 5, 6, 7]
    assert found.depth.tolist() == [0, 1, 2, 3, 3, 2, 3, 4, 5]
    assert found.of_block.tolist() == [3, 4, 6, 8, 6]
    slices = list(zip(found.start.tolist(), found.stop.tolist(), strict=True))
    assert slices == [(0, 5), (0, 5), (0, 2), (0, 1), (1, 2), (2, 5), (2, 5), (3, 4), (3, 4)]


def test_a_page_without_blocks_has_its_root_alone() -> None:
    _, found = containers("")
    assert found.nodes.tolist() == [0]
    assert (found.start.tolist(), found.stop.tolist(), len(found.of_block)) == ([0], [0], 0)
    assert found.nearest(np.zeros(1, bool)).tolist() == [0]


def test_text_in_a_link_around_blocks_lies_in_it() -> None:
    page, found = containers("<a href=/x><p>one</p>two<p>three</p></a>four")
    assert [block.text for block in page.blocks] == ["", "one", "two", "three", "four"]
    link = found.tags.index("a")
    assert (found.start[link], found.stop[link]) == (1, 4)


def test_nearest_is_itself_or_the_closest_around_it() -> None:
    page, found = containers("<div id=a><div id=b><p>one</p></div><section><p>two</p></section></div>")
    names = [page.tree.get(node, "id") or page.tree.tags[node] for node in found.nodes.tolist()]
    assert names == ["html", "body", "a", "b", "p", "section", "p"]
    wanted = np.array([name in ("a", "b") for name in names])
    assert [names[place] for place in found.nearest(wanted)] == ["html", "html", "a", "b", "b", "a", "a"]
    assert found.nearest(np.ones(len(names), bool)).tolist() == list(range(len(names)))
    assert not found.nearest(np.zeros(len(names), bool)).any()


def test_containers_know_the_first_of_some_blocks_and_the_number_of_some_elements_in_them() -> None:
    page, found = containers("<div><p>a</p><p>b</p></div><ul><li>c<b>d</b></ul>")
    assert found.tags == ["html", "body", "div", "p", "p", "ul", "li"]
    assert found.leads(np.array([1, 2])).tolist() == [1, 1, 1, 3, 1, 2, 2]
    assert found.leads(np.array([], np.int64)).tolist() == [3] * 7
    assert found.count(page.tree.of_tag("p")).tolist() == [2, 2, 2, 1, 1, 0, 0]
    assert found.count(page.tree.of_tag("b")).tolist() == [1, 1, 0, 0, 0, 1, 1]


def test_a_mask_tells_which_blocks_lie_in_any_of_some_elements() -> None:
    page, found = containers("<main><p>a<b>b</b><div>c</div>d</main><aside>e</aside><p hidden>f</p>")
    assert [block.text for block in page.blocks] == ["ab", "c", "d", "e"]
    for tags, inside in (
        ("main", "1110"),
        ("main aside", "1111"),
        ("div", "0100"),
        ("b", "0000"),
        ("", "0000"),
    ):
        nodes = [node for tag in tags.split() for node in page.tree.of_tag(tag)]
        assert "".join(str(int(lies)) for lies in found.mask(nodes)) == inside, tags
    assert not found.mask([]).any()


@settings(deadline=None)
@given(HTML, st.randoms(use_true_random=False))
@example("<a><div>one</div>two<div>three", Random(1))
def test_what_holds_for_every_page(html: str, random: Random) -> None:
    page, found = containers(html)
    nodes = found.nodes.tolist()
    count, blocks = len(nodes), len(page.blocks)
    assert len(set(nodes)) == count
    assert nodes[0] == 0
    assert found.tags == [page.tree.tags[node] for node in nodes]
    for array, size in ((found.parent, count), (found.depth, count), (found.of_block, blocks)):
        assert (array.dtype, array.shape) == (np.int64, (size,))
    for place in range(1, count):
        above = int(found.parent[place])
        assert above < place
        assert nodes[above] == page.tree.parents[nodes[place]]
        assert found.depth[place] == found.depth[above] + 1
    assert [nodes[place] for place in found.of_block] == [block.node for block in page.blocks]
    held: list[list[int]] = [[] for _ in range(count)]
    for position, place in enumerate(found.of_block.tolist()):
        held[place].append(position)
        while place:
            place = int(found.parent[place])
            held[place].append(position)
    for place, tag in enumerate(found.tags):
        inside = list(range(found.start[place], found.stop[place]))
        if tag in BLOCK_TAGS or not place:
            assert inside == held[place]
        else:
            assert (inside[0], inside[-1]) == (held[place][0], held[place][-1])
        held[place] = inside

    some = [node for node in range(len(page.tree)) if random.random() < 0.2]
    lie = [bool({block.node, *page.tree.ancestors(block.node)}.intersection(some)) for block in page.blocks]
    for asked in (some, np.array(some, np.int32)):
        assert found.mask(asked).tolist() == lie

    wanted = np.array([random.random() < 0.3 for _ in range(count)])
    for place, nearest in enumerate(found.nearest(wanted).tolist()):
        while place and not wanted[place]:
            place = int(found.parent[place])
        assert nearest == place


def test_elements_nested_as_deep_as_parsers_go() -> None:
    _, found = containers("<div>x" * 3_000)
    assert int(found.depth.max()) > 2_000
    assert found.stop[0] == len(found.of_block)
    outermost = np.zeros(len(found.nodes), bool)
    outermost[2] = True
    assert set(found.nearest(outermost).tolist()) == {0, 2}
