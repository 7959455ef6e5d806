from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from pagelets.boxes import ATTRIBUTE
from pagelets.literature.partitions.segmentation import combps, dom, vips
from pagelets.literature.partitions.vips import Seen, content_structure, seen_slices
from pagelets.literature.partitions.visual_blocks import VisualBlocks, boxes_of
from pagelets.partitions import Partition
from pagelets.reading import read
from tests.pagelets.reading.test_reading import HTML, URL


def box(tag: str, noted: str, inside: str) -> str:
    return f'<{tag} {ATTRIBUTE}="{noted}">{inside}</{tag}>'


def cut(html: str, partition=vips) -> list[str]:
    page = read(html, URL)
    return [" ".join(block.text for block in page.blocks[one.start : one.stop]) for one in partition(page)]


def lines(*noted: tuple[str, str]) -> str:
    """A tall page of paragraphs, each with its box and its text."""
    return box("body", "0 0 1000 2000 16 400", "".join(box("p", own, text) for own, text in noted))


def test_boxes_are_those_noted_or_those_around() -> None:
    page = read(
        box(
            "body", "0 1 2 3 16 400 rgb(1,1,1)", "<p>a</p>" + box("p", "4 5 6 7 8 700 rgb(2,2,2)", "<b>b</b>")
        ),
        URL,
    )
    boxes = boxes_of(page.tree)
    assert boxes is not None
    tags = page.tree.tags
    rows = np.stack(
        [boxes.left, boxes.top, boxes.width, boxes.height, boxes.size, boxes.weight, boxes.colour]
    )
    by_tag = dict(zip(tags, rows.T.tolist(), strict=True))
    assert by_tag["html"] == [0] * 7
    assert by_tag["body"] == [0, 1, 2, 3, 16, 400, 1]
    assert by_tag["p"] == by_tag["b"] == [4, 5, 6, 7, 8, 700, 2]
    assert rows[:, len(tags) - 3].tolist() == by_tag["body"]


@pytest.mark.parametrize(
    "noted", ["", "1 2 3", "a b c d e f", "1 2 3 4 5 x", "nan inf -inf 1e999 0 0", "９ ９ ９ ９ ９ ９"]
)
def test_what_cannot_be_read_hurts_nothing(noted: str) -> None:
    page = read(box("p", noted, "a") + "<p>b", URL)
    boxes = boxes_of(page.tree)
    assert boxes is not None
    assert np.isfinite([boxes.width, boxes.height]).all()
    assert [position for one in vips(page) for position in range(one.start, one.stop)] == [0, 1]


def test_a_page_that_was_not_rendered_is_cut_by_tags() -> None:
    page = read("<p>a</p><ul><li>b<li>c</ul>", URL)
    assert boxes_of(page.tree) is None
    assert vips(page) == combps(page) == dom(page)


@pytest.mark.parametrize(
    ("second", "apart"),
    [
        ("0 40 1000 24 16 400", False),  # one line further down
        ("0 104 1000 24 16 400", True),  # five lines
        ("0 24 1000 24 16 400 rgb(9,9,9)", False),  # another background, but alike
        ("0 40 1000 24 16 400 rgb(9,9,9)", True),  # and a line further down
        ("500 0 500 24 16 400", False),  # beside, and touching
        ("516 0 500 24 16 400", True),  # beside, a line away
        ("0 64 1000 40 32 700", False),  # a heading, near
        ("0 80 1000 40 32 700", True),  # a heading, further away
    ],
)
def test_neighbours_are_parted_by_what_separates_them(second: str, apart: bool) -> None:
    assert (len(cut(lines(("0 0 500 24 16 400", "a"), (second, "b")))) == 2) is apart


