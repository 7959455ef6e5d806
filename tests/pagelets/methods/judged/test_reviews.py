"""Customers' reviews on the page of a product."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from pagelets.containers import Containers
from pagelets.judging.page_facts import PageFacts
from pagelets.judging.taught import Taught
from pagelets.judging.teaching import TaughtPage, learn
from pagelets.methods import METHODS
from pagelets.methods.base import Subject
from pagelets.methods.judged.kept_page import KeptPage
from pagelets.methods.judged.reviews import reviews
from pagelets.methods.judged.text import words as count_words
from pagelets.partition import partition
from pagelets.reading import read
from training.styles import PHRASES

TEXT = " ".join(["bread"] * 60)
PRODUCT = f"<h1>A kettle of brass</h1><p>£ 30</p><p>{TEXT}</p>"
JSON_LD = '<script type="application/ld+json">{}</script>'
DECLARED = JSON_LD.format('{"@type": "Product", "name": "A kettle"}')
ENTRY = "<div><span>4 out of 5</span><p>It sings.</p></div>"
TEXTS = ["4 out of 5", "It sings."] * 2


def removed(body: str, head: str = DECLARED, **known: Any) -> list[str]:
    """The texts that the rule removes of a page whose blocks are all likely content."""
    page = read(f"<head><title>A kettle of brass</title>{head}</head><body>{body}", "https://a.example/p/1")
    size = len(page.blocks)
    words = count_words([block.text for block in page.blocks])
    likely = np.full(size, known.get("likely", 0.9))
    gone = reviews(
        KeptPage(page, Containers.of(page), PageFacts.none(1, size), words, likely, np.ones(size, bool))
    )
    return [block.text for block, box in zip(page.blocks, gone, strict=True) if box and block.text]


def named(name: str, entries: str = ENTRY * 2) -> str:
    return f"{PRODUCT}<div {name}>{entries}</div><p>The end.</p>"


@pytest.mark.parametrize(
    "name",
    [
        "class='box product-reviews'", "class=productReviews", "id=REVIEWS", "class=c_review",
        "class=Testimonials", "itemprop=review",
    ],
)  # fmt: skip
def test_a_box_that_a_name_calls_reviews_goes(name: str) -> None:
    assert removed(named(name)) == TEXTS


def test_the_label_may_stand_before_the_box() -> None:
    box = f"<div><a>All 9</a><h2>Reviews</h2></div><ol class=review-list>{ENTRY * 2}</ol>"
    page = read(PRODUCT + box, "https://a.example/p/1")
    words = count_words([block.text for block in page.blocks])
    for pages, texts in ((9, TEXTS), (1, [])):
        facts = PageFacts.none(1, len(words))
        facts.blocks.placed_pages[:] = pages
        every = np.ones(len(words), bool)
        gone = reviews(KeptPage(page, Containers.of(page), facts, words, every * 0.9, every))
        assert [block.text for block, box in zip(page.blocks, gone, strict=True) if box] == texts


def test_a_rating_may_be_a_class() -> None:
    entry = "<div><p class='{}'></p><p>It sings.</p></div>"
    for rating in ("star-rating Three", "stars-4", "rating4", "rating rated-80"):
        assert removed(named("class=reviews", entry.format(rating) * 2)) == ["It sings."] * 2, rating
    for other in ("stars", "start-1999", "rating", "column-4"):
        assert removed(named("class=reviews", entry.format(other) * 2)) == [], other


@pytest.mark.parametrize("name", ["class=preview", "class=reviewed", "class=reviewer-list", "title=reviews"])
def test_other_names_call_it_something_else(name: str) -> None:
    assert removed(named(name)) == []


@pytest.mark.parametrize("language", PHRASES)
def test_a_box_whose_first_line_says_reviews_goes(language: str) -> None:
    for said in PHRASES[language]["reviews"]:
        label = said.format(n=12)
        assert removed(named("class=x9", f"<b>{label}</b>{ENTRY * 2}")) == [label, *TEXTS]
    assert removed(named("class=x9", f"<p>Our reviewers say more.</p>{ENTRY * 2}")) == []


@pytest.mark.parametrize(
    "rating",
    [
        "<p>★★★★☆", "<p>4,5 von 5", "<p>4 / 5", "<p>Note : 5 sur 5", "<p>5 étoiles", "<p>4 yıldız",
        "<p>5つ星", "<i role=img aria-label='Rated 4.00 out of 5'></i>", "<img alt='4 stars'>",
        "<a title='5 Sterne'></a>",
        "<meta itemprop=ratingValue content=4>", "<b itemprop=reviewRating></b>",
        "<a class=rating-result title='80%'></a>", "<p class=star-rating><i style='width: 80%'></i></p>",
        "<i class='fa fa-star'></i>" * 4 + "<i class='fa fa-star-o'></i>",
    ],
)  # fmt: skip
def test_ratings_are_stated_in_many_ways(rating: str) -> None:
    assert "It sings." in removed(named("class=reviews", f"<div>{rating}</div><p>It sings.</p>" * 2))


@pytest.mark.parametrize(
    "rating",
    [
        "",
        "<p>3/50",
        "<p>14/5",
        "<p>1/5/2024",
        "<p>5 starts",
        "<img alt='15/5'>",
        "<i class=star></i>" * 4,
        "<i style='width: 80%'></i>",
        "<i class=start></i>" * 5,
    ],
)
def test_without_two_ratings_a_box_stays(rating: str) -> None:
    assert removed(named("class=reviews", f"<div>{rating}</div><p>It sings.</p>" * 2)) == []


@pytest.mark.parametrize(
    "head",
    [
        JSON_LD.format('{"@graph": [{"@type": ["Thing", "https://schema.org/ProductGroup"], "name": "A"}]}'),
        DECLARED * 2,
        "<meta property=og:type content=product>",
        "<div itemscope itemtype='https://schema.org/Product'></div>",
        "<div itemscope itemtype='https://schema.org/Product'><h1>A</h1></div><p itemtype='Product'></p>",
    ],
)
def test_pages_declare_products(head: str) -> None:
    assert removed(named("class=reviews"), head) == TEXTS


@pytest.mark.parametrize(
    "head",
    [
        "",
        JSON_LD.format('{"@type": "Article", "about": {"@type": "Product", "name": "A"}}'),
        JSON_LD.format('[{"@type": "Product", "name": "A"}, {"@type": "Product", "name": "B"}]'),
        JSON_LD.format("{Product"),
        "<meta property=og:type content=product.group>",
        "<div itemscope itemtype='https://schema.org/ProductCollection'></div>",
        "<div itemscope itemtype='https://schema.org/Product'></div>" * 2,
    ],
)
def test_other_pages_keep_their_reviews(head: str) -> None:
    assert removed(named("class=reviews"), head) == []


@pytest.mark.parametrize(
    "body",
    [
        # Nothing stands before them, or too little of the product.
        f"<div class=reviews>{ENTRY * 2}</div>{PRODUCT}",
        f"<body class=reviews>{PRODUCT}{ENTRY * 2}",
        f"<div class=reviews>{PRODUCT}{ENTRY * 2}</div>",
        f"<p>{TEXT}</p><div class=reviews>{PRODUCT}{ENTRY * 2}</div>",
        f"<p>{TEXT}</p><div class=reviews><h2>A kettle of brass</h2>{ENTRY * 2}</div>",
        # They are most of the page.
        f"{PRODUCT}<div class=reviews>{ENTRY * 300}</div>",
    ],
)
def test_a_product_is_no_review(body: str) -> None:
    assert removed(body) == []


def test_what_stands_before_is_content() -> None:
    assert removed(named("class=reviews"), likely=0.3) == []


def test_the_method_tells_why_and_keeps_what_is_taught() -> None:
    said = "<p>I have made tea in it each morning for a year, and it has never leaked a drop of water.</p>"
    text = "<p>The kettle is made of brass by hand, holds two litres, and sings when the water boils.</p>"
    entries = f"<div><span>4 out of 5</span>{said}</div>" * 2
    body = f"<main><h1>A kettle of brass</h1>{text * 9}<div class=reviews>{entries}</div></main>"
    page = read(f"<title>A kettle of brass</title>{DECLARED}<body>{body}", "https://a.example/p/1")
    pagelets = partition(page)
    facts = PageFacts.none(len(pagelets), len(page.blocks))
    facts.pages = 9
    subject = Subject(page, pagelets, facts)
    verdict = METHODS["judged"]().judge(subject)
    names = [reason.name for reason in verdict.reasons()]
    assert [block.text for block, name in zip(page.blocks, names, strict=True) if name == "reviews"] == [
        "4 out of 5", said[3:-4],
    ] * 2  # fmt: skip
    lesson = learn([TaughtPage.of(subject, verdict, np.ones(len(names)))])
    for weights, left in ({".reviews": 3.1}, 0), (lesson, 0), ({"body": 2.9}, 4):
        taught = METHODS["judged"]().judge(subject.with_taught(Taught(weights)))
        assert [reason.name for reason in taught.reasons()].count("reviews") == left


PARTS = (
    PRODUCT,
    ENTRY,
    f"<div class=reviews>{ENTRY * 3}</div>",
    "<p>Reviews</p>",
    "<b>★</b>",
    "<p>Short.</p>",
)


@given(st.lists(st.sampled_from(PARTS), max_size=9))
def test_no_page_loses_its_headline_or_its_text(parts: list[str]) -> None:
    gone = removed(f"<div>{''.join(parts)}</div>")
    assert not any("kettle" in text or "bread" in text for text in gone)
