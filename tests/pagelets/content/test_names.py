from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from pagelets.content.names import Vocabulary, keys, page_words, words
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


def test_masks_are_the_words_of_the_vocabulary() -> None:
    vocabulary = Vocabulary(["<nav>", "menu", "footer"])
    rows = vocabulary.columns(
        [vocabulary.mask(("nav", "main menu", None)), vocabulary.mask(("div", "Footer")), 0]
    )
    assert rows.tolist() == [[1, 1, 0], [0, 0, 1], [0, 0, 0]]


def test_a_vocabulary_without_words_has_no_columns() -> None:
    vocabulary = Vocabulary([])
    assert vocabulary.columns([vocabulary.mask(("nav", "menu")), 0]).shape == (2, 0)


@given(st.lists(st.tuples(st.text(), st.none() | st.text(), st.none() | st.text())))
def test_masks_say_what_words_say(named: list[tuple[str, str | None, str | None]]) -> None:
    known = sorted(set().union(*map(words, named)))[::2]
    vocabulary = Vocabulary(known)
    rows = vocabulary.columns([vocabulary.mask(found) for found in named])
    for found, row in zip(named, rows, strict=True):
        assert {word for word, there in zip(known, row, strict=True) if there} == words(found) & set(known)
