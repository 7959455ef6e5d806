"""The price behind the headline is kept."""

from __future__ import annotations

import numpy as np

from pagelets.methods.base import Subject
from pagelets.methods.judged.prices import price
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
