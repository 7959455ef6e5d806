from __future__ import annotations

import pytest

from pagelets.containers import Containers
from pagelets.methods.judged.documents import other_documents
from pagelets.reading import read

TEXT = "<p>" + "A sentence of running text goes on for a while. " * 15 + "</p>"


def article(heading: str, *, tag: str = "article", names: str = "post wide", text: str = TEXT) -> str:
    return f'<{tag} class="{names}"><h1>{heading}</h1>{text}</{tag}>'


def others(body: str, title: str = "Bees in winter - The Hive") -> list[str]:
    page = read(f"<title>{title}</title><body><main>{body}</main>", "https://hive.example/bees")
    found = other_documents(page, Containers.of(page))
    return [
        block.text
        for block, other in zip(page.blocks, found, strict=True)
        if other and page.tree.tags[block.node] == "h1"
    ]


def test_articles_after_the_page_s_own_are_other_documents() -> None:
    body = article("Bees in winter") + article("A new queen", names="post") + article("Honey prices")
    assert others(body) == ["A new queen", "Honey prices"]


def test_the_title_may_say_the_first_headline_in_other_words() -> None:
    body = article("How a hive of bees survives") + article("Honey prices rise")
    assert others(body) == ["Honey prices rise"]
    assert others(article("How a hive of bees survives") + article("The winter")) == []


@pytest.mark.parametrize(
    "body",
    [
        article("Bees in winter"),
        # A page that lists articles: no heading is the page's own.
        article("A new queen") + article("Honey prices"),
        # A thread: every post has the title.
        article("Bees in winter") + article("Re: Bees in winter") + article("Re: Bees in winter"),
        # Sections of one article.
        article("Bees in winter") + article("Feeding", text="<p>Little to say.</p>"),
        f"<article class=post><h1>Bees in winter</h1>{TEXT}<h1>Feeding them</h1>{TEXT}</article>",
        # Other parts of a page.
        article("Bees in winter") + article("Feeding them", tag="aside"),
        article("Bees in winter") + article("Feeding them", names="box"),
        article("Bees in winter", names="") + article("Feeding them", names=""),
        "<h1>Bees in winter</h1>" * 60 + "<h1>Other</h1>" * 60,
    ],
)
def test_sections_threads_and_lists_are_one_document(body: str) -> None:
    assert others(body) == []


def test_a_page_without_a_title_has_one_document() -> None:
    assert others(article("Bees in winter") + article("A new queen"), title="") == []