def test_a_horizontal_rule_parts_neighbours() -> None:
    paragraphs = [box("p", "0 0 1000 24 16 400", "a"), box("p", "0 56 1000 24 16 400", "b")]
    rule = box("hr", "0 39 1000 2 16 400", "")
    body = "0 0 1000 2000 16 400"
    assert cut(box("body", body, "".join(paragraphs))) == ["a b"]
    assert cut(box("body", body, rule.join(paragraphs))) == ["a", "b"]
    # Neither does one below them, nor one that is not seen.
    assert cut(box("body", body, box("hr", "0 90 1000 2 16 400", "").join(paragraphs))) == ["a b"]
    assert cut(box("body", body, "<hr>".join(paragraphs))) == ["a b"]


LAYOUT = box(
    "body",
    "0 0 1000 1000 16 400",
    box(
        "div",
        "0 0 1000 200 16 400 red",
        box("p", "0 0 1000 100 16 400", "logo") + box("p", "0 100 1000 100 16 400", "slogan"),
    )
    + box(
        "div",
        "0 240 300 700 16 400",
        box("p", "0 240 300 340 16 400", "a") + box("p", "0 580 300 360 16 400", "b"),
    )
    + box(
        "div",
        "400 240 600 700 16 400",
        box("h1", "400 240 600 200 32 700", "t")
        + box("p", "400 470 600 230 16 400", "x")
        + box("p", "400 716 600 224 16 400", "y"),
    ),
)
"""A header over a menu on the left and an article on the right, none of them small."""


def test_the_content_structure_of_a_page_is_that_worked_out_by_hand() -> None:
    page = read(LAYOUT, URL)
    boxes = boxes_of(page.tree)
    assert boxes is not None
    blocks = VisualBlocks(page, boxes)

    def shown(one: Seen) -> object:
        if not one.children:
            return page.blocks[blocks.first[one.unit]].text
        return int(one.coherence), one.weight, [shown(child) for child in one.children]

    # Header and body: two lines of distance, another background, less 1 as both are text. Columns: 25
    # quarters of a line. Below the heading: a line, another font, less 1. Paragraphs: a line, less 1.
    menu = (10, 0, ["a", "b"])
    article = (9, 1, ["t", (10, 0, ["x", "y"])])
    assert shown(content_structure(blocks, boxes, 6)) == (
        1, 5, [(10, 0, ["logo", "slogan"]), (1, 9, [menu, article])]
    )  # fmt: skip
    assert cut(LAYOUT) == ["logo slogan", "a b", "t x y"]
    assert [len(seen_slices(page, boxes, coherence)) for coherence in (0.5, 1, 8, 9, 10)] == [1, 3, 3, 4, 7]


def test_a_visual_block_below_the_permitted_coherence_is_divided_in_a_round_of_its_own() -> None:
    def page(distance: int) -> str:
        cards = [box("div", f"0 {100 + distance * place} 900 20 16 400", "abc"[place]) for place in range(3)]
        section = box("section", "0 100 1000 260 16 400", "".join(cards))
        return box("body", "0 0 1000 2000 16 400", section + box("p", "0 500 1000 1500 16 400", "z"))

    # Its largest child is small, so that rule 9 keeps the section whole; of its size it has a degree of 5.
    assert cut(page(120)) == ["a", "b", "c", "z"]
    assert cut(page(20)) == ["a b c", "z"]


def test_a_block_that_is_scattered_over_the_document_becomes_several_slices() -> None:
    page = lines(("0 0 900 20 16 400", "a"), ("0 900 900 20 16 400", "b"), ("0 20 900 20 16 400", "c"))
    assert cut(page) == ["a", "b", "c"]


def test_what_is_not_seen_covers_no_separator() -> None:
    hidden = "<div><p>menu</p><p>more</p></div>"
    page = lines(("0 0 900 20 16 400", "a"), ("0 900 900 20 16 400", "b"))
    assert cut(page.replace("</body>", f"{hidden}</body>")) == ["a", "b", "menu more"]


