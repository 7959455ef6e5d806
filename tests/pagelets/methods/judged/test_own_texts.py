"""Texts that are a page's own are kept."""

from __future__ import annotations

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from pagelets.judging.page_facts import BlockSupport, PageFacts
from pagelets.methods.judged.own_texts import own_texts
from pagelets.methods.judged.text import words
from pagelets.reading import read

BODY = (
    "<p>Go to the cart<h1>A kettle</h1><p class=sku>No. C6 of spring<p>More <a href=/c>of it all</a><p>New"
    "<p>It boils.<p>About this whole shop"
)
TEXTS = ["Go to the cart", "A kettle", "No. C6 of spring", "More of it all", "New", "It boils."]


def marked(kept: set[str], never: set[str] = frozenset(), *, field: float = 0.4, pages: int = 0) -> list[str]:  # type: ignore[assignment]
    page = read(BODY, "https://a.example/kettle")
    texts = [block.text for block in page.blocks]
    support = BlockSupport.none(len(texts))
    support.tag_path_shares[:], support.tag_path_singletons[:], support.placed_pages[:] = field, 0.9, pages
    facts = PageFacts((), (), (), support, [False] * len(texts), pages=30)
    mask, not_taken = (np.array([text in some for text in texts]) for some in (kept, never))
    found = own_texts(page, facts, words(texts), mask, not_taken)
    return [text for text, marks in zip(texts, found, strict=True) if marks]


def test_the_value_of_a_field_between_what_is_kept_is_marked() -> None:
    assert marked({"A kettle", "It boils."}) == ["No. C6 of spring"]


def test_other_texts_are_not() -> None:
    for kept in (set[str](), {"A kettle"}, {"It boils."}):
        assert marked(kept) == [], kept
    kept = {"A kettle", "It boils."}
    assert marked(kept, field=0.01) == marked(kept, pages=4) == marked(kept, {"No. C6 of spring"}) == []


@given(st.sets(st.sampled_from(TEXTS)), st.sets(st.sampled_from(TEXTS)))
def test_only_removed_texts_are_marked(kept: set[str], never: set[str]) -> None:
    assert not {*marked(kept, never)} & (kept | never)
