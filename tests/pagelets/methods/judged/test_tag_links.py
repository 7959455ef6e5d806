"""Links to the tags and categories of an article."""

from __future__ import annotations

from pagelets.methods.judged.tag_links import tag_links
from tests.pagelets.methods.judged.test_neighbours import TEXT, removed


def test_lines_of_links_to_tags_and_categories_go() -> None:
    for html in (
        "<p>Tags: <a href=/tag/tea>tea</a>, <a href=/tag/soup>soup</a></p>",
        "<p>posted in <a href=https://a.example/blog/category/kitchen/>Kitchen</a></p>",
        "<p><a href='/posts?tag=tea'>#tea</a></p>",
    ):
        assert len(removed(TEXT + html, tag_links)) == 1, html


def test_they_may_be_half_of_a_list() -> None:
    entries = "<li>A pot of brass</li><li><a href=/tag/tea>tea</a> <a href=/tag/pots>pots</a></li>" * 9
    assert len(removed(f"<ul>{entries}</ul>", tag_links, pages=20)) == 9
    assert removed(f"<ul>{entries}</ul>", tag_links, pages=9) == []


def test_other_lines_stay() -> None:
    for html in (
        "<p>It is for <a href=/tag/tea>tea</a>, which you may drink at any hour of the day.</p>",
        "<p><a href=/tag/tea>tea</a> <a href=/pots>pots</a></p>",
        "<p><a href=https://shop.example/pots?tag=a-20>A pot</a></p>",
        "<h2><a href=/category/kitchen>Kitchen</a></h2>",
        "<p><a href=/tags/>All tags</a></p>",
    ):
        assert removed(TEXT + html, tag_links) == [], html
    below = "<p><a href=/271/category/tea>Tea</a></p>"
    assert removed(TEXT + below, tag_links) == ["Tea"]
    assert removed(TEXT + below * 9, tag_links) == []
    most = "<h1>Categories</h1>" + "<p><a href=/category/kitchen>Kitchen</a></p>" * 5
    assert removed(most, tag_links) == []
