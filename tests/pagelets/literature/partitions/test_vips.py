from __future__ import annotations

import time

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from pagelets.boxes import ATTRIBUTE
from pagelets.literature.partitions.boxes import boxes_of
from pagelets.literature.partitions.segmentation import combps, dom, vips
from pagelets.literature.partitions.vips import seen_slices
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
    assert boxes.area[tags.index("body")] == 6
    assert rows[:, len(tags) - 3].tolist() == by_tag["body"]


@pytest.mark.parametrize(
    "noted", ["", "1 2 3", "a b c d e f", "1 2 3 4 5 x", "nan inf -inf 1e999 0 0", "９ ９ ９ ９ ９ ９"]
)
def test_what_cannot_be_read_hurts_nothing(noted: str) -> None:
    page = read(box("p", noted, "a") + "<p>b", URL)
    boxes = boxes_of(page.tree)
    assert boxes is not None
    assert np.isfinite(boxes.area).all()
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
        ("0 40 1000 24 16 400 rgb(9,9,9)", True),  # another background
        ("500 0 500 24 16 400", True),  # beside
        ("0 40 1000 40 32 700", False),  # a heading, near
        ("0 64 1000 40 32 700", True),  # a heading, further away
    ],
)
def test_neighbours_are_parted_by_what_separates_them(second: str, apart: bool) -> None:
    assert (len(cut(lines(("0 0 500 24 16 400", "a"), (second, "b")))) == 2) is apart


def test_small_elements_are_not_divided_large_ones_are() -> None:
    def page(height: int, *inside: tuple[str, str]) -> str:
        paragraphs = "".join(box("p", noted, text) for noted, text in inside)
        return box(
            "body", "0 0 1000 2000 16 400", box("div", f"0 0 1000 {height} 16 400", paragraphs) + "<p></p>"
        )

    assert cut(page(160, ("0 0 90 10 16 400", "a"), ("0 150 90 10 16 400", "b"))) == ["a b"]
    assert cut(page(1900, ("0 0 990 1000 16 400", "a"), ("0 1100 990 700 16 400", "b"))) == ["a", "b"]
    # With another background inside it is divided however small it is.
    seen = ("0 0 90 10 16 400 rgb(7,7,7)", "a")
    assert cut(page(160, seen, ("0 150 90 10 16 400", "b"))) == ["a", "b"]


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


@pytest.mark.parametrize("html", ["<p>a" * 100_000, "<div>a" * 2_000], ids=["siblings", "deep"])
def test_hostile_pages_are_cut_in_linear_time(html: str) -> None:
    page = read(box("i", "0 0 9 9 9 400", "a") + html, URL)
    assert boxes_of(page.tree) is not None
    began = time.process_time()
    vips(page)
    assert time.process_time() - began < 3
