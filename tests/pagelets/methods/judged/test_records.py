"""Facts of what a page presents are kept, with their names."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from pagelets.containers import Containers
from pagelets.judging.page_facts import PageFacts
from pagelets.methods.judged.kept_page import KeptPage
from pagelets.methods.judged.records import records
from pagelets.methods.judged.text import words
from pagelets.reading import read

NAMES = ["Place", "Doors", "Tickets"]
VALUES = ["Great hall", "7 pm", "Ann's shop"]
ROWS = "".join(f"<dt class=c-{name}>{name}<dd>{value}" for name, value in zip(NAMES, VALUES, strict=True))


def found(
    box: str, *, pages: int = 9, kept: str = "A concert", never: str = "", shared: str = ""
) -> list[str]:
    """What is marked in a box that all pages of a kind have, with the texts of NAMES, and some that are
    ``shared``, on all of them.
    """
    page = read(f"<h1>A concert</h1>{box}<p>Us", "https://a.example/concert/")
    texts = [block.text for block in page.blocks]
    facts = replace(PageFacts.none(1, len(texts)), pages=pages)
    facts.blocks.tag_path_pages[:] = pages
    usual = [text in [*NAMES, *shared.split("|"), "Us"] for text in texts]
    facts.blocks.pages[:] = facts.blocks.placed_pages[:] = np.where(usual, pages, 2)
    lines = [any(map(str.isdigit, text)) for text in texts]
    facts.blocks.placed_pages[lines] = pages
    mask = np.array([text in kept.split("|") for text in texts])
    seen = KeptPage(page, Containers.of(page), facts, words(texts), np.full(len(texts), 0.9), mask)
    marks = records(seen, np.array([text == never for text in texts]))
    return [text for text, marked in zip(texts, marks, strict=True) if marked]


def test_names_that_pages_share_are_marked_with_values_that_they_do_not() -> None:
    texts = [text for row in zip(NAMES, VALUES, strict=True) for text in row]
    assert found(f"<dl>{ROWS}</dl>") == texts
    assert found(f"<dl>{ROWS}</dl>", kept="A concert|Place|Great hall") == texts[2:]
    # The heading and a value without a name belong to the box, a button does not.
    box = f"<section><h2>Details</h2><dl>{ROWS}</dl><p>Old town</p><a href=/buy>Buy now</a></section>"
    assert found(box, shared="Details|Buy now") == ["Details", *texts, "Old town"]


def test_other_boxes_are_not() -> None:
    rows = f"<dl>{ROWS}</dl>"
    for html in (
        rows.replace("<dd>7 pm", "").replace("<dt class=c-Doors>Doors", ""),
        rows.replace("<dd>", "<dd><a href=/a>")
        .replace("<dt", "</a><dt")
        .replace(">Place", "><a href=/>Place</a>"),
        f"<ul><li>{rows}<li>{rows}</ul>",
        f"<dl>{ROWS}<dt>Story<dd>{'It was long ago. ' * 5}</dl>",
        rows.replace("<dd>Great hall", "<dd><h3>Great hall</h3>"),
        rows.replace("Great hall", "Great hall (12)"),
        rows.replace("Great hall", "12").replace("Ann's shop", "14"),
    ):
        assert found(html) == [], html
    assert (
        found(rows, pages=1)
        == found(rows, pages=4)
        == found(rows, kept="Us")
        == found(rows, never="7 pm")
        == []
    )
    assert found(rows, shared="|".join(VALUES)) == []


def test_values_of_a_list_that_is_kept_in_half_are_marked() -> None:
    box = "<ul><li class=a>Full time<li>Leeds<li>£ 20 an hour<li>Until May<li><a href=/a>Care</a></ul>"
    assert found(box, kept="A concert|£ 20 an hour|Leeds|Until May") == ["Full time"]
    assert found(box, kept="A concert|Leeds") == []


def test_lines_that_differ_in_their_amounts_are_marked() -> None:
    box = "<div><p>Preparation 20 minutes</p><p>Cooking 35 minutes</p><p>Serves 4</p></div>"
    assert found(box) == ["Preparation 20 minutes", "Cooking 35 minutes", "Serves 4"]
    assert found(box.replace("minutes", "times")) == found(box.replace("Cooking", "Preparation")) == []
