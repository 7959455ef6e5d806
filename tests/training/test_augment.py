"""Insertions into copies of pages: what is put in is marked exactly, and all else stays as it was."""

from __future__ import annotations

import re
from random import Random

import numpy as np
import pytest

from pagelets.containers import Containers
from pagelets.reading import read
from tests.quality import annotated
from training.augment import LISTINGS, SitePage, augmented, marked
from training.boxes import box
from training.labels import label, label_copy
from training.styles import CONTENT, MARK, PHRASES, SHAPES, Entry, Style

SEEDS = [f"seed {number}" for number in range(6)]
ENTRIES = [
    Entry(f"https://a.example/{n}", f"The {n} & others", f"Text of <page> {n} […]", "So it is.")
    for n in range(4)
]
PARTS = {"accept", "more", "next", "previous", "reply", "subscribe"}
KINDS = sorted({*PHRASES["en"], CONTENT, "neighbours", "pages"} - PARTS)


def site(name: str) -> list[SitePage]:
    return [SitePage(page.url, page.html, page.text, page.group) for page in annotated.SITES[name]()]


def words(texts: list[str]) -> list[str]:
    return re.findall(r"\w+", " ".join(texts))


@pytest.mark.parametrize("name", ["brevonne", "wittmoor", "slowspoke"])
def test_all_but_the_marked_blocks_is_as_it_was(name: str) -> None:
    pages = site(name)
    kinds: set[str] = set()
    for seed in SEEDS:
        for page, copy in zip(pages, augmented(pages, seed, "de"), strict=True):
            before, after = read(page.html, page.url), read(copy, page.url)
            inserted, content = marked(after, Containers.of(after))
            rest = ~(inserted | content)
            texts = [block.text for block, keep in zip(after.blocks, rest.tolist(), strict=True) if keep]
            assert words(texts) == words([block.text for block in before.blocks])
            assert not (inserted & content).any()
            kinds.update(after.tree.attribute(MARK).values())
    assert kinds >= {"related", "views", "newsletter", CONTENT}


def test_the_same_seed_makes_the_same_pages() -> None:
    pages = site("brevonne")
    assert augmented(pages, "one", "en") == augmented(pages, "one", "en")
    assert augmented(pages, "one", "en") != augmented(pages, "two", "en")


def test_the_entries_of_a_listing_are_not_put_beside_related_ones() -> None:
    pages = site("brevonne")
    for seed in SEEDS:
        for page, copy in zip(pages, augmented(pages, seed, "en"), strict=True):
            kinds = set(read(copy, page.url).tree.attribute(MARK).values())
            if page.group in LISTINGS:
                assert not kinds & {"comments", "author", "contents", "call"}


def test_pages_without_a_body_or_gold_do_not_stop_it() -> None:
    hostile = ["", "<!-- -->", "<html><frameset></frameset></html>", "\x00", "<p>text", "<table><tr><td>x"]
    pages = [SitePage(f"https://a.example/{n}", text, "", "-") for n, text in enumerate(hostile)]
    for seed in SEEDS:
        assert len(augmented(pages, seed, "xx")) == len(pages)


@pytest.mark.parametrize("kind", KINDS)
def test_each_kind_is_one_element_in_every_shape_and_language(kind: str) -> None:
    for number, shape in enumerate(SHAPES * 3):
        language = sorted(PHRASES)[number % len(PHRASES)]
        style = Style.drawn(kind, language, Random(number), shop=number % 2 == 0)
        assert style == Style.drawn(kind, language, Random(number), shop=number % 2 == 0)
        page = read(
            f"<body><p>Before</p>{box(style, ENTRIES, 'A <title>', Random(shape))}<p>After</p>",
            "https://a.example/",
        )
        inserted, content = marked(page, Containers.of(page))
        both = (inserted | content).tolist()
        assert [block.text for block, mark in zip(page.blocks, both, strict=True) if not mark] == [
            "Before",
            "After",
        ]
        assert any(both)
        assert content.any() == (kind == CONTENT)
        assert "{" not in "".join(block.text for block in page.blocks)


def test_phrases_are_complete() -> None:
    assert len(PHRASES) == 20
    for phrases in PHRASES.values():
        assert list(phrases) == list(PHRASES["en"])
        assert all(said and text for said in phrases.values() for text in said)


def test_labels_of_a_copy_are_those_of_the_page_and_of_what_was_put_in() -> None:
    gold = "the main text of this page"
    texts = ["menu", "the main text of this page", "the main text", "more of this page"]
    inserted, content = np.array([False, False, True, False]), np.array([False, False, False, True])
    labels = label_copy(texts, gold, inserted, content)
    plain = label(texts[:2], gold)
    assert labels.content.tolist() == [*plain.content.tolist(), False, True]
    assert labels.words.tolist() == [1, 6, 3, 4]
    assert labels.gold == plain.gold + 4
    # All that is content stands in the gold, and all of the gold is found.
    assert labels.words[labels.content].sum() == labels.gold
    assert (labels.words * labels.found)[labels.content].sum() == labels.gold
