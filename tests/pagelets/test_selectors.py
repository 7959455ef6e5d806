from __future__ import annotations

import json
import pickle
from typing import TYPE_CHECKING

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from pagelets.overrides import DROPPED, KEPT, NO_SELECTORS, NOSNIPPET, Selectors, WrongSelector
from pagelets.partition import partition
from pagelets.patterns import Pattern
from pagelets.reading import read
from pagelets.render import Rendering
from pagelets.selector import selector_of

if TYPE_CHECKING:
    from pagelets.page import Page

URL = "https://example.org/"
MARKED = st.sampled_from(["", "", " data-nosnippet"])
TEXT = st.sampled_from(["one", "two ", " three", " ", "\n", "four five", "."])


def inline(children):
    tags = st.sampled_from(["span", "b", "sup", "em"])
    return st.builds(
        lambda tag, mark, inner: f"<{tag}{mark}>{''.join(inner)}</{tag}>",
        tags,
        MARKED,
        st.lists(children, max_size=3),
    )


PIECES = st.one_of(
    TEXT,
    TEXT,
    st.just("<br>"),
    st.builds(lambda mark: f"<img src=p.png{mark}>", MARKED),
    st.builds(lambda mark, text: f"<a href=/x{mark}>{text}</a>", MARKED, TEXT),
)
INLINE = st.recursive(PIECES, inline, max_leaves=6)
BLOCKS = st.builds(
    lambda tag, mark, inner: f"<{tag}{mark}>{''.join(inner)}</{tag}>",
    st.sampled_from(["p", "li", "div", "h2", "pre", "td"]),
    MARKED,
    st.lists(INLINE, max_size=4),
)
PAGES = st.lists(st.one_of(BLOCKS, BLOCKS, INLINE), max_size=4).map("".join)


def texts(page: Page) -> list[str]:
    return [block.text for block in page.blocks]


@pytest.mark.parametrize(
    ("html", "blocks"),
    [
        ("<p>Foo <span data-nosnippet>bar</span> baz</p>", ["Foo", "bar", "baz"]),
        ("<p>Foo <SPAN Data-noSnippet=false>bar</SPAN></p>", ["Foo", "bar"]),
        ("<p>Foo <a href=/x data-nosnippet>b<i>a</i>r</a> baz</p>", ["Foo", "bar", "baz"]),
        ("<p>Foo <b>bar <i data-nosnippet>baz</i></b></p>", ["Foo bar", "baz"]),
        ("<p>Foo <img src=x data-nosnippet>bar</p>", ["Foo", "", "bar"]),
        ("<p>Foo <img data-nosnippet>bar</p>", ["Foo bar"]),
        ("<p>Foo <span data-nosnippet hidden>bar</span>baz</p>", ["Foo", "baz"]),
        ("<p>Foo <br data-nosnippet>bar</p>", ["Foo\nbar"]),
        ("<p data-nosnippet>Foo <b>bar</b></p>", ["Foo bar"]),
        ("<span data-nosnippet>Foo<p>bar</p>baz</span>", ["Foo", "bar", "baz"]),
        ("<p>Foo <span>data-nosnippet</span></p>", ["Foo data-nosnippet"]),
    ],
)
def test_what_a_page_marks_is_a_block_of_its_own(html: str, blocks: list[str]) -> None:
    assert texts(read(html, URL)) == blocks


def test_what_selectors_match_is_a_block_of_its_own() -> None:
    page = read("<p>Foo<sup class=ref>[1]</sup>, <b id=k>bar</b>.</p>", URL, Selectors(("#k",), ("sup.ref",)))
    assert texts(page) == ["Foo", "[1]", ",", "bar", "."]
    assert {page.tree.tags[node]: mark for node, mark in page.overridden.items()} == {
        "sup": DROPPED,
        "b": KEPT,
    }


def test_a_marked_link_lies_in_its_own_block() -> None:
    page = read("<p>a <a href=/1>b</a><a href=/2 data-nosnippet>c</a> d <a href=/3>e</a>", URL)
    assert [(link.url, link.text, page.blocks[link.block].text) for link in page.links] == [
        ("https://example.org/1", "b", "a b"),
        ("https://example.org/2", "c", "c"),
        ("https://example.org/3", "e", "d e"),
    ]
    assert [page.links[block.links] for block in page.blocks] == [
        page.links[:1],
        page.links[1:2],
        page.links[2:],
    ]


def test_a_keep_selector_is_stronger_than_a_drop_selector_and_that_than_the_page() -> None:
    html = "<p class=k data-nosnippet>a<p class=d data-nosnippet>b<p class='k d'>c<p data-nosnippet>d"
    page = read(html, URL, Selectors((".k",), (".d",)))
    assert list(page.overridden.values()) != []
    assert [page.overridden[block.node] for block in page.blocks] == [KEPT, DROPPED, KEPT, NOSNIPPET]


