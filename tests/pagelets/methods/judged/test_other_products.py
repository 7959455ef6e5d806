"""Other products on the page of one."""

from __future__ import annotations

import numpy as np
import pytest

from pagelets.containers import Containers
from pagelets.judging.page_facts import PageFacts
from pagelets.methods.judged.kept_page import KeptPage
from pagelets.methods.judged.other_products import other_products
from pagelets.methods.judged.text import words as count_words
from pagelets.reading import read

DECLARED = '<script type="application/ld+json">{"@type": "Product", "name": "A kettle"}</script>'
URL = "https://a.example/item/271"


def removed(entries: str, head: str = DECLARED, url: str = URL) -> list[str]:
    """The texts that the rule removes of the page of a kettle with some entries behind its description."""
    page = read(f"<head>{head}</head><h1>A kettle</h1><p>£ 30</p><p>Of brass.</p><ul>{entries}</ul>", url)
    words, every = count_words([block.text for block in page.blocks]), np.ones(len(page.blocks), bool)
    facts = PageFacts.none(1, len(page.blocks))
    gone = other_products(KeptPage(page, Containers.of(page), facts, words, every * 0.9, every))
    return [block.text for block, entry in zip(page.blocks, gone, strict=True) if entry and block.text]


def entry(number: int, path: str = "/item/{}", price: str = "£ 1{}") -> str:
    link = path.format(number)
    return (
        f"<li><div><a href={link}?from=similar><img src=a.png></a></div>"
        f"<div><a href='{link}'>Pot {number}</a></div><p>{price.format(number)}</p></li>"
    )


def entries(*arguments: str, count: int = 3) -> str:
    return "".join(entry(number, *arguments) for number in range(count))


@pytest.mark.parametrize(
    ("url", "path"),
    [
        (URL, "/item/{}"),
        ("https://a.example/kettles-of-brass/p/271/", "/pots-of-clay/p/{}"),
        ("https://a.example/shop/kettle-271.html", "/shop/pot-{}.html"),
    ],
)
def test_entries_with_a_price_and_an_address_like_the_page_s_own_go(url: str, path: str) -> None:
    assert removed(entries(path), url=url)[:2] == ["Pot 0", "£ 10"]


def test_few_entries_or_without_a_price_or_to_pages_of_another_kind_stay() -> None:
    for some in (
        entries(count=2),
        entries("/item/{}", "Number {}"),
        entries("/brand/{}"),
        entries("https://b.example/item/{}"),
        entries("/item/271#{}"),
    ):
        assert removed(some) == []


def test_entries_of_a_page_that_presents_no_product_or_lies_in_no_folder_stay() -> None:
    assert removed(entries(), head="") == []
    assert removed(entries("/pot-{}"), url="https://a.example/pots-of-clay-7") == []


def test_a_long_part_with_such_a_link_is_no_entry() -> None:
    long = entry(7).replace("<p>", f"<p>{'Pots boil. ' * 110}</p><p>")
    assert removed(entries() + long) == removed(entries())
    assert len(removed(entries())) == 6
