"""A page's own entry at the end of its breadcrumb."""

from __future__ import annotations

import numpy as np

from pagelets.containers import Containers
from pagelets.judging.page_facts import PageFacts
from pagelets.methods.judged.breadcrumbs import breadcrumbs
from pagelets.methods.judged.kept_page import KeptPage
from pagelets.methods.judged.text import words
from pagelets.reading import read

HEADING, TEXT = "<h1>A kettle</h1>", "<p>It boils water for tea."


def marked(html: str, removed: tuple[str, ...] = ("Home", "Pots")) -> list[int]:
    page = read(html, "https://a.example/pots/kettle")
    texts = [block.text for block in page.blocks]
    mask, every = np.array([text not in removed for text in texts]), np.ones(len(texts))
    facts = PageFacts.none(1, len(texts))
    return np.flatnonzero(
        breadcrumbs(KeptPage(page, Containers.of(page), facts, words(texts), every, mask))
    ).tolist()  # type: ignore[no-any-return]


def test_it_goes_beside_the_heading_that_stays() -> None:
    for entry in ("A kettle", "» a Kettle"):
        trail = f"<ul><li><a href=/>Home</a><li><a href=/pots/>Pots</a><li>{entry}</ul>"
        assert marked(trail + HEADING + TEXT) == [2]
        assert marked(HEADING + trail + TEXT) == [3]
        named = trail.replace("<ul>", "<ul class=page-breadcrumbs>").replace("/pots/", "/shelf/1/")
        assert marked(named + HEADING + TEXT) == [2]


def test_it_goes_behind_a_mark_and_at_the_end_of_a_page_with_this_title() -> None:
    assert marked(f"{HEADING}<p>/ A kettle</p>{TEXT}") == [1]
    assert marked(f"{HEADING}<p>/ A pan</p>{TEXT}") == marked(f"{HEADING}{TEXT}<p>A kettle") == []
    title = "<title>A kettle</title>"
    assert marked(f"{title}{HEADING}{TEXT}<p>A kettle") == [2]
    for html in (f"{HEADING}{TEXT}<h2>A kettle</h2>", HEADING, f"{HEADING}<p>A kettle"):
        assert marked(title + html) == [], html


def test_others_stay() -> None:
    trail = "<ul><li><a href=/>Home</a><li><a href=/pots/>Pots</a><li>A kettle</ul>"
    for html in (
        trail + TEXT,
        trail.replace("kettle", "pan") + HEADING + TEXT,
        trail.replace("/pots/", "/pans/") + HEADING + TEXT,
        HEADING + "<p>A kettle" + TEXT,
    ):
        assert marked(html) == [], html
    assert marked(trail + HEADING + TEXT, ()) == []


def test_short_ones_go_by_their_name() -> None:
    trail = '<p class="{}"><a href=/pans/>Pans</a> » <a href=/pans/2/>Large</a>{}</p>'
    for html, gone in (
        (trail.format("breadcrumb", ""), [0]),
        (trail.format("path", ""), []),
        ("<p class=breadcrumb>A pan</p>", []),
        (trail.format("breadcrumb", " more" * 30), []),
    ):
        assert marked(html + HEADING + TEXT * 9) == gone, html
    assert marked(trail.format("breadcrumb", "") + "<p>Pots") == []
