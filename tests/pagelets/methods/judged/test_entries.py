"""Names, prices and other parts of the entries of lists."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np

from pagelets.containers import Containers
from pagelets.judging.page_facts import PageFacts
from pagelets.methods.judged.entries import entry_names, entry_parts, entry_prices, listed_names, twins
from pagelets.methods.judged.kept_page import KeptPage
from pagelets.methods.judged.text import words
from pagelets.reading import read
from tests.pagelets.methods.judged.test_headings import taken_back

if TYPE_CHECKING:
    from collections.abc import Sequence


def test_prices_of_entries_that_are_kept_are_marked_on_a_known_site() -> None:
    names = ["Pot", "Pan", "Lid"]
    entries = [(f"<p>{number} €</p>", f"<p>{name}</p>") for number, name in enumerate(names)]

    def found(
        parts: list[tuple[str, str]], *, pages: int = 9, more: str = "", kept: list[str] = names
    ) -> int:
        body = more + "".join(f"<li>{first}{then}<p>In stock</p></li>" for first, then in parts)
        html = f"<title>Pots</title><ul>{body}</ul>"
        marks = [text for _, text in taken_back(entry_prices, html, kept, pages=pages)]
        assert set(marks) <= {"0 €", "1 €", "2 €"}
        return len(marks)

    assert found(entries) == found([entry[::-1] for entry in entries]) == 3
    assert found(entries[:2]) == found(entries, pages=1) == found(entries, kept=[]) == 0
    declared = '<script type="application/ld+json">{"@type": "Product", "name": "A kettle"}</script>'
    assert found(entries, more=declared) == 0


def test_names_of_entries_that_are_kept_in_part_are_marked() -> None:
    topic, names = "<p><a href=/t>Pots</a></p>", ["Pot", "Pan", "Lid", "Jug"]
    prices = [f"{number} €" for number in range(4)]

    def found(kept: list[str], tag: str = "h3", *, pages: int = 9, said: list[str] = names) -> list[str]:
        link = f"<{tag}><a href=/{{0}}>{{0}}</a></{tag}><p>{{1}}</p>"
        entries = [topic + link.format(name, price) for name, price in zip(said, prices, strict=True)]
        # Names of classes with digits, as WordPress has them, do not tell entries apart.
        html = "".join(f"<li class='post-{place} entry'>{entry}</li>" for place, entry in enumerate(entries))
        return [text for _, text in taken_back(entry_names, f"<ul>{html}</ul>", kept, pages=pages)]

    assert found(prices) == found(prices[:2]) == names
    assert found([*prices, "Pot"]) == names[1:]
    assert found(prices[:1]) == found(prices, pages=1) == []
    assert found(prices, said=["Pot"] * 4) == []
    # Without a heading the first link of an entry is its name, unless entries share it.
    assert found(prices, "p") == []


def test_parts_of_entries_are_marked_where_others_are_kept() -> None:
    names, places = ["Pot", "Pan", "Lid", "Jug", "Cup"], ["Bern", "Basel", "Thun", "Chur", "Sion"]

    def found(
        kept: list[str], pages: int = 9, before: str = "", never: str = "", said: Sequence[str] = ("",) * 5
    ) -> list[str]:
        entries = zip(names, places, said, strict=True)
        html = "".join(f"<li><h3>{name}</h3><p>{place}</p><div>{more}</div>" for name, place, more in entries)
        marks = taken_back(entry_parts, f"{before}<ul>{html}</ul>", kept, never=[never], pages=pages)
        return [text for _, text in marks]

    assert found([*names, *places[:2]]) == places[2:]
    assert found([*names, *places[:2]], never="Chur") == ["Thun", "Sion"]
    assert found([*names, places[0]]) == found([*names, *places[:2]], pages=1) == []
    assert found([names[0], *places[:2]]) == []
    told = ["New!", "New!", "Old", "Old", "Old"]
    assert found([*names, "New!"], said=[f"<p>{text}" for text in told]) == told[2:]
    assert found([*names, "New!"], said=[f"<p><a href=/>{text}</a>" for text in told]) == []
    # An article comes first.
    text = "It boils water for tea. " * 30
    assert found([*names, *places[:2], text.strip()], before=f"<p>{text}</p>") == []


def facts_of(texts: list[str], titles: list[str], **support: int | float) -> PageFacts:
    facts = replace(PageFacts.none(1, len(texts)), pages=90)
    facts.named = np.array([text in titles for text in texts], np.float32)
    for name, value in support.items():
        getattr(facts.blocks, name)[:] = value
    return facts


def test_names_of_other_pages_are_marked_where_a_listing_begins_with_them() -> None:
    card = "<li><p><a href=/{0}>{0}</a></p><p>It is of brass.</p></li>"

    def found(
        before: str = "",
        url: str = "https://a.example/pots",
        *,
        path: float = 0.1,
        pages: int = 9,
        placed: int = 0,
    ) -> list[str]:
        cards = card.format("Kettle") + card.format("Pan")
        menu = "<p><a href=/menu>Menu</a></p>"
        html = f"<title>Pots</title><h1>Pots</h1>{before}<ul>{cards}</ul>{menu}"
        page = read(html, url)
        texts = [block.text for block in page.blocks]
        facts = facts_of(
            texts, ["Kettle", "Pan"], tag_path_shares=path, tag_path_pages=pages, placed_pages=placed
        )
        mask = np.array([text == "Pots" for text in texts])
        kept = KeptPage(page, Containers.of(page), facts, words(texts), np.full(len(texts), 0.9), mask)
        marks = listed_names(kept, np.zeros(len(texts), bool))
        return [text for text, marked in zip(texts, marks, strict=True) if marked]

    article = f"<p>{'bread ' * 120}</p>"
    assert (
        found()
        == found(url="https://a.example/", pages=0)
        == found(article, "https://a.example/")
        == ["Kettle", "Pan"]
    )
    assert found("<h2>Related posts</h2>") == []
    assert found(article) == found(path=0.3) == found(pages=2) == found(placed=4) == []
    assert found(placed=3) == ["Kettle", "Pan"]


def test_the_second_of_two_equal_links_of_a_card_is_marked() -> None:
    card = "<li><b class=picture><p><a href=/{0}>{0}</a></p></b><div><p><a href=/{1}>{0}</a></p></div></li>"

    def found(*names: str, more: str = "") -> list[int]:
        page = read(
            f"<ul>{''.join(card.format(name, name + more) for name in names)}</ul>", "https://a.example/"
        )
        texts = [block.text for block in page.blocks]
        every = np.ones(len(texts), bool)
        marks = twins(
            KeptPage(page, Containers.of(page), facts_of(texts, []), words(texts), every * 0.9, every)
        )
        return np.flatnonzero(marks).tolist()

    assert found("Pot", "Pan", "Lid") == [1, 3, 5]
    assert found("Pot", "Pan") == found("Pot", "Pan", "Lid", more="s") == []
