from __future__ import annotations

import time
from typing import get_args

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from pagelets import Site
from pagelets.partition import partition
from pagelets.partitions import DEFAULT, PARTITIONS, WINDOW, Partition, dom, fixed
from pagelets.reading import read
from pagelets.text.words import counts
from settings.types import PartitionName
from tests.pagelets.reading.test_reading import HTML, URL


def cut(name: str, html: str) -> list[tuple[str, str]]:
    """The texts of the pagelets, and their paths."""
    page = read(html, URL)
    return [
        (" ".join(block.text for block in page.blocks[one.start : one.stop]), one.path)
        for one in Partition(name)(page)
    ]


@pytest.mark.parametrize("name", PARTITIONS)
@settings(deadline=None)
@given(html=HTML)
def test_pagelets_cover_the_blocks_exactly_and_in_order(name: str, html: str) -> None:
    page = read(html, URL)
    pagelets = Partition(name)(page)
    covered = [position for one in pagelets for position in range(one.start, one.stop)]
    assert covered == list(range(len(page.blocks)))
    assert all(one.start < one.stop for one in pagelets)


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
    assert [(one.start, one.stop, one.path) for one in fixed(page, 4)] == [
        (0, 2, "html/body/div.a"), (2, 3, "html/body/p"), (3, 4, "html/body/p"), (4, 5, "html/body/p")
    ]  # fmt: skip
    assert [(one.start, one.stop, one.path) for one in fixed(page)] == [(0, 5, "html/body")]
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


def test_by_links_is_the_partition_of_those_who_choose_none() -> None:
    page = read("<ul><li><a href=/a>a</a><li><a href=/b>b</a></ul><p>text", URL)
    assert Partition() == DEFAULT
    assert DEFAULT(page) == partition(page)
    assert Partition(k=1)(page) == partition(page, 1) != partition(page)


def test_names_are_those_of_the_setting() -> None:
    assert get_args(PartitionName) == PARTITIONS
    for name in PARTITIONS:
        assert Partition.made_with({**Partition(name, 5).parameters, "walk": 1}).name == name
    assert Partition.made_with(Partition(k=5).parameters) == Partition(k=5)
    # What k is to others is nothing: with another one they cut alike.
    assert Partition("dom", 5).parameters == Partition("dom").parameters
    for wrong in ({"name": "dim"}, {"k": 0}):
        with pytest.raises(ValueError, match=str(next(iter(wrong.values())))):
            Partition(**wrong)


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
    page = read(html, URL)
    began = time.process_time()
    cuts(page)
    assert time.process_time() - began < 3


def test_a_site_in_memory_is_cut_as_it_is_asked_to() -> None:
    menu = "<p>Home of the bread</p><p>{}</p>"
    texts = {}
    for name in ("k-links", "dom"):
        with Site(method="templates", partition=name, min_pages=2) as site:
            for word in ("one", "two", "three"):
                site.add(f"{URL}{word}", menu.format(f"Text of page {word}"))
            texts[name] = [len(document["pagelets"]) for document in site.documents(fields=["pagelets"])]
    assert texts == {"k-links": [1, 1, 1], "dom": [2, 2, 2]}
    with pytest.raises(ValueError, match="'tags': there are k-links, fixed, dom, vips, combps"):
        Site(partition="tags")