def test_overrides_by_url_stand_in_the_place_of_the_sites() -> None:
    overrides = [
        {"type": "begins", "pattern": "/a/", "drop": [".d"], "method": "templates"},
        {"type": "begins", "pattern": "/a/b/", "keep": [], "drop": []},
        {"type": "ends", "pattern": "x", "priority": -1, "drop": ["h6"], "keep": ["h5"]},
        {"type": "ends", "pattern": "y", "method": "templates"},
    ]
    own = Selectors.with_overrides(["p"], [".s"], overrides)
    assert own.of(f"{URL}y") == Selectors(("p",), (".s",)).of(URL)
    assert own.of(f"{URL}a/c") == Selectors(("p",), (".d",))
    assert own.of(f"{URL}a/x") == Selectors(("h5",), (".d",))
    assert own.of(f"{URL}a/b/x") == NO_SELECTORS
    assert own.sides == ({"p", "h5"}, {".s", ".d", "h6"})
    assert own.decides(f"{URL}a/x", keep=True) == Pattern.of("ends", "x")
    assert own.decides(f"{URL}y", keep=True) is None
    same = Selectors.with_overrides(["p"], [".s"], overrides[::-1])
    assert own == same == pickle.loads(pickle.dumps(own)) != Selectors(("p",), (".s",))
    assert Selectors.from_parameters(json.loads(json.dumps(own.parameters))) == own
    assert hash(own) == hash(same)
    page = read("<p>a<i class=s>b</i><i class=d>c</i></p>", f"{URL}a/c", own)
    assert texts(page) == ["ab", "c"]
    assert page.met == {"p", ".d"}


def test_a_wrong_selector_of_an_override_is_refused() -> None:
    with pytest.raises(WrongSelector, match="'p >'"):
        Selectors.with_overrides([], [], [{"type": "ends", "pattern": "x", "drop": ["p >"]}])


def test_selectors_in_another_order_are_the_same() -> None:
    assert Selectors(("a", "b")) == Selectors(("b", "a", "b"))
    assert hash(Selectors(("a", "b"))) == hash(Selectors(("b", "a")))
    assert Selectors(("a",)) != Selectors((), ("a",))
    assert "XPath" not in repr(Selectors(("a",)))


@pytest.mark.parametrize(
    "selector",
    ["", "p >", "p::text", "p::before", ":not(p", "[data-x", "ns|p", "p\x00", "[a='\x00']", "(" * 5000],
)
def test_what_is_no_selector_of_elements_is_refused(selector: str) -> None:
    with pytest.raises(WrongSelector, match="no CSS selector") as raised:
        Selectors((), (selector,))
    assert len(str(raised.value)) < 1000


PLAIN = """<main><p>a</p><p hidden>x</p><p>12 views</p><p>in 4 ms</p></main><ul><li class=n>1<li>2</ul>
<div>b<p>c</div>"""


def test_a_block_has_a_selector_of_its_own_unless_others_lie_in_its_element() -> None:
    page = read(PLAIN, URL)
    for block, text in enumerate(texts(page)):
        selector = selector_of(page, block)
        assert (selector is None) == (text == "b")
        if selector is None:
            continue
        dropped = read(PLAIN, URL, Selectors((), (selector,)))
        assert [one.text for one in dropped.blocks if one.node in dropped.overrides] == [text], selector


@given(st.text())
@example("p:has(")
def test_any_text_is_a_selector_or_is_refused(text: str) -> None:
    try:
        selectors = Selectors((text,))
    except WrongSelector:
        return
    read("<p class=a>text<b>bold</b>", URL, selectors)


@given(PAGES)
def test_marks_part_the_text_of_a_page_and_lose_none_of_it(html: str) -> None:
    page, plain = read(html, URL), read(html.replace("data-nosnippet", "data-x"), URL)
    assert "".join(texts(page)).split() == "".join(texts(page)).split()
    assert "".join("".join(texts(page)).split()) == "".join("".join(texts(plain)).split())
    assert [(link.url, link.text) for link in page.links] == [(link.url, link.text) for link in plain.links]
    pagelets = partition(page)
    assert [pagelet.start for pagelet in pagelets[1:]] == [pagelet.stop for pagelet in pagelets[:-1]]


@given(PAGES)
@example("<p>a<span data-nosnippet>b</span> <span data-nosnippet>c</span></p>")
@example("<p><b>a<span data-nosnippet>b</span></b> c</p>")
def test_marks_change_nothing_where_all_is_kept(html: str) -> None:
    page, plain = read(html, URL), read(html.replace("data-nosnippet", "data-x"), URL)
    marked, unmarked = (Rendering(one, [True] * len(one.blocks)) for one in (page, plain))
    assert marked.text().split() == unmarked.text().split()
    if "<pre" not in html:
        # White space at the ends of preformatted text may be less.
        assert marked.text() == unmarked.text()
        assert marked.html() == unmarked.html()


@given(PAGES.filter(lambda html: "nosnippet" not in html))
def test_a_page_without_marks_is_read_as_it_was(html: str) -> None:
    page, plain = read(html, URL), read(html.replace("data-nosnippet", "data-x"), URL)
    assert texts(page) == texts(plain)
    assert not page.overridden
