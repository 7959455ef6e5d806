"""The made sites insert what they say they insert, and nothing of it is gold."""

from __future__ import annotations

from collections import Counter

import pytest

from pagelets.text.words import tokens
from tests.quality.annotated import MADE
from tests.quality.gold import visible
from tests.quality.made.markup import halves, hashed, neutral, renamed
from tests.quality.made.texts import Writer
from tests.quality.survival import lost, survivors

KINDS = {
    "magazine": {
        "author box", "comments", "counters", "counters in line", "newsletter", "popular", "recent",
        "related", "related inline",
    },
    "newspaper": {
        "counters", "counters in line", "latest", "more on this", "most read", "newsletter", "read on",
        "sponsored",
    },
    "shop": {"bestsellers", "bought together", "counters", "newsletter", "related", "reviews"},
}  # fmt: skip


@pytest.mark.parametrize("name", MADE)
def test_sites_have_all_their_kinds_on_many_pages(name):
    pages = MADE[name]()
    assert 30 <= len(pages) <= 60
    assert sum(page.group == "listing" for page in pages) >= 5
    having = Counter(kind for page in pages for kind in {kind for kind, _ in page.inserted})
    assert having.keys() == KINDS[name]
    assert min(having.values()) >= 10


@pytest.mark.parametrize("name", MADE)
def test_all_text_holds_every_piece_and_the_gold_text_none(name):
    for page in MADE[name]():
        shown = visible(page.html)
        assert all(len(tokens(piece)) > 1 for _, piece in page.inserted), page.url
        assert survivors(page, shown) == {kind for kind, _ in page.inserted}, page.url
        assert survivors(page, page.text) == set(), page.url
        assert lost(page, shown) == 0, page.url


@pytest.mark.parametrize(
    ("name", "kind"),
    [("magazine", "related"), ("shop", "related"), ("newspaper", "read on"), ("newspaper", "more on this")],
)
def test_related_boxes_change_from_page_to_page(name, kind):
    boxes = [tuple(text for found, text in page.inserted if found == kind) for page in MADE[name]()]
    filled = [box for box in boxes if box]
    assert len(set(filled)) > 0.9 * len(filled)


def test_the_entries_of_the_hub_are_titles_of_other_pages():
    hub, *others = MADE["newspaper"]()
    titles = {page.text.split("\n")[0] for page in others if page.group == "article"}
    assert len(titles & set(hub.text.split("\n"))) >= 30


def test_class_names_are_a_theme_s_own_hashed_or_neutral():
    assert renamed('<p class="a b" id="class">x</p>', str.upper) == '<p class="A B" id="class">x</p>'
    assert hashed("card") == hashed("card") != hashed("price")
    assert neutral("story") == neutral("story")
    shown = {name: "".join(page.html for page in make()) for name, make in MADE.items()}
    assert 'class="jp-relatedposts"' in shown["magazine"]
    assert 'class="review"' not in shown["shop"]
    assert 'class="story"' not in shown["newspaper"]


def test_a_text_depends_on_its_key_alone():
    assert Writer("a").source(9) == Writer("a").source(9) != Writer("b").source(9)
    assert halves("a\n\nb\n\nc") == ("a", "b\n\nc")
