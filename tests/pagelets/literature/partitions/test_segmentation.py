from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from pagelets.literature.partitions.segmentation import WINDOW, dom, fixed
from pagelets.partition import tag_paths
from pagelets.partitions import Partition
from pagelets.reading import read
from pagelets.text.words import counts
from tests.pagelets.reading.test_reading import HTML, URL


def cut(name: str, html: str) -> list[tuple[str, str]]:
    """The texts of the pagelets, and their paths."""
    page = read(html, URL)
    pagelets = Partition(name)(page)
    texts = [" ".join(block.text for block in page.blocks[one.start : one.stop]) for one in pagelets]
    return list(zip(texts, tag_paths(page.tree, pagelets), strict=True))


@given(html=HTML, words=st.integers(1, 9))
@settings(deadline=None)
def test_windows_are_as_long_as_they_may_be(html: str, words: int) -> None:
    page = read(html, URL)
    sizes = counts([block.text for block in page.blocks])
    for one in fixed(page, words):
        assert sizes[one.start : one.stop].sum() <= words or one.stop - one.start == 1
        # One block more would have been too much.
        assert one.stop == len(sizes) or sizes[one.start : one.stop + 1].sum() > words


def test_windows_end_where_a_block_ends() -> None:
    html = "<div class=a><p>one two<p>three four</div><p>five six seven<p>eight nine ten eleven twelve<p>x"
    page = read(html, URL)
    windows = fixed(page, 4)
    assert [(one.start, one.stop) for one in windows] == [(0, 2), (2, 3), (3, 4), (4, 5)]
    assert tag_paths(page.tree, windows) == ["html/body/div.a", "html/body/p", "html/body/p", "html/body/p"]
    assert [(one.start, one.stop) for one in fixed(page)] == [(0, 5)]
    assert tag_paths(page.tree, fixed(page)) == ["html/body"]
    assert len(cut("fixed", f"<p>{'word ' * WINDOW}</p><p>word")) == 2
    # Each character of these is a word.
    assert len(cut("fixed", f"<p>{'字' * 150}<p>{'字' * 50}<p>字")) == 2


def test_tags_make_pagelets() -> None:
    html = """<body>in the body<div>and a div<h2>Head</h2>loose<p>one</p></div><p>two</p>
    <ul><li>a<li>b<ul><li>c</ul><li>d</ul><table><tr><td>e<td><p>f</p>g</table><nav>h<div>i</div></nav>"""
    assert cut("dom", html) == [
        ("in the body and a div", "html"), ("Head", "html/body/div/h2"), ("loose", "html"),
        ("one", "html/body/div/p"), ("two", "html/body/p"), ("a b", "html/body/ul"),
        ("c", "html/body/ul/li/ul"), ("d", "html/body/ul"), ("e", "html/body/table"),
        ("f", "html/body/table/tr/td/p"), ("g", "html/body/table"), ("h i", "html/body/nav"),
    ]  # fmt: skip


@pytest.mark.parametrize("cuts", [fixed, dom])
@pytest.mark.parametrize(
    "html",
    [
        "", "<p>word</p>" * 100_000, "<div>a" * 2_000, f"<p>{'word ' * 1_000_000}",
        f"{'<div>' * 500}{'<p>a' * 50_000}",
    ],
    ids=["empty", "siblings", "deep", "long", "deep siblings"],
)  # fmt: skip
def test_hostile_pages_are_cut_in_linear_time(cuts, html) -> None:
    """Nothing is timed: what is not linear takes minutes."""
    page = read(html, URL)
    cuts(page)
