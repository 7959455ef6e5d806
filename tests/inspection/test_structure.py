from __future__ import annotations

from xml.etree import ElementTree

import pytest
from hypothesis import given
from hypothesis import strategies as st

from inspection.structure import MOST_ARROWS, MOST_CLASSES, ClassLink, PageClass, SiteStructure, structure_svg

SVG = "{http://www.w3.org/2000/svg}"


def site(count: int, links: list[ClassLink] | None = None, title: str = "A title") -> SiteStructure:
    classes = [
        PageClass(number, 100 - number, f"http://a.example/{number}/*", f"http://a.example/{number}/1", title)
        for number in range(1, count + 1)
    ]
    return SiteStructure("a.example", classes, links or [], [])


def drawn(structure: SiteStructure) -> ElementTree.Element:
    return ElementTree.fromstring(structure_svg(structure))


def texts(root: ElementTree.Element) -> list[str]:
    return [one.text or "" for one in root.iter(f"{SVG}text")]


def test_a_class_says_what_it_is() -> None:
    said = texts(drawn(site(2)))
    assert {"/1/*", "/2/*", "99 pages", "98 pages", "A title", "197 pages in 2 classes"} <= set(said)


@pytest.mark.parametrize("count", [0, 1, MOST_CLASSES, MOST_CLASSES + 1, 500])
def test_the_classes_of_most_pages_have_a_box_and_the_others_share_one(count: int) -> None:
    root = drawn(site(count))
    boxes = [one for one in root.iter(f"{SVG}rect") if one.get("rx")]
    assert len(boxes) == min(count, MOST_CLASSES + 1)
    assert (f"others ({count - MOST_CLASSES})" in texts(root)) is (count > MOST_CLASSES)
    assert max((float(one.get("y", 0)) for one in boxes), default=0) < float(root.get("height", 0))


def test_links_are_arrows_on_the_side_of_their_kind_and_those_of_others_are_joined() -> None:
    last = MOST_CLASSES + 2
    links = [
        ClassLink(1, 2, False, 1234, 5),
        ClassLink(2, 2, True, 7, 5),
        ClassLink(last, 1, False, 10, 1),
        ClassLink(last - 1, 1, False, 11, 1),
    ]
    root = drawn(site(last, links))
    arrows = [one for one in root.iter(f"{SVG}path") if one.get("marker-end")]
    assert len(arrows) == 3
    assert sum("stroke-dasharray" in one.attrib for one in arrows) == 1
    assert {"1,234", "7", "21"} <= set(texts(root))


def test_arrows_are_bounded_and_what_is_left_out_is_said() -> None:
    links = [ClassLink(one, other, False, one + other, 1) for one in range(1, 9) for other in range(1, 9)]
    root = drawn(site(8, links))
    assert len([one for one in root.iter(f"{SVG}path") if one.get("marker-end")]) == MOST_ARROWS
    assert f"{64 - MOST_ARROWS} arrows for fewer links left out" in texts(root)


@given(st.text(max_size=300))
def test_whatever_a_page_is_called_the_picture_is_a_picture(title: str) -> None:
    root = drawn(site(1, title=title))
    assert {one.tag for one in root.iter()} <= {
        SVG + tag for tag in ("svg", "title", "desc", "rect", "text", "marker", "path")
    }


@pytest.mark.parametrize(
    "title", ["<script>alert(1)</script>" * 9, '"/><a href="javascript:1">' * 9, "漢" * 99]
)
def test_titles_are_text_and_stay_in_their_box(title: str) -> None:
    shown = texts(drawn(site(1, title=title)))[-2]
    assert shown.endswith("…")
    assert shown[:-1] == title[: len(shown) - 1]
    assert len(shown.encode("gb2312", "ignore")) <= 63
