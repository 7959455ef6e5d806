"""The price behind the headline is kept."""

from __future__ import annotations

from pagelets.methods.judged.prices import price, properties_beside
from tests.pagelets.methods.judged.test_headings import taken_back


def marked(body: str, kept: set[str], never: frozenset[str] = frozenset()) -> list[str]:
    html = f"<title>A kettle</title><p>Cart: 0 €</p>{body}"
    return [text for _, text in taken_back(price, html, kept, never=never)]


def test_the_first_price_behind_the_headline_is_marked() -> None:
    for text in ("£ 30", "Price: 1.299,00 EUR", "40 kr", "3,980円", "₹ 400"):
        assert marked(f"<h1>A kettle</h1><p>In stock<div>{text}</div><ul><li>12 €</ul>", {"A kettle"}) == [
            text
        ]
    assert marked("<h2>A kettle</h2><b>$ 30</b><p>12 €", {"A kettle"}) == ["$ 30"]


def test_a_number_in_an_element_that_is_named_a_price_is_marked() -> None:
    for html in (
        "<div class=price>182.22*</div>",
        "<div itemprop=price>182",
        "<div id=a class='old product-price'><p>9,5</div>",
    ):
        assert len(marked(f"<h1>A kettle</h1>{html}", {"A kettle"})) == 1, html
    for html in (
        "<div class=price>On request</div>",
        "<p class=priced>182",
        "<p class=price>From 182 to 190 each",
    ):
        assert marked(f"<h1>A kettle</h1>{html}", {"A kettle"}) == [], html


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


def test_properties_beside_a_price_are_marked_on_a_known_site() -> None:
    line, kept = "Availability: in stock", {"A kettle", "£ 30"}

    def found(html: str, kept: set[str] = kept, pages: int = 9) -> list[str]:
        html = f"<title>A kettle</title><p>Cart: none</p>{html}"
        return [text for _, text in taken_back(properties_beside, html, kept, pages=pages)]

    assert found(f"<h1>A kettle</h1><p>{line}</p><p>£ 30<p>颜色：灰色<p>It boils.") == [line, "颜色：灰色"]
    page = f"<h1>A kettle</h1><p>£ 30<p>{line}"
    assert found(page) == [line]
    assert found(page, {"A kettle"}) == found(page, {"£ 30"}) == found(page, pages=1) == []
    for other in ("https://a.example/", "Buy it", "Of all of its owners there is one who says: it boils"):
        assert found(f"<h1>A kettle</h1><p>£ 30<p>{other}") == [], other
