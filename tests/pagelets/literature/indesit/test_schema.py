from __future__ import annotations

import pytest

from pagelets.literature.indesit.schema import link_collections, page_shape
from pagelets.page_classes import jaccard
from pagelets.reading import read

URL = "http://example.org/"


def page(body: str, html: str = "<html>") -> dict[bytes, list[str]]:
    found = link_collections(read(f"{html}<body>{body}</body></html>", URL))
    return {path: [url.removeprefix(URL) for url in urls] for path, urls in found.items()}


P1 = page(
    "<h1>One</h1><p>…</p><table><tr><td><a href=url1>X</a></td><td><a href=url2>Y</a></td></tr></table>"
    "<hr><ul><li><a href=url10>E</a></li><li><a href=url11>F</a></li></ul>"
)
P2 = page(
    "<h1>Two</h1><p>…</p><table><tr><td><a href=url3>X</a></td><td><a href=url4>Y</a></td></tr></table>"
    "<hr><ul><li><a href=url13>G</a></li></ul>"
)
P3 = page(
    "<h1>Three</h1><div>…</div><table><tr><td><a href=url5>H</a></td><td><a href=url6>K</a></td>"
    "<td><a href=url7>J</a></td></tr></table><hr><p><b><a href=url20>L</a></b></p>"
)


def test_the_pages_of_figure_4_have_its_link_collections() -> None:
    assert list(P1.values()) == [["url1", "url2"], ["url10", "url11"]]
    assert list(P2.values()) == [["url3", "url4"], ["url13"]]
    assert list(P3.values()) == [["url5", "url6", "url7"], ["url20"]]


def test_the_pages_of_figure_4_have_its_schemas() -> None:
    assert P1.keys() == P2.keys() != P3.keys()
    assert jaccard(P1.keys(), P2.keys()) == 1
    # They share HTML-TABLE-TR-TD of three tag-lists.
    assert jaccard(P1.keys(), P3.keys()) == pytest.approx(1 / 3)


def test_pages_without_links_are_like_no_other() -> None:
    assert page("<p>words</p>") == {}
    assert jaccard(set(), set()) == 0 == jaccard(set(), P1.keys())


@pytest.mark.parametrize(
    ("one", "other", "same"),
    [
        ("<p class=a><a href=x>x</a></p>", "<p class=a><a href=y>y</a></p>", True),
        ("<p class=a><a href=x>x</a></p>", "<p class=b><a href=x>x</a></p>", False),
        ("<p align=left><a href=x>x</a></p>", "<p><a href=x>x</a></p>", False),
        ("<p><a class=next href=x>x</a></p>", "<p><a href=x>x</a></p>", False),
        ("<p id=item-1><a href=x title=1>x</a></p>", "<p id=item-2><a href=y title=2>y</a></p>", True),
        ("<p class='b tool-1'><a href=x>x</a></p>", "<p class='b tool:2'><a href=x>x</a></p>", True),
        ("<p><a href=x>x</a></p>", "<p><a href=mailto:me@example.org>x</a></p>", False),
    ],
)
def test_paths_are_told_apart_by_how_they_are_laid_out(one: str, other: str, same: bool) -> None:
    assert (page(one).keys() == page(other).keys()) is same


def test_the_classes_of_the_whole_page_do_not_count() -> None:
    link = "<p><a href=x>x</a></p>"
    assert page(link, "<html class=post-1>").keys() == page(link, "<html class=post-2>").keys()


def test_links_that_are_not_followed_count_for_the_schema_alone() -> None:
    assert list(
        page("<p><a href=x rel=nofollow>x</a><a href=y>y</a></p><b><a rel=nofollow href=z>z</a></b>").values()
    ) == [
        ["y"],
        [],
    ]


def test_deeply_nested_pages_take_linear_time() -> None:
    depth = 1500
    found = page("".join(f"<div class=c{i}><a href={i}>l</a>" for i in range(depth)))
    assert len(found) == depth


def shape(body: str) -> set[bytes]:
    return set(page_shape(read(f"<html><body>{body}</body></html>", URL)))


@pytest.mark.parametrize(
    ("one", "other", "same"),
    [
        ("<p>Words.</p>", "<p>Other <b>words</b>, and <a href=x>a <i>link</i></a>.</p><p>More.</p>", True),
        ("<span><p>Words.</p></span>", "<p>Words.</p>", True),
        ("<p id=a class=item-1>Words.</p>", "<p id=b class=item-2>Words.</p>", True),
        ("<p class='note red'>Words.</p>", "<p class='note blue'>Words.</p>", True),
        ("<p class=note>Words.</p>", "<p class=tip>Words.</p>", False),
        ("<ul><li>Words.</ul>", "<ol><li>Words.</ol>", False),
    ],
)
def test_shapes_are_told_apart_by_their_blocks(one: str, other: str, same: bool) -> None:
    assert (shape(one) == shape(other)) is same


def test_pages_that_name_their_blocks_otherwise_share_the_tags() -> None:
    assert jaccard(shape("<div class=a><p>x</p></div>"), shape("<div class=b><p>x</p></div>")) > 0.4


def test_shapes_are_of_bounded_size() -> None:
    hostile = "".join(f"<div class={'a' * (i % 40 + 1)}>" for i in range(1500))
    assert len(shape(hostile)) <= 2001
