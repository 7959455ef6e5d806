from __future__ import annotations

import pytest

from pagelets.literature.partitions.visual_blocks import VisualBlocks, boxes_of
from pagelets.reading import read
from tests.pagelets.literature.partitions.test_vips import box
from tests.pagelets.reading.test_reading import URL

LARGE, HALF, REST = "0 0 900 900 16 400", "0 0 900 400 16 400", "0 400 900 400 16 400"
TINY, SECOND = "0 0 90 20 16 400", "0 20 90 20 16 400"
TEXTS = box("p", TINY, "a") + box("p", SECOND, "b")
PARTS = box("div", HALF, "a") + box("div", REST, "b")


def found(inside: str) -> list[tuple[str, float]]:
    """The visual blocks of a page as large as `LARGE`, and their degrees of coherence."""
    page = read(box("body", LARGE, inside + box("p", LARGE, "z")), URL)
    boxes = boxes_of(page.tree)
    assert boxes is not None
    blocks = VisualBlocks(page, boxes)
    *units, _ = blocks.within(0)[0].units
    texts = [page.blocks[blocks.first[one] : blocks.last[one] + 1] for one in units]
    return [
        (" ".join(block.text for block in text), blocks.coherence[one])
        for one, text in zip(units, texts, strict=True)
    ]


@pytest.mark.parametrize(
    ("inside", "blocks"),
    [
        pytest.param("<div><p>a</p></div>", [], id="1: nothing in it is seen"),
        pytest.param(box("div", TINY, box("div", TINY, "a")), [("a", 10)], id="2: one child"),
        pytest.param(box("div", LARGE, "a <b>b</b>"), [("a b", 10)], id="4: text in one font"),
        pytest.param(
            box("div", LARGE, "a" + box("b", "0 0 9 9 16 700", "b")), [("ab", 9)], id="4: two fonts"
        ),
        pytest.param(
            box("a", TINY, TEXTS), [("a", 10), ("b", 10)], id="5: a line break in an inline element"
        ),
        pytest.param(box("div", TINY, TEXTS + box("hr", TINY, "")), [("a", 10), ("b", 10)], id="6: a rule"),
        pytest.param(
            box("div", "0 0 90 90 16 400", "t" + box("div", TINY, "a")),
            [("t a", 7)],
            id="8: small, with text",
        ),
        pytest.param(box("div", LARGE, TEXTS), [("a b", 5)], id="9: the largest child is small"),
        pytest.param(box("div", LARGE, PARTS), [("a", 10), ("b", 10)], id="11: others are divided"),
        pytest.param(box("div", LARGE, f"t{PARTS}"), [("t", 10), ("a", 10), ("b", 10)], id="11: with text"),
        pytest.param(
            box("table", LARGE, box("tr", LARGE, box("td", HALF, PARTS) + box("td", REST, PARTS))),
            [("a b a b", 5)],
            id="12: rows are not",
        ),
    ],
)
def test_subtrees_are_divided_by_the_rules(inside: str, blocks: list[tuple[str, float]]) -> None:
    assert found(inside) == blocks


def test_a_row_in_another_background_is_not_divided_in_the_round_that_divides_its_table() -> None:
    row = box("td", HALF, "a") + box("td", HALF, "b")
    table = box("tr", f"{HALF} red", row) + box("tr", REST, row)
    page = read(box("body", LARGE, box("p", TINY, "z") + box("table", LARGE, table)), URL)
    boxes = boxes_of(page.tree)
    assert boxes is not None
    blocks = VisualBlocks(page, boxes)
    tags = [one.removesuffix("y") for one in page.tree.strings]
    units = blocks.within(0)[0].units
    assert [tags[blocks.tag[one] - 1] for one in units] == ["p", "tr", "tr"]
    assert blocks.coherence[units[1]] == 6
    assert len(blocks.within(units[1])[0].units) == 2


@pytest.mark.parametrize("tag", ["div", "section"])
def test_text_between_elements_reaches_from_one_to_the_next(tag: str) -> None:
    html = box("body", LARGE, "a" + box(tag, "0 100 900 100 16 400", "b") + "c")
    page = read(html, URL)
    boxes = boxes_of(page.tree)
    assert boxes is not None
    blocks = VisualBlocks(page, boxes)
    sides = [(blocks.starts[0][one], blocks.ends[0][one]) for one in blocks.within(0)[0].units]
    assert sides == [(0, 100), (100, 200), (200, 900)]
