"""Boxes that are called other pages or products."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from pagelets.containers import Containers
from pagelets.judging.page_facts import PageFacts
from pagelets.methods.judged.called_boxes import called_boxes
from pagelets.methods.judged.kept_page import KeptPage
from pagelets.methods.judged.text import words as count_words
from pagelets.reading import read

DECLARED = '<script type="application/ld+json">{"@type": "Product", "name": "A kettle"}</script>'
LONG = "It boils water for tea and for soup. " * 8


def removed(more: str, head: str = DECLARED, text: str = LONG, pages: int = 0) -> list[str]:
    """The texts that the rule removes of the page of a kettle with more behind its description."""
    page = read(
        f"<head>{head}</head><h1>A kettle</h1><p>£ 30</p><p>{text}</p>{more}", "https://a.example/271"
    )
    words, every = count_words([block.text for block in page.blocks]), np.ones(len(page.blocks), bool)
    facts = replace(PageFacts.none(1, len(page.blocks)), pages=pages)
    gone = called_boxes(KeptPage(page, Containers.of(page), facts, words, every * 0.9, every))
    return [block.text for block, boxed in zip(page.blocks, gone, strict=True) if boxed and block.text]


@pytest.mark.parametrize(
    "label",
    """You may also like…|Related posts:|Most read|Similar items (12)|Explore related items|
    Customers who bought this also viewed|Frequently bought together|Recently viewed|
    Recommended for you|Das könnte Ihnen auch gefallen|Vous aimerez aussi :|
    Produits liés à celui-ci|Productos relacionados|
    Potrebbero interessarti|Misschien vind je dit ook leuk|С этим товаром покупают|関連商品|
    猜你喜欢|Lire aussi|Artículos relacionados|Читайте также|Bài viết liên quan|関連記事|
    Meistgelesen|Les plus lus|Lo más leído|Mest læste|Популярное|人気記事|
    Articole similare|Kapcsolódó cikkek|Čítajte aj|Povezani članci|Сродни статии|Σχετικά άρθρα|כתבות קשורות|
    مواضيع ذات صلة|مطالب مرتبط|সম্পর্কিত খবর|บทความที่เกี่ยวข้อง|延伸閱讀""".split("|"),
)
def test_boxes_that_are_called_go_below_the_text(label: str) -> None:
    box = f"<section><h2>{label}</h2><li><a href=/pot>Pot</a></section>"
    assert removed(box) == [label.strip(), "Pot"]
    assert removed(box, text="Of brass.") == []
    assert removed("", text=f"{label}</p><p>{LONG}") == []


def test_on_a_known_site_a_short_text_is_enough() -> None:
    box = "<section><h2>Related posts</h2><li><a href=/pot>Pots of brass, and those of steel</a></section>"
    short = {"head": "", "text": "It boils your water for tea."}
    assert removed(box, **short, pages=9) == ["Related posts", "Pots of brass, and those of steel"]
    assert removed(box, **short) == removed(box, head="", text="Of brass.", pages=9) == []


def test_what_names_a_box_may_be_its_class() -> None:
    box = "<section class='{}'><h2>Pots</h2><li><a href=/pot>Pot</a></section>"
    assert removed(box.format("upsells products")) == ["Pots", "Pot"]
    assert removed(box.format("pots")) == []


def test_other_lines_are_no_labels_and_some_of_the_product_stays() -> None:
    for line in ("Recommended:", "Suggested use", "You will need", "Works with gas", "Similar to steel"):
        assert removed(f"<section><h2>{line}</h2><p>Steel</p></section>") == []
    box = f"<section><h2>Similar items</h2><h1>A pot</h1><p>{LONG}</p></section>"
    assert removed(box) == ["Similar items"]


def test_of_other_pages_than_those_of_a_product_most_of_the_words_stay() -> None:
    box = "<section><h2>Related articles</h2><li>{}</section>"
    assert len(removed(box.format("Pots of clay"), head="")) == 2
    assert len(removed(box.format(LONG))) == 2
    assert removed(box.format(LONG), head="") == []


def test_on_a_known_site_a_box_that_its_name_calls_so_too_may_have_more() -> None:
    box = f"<section class='related{{}}'><h2>Related articles</h2><li>{LONG * 9}</section>"
    assert len(removed(box.format("-posts"), head="", pages=9)) == 2
    assert removed(box.format("-posts"), head="") == removed(box.format("ly"), head="", pages=9) == []


def test_what_begins_with_an_empty_box_is_none_itself() -> None:
    box = "<div class=related-products><h2>Related products</h2>{}</div>"
    around = f"<div>{box}<p>{LONG * 9}</p></div>"
    entries = f"<li><a href=/pot>{LONG}</a></li>"
    for pages in (0, 9):
        assert removed(around.format(entries), pages=pages) == ["Related products", LONG.strip()]
        assert removed(around.format(""), pages=pages) == ["Related products"]
    assert removed(around.format(""), head="", pages=9) == ["Related products"]


def test_so_do_lines_of_links_that_begin_so() -> None:
    line = "<p>Also read: <a href=/pot>Pots of clay</a></p>"
    for label in ("Also read:", "[ Related reading", "Lire aussi :"):
        assert removed(line.replace("Also read:", label) + f"<p>{LONG}</p>") == [f"{label} Pots of clay"]
    assert removed(f"{line}<p>{LONG}</p>", text="Of brass.") == []
    for other in ("We also read of", "See", ""):
        assert removed(line.replace("Also read:", other)) == []
    assert removed(line.replace("</p>", " which tells what clay is, and where it is found.</p>")) == []
