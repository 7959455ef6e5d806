from __future__ import annotations

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from pagelets.methods.judged.names import Key, Vocabulary, keys, page_words, words
from pagelets.methods.judged.table import Table
from pagelets.reading import read


def test_an_element_is_named_by_its_tag_and_the_words_of_its_attributes() -> None:
    html = '<div class="entryContent site-main SEO x1" id=comments role=main itemprop=articleBody>x</div>'
    tree = read(html, "https://example.org/").tree
    (named,) = keys(tree, tree.of_tag("div"))
    found = {"<div>", "entry", "content", "site", "main", "seo", "comments", "article", "body"}
    assert words(named) == found


def test_a_page_says_of_itself_what_its_address_its_body_and_its_types_say() -> None:
    html = """<head><meta property="og:type" content="Article ">
        <script type="application/ld+json">{"@type": ["NewsArticle"], "author": {"@type":
        "Person"}}</script></head> <body class="single-post"><p>text</p>
        """
    page = read(html, "https://example.org/news/some-story.html?product=1")
    found = page_words(page)
    assert {"url:news", "url:story", "og:article", "ld:NewsArticle", "ld:Person", "body:single"} <= found
    assert "url:product" not in found


def test_types_with_much_space_before_them_are_found_in_linear_time() -> None:
    # Nothing is timed: what is not linear in the spaces takes minutes.
    script = '<script type="application/ld+json">{"@type" : %s "Article", "@type":%s}</script>'
    page = read(script % ("[" + " " * 9, " " * 49_000) * 100, "https://example.org/")
    assert page_words(page) == {"ld:Article"}


def marked(vocabulary: Vocabulary, masks: np.ndarray) -> np.ndarray:
    """Masks as columns of a table."""
    table = Table(len(masks))
    table.mark(vocabulary.names("named"), masks)
    return table.matrix()


def columns(vocabulary: Vocabulary, named: list[Key]) -> np.ndarray:
    """The words that name some elements, as a vocabulary's columns."""
    strings = sorted({value for key in named for value in key if value is not None})
    places = [[-1 if value is None else strings.index(value) for value in key] for key in named]
    rows = np.array(places, np.int32).reshape(len(named), -1)
    return marked(vocabulary, vocabulary.masks(strings, rows[:, 0].copy(), rows[:, 1:].T))


def test_masks_are_the_words_of_the_vocabulary() -> None:
    vocabulary = Vocabulary(["<nav>", "menu", "footer"])
    rows = columns(vocabulary, [("nav", "main menu", None), ("div", "Footer", "menu"), ("p", None, "nav")])
    assert rows.tolist() == [[1, 1, 0], [0, 1, 1], [0, 0, 0]]


def test_a_vocabulary_without_words_has_no_columns() -> None:
    nothing = Vocabulary([])
    assert columns(nothing, [("nav", "menu"), ("p", None)]).shape == (2, 0)
    assert marked(nothing, nothing.rows([0])).shape == (1, 0)


def test_a_vocabulary_may_have_many_words() -> None:
    known = [f"{first}{second}" for first in "abcdefghij" for second in "klmnopqrst"]
    rows = columns(Vocabulary(known), [("p", "ak jt"), ("p", "bl zz")])
    assert [[known[place] for place in np.flatnonzero(row)] for row in rows] == [["ak", "jt"], ["bl"]]


@given(st.lists(st.tuples(st.text(), st.none() | st.text(), st.none() | st.text()), min_size=1))
def test_masks_say_what_words_say(named: list[Key]) -> None:
    known = sorted(set().union(*map(words, named)))[::2]
    rows = columns(Vocabulary(known), named)
    for found, row in zip(named, rows, strict=True):
        assert {word for word, there in zip(known, row, strict=True) if there} == words(found) & set(known)
