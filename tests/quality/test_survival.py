"""Boilerplate that is left over, and the loss of a listing."""

from __future__ import annotations

import pytest

from evaluation.gold import GoldPage
from evaluation.scoring import Result, ScoredPage, score
from tests.quality.gold import annotate, visible
from tests.quality.survival import damage, floors, lost, survivors, table

MARKED = (
    "<!--gold--><h1>Mending a kettle at home</h1><p>Wait until it is cold.</p><!--/gold-->"
    '<!--kind related--><h3><a href="/b">Painting a garden wall</a></h3><!--/kind-->'
    "<!--kind related--><h3>Mending a kettle at home</h3><!--/kind-->"
    "<!--kind counters--><p>1,234 views</p><!--/kind-->"
)
PAGE = annotate("https://a.example/", MARKED, "listing")


def result(text):
    gold = GoldPage(PAGE.url, PAGE.text, PAGE.group)
    return Result("shed", "paper", [ScoredPage(gold, text, score(text or "", PAGE.text))])


def test_pieces_are_read_from_marked_regions():
    assert PAGE.inserted == (
        ("related", "Painting a garden wall"),
        ("related", "Mending a kettle at home"),
        ("counters", "1,234 views"),
    )
    assert "kind" not in PAGE.html
    assert PAGE.text == "Mending a kettle at home\nWait until it is cold."
    with pytest.raises(ValueError, match="holds markers"):
        annotate("https://a.example/", "<!--kind a--><!--gold-->b<!--/gold--><!--/kind-->", "article")


def test_more_than_half_of_a_piece_survives():
    assert survivors(PAGE, PAGE.text) == set()
    assert survivors(PAGE, visible(PAGE.html)) == {"related", "counters"}
    assert survivors(PAGE, PAGE.text + "\nPainting a garden") == {"related"}
    assert survivors(PAGE, PAGE.text + "\nPainting. Garden, a wall. 1 view") == set()
    assert survivors(PAGE, "") == set()


def test_what_the_gold_text_says_as_well_is_left_over_only_beyond_it():
    assert survivors(PAGE, "Mending a kettle at home") == set()
    assert survivors(PAGE, PAGE.text + "\nMending a kettle at home") == {"related"}


def test_a_title_in_two_boxes_survives_where_it_is_held_in_full():
    marked = (
        "<!--kind recent--><p>A quiet ferry at dawn May 3</p><!--/kind-->"
        "<!--kind inline--><p>Read: a quiet ferry at dawn</p><!--/kind-->"
    )
    page = annotate("https://a.example/", f"<!--gold--><p>Text</p><!--/gold-->{marked}", "article")
    assert survivors(page, "Text. Read: a quiet ferry at dawn") == {"inline"}
    assert survivors(page, "Text. A quiet ferry at dawn May 3") == {"recent"}
    assert survivors(page, visible(page.html)) == {"inline", "recent"}


def test_loss_is_of_gold_words_alone():
    assert lost(PAGE, visible(PAGE.html)) == 0
    assert lost(PAGE, "Mending a kettle at home, 1,234 views") == 0.5
    assert lost(PAGE, "") == 1


def test_figures_of_a_site():
    left = damage([PAGE], result("Mending a kettle at home\n1,234 views"))
    assert left.surviving == {"counters": 1.0, "related": 0.0}
    assert left.lost == {PAGE.url: 0.5}
    assert floors({"shed": left}) == {
        "F1 shed": left.f1,
        "clean shed: counters": 0.0,
        "clean shed: related": 1.0,
        "kept shed: worst listing": 0.5,
    }
    assert table({"shed": left}).splitlines()[1:] == [
        "   100.0% of pages keep counters *",
        "     0.0% of pages keep related",
        "    50.0% of its words lost by the worst listing; 1 of 1 lose more than 2% *",
    ]
    assert damage([PAGE], result(None)).lost == {PAGE.url: 1.0}
