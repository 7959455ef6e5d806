"""The price behind the headline is kept."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from pagelets.containers import Containers
from pagelets.judging.page_facts import PageFacts
from pagelets.methods.base import Subject
from pagelets.methods.judged.kept_page import KeptPage
from pagelets.methods.judged.prices import listed_prices, price
from pagelets.methods.judged.text import words
from pagelets.partition import partition
from pagelets.reading import read


def marked(body: str, kept: set[str], never: frozenset[str] = frozenset()) -> list[str]:
    page = read(f"<title>A kettle</title><p>Cart: 0 €</p>{body}", "https://a.example/kettle")
    texts = [block.text for block in page.blocks]
    mask, not_taken = (np.array([text in some for text in texts]) for some in (kept, never))
    found = price(Subject(page, partition(page)), words(texts), mask, not_taken)
    return [text for text, marks in zip(texts, found, strict=True) if marks]


def test_the_first_price_behind_the_headline_is_marked() -> None:
    for text in ("£ 30", "Price: 1.299,00 EUR", "40 kr", "3,980円", "₹ 400"):
        assert marked(f"<h1>A kettle</h1><p>In stock<div>{text}</div><ul><li>12 €</ul>", {"A kettle"}) == [
            text
        ]
    assert marked("<h2>A kettle</h2><b>$ 30</b><p>12 €", {"A kettle"}) == ["$ 30"]


def test_other_texts_are_not() -> None:
    for text in ("30 pieces left", "Valid HTML 4.01", "Sek 30", "$PATH"):
        assert marked(f"<h1>A kettle</h1><div>{text}</div>", {"A kettle"}) == [], text
    assert marked("<h1>A kettle</h1><p>£ 30", set()) == []
    assert marked("<h1>A kettle</h1><p>£ 30<p>£ 20", {"A kettle", "£ 30"}) == []
    assert marked("<h1>A kettle</h1><p>£ 30", {"A kettle"}, frozenset({"£ 30"})) == []
    assert marked("<h1>A kettle</h1>" + "<p>One more." * 20 + "<p>£ 30", {"A kettle"}) == []
    assert (
        marked("<h1>A kettle</h1><p>Free for orders of £ 30 or more, in all of this town.", {"A kettle"})
        == []
    )


def test_prices_of_entries_that_are_kept_are_marked_on_a_known_site() -> None:
    names = ["Pot", "Pan", "Lid"]
    entries = [(f"<p>{number} €</p>", f"<p>{name}</p>") for number, name in enumerate(names)]

    def found(
        parts: list[tuple[str, str]], *, pages: int = 9, more: str = "", kept: list[str] = names
    ) -> int:
        body = more + "".join(f"<li>{first}{then}<p>In stock</p></li>" for first, then in parts)
        page = read(f"<title>Pots</title><ul>{body}</ul>", "https://a.example/pots")
        texts = [block.text for block in page.blocks]
        facts = replace(PageFacts.none(1, len(texts)), pages=pages)
        mask = np.array([text in kept for text in texts])
        every, nothing = np.ones(len(texts)), np.zeros(len(texts), bool)
        kept_page = KeptPage(page, Containers.of(page), facts, words(texts), every, mask)
        marks = listed_prices(kept_page, mask, nothing)
        assert {text for text, marked in zip(texts, marks, strict=True) if marked} <= {"0 €", "1 €", "2 €"}
        return int(marks.sum())

    assert found(entries) == found([entry[::-1] for entry in entries]) == 3
    assert found(entries[:2]) == found(entries, pages=1) == found(entries, kept=[]) == 0
    declared = '<script type="application/ld+json">{"@type": "Product", "name": "A kettle"}</script>'
    assert found(entries, more=declared) == 0
