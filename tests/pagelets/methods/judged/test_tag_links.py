"""Links to the tags and categories of an article."""

from __future__ import annotations

import numpy as np

from pagelets.containers import Containers
from pagelets.judging.page_facts import PageFacts
from pagelets.methods.judged.kept_page import KeptPage
from pagelets.methods.judged.tag_links import tag_links
from pagelets.methods.judged.text import words as count_words
from pagelets.reading import read

TEXT = f"<h1>A kettle</h1><p>{'It boils water for tea and for soup. ' * 8}</p>"


def removed(html: str) -> list[str]:
    """The texts of a page that the rule removes."""
    page = read(html, "https://a.example/271")
    words, every = count_words([block.text for block in page.blocks]), np.ones(len(page.blocks), bool)
    facts = PageFacts.none(1, len(page.blocks))
    gone = tag_links(KeptPage(page, Containers.of(page), facts, words, every * 0.9, every))
    return [block.text for block, boxed in zip(page.blocks, gone, strict=True) if boxed and block.text]


def test_lines_of_links_to_tags_and_categories_go() -> None:
    for html in (
        "<p>Tags: <a href=/tag/tea>tea</a>, <a href=/tag/soup>soup</a></p>",
        "<p>posted in <a href=https://a.example/blog/category/kitchen/>Kitchen</a></p>",
        "<p><a href='/posts?tag=tea'>#tea</a></p>",
    ):
        assert len(removed(TEXT + html)) == 1, html


def test_other_lines_stay() -> None:
    for html in (
        "<p>It is for <a href=/tag/tea>tea</a>, which you may drink at any hour of the day.</p>",
        "<p><a href=/tag/tea>tea</a> <a href=/pots>pots</a></p>",
        "<p><a href=https://shop.example/pots?tag=a-20>A pot</a></p>",
        "<h2><a href=/category/kitchen>Kitchen</a></h2>",
        "<p><a href=/tags/>All tags</a></p>",
    ):
        assert removed(TEXT + html) == [], html
    assert removed("<h1>Categories</h1>" + "<p><a href=/category/kitchen>Kitchen</a></p>" * 5) == []
