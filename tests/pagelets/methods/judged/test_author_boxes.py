"""Boxes that tell of the author below an article."""

from __future__ import annotations

import numpy as np

from pagelets.containers import Containers
from pagelets.judging.page_facts import PageFacts
from pagelets.methods.judged.author_boxes import author_boxes
from pagelets.methods.judged.kept_page import KeptPage
from pagelets.methods.judged.text import words as count_words
from pagelets.reading import read

TEXT = "It boils water for tea and for soup. " * 8
LIFE = "Ann has written of kettles since she was a child in York."


def removed(more: str, text: str = TEXT, head: str = "") -> list[str]:
    """The texts that the rule removes of an article with more behind its text."""
    page = read(f"<head>{head}</head><h1>Kettles</h1><p>{text}</p>{more}", "https://a.example/271")
    words, every = count_words([block.text for block in page.blocks]), np.ones(len(page.blocks), bool)
    facts = PageFacts.none(1, len(page.blocks))
    gone = author_boxes(KeptPage(page, Containers.of(page), facts, words, every * 0.9, every))
    return [block.text for block, boxed in zip(page.blocks, gone, strict=True) if boxed and block.text]


LABELS = """About the author|About the Authors:|Meet the writer|Author bio|Written by|Written by Ann Lee|
Medically reviewed by|Über die Autorin|À propos de l’auteur|Écrit par Ann Lee|Sobre la autora|L'autrice|
Over de auteur|Om författaren|Kirjoittajasta|O autorze|Yazar Hakkında|Об авторе|Về tác giả|
この記事を書いた人|关于作者|저자 소개""".split("|")


def test_boxes_that_are_called_so_go_below_the_text() -> None:
    for label in map(str.strip, LABELS):
        box = f"<section><h2>{label}</h2><p>{LIFE}</p></section>"
        assert removed(box) == [label, LIFE], label
        assert removed(box, text="Of brass.") == []
        assert removed("", text=f"{label}</p><p>{TEXT}") == []


def test_what_names_a_box_may_be_its_class_or_id() -> None:
    for name in ("author-bio", "post-author-box", "author__info", "entry-author-card", "about-the-author"):
        assert removed(f"<div class='x {name}'><p>{LIFE}</p></div>") == [LIFE]
        assert removed(f"<div id='{name}'><p>{LIFE}</p></div>") == [LIFE]
    for name in ("author", "authors-container", "comment-author-info", "authority-box", "co-author-note"):
        assert removed(f"<div class='{name}'><p>{LIFE}</p></div>") == []


def test_who_wrote_the_page_stays_and_so_do_pages_about_people() -> None:
    assert removed("<div class='author-info'><p>By Ann Lee, 3 May</p></div>") == []
    assert removed("<section><p>Written by</p><p>Ann Lee</p></section>") == []
    assert removed(f"<div class='author-bio'><p>{LIFE * 8}</p></div>", text=TEXT[:300]) == []
    assert removed(f"<div class='author-bio'><p>{LIFE * 20}</p></div>", text=TEXT * 20) == []


def test_other_lines_are_no_labels() -> None:
    for line in ("About authors' rights", "The author's garden is full of them, and of herbs, too, all year"):
        assert removed(f"<section><h2>{line}</h2><p>{LIFE}</p></section>") == []


def test_the_author_of_a_product_is_content() -> None:
    head = '<script type="application/ld+json">{"@type": "Product", "name": "Of kettles"}</script>'
    assert removed(f"<div class='author-bio'><p>{LIFE}</p></div>", head=head) == []