def test_the_higher_the_coherence_the_more_blocks() -> None:
    paragraphs = [(f"0 {place * 50} 1000 24 16 400", f"p{place}") for place in range(9)]
    page = read(lines(*paragraphs), URL)
    boxes = boxes_of(page.tree)
    assert boxes is not None
    sizes = [len(seen_slices(page, boxes, coherence)) for coherence in (1, 6, 9, 10)]
    assert sizes == sorted(sizes)
    assert (sizes[0], sizes[-1]) == (1, 9)


def test_long_blocks_are_cut_into_windows() -> None:
    words = "word " * 90
    html = lines(*[(f"0 {place * 30} 1000 24 16 400", words) for place in range(5)])
    assert len(cut(html)) == 1
    assert [len(text.split()) for text in cut(html, combps)] == [180, 180, 90]


@pytest.mark.parametrize("name", ["vips", "combps"])
@settings(deadline=None)
@given(html=HTML, noted=st.lists(st.text("0123456789 .-enarg(,)b", max_size=30), min_size=1, max_size=9))
def test_pagelets_cover_the_blocks_of_whatever_is_noted(name: str, html: str, noted: list[str]) -> None:
    parts = html.split(">")
    for place, own in enumerate(noted):
        at = place * 7 % len(parts)
        parts[at] = f'{parts[at]} {ATTRIBUTE}="{own}"'
    page = read(">".join(parts), URL)
    covered = [position for one in Partition(name)(page) for position in range(one.start, one.stop)]
    assert covered == list(range(len(page.blocks)))


BOX = st.tuples(st.integers(0, 30), st.integers(0, 30), st.integers(0, 9), st.integers(0, 9))


@settings(deadline=None)
@given(noted=st.lists(BOX, min_size=1, max_size=12), coherence=st.integers(0, 10))
def test_no_block_is_lost_and_each_is_in_the_structure_once(noted, coherence: int) -> None:
    paragraphs = [
        (f"{left * 40} {top * 40} {width * 40} {height * 40} 16 400", f"w{place}")
        for place, (left, top, width, height) in enumerate(noted)
    ]
    page = read(lines(*paragraphs), URL)
    boxes = boxes_of(page.tree)
    assert boxes is not None
    found = seen_slices(page, boxes, coherence)
    assert [place for start, stop in found for place in range(start, stop)] == list(range(len(noted)))
    assert found == seen_slices(read(lines(*paragraphs), URL), boxes, coherence)
    blocks = VisualBlocks(page, boxes)
    left, held = [content_structure(blocks, boxes, coherence)], []
    while left:
        one = left.pop()
        left += one.children
        held += [] if one.children else range(blocks.first[one.unit], blocks.last[one.unit] + 1)
        assert all(child.coherence >= one.coherence for child in one.children)
    assert sorted(held) == list(range(len(noted)))


def spiral(number: int) -> str:
    """Paragraphs each of which parts all that follow, now from above, now from the left."""
    side, found = 10 * number, []
    for place in range(number):
        at, rest = 9 * (place // 2), side - 9 * (place // 2)
        found.append(f"{at} {at} {rest} 4 4 400" if place % 2 == 0 else f"{at} {at + 9} 4 {rest} 4 400")
    return lines(*[(noted, "a") for noted in found])


@pytest.mark.parametrize(
    "html",
    [
        "<p>a" * 25_000,
        "<div>a" * 1_000,
        lines(*[(f"0 {20 * place} 9 9 9 400", "a") for place in range(12_500)]),
        lines(*[("0 0 9 9 9 400", "a")] * 12_500),
        spiral(7_500),
        box("table", "0 0 900 900 9 400", "<tr>" + box("td", "0 0 900 900 9 400 red", "a<table>") * 500),
    ],
    ids=["siblings", "deep", "apart", "covered", "spiral", "tables"],
)
def test_hostile_pages_are_cut_in_seconds(html: str) -> None:
    """Nothing is timed: without a bound these take minutes."""
    page = read(box("i", "0 0 9 9 9 400", "a") + html, URL)
    assert boxes_of(page.tree) is not None
    vips(page)
