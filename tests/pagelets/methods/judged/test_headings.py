"""Headings of what is kept are kept, whatever the site repeats."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, TypeAlias

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

import pagelets
from pagelets.containers import Containers
from pagelets.judging.page_facts import PageFacts
from pagelets.methods.judged.headings import entry_titles, headings, headline, said_again, said_twice
from pagelets.methods.judged.kept_page import KeptPage
from pagelets.methods.judged.text import words
from pagelets.reading import read

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from numpy.typing import NDArray

    Step: TypeAlias = Callable[[KeptPage, NDArray[np.bool_]], NDArray[np.bool_]]

PAGE = (
    "<h1>Bread</h1><p>Rye.<h2>Details</h2><h3>Weight</h3><p>One pound.<h2>Read on</h2><p>Cheese.<h2>Us</h2>"
)
TEXTS = ["Bread", "Rye.", "Details", "Weight", "One pound.", "Read on", "Cheese.", "Us"]


def taken_back(
    step: Step, html: str, kept: Iterable[str], *, never: Iterable[str] = (), titles: Iterable[str] = (),
    pages: int = 9, **support: float,
) -> list[tuple[int, str]]:  # fmt: skip
    """The blocks that a step takes back on a page of a site of so many, if ``kept`` texts are, ``titles`` are
    those of other pages, and all have some support.
    """
    page = read(html, "https://a.example/kettle")
    texts = [block.text for block in page.blocks]
    mask, not_taken = (np.array([text in some for text in texts]) for some in (set(kept), set(never)))
    facts = replace(PageFacts.none(1, len(texts)), pages=pages, affixes=frozenset({"A bakery"}))
    for name, value in support.items():
        getattr(facts.blocks, name)[:] = value
    if titles := set(titles):
        facts.named = np.array([text in titles for text in texts], np.float32)
    found = step(
        KeptPage(page, Containers.of(page), facts, words(texts), np.full(len(texts), 0.9), mask), not_taken
    )
    return [(place, texts[place]) for place in np.flatnonzero(found).tolist()]


def marked(kept: set[str], never: set[str] = frozenset(), page: str = PAGE) -> list[str]:  # type: ignore[assignment]
    return [text for _, text in taken_back(headings, page, kept, never=never)]


def test_a_heading_right_before_kept_text_is_marked_with_those_above_it() -> None:
    assert marked({"Bread", "Rye.", "One pound."}) == ["Details", "Weight"]
    assert marked({"Rye.", "Cheese."}) == ["Read on"]


def test_a_heading_that_asks_readers_to_do_something_is_not() -> None:
    def found(heading: str, pages: int = 4) -> list[str]:
        html = f"<h1>Bread</h1><p>Rye.<h2>{heading}</h2><p>Cheese."
        return [
            text
            for _, text in taken_back(
                headings, html, {"Bread", "Rye.", "Cheese."}, placed_pages=pages, pages=pages
            )
        ]

    asks = "<a href=/in>Log in</a> to answer this question"
    assert found(asks) == []
    for other in (
        asks.replace(" this", ""),
        asks.replace("</a>", "") + "</a>",
        asks.replace("/in", "#in"),
        asks.replace("a href", "b title"),
    ):
        assert len(found(other)) == 1, other
    assert len(found(asks, 3)) == 1


def test_titles_of_entries_whose_text_is_kept_are_marked() -> None:
    entry = "<article><h2>{}</h2><p>Ann</p><p>tea</p><p>The {} is of brass.</p></article>"
    titles = ["Kettle", "Pot", "Pan"]
    page = "".join(entry.format(title, title) for title in titles)
    kept = {f"The {title} is of brass." for title in titles}

    def found(html: str = page, kept: set[str] = kept, pages: int = 9) -> list[str]:
        return [text for _, text in taken_back(entry_titles, html, kept, pages=pages)]

    assert found() == found(kept={*kept, "Ann", "tea"}) == titles
    for html in (
        page.replace(
            "<p>tea</p>", "<p>It boils water for tea, and for soups, and for all else that is hot.</p>"
        ),
        page.replace("<p>tea</p>", "<h3>Tea</h3>"),
        page.replace("<h2>Pan", "<h2>Pot"),
        page.partition("<h2>Pan")[0],
    ):
        assert found(html) == [], html
    assert found(pages=1) == found(kept=set()) == []
    # Below an article they are those of a box.
    assert found(f"<p>{'Rye. ' * 120}{page}", {*kept, ("Rye. " * 120).strip()}) == []


def test_a_label_right_before_kept_text_is_marked() -> None:
    page = "<p>Rye.<dl><dt>Made by:</dt><dd>Us</dd></dl><b>Read on:</b><h2>Cheese</h2>"
    assert marked({"Rye.", "Us", "Cheese"}, page=page) == ["Made by:"]
    assert marked({"Us", "Cheese"}, page=page) == []
    assert marked({"Rye.", "Us"}, page=page.replace("Made by", "Made by all of us")) == []


def test_other_headings_are_not() -> None:
    assert marked({"One pound."}) == marked(set()) == []  # nothing is kept before them
    assert marked({"Bread", "Rye.", "One pound."}, never={"Weight"}) == []
    assert marked({"Rye.", "Cheese."}, page=PAGE.replace("Read on", "Recently viewed")) == []
    assert taken_back(headings, PAGE, {"Rye.", "Cheese."}, shares=0.95, placed_shares=0.95) == []
    long = PAGE.replace("Details", "word " * 13)
    assert marked({"Rye.", "Weight", "One pound."}, page=long) == []


def test_the_headline_of_a_known_site_s_page_is_marked_above_what_is_kept() -> None:
    page = f"<title>Bread - A bakery</title><nav>Bread</nav><h1>A bakery</h1>{PAGE}"

    def found(
        kept: set[str], page: str = page, pages: int = 9, never: str = "", **support: float
    ) -> list[int]:
        return [place for place, _ in taken_back(headline, page, kept, never={never}, pages=pages, **support)]

    assert found({"Rye."}) == found({"One pound."}) == found({"Rye."}, page.replace("h1", "h4")) == [2]
    assert found({"Rye."}, pages=1) == found({"Rye."}, never="Bread") == found(set()) == []
    assert found({"Rye."}, "<title>A loaf</title><h1>Bread</h1><p>Rye.") == [0]
    assert found({"Rye."}, "<title>A loaf</title><h1>Bread</h1><p>Rye.<h1>Cakes</h1>") == []
    # Shops name the categories behind it.
    shop = "<title>Kettle - Ware of the kitchen - Ware</title><ul><li>{0}</ul><h3>{0}</h3><p>Rye."
    assert found({"Rye."}, shop.format("Kettle")) == [1]
    assert found({"Rye."}, shop.replace("h3", "p").format("Kettle")) == []
    assert found({"Rye."}, shop.format("Ware")) == []
    # Wikis name groups before it.
    wiki = "<title>Ware / Ware of the kitchen / Kettle</title><ul><li>Kettle</ul><{0}>Kettle</{0}><p>Rye."
    assert found({"Rye."}, wiki.format("h1"), shares=1) == [1]
    assert found({"Rye."}, wiki.format("h2")) == []
    # The menu has it on all pages, half of which have another one there.
    for placed, paths, mark in ((2, 4, [(0, "Bread")]), (3, 4, []), (0, 0, []), (1, 3, [])):
        html = "<title>A loaf</title><h1>Bread</h1><p>Rye."
        assert (
            taken_back(headline, html, {"Rye."}, shares=1, placed_pages=placed, tag_path_pages=paths) == mark
        )
    for other in (
        page.replace("<h1>Bread", "<h1>Cakes"),
        page.replace("h1", "p"),
        page.replace("<p>Rye", f"{'<p>A button' * 21}<p>Rye"),
    ):
        assert found({"Rye."}, other) == []
    assert found({"Rye.", "BREAD"}, page.replace("Rye.", "Rye.<h2>BREAD</h2>")) == []


def test_no_heading_stands_in_a_document_twice_in_a_row() -> None:
    page = "<title>Bread</title><{0}>BREAD</{0}><h2>Bread</h2><p>Rye."
    kept = {"BREAD", "Rye."}
    for step in (headline, headings):
        assert taken_back(step, page.format("h3"), kept) == []
        assert taken_back(step, page.format("p"), kept) == [(1, "Bread")]


def test_what_says_the_heading_below_it_is_marked() -> None:
    def marks(html: str, step: Callable[[KeptPage], NDArray[np.bool_]]) -> list[bool]:
        page = read(f"<title>Bread</title>{html}<h2>Bread</h2><p>Rye.", "https://a.example/kettle")
        size = len(page.blocks)
        counts, every = words([block.text for block in page.blocks]), np.ones(size, bool)
        facts = PageFacts.none(1, size)
        return step(KeptPage(page, Containers.of(page), facts, counts, every * 0.9, every)).tolist()  # type: ignore[no-any-return]

    line, heading = "<p>BREAD</p>", "<h1>BREAD</h1>"
    assert marks(line, lambda kept: said_again(kept, kept.headed)) == [True, False, False]
    assert marks(line, said_twice) == [False, False, False]
    assert marks(heading, said_twice) == [True, False, False]
    for html in (f"{heading}<p>Wheat.</p>", "<h1>Rye</h1>", "<h2>BREAD</h2>"):
        assert not any(marks(html, said_twice)), html


@given(st.sets(st.sampled_from(TEXTS)), st.sets(st.sampled_from(TEXTS)))
def test_only_removed_headings_are_marked(kept: set[str], never: set[str]) -> None:
    assert not {*marked(kept, never)} & (kept | never | {"Rye.", "One pound.", "Cheese."})


def test_labels_of_a_shop_stay_in_its_documents() -> None:
    goods = ("kettle", "ladle", "sieve", "whisk", "pan", "board", "knife", "bowl")
    with pagelets.Site() as site:
        for number, name in enumerate(goods):
            about = f"The {name} number {number} is made by hand of copper, tin and {name} dust. " * 4
            site.add(
                f"https://a.example/p/{name}",
                f"<title>A {name}</title><nav><a href=/>Home</a></nav><main><h1>A {name}</h1><p>{about}"
                f"<h2>Care instructions</h2><p>{about[::-1]}</main><footer>© A shop</footer>",
            )
        texts = [document["text"] for document in site.documents(["text"])]
    assert all("Care instructions" in text and "© A shop" not in text for text in texts)
