from __future__ import annotations

from typing import get_args

import pytest
from hypothesis import given, settings

from pagelets import Site
from pagelets.partition import partition
from pagelets.partitions import DEFAULT, PARTITIONS, Partition
from pagelets.reading import read
from settings.types import PartitionName
from tests.pagelets.reading.test_reading import HTML, URL


@pytest.mark.parametrize("name", PARTITIONS)
@settings(deadline=None)
@given(html=HTML)
def test_pagelets_cover_the_blocks_exactly_and_in_order(name: str, html: str) -> None:
    page = read(html, URL)
    pagelets = Partition(name)(page)
    covered = [position for one in pagelets for position in range(one.start, one.stop)]
    assert covered == list(range(len(page.blocks)))
    assert all(one.start < one.stop for one in pagelets)


def test_by_links_is_the_partition_of_those_who_choose_none() -> None:
    page = read("<ul><li><a href=/a>a</a><li><a href=/b>b</a></ul><p>text", URL)
    assert Partition() == DEFAULT
    assert DEFAULT(page) == partition(page)
    assert Partition(k=1)(page) == partition(page, 1) != partition(page)


def test_a_page_is_cut_once() -> None:
    page = read(f"<p>{'</p><p>'.join('abc')}", URL)
    pagelets = DEFAULT(page)
    assert Partition()(page) is pagelets
    assert Partition("dom")(page) is not pagelets
    assert DEFAULT(page) == pagelets


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
