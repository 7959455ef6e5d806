"""Boxes of facts among a page's own text are kept."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from pagelets.containers import Containers
from pagelets.judging.page_facts import PageFacts
from pagelets.methods.judged.fact_boxes import fact_boxes
from pagelets.methods.judged.kept_page import KeptPage
from pagelets.methods.judged.text import words
from pagelets.reading import read

BOX = "<aside><h4>Facts</h4><p>The mine was opened in 1898</p><p>It has nine levels</p></aside>"
KEPT = {"Snow", "Much of it fell.", "It stays."}


def found(
    box: str = BOX,
    behind: str = "<p>It stays.",
    *,
    pages: int = 9,
    label: int = 9,
    said: int = 1,
    never: str = "",
) -> list[str]:
    page = read(f"<h1>Snow</h1><p>Much of it fell.</p>{box}{behind}", "https://a.example/snow/")
    texts = [block.text for block in page.blocks]
    facts = replace(PageFacts.none(1, len(texts)), pages=pages)
    facts.blocks.placed_pages[:] = [label if text == "Facts" else said for text in texts]
    mask = np.array([text in KEPT for text in texts])
    seen = KeptPage(page, Containers.of(page), facts, words(texts), np.full(len(texts), 0.9), mask)
    marks = fact_boxes(seen, np.array([text == never for text in texts]))
    return [text for text, marked in zip(texts, marks, strict=True) if marked]


def test_a_box_with_a_label_of_several_pages_and_text_of_its_own_is_marked() -> None:
    assert found() == ["Facts", "The mine was opened in 1898", "It has nine levels"]
    assert found(said=4) == found()


def test_other_boxes_are_not() -> None:
    assert found(label=4) == found(said=5) == found(behind="") == found(pages=1) == []
    assert found(never="It has nine levels") == []
    for box in (
        BOX.replace("nine levels", "<a href=/levels>nine levels</a>"),
        BOX.replace("<h4>Facts</h4>", "<h4>Read more</h4>"),
        BOX.replace("<aside>", "<aside><p>See</p>"),
        "<aside><h4>Facts</h4><p>Nine levels</p></aside>",
    ):
        assert found(box) == [], box
