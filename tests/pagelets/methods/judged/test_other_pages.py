"""Boxes of articles that name other pages of the site."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from pagelets.containers import Containers
from pagelets.judging.page_facts import BlockSupport, PageFacts
from pagelets.methods.judged.kept_page import KeptPage
from pagelets.methods.judged.other_pages import other_pages
from pagelets.methods.judged.text import words as count_words
from pagelets.reading import read

PROSE = f"<p>{' '.join(['bread'] * 120)}.</p>"
BOX = (
    "<div><h2>Read on</h2><div><h3><a href=/b>Painting a wall</a></h3><p>It dries in a day.</p></div>"
    "<div><h3><a href=/c>Oiling a hinge</a></h3><p>Wipe it first.</p></div></div>"
)
FLAT = (
    "<h3><a href=/b>Painting a wall</a></h3><p>It dries in a day.</p>"
    "<h3><a href=/c>Oiling a hinge</a></h3><p>Wipe it first.</p><p>The editors wish you a good day.</p>"
)
HEAD = "<h1>Mending a kettle</h1>"


def removed(body: str, url: str = "https://a.example/kettle", share: float = 1.0, **names: Any) -> list[str]:
    """The texts that the rule removes of a page whose blocks are all likely content."""
    page = read(f"<title>Mending a kettle | Shed</title>{body}", url)
    size = len(page.blocks)
    support = BlockSupport.none(size)
    support.tag_path_shares[:] = share
    labels = [block.text == "Read on" for block in page.blocks]
    support.placed_pages[labels], support.placed_shares[labels] = names.get("label", 0), 0.5
    facts = PageFacts.none(1, size)
    facts.blocks, facts.affixes = support, frozenset({"Shed"})
    titles = names.get("titles", ("Painting a wall", "Oiling a hinge"))
    facts.named = np.array([block.text in titles for block in page.blocks], np.float32)
    words = count_words([block.text for block in page.blocks])
    mask = np.array([block.text not in names.get("gone", ()) for block in page.blocks])
    boxes = other_pages(KeptPage(page, Containers.of(page), facts, words, np.full(size, 0.9), mask))
    return [block.text for block, box in zip(page.blocks, boxes, strict=True) if box]


BOXED = ["Read on", "Painting a wall", "It dries in a day.", "Oiling a hinge", "Wipe it first."]


def test_a_box_goes_with_its_label_and_teasers() -> None:
    assert removed(f"<article>{HEAD}{PROSE}{BOX}</article>") == BOXED
    assert removed(f"<article>{HEAD}{PROSE}{BOX}{PROSE}</article>") == BOXED


def test_a_box_stands_behind_some_of_a_longer_article_or_of_a_short_one_below_a_line_of_the_site_s() -> None:
    some, few = (f"<p>{' '.join(['yeast'] * words)}.</p>" for words in (60, 45))
    for text in (f"{some}{BOX}{PROSE}", f"{some}{BOX}{some}", f"{some}{BOX.replace('Read on', '')}{some}"):
        assert removed(f"<article>{HEAD}{text}</article>")[-4:] == BOXED[1:]
    for text in (f"{some}{BOX}", f"{few}{BOX}{few}"):
        assert removed(f"<article>{HEAD}{text}</article>") == []
        assert removed(f"<article>{HEAD}{text}</article>", label=5) == BOXED
        assert removed(f"<article>{HEAD}{text}</article>", label=4) == []
    assert removed(f"<article>{HEAD}<p>Yeast.</p>{BOX}</article>", label=5) == []


def test_entries_without_an_element_of_their_own() -> None:
    assert removed(f"<div>{HEAD}{PROSE}{FLAT}</div>") == BOXED[1:]


def test_a_section_of_links_of_the_article_s_own_stays() -> None:
    links = "<ul><li><a href=/b>Painting a wall</a><li><a href=/c>Oiling a hinge</a></ul>"
    section = f"<h2>Tools</h2>{PROSE}<h2>See also</h2>{links}"
    assert removed(f"<article>{HEAD}{section}</article>") == []
    other = section.replace("<h2>See also", "<h3>See also")
    assert removed(f"<article>{HEAD}{other}</article>")[-2:] == ["Painting a wall", "Oiling a hinge"]


@pytest.mark.parametrize(
    ("body", "arguments"),
    [
        (f"{PROSE}{BOX}", {}),
        (f"{HEAD}{BOX}{PROSE}", {}),
        (f"{HEAD}<p>Some words.</p>{BOX * 9}", {}),
        (f"{HEAD}{PROSE}{BOX}", {"share": 0.1}),
        (f"{PROSE}{BOX}{PROSE}{HEAD}", {}),
        (f"{HEAD}{PROSE}{BOX}", {"url": "https://a.example/"}),
        (f"{HEAD}{PROSE}{BOX.replace('/b', '/kettle/b')}", {}),
        (f"{HEAD}{PROSE}{BOX}", {"titles": ()}),
        (f"{HEAD}{PROSE}<ul><li>Hammer<li>Painting a wall<li>Nail<li>Glue</ul>", {}),
    ],
)
def test_what_is_no_box_of_an_article_stays(body: str, arguments: dict[str, Any]) -> None:
    assert removed(body, **arguments) == []


def test_entries_of_a_listing_stay_whose_first_title_is_not_kept() -> None:
    entries = BOX.removeprefix("<div><h2>Read on</h2>").removesuffix("</div>")
    first = f"<div><h3><a href=/d>Washing a window</a></h3>{PROSE}</div>"
    titles = "Washing a window", "Painting a wall", "Oiling a hinge"
    assert removed(f"<div>{HEAD}{first}{entries}</div>", titles=titles, gone=titles) == []
    before = first.replace("h3", "h4")
    assert removed(f"<div>{HEAD}{before}{entries}</div>", titles=titles, gone=titles)


PARTS = (HEAD, PROSE, BOX, FLAT, "<p>Short.</p>", "<ul><li>Oiling a hinge</ul>")


@given(st.lists(st.sampled_from(PARTS), max_size=9))
def test_no_page_loses_its_headline_or_most_of_its_text(parts: list[str]) -> None:
    gone = removed(f"<div>{''.join(parts)}</div>")
    assert not any(text == "Mending a kettle" or "bread" in text for text in gone)
    words = count_words(gone).sum()
    assert words <= 0.3 * (words + 120 * parts.count(PROSE) + 3 * parts.count(HEAD) + 12 * len(parts))
