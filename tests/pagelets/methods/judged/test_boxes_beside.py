"""Boxes beside an article: about its author, and to sign up."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from pagelets.bylines import author_names
from pagelets.containers import Containers
from pagelets.judging.page_facts import BlockSupport, PageFacts
from pagelets.methods.judged.boxes_beside import boxes_beside
from pagelets.methods.judged.kept_page import KeptPage
from pagelets.methods.judged.text import words as count_words
from pagelets.reading import read

TEXT = " ".join(["bread"] * 120)
PROSE = f"<p>{TEXT}.</p>"
HEAD = "<h1>Mending a kettle</h1><p>By Ada Sawyer March 3, 2024</p>"
AUTHOR = "<div><h4>About Ada Sawyer</h4><p>She mends what others throw away, and writes of it here.</p></div>"
ABOUT = ["About Ada Sawyer", "She mends what others throw away, and writes of it here."]
LETTER = "<div><p>Our letter, each Friday.</p><form><input><button>Send it</button></form></div>"
SIGN_UP = ["Our letter, each Friday.", "Send it"]


def removed(body: str, url: str = "https://a.example/kettle", **known: Any) -> list[str]:
    """The texts that the rule removes of a page whose blocks are all likely content."""
    page = read(f"<title>Mending a kettle | Shed</title>{body}", url)
    size = len(page.blocks)
    support = BlockSupport.none(size)
    support.tag_path_shares[:] = known.get("share", 1.0)
    support.pages[:] = [known.get("repeated", 3) * ("bread" not in block.text) for block in page.blocks]
    facts = PageFacts.none(1, size)
    facts.blocks, facts.affixes, facts.pages = support, frozenset({"Shed"}), known.get("pages", 40)
    words = count_words([block.text for block in page.blocks])
    boxes = boxes_beside(
        KeptPage(page, Containers.of(page), facts, words, np.full(size, 0.9), np.ones(size, bool))
    )
    return [block.text for block, box in zip(page.blocks, boxes, strict=True) if box and block.text]


def test_a_box_about_the_author_goes_and_one_with_a_field() -> None:
    assert removed(f"<article>{HEAD}{PROSE}{AUTHOR}</article>", repeated=0) == ABOUT
    assert removed(f"<article>{HEAD}{PROSE}{LETTER}{PROSE}{AUTHOR}</article>") == SIGN_UP + ABOUT
    assert removed(f"{HEAD}{PROSE}<div><p>One bread.</p>{LETTER[5:]}") == SIGN_UP[1:]
    declared = "<meta name=author content='Ada Sawyer'><h1>Mending a kettle</h1>"
    assert removed(f"{declared}<div>{PROSE}{AUTHOR}</div>") == ABOUT


@pytest.mark.parametrize(
    ("body", "known"),
    [
        (f"{HEAD}{AUTHOR}{LETTER}{PROSE}", {}),
        (f"{PROSE}{AUTHOR}{LETTER}", {}),
        (f"{HEAD}{PROSE}{AUTHOR}{LETTER}", {"url": "https://a.example/"}),
        (f"{HEAD}{PROSE}{AUTHOR}{LETTER}", {"pages": 0}),
        # Posts of one thread begin with the names of those who wrote them.
        (f"{HEAD}{PROSE}{AUTHOR * 2}", {}),
        (f"{HEAD}{PROSE}{AUTHOR}", {"share": 0.05}),
        (f"{HEAD}{PROSE}{AUTHOR.replace('Ada Sawyer', 'Eve Turner')}", {}),
        (f"{HEAD}{PROSE}{AUTHOR.replace('</p>', TEXT)}", {"repeated": 0}),
        (f"{HEAD}{PROSE}{LETTER}", {"repeated": 2}),
        (f"{HEAD}{PROSE}{LETTER.replace('<input', '<input type=number')}", {}),
    ],
)
def test_what_is_no_box_beside_an_article_stays(body: str, known: dict[str, Any]) -> None:
    assert removed(f"<article>{body}</article>", **known) == []


def test_names_are_those_of_the_byline_and_those_declared() -> None:
    page = read(
        f"<meta name=author content='E. Turner'><h1>A</h1><p>Von Ada de Sawyer 3 March</p>{PROSE}", ""
    )
    assert {"ada de sawyer", "e. turner"} <= author_names(page)
    assert author_names(read(PROSE, "")) == set()


def test_a_page_of_nothing_but_the_name_of_its_author_ends() -> None:
    assert removed(f"{HEAD}{PROSE}{'<div><p>Ada Sawyer</p></div>' * 30_000}") == []


PARTS = (HEAD, PROSE, AUTHOR, LETTER, "<p>Short.</p>", "<form><input>Search</form>")


@given(st.lists(st.sampled_from(PARTS), max_size=9))
def test_no_page_loses_its_headline_or_its_text(parts: list[str]) -> None:
    gone = removed(f"<div>{''.join(parts)}</div>")
    assert not any(text == "Mending a kettle" or "bread" in text for text in gone)
