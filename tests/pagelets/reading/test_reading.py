from __future__ import annotations

import gzip
import os
import re
from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING
from urllib.parse import urljoin, urlsplit

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st
from warcio.archiveiterator import ArchiveIterator

from pagelets.reading import parse, read
from pagelets.reading.elements import BLOCK_TAGS, SKIPPED_TAGS
from pagelets.reading.references import References
from pagelets.render import Rendering
from pagelets.tree import ROOT

if TYPE_CHECKING:
    from collections.abc import Iterator

    from lxml.html import HtmlElement

    from pagelets.page import Page

URL = "https://example.org/a/b?q=1"

TAGS = [
    *(
        "div",
        "p",
        "li",
        "ul",
        "table",
        "tr",
        "td",
        "h1",
        "pre",
        "form",
        "button",
        "body",
        "html",
        "head",
        "article",
    ),
    *("a", "span", "b", "i", "font", "x-custom", "o:p", "center", "select", "option", "label", "ruby", "rb"),
    *(
        "script",
        "style",
        "template",
        "noscript",
        "dialog",
        "svg",
        "textarea",
        "title",
        "iframe",
        "object",
        "video",
        "math",
    ),
]
ATTRIBUTES = [
    *("", "", "", " hidden", " style='color: red'", " style='DISPLAY : none'", " style=display:nonesuch"),
    *(" class='a b'", ' id="x1"', " id=main", " title='x href=' class=y", " a<b c\"d='e>f'", " =x", " /"),
]
HREFS = [
    *("/x", "y", "../z", "#top", "#", "", "?p=2", "//other.example/v", "mailto:a@b", "javascript:void(0)"),
    *(
        "HTTP://X.example/Y",
        " https://e.example/w ",
        "http://[bad",
        "https:",
        "a:b",
        "./",
        "../../../../q",
        "\ue000",
    ),
]
PIECES = [
    *(
        "<br>",
        "<br/>",
        "<hr>",
        "<img src=p.png>",
        "<img>",
        "<wbr>",
        "<!-- c -->",
        "<!-->",
        "<!--->",
        "<?php x ?>",
    ),
    *(
        "<![CDATA[x]]>",
        "<!doctype html>",
        "<",
        ">",
        "</",
        "&amp;",
        "&lt;b&gt;",
        "&#0;",
        "&#x80;",
        "&nbsp;",
        "&bogus;",
    ),
    *("\x00", "\ud800", "\udfff", "\ue000", "\ufdd0", "\uffff", "\U0010ffff", "\x01", "\x0c", "\r", "\u2028"),
    *(
        "<input value=v>",
        "<meta name=robots content='noindex, nofollow'>",
        "<base href=/base/>",
        "<frame src=f>",
    ),
]


def start_tags() -> st.SearchStrategy[str]:
    plain = st.tuples(st.sampled_from(TAGS), st.sampled_from(ATTRIBUTES)).map(
        lambda pair: f"<{pair[0]}{pair[1]}>"
    )
    links = st.tuples(
        st.sampled_from(HREFS), st.sampled_from(["", " rel=nofollow", " hidden", " rel='x NOFOLLOW'"])
    )
    return plain | links.map(lambda pair: f'<a href="{pair[0]}"{pair[1]}>')


WORDS = st.sampled_from(["one", " two ", "three\n", "\t", " ", "  \n ", "vier", "五", "\xa0", "six  seven"])
SOUP = st.one_of(
    start_tags(), WORDS, st.sampled_from(TAGS).map(lambda tag: f"</{tag}>"), st.sampled_from(PIECES)
)
NESTED = st.recursive(
    WORDS | st.sampled_from(PIECES),
    lambda inner: (
        st.tuples(st.sampled_from(TAGS), st.sampled_from(ATTRIBUTES), st.lists(inner, max_size=4)).map(
            lambda made: f"<{made[0]}{made[1]}>{''.join(made[2])}</{made[0]}>"
        )
        | st.tuples(st.sampled_from(HREFS), st.lists(inner, max_size=3)).map(
            lambda made: f'<a href="{made[0]}">{"".join(made[1])}</a>'
        )
    ),
    max_leaves=30,
)
HTML = st.lists(SOUP, max_size=40).map("".join) | st.lists(NESTED, max_size=4).map("".join) | st.text()


def conceals(element: HtmlElement) -> set[str]:
    """What hides the text of an element: a ``noscript``, an attribute, or a dialog that is not open."""
    ways = {element.tag} & {"noscript"}
    if element.tag == "dialog" and element.get("open") is None:
        ways.add("dialog")
    style = "".join((element.get("style") or "").lower().split())
    none = "display:none" in style and "display:nonesuch" not in style
    if element.tag not in ("html", "body") and (element.get("hidden") is not None or none):
        ways.add("attribute")
    return ways


def events(root: HtmlElement, reveals: frozenset[str]) -> Iterator[tuple[str, HtmlElement | str]]:
    """What a reader meets: visible texts, and the starts and ends of elements that are not skipped."""
    todo: list[tuple[str, HtmlElement, bool]] = [("start", root, True)]
    while todo:
        what, element, shown = todo.pop()
        skipped = not isinstance(element.tag, str) or element.tag in SKIPPED_TAGS
        if what == "start":
            visible = shown and not skipped and conceals(element) <= reveals
            todo.append(("end", element, shown))
            if not skipped:
                yield "start", element
                if visible:
                    yield "text", element.text or ""
                todo += [("start", child, visible) for child in reversed(element)]
        else:
            if not skipped:
                yield "end", element
            if shown and element is not root:
                yield "text", element.tail or ""


def words(root: HtmlElement, reveals: frozenset[str]) -> list[str]:
    read, after_link = "", False
    for what, subject in events(root, reveals):
        if what == "text":
            read += subject
            after_link = after_link and not subject.strip()
        elif (
            subject.tag in BLOCK_TAGS
            or subject.tag == "br"
            or (subject.tag == "noscript" and "noscript" in reveals)
        ):
            read += "\n"
            after_link = False
        elif subject.tag == "a" and what == "start":
            read += " " if after_link else ""
        elif subject.tag == "a":
            after_link = True
    return read.split()


def revealed(root: HtmlElement) -> frozenset[str]:
    """The way of hiding that does not count on this page, as it would show little of its text."""

    def size(*reveals: str) -> int:
        return sum(map(len, words(root, frozenset(reveals))))

    shown = size()
    noscript, hidden = size("noscript") - shown, size("attribute") - shown
    if noscript > max(shown, hidden - 1):
        return frozenset({"noscript"})
    return frozenset({"attribute"} if hidden > shown / 2 else ())


def visible_words(root: HtmlElement) -> list[str]:
    return words(root, revealed(root))


def target(base: str, reference: str) -> str | None:
    path = re.split("[?#]", reference, maxsplit=1)[0]
    reference = path.replace("\\", "/") + reference[len(path) :]
    try:
        address = urljoin(base.partition("#")[0], reference.strip())
        parts = urlsplit(address)
    except ValueError:
        return None
    return address if parts.scheme in ("http", "https") and parts.netloc else None


ELSEWHERE = ("math", "noscript", "object", "svg", "template")


def base_of(root: HtmlElement) -> str:
    bases = [base for base in root.iter("base") if base.get("href") is not None]
    own = [base.get("href") for base in bases if next(base.iterancestors(*ELSEWHERE), None) is None]
    return (own and own[0] and target(URL, own[0])) or URL


def check(page: Page, html: str) -> None:
    """What holds for every page."""
    root = parse(html)
    tags, tree = page.tree.tags, page.tree
    reveals = revealed(root)
    assert page.unhidden == bool(reveals)
    assert " ".join(block.text for block in page.blocks).split() == words(root, reveals)
    hrefs = [
        element.get("href")
        for what, element in events(root, frozenset())
        if what == "start" and element.tag == "a" and element.get("href") is not None
    ]
    targets = [target(base_of(root), href) for href in hrefs]
    assert [link.url for link in page.links] == [address for address in targets if address is not None]
    end = 0
    for position, block in enumerate(page.blocks):
        assert block.links.start == end
        assert block.links.step is None
        end = block.links.stop
        assert all(link.block == position for link in page.links[block.links])
        assert tags[block.node] in BLOCK_TAGS | reveals or block.node == ROOT
        assert block.text or block.links.stop > block.links.start or any(not text for text, _ in block.runs)
        assert "".join("".join(text for text, _ in block.runs).split()) == "".join(block.text.split())
        assert all(holder == block.node or block.node in tree.ancestors(holder) for _, holder in block.runs)
        if block.text and not all(line.split() for line in block.text.split("\n")):
            assert "pre" in {tags[block.node], *(tags[above] for above in tree.ancestors(block.node))}
    assert end == len(page.links)


def texts(html: str) -> list[str]:
    return [block.text for block in read(html, URL).blocks]


def links(html: str) -> list[tuple[str, str]]:
    return [(link.url.removeprefix("https://example.org"), link.text) for link in read(html, URL).links]


@given(HTML)
@settings(deadline=None)
@example("")
@example("<!-- only a comment -->")
@example("\x00")
@example("\ud800")
@example("<p>a<!-- > x --!> b --><?php a > b ?>c</p>")
@example("<body hidden><p>shown</p><div hidden>not <a href=/x>shown</a></div></body>")
@example("<div hidden>one<noscript>x</noscript> two</div>three <noscript>four<p hidden>5</p></noscript>")
@example("<p>one<noscript>four words<br> of it</noscript><a href=/x hidden>anchor</a><div hidden>ten</div>")
@example("<p>one<noscript>four</noscript><a href=/x hidden>anchor<div>ten words</div></a>and more")
@example("<table><tr><td>x<p>y<td>z</table>w")
@example("<pre>\n a\n\n  b<br>c\r\n</pre>d<br>e<br><br>f")
@example("<a href>a</a><object><base href=/no/></object><base href=/yes/>")
def test_what_holds_for_every_page(html: str) -> None:
    page = read(html, URL)
    check(page, html)
    again = read(html, URL)
    assert [(block.text, block.links) for block in again.blocks] == [
        (block.text, block.links) for block in page.blocks
    ]
    assert again.links == page.links
    assert (again.title, again.robots, again.follow) == (page.title, page.robots, page.follow)


@pytest.mark.parametrize(
    ("html", "expected"),
    [
        ("<p>one <b>two</b>\n three</p>", ["one two three"]),
        ("<p>un<b>broken</b></p>", ["unbroken"]),
        ("<div>a<p>b</p>c<!-- -->d</div>", ["a", "b", "cd"]),
        ("<div>a<p></p>b</div>", ["a", "b"]),
        ("<p>a<br>b <br> <br>c</p>", ["a\nb\nc"]),
        ("<p>a</br>b</BR ></br/>c</p>", ["a\nb\nc"]),
        ("<p>line\nend<br>b</p>", ["line end\nb"]),
        ("<pre>\n  x = 1\n\n    y\n</pre>", ["  x = 1\n\n    y"]),
        ("<pre>a<span> b\n c</span></pre>", ["a b\n c"]),
        ("<time>May 1</time><pre><code>If a:</code></pre><time>2</time><pre>1", ["May 1", "If a:", "2", "1"]),
        ("<xmp># a\n\n <b>\n</xmp><listing>b\n  c</listing>", ["# a\n\n <b>", "b\n  c"]),
        ("<p>\u200d</p><h2><b>&#8203;</b></h2><ul><li>&#xFEFF;<li>a</ul>", ["", "", "", "a"]),
        ("<dialog>no <b hidden>no</b><p>no</dialog><dialog open>a</dialog>b", ["a", "b"]),
        ("<p>abcdefg<p hidden>no<p hidden=until-found>b", ["abcdefg", "b"]),
        ("<p popover>no<div popover=AUTO>no</div><p popover='Tip'>a<dialog open popover>b", ["a", "b"]),
        ("<ruby>東<rt>とう</rt>京<rt> </rt></ruby>に", ["東(とう)京( )に"]),
        ("<ruby>東京<rp>（</rp><rt>とうきょう</rt><rp>）</rp></ruby>", ["東京（とうきょう）"]),
        ("<p>$97<span class='x sr-only'>Current</span><b>Price</b>", ["$97 Current Price"]),
        ("<p>$97<span class=only>Current</span>", ["$97Current"]),
        ("<figcaption><b>A fox.</b><i>Ada</i> in U.<b>k</b></figcaption>", ["A fox. Ada in U.k"]),
        ("<p>10<sup>6</sup>, 2020<sup>13</sup>, x<sup>2</sup>", ["10⁶, 2020¹³, x2"]),
        (
            "<p>so.<sup><a href=#a>1</a></sup> no<a href=#b><sup>2</sup></a><sup><a>n.</a></sup>",
            ["so.¹ no² n."],
        ),
        ("<p>10<sup>−6</sup>, 2<sup>n</sup>, 1<sup>st</sup> 5<sup>[1]</sup>", ["10⁻⁶, 2ⁿ, 1st 5[1]"]),
        ("<p>a <q>b</q>, <q>“c”</q>, “<q>d</q>”<q></q>", ['a "b", “c”, “d”']),
        ("<ul><li>a<li>b<ul><li>c</ul>d</ul>", ["a", "b", "c", "d"]),
        ("<table><tr><th>a<td>b</table>", ["a", "b"]),
        ("<p>&nbsp;</p><p> \n</p><div></div>", []),
        ("<p><img src=x></p><p><img></p>", [""]),
        ("<p>a<img src=x>b</p>", ["ab"]),
        ("<a href=/a>one</a><a href=/b>two</a>", ["one two"]),
        ("<a href=/a>one</a>two", ["onetwo"]),
        (
            "<p>x<script>y</script><style>z</style><template>t</template><svg><text>v</text></svg>w</p>",
            ["xw"],
        ),
        ("<noscript>no</noscript><p hidden>h</p><p style='x:y;display:  NONE'>d</p><p>shown", ["shown"]),
        ("<body style='display:none'>shown", ["shown"]),
        ("<span hidden>a<div>b</div></span>cdef", ["cdef"]),
        ("<title>t</title><meta charset=utf-8><nav>n</nav><main>a<p>b</main>", ["n", "a", "b"]),
        ("<!doctype html><title>t</title><style>s</style><header>h</header><noscript>x</noscript>", ["h"]),
        ("<head><title>t</title><noscript>n</noscript><script>s</script></head><p>a", ["a"]),
        ("<p>a</p></body></html>b<html><body><p>c</html><!-- -->d", ["a", "b", "cd"]),
        ("a<embed src=x><p>b", ["a", "b"]),
        ("a<map name=m><area href=x><p>b</map>", ["a", "b"]),
        ("<textarea>a</textarea><button>b</button><select><option>c<option>d</select>", ["b", "c", "d"]),
    ],
)
def test_blocks(html: str, expected: list[str]) -> None:
    assert texts(html) == expected


@pytest.mark.parametrize(
    "html", ["", " ", "\x00", "<!-- x -->", "<?xml version='1.0'?>", "<!doctype html>", "</p>"]
)
def test_pages_without_text_have_no_blocks(html: str) -> None:
    page = read(html, URL)
    assert page.blocks == page.links == []
    assert not page.truncated
    assert not page.unhidden


FORUM = """<html><head><noscript><link rel=stylesheet href=s.css></noscript></head><body>
<noscript><iframe src="https://tags.example/n"></iframe></noscript><section id=splash><p>Loading</p></section>
<noscript data-path="/t/1"><header><a href="/">Forum</a></header><main>
<article><p>How do I <b>sharpen</b> a chisel?<img src=chisel.png></p></article>
<article><p>On a stone,<br>wet. <a href="/u/ann">Ann</a></p></article></main></noscript>
<script>boot()</script><div class=modal hidden>Log in</div></body></html>"""


def test_a_page_whose_text_is_in_noscript_is_read_as_without_scripts() -> None:
    page = read(FORUM, URL)
    assert page.unhidden
    assert [block.text for block in page.blocks] == [
        *("Loading", "Forum", "How do I sharpen a chisel?", "On a stone,\nwet. Ann"),
    ]
    assert [(link.url, link.text, link.block) for link in page.links] == [
        ("https://example.org/", "Forum", 1),
        ("https://example.org/u/ann", "Ann", 3),
    ]
    assert [page.tree.tags[holder] for _, holder in page.blocks[2].runs] == ["p", "b", "p", "img"]


def test_a_page_that_is_streamed_into_hidden_elements_is_read_as_after_its_scripts() -> None:
    page = read(
        """<body><div id=root><template id="B:0"></template><p>Loading…</p></div>
            <div hidden id="S:0"><h1>Stones</h1><p>Granite is hard.</p><iframe src=/map></iframe></div>
            <div style="display: none" id="S:1"><p>Slate splits <a href=/slate>well</a>.</p></div>
            <script>$RC("B:0", "S:0")</script><noscript>Enable scripts</noscript>""",
        URL,
    )
    assert page.unhidden
    assert [block.text for block in page.blocks] == [
        *("Loading…", "Stones", "Granite is hard.", "Slate splits well."),
    ]
    assert [(link.url, link.text) for link in page.links] == [("https://example.org/slate", "well")]
    assert page.follow == ["https://example.org/map"]


def test_a_page_with_little_that_is_hidden_stays_as_it_is() -> None:
    page = read(
        """<body><noscript><iframe src=/tags></iframe>Please enable scripts.</noscript>
            <nav hidden><a href=/a>Stones of the north</a><a href=/b>Stones of the south</a></nav>
            <p>Granite is a hard stone, harder than slate, which splits well along its grain; so does gneiss.
            Marble takes a polish.</p><div style="display:none">Cookies?</div>""",
        URL,
    )
    assert not page.unhidden
    assert [block.text.split()[:2] for block in page.blocks] == [[], ["Granite", "is"]]
    assert [link.text for link in page.links] == ["", ""]
    assert page.follow == ["https://example.org/tags"]


@pytest.mark.parametrize(
    ("html", "expected"),
    [
        # The noscript where they hold more than is shown, what attributes hide where it is more than half.
        ("<p>abcd</p><noscript>efghi</noscript>", ["abcd", "efghi"]),
        ("<p>abcd</p><noscript>efgh</noscript>", ["abcd"]),
        ("<p>abcd</p><noscript>e f g h\n\n</noscript>", ["abcd"]),
        ("<p>abcd</p><noscript>efg</noscript><noscript>hi</noscript>", ["abcd", "efg", "hi"]),
        ("<p>abcd</p><p hidden>efg", ["abcd", "efg"]),
        ("<p>abcd</p><p hidden>ef", ["abcd"]),
        ("<p>a b c d</p><p hidden> e  f ", ["a b c d"]),
        ("<p>abcdef</p><p hidden>g<b>h</b>i<!-- -->j", ["abcdef", "ghij"]),
        ("<p>abcd</p><b hidden>e</b><p style='display:none'>f<p hidden>g", ["abcd", "e", "f", "g"]),
        # The larger of them where it could be either.
        ("<p>abcd</p><noscript>efghi</noscript><p hidden>jklm", ["abcd", "efghi"]),
        ("<p>abcd</p><noscript>efghi</noscript><p hidden>jklmn", ["abcd", "efghi"]),
        ("<p>abcd</p><noscript>efghi</noscript><p hidden>jklmno", ["abcd", "jklmno"]),
        ("<p>abcd</p><noscript>efgh</noscript><p hidden>ijk", ["abcd", "ijk"]),
        ("<p>abcd</p><noscript>efgh</noscript><p hidden>ij", ["abcd"]),
        # What both hide counts for neither.
        ("<p>abcd</p><noscript><p hidden>efghijklm</p></noscript>", ["abcd"]),
        ("<p>abcd</p><noscript hidden>efghijklm</noscript>", ["abcd"]),
        ("<p>abcd</p><div hidden><noscript>efghijklm</noscript></div>", ["abcd"]),
        ("<p>abcd</p><noscript>efghi<p hidden>jk</p></noscript>", ["abcd", "efghi"]),
        ("<p>abcd</p><div hidden>efghi<noscript>jklm</noscript></div>", ["abcd", "efghi"]),
        # What is no text of any page tells nothing.
        ("<p>abcd</p><template><p>efghijklm</p></template><p hidden>n", ["abcd"]),
        ("<p>abcd</p><div hidden>e<script>fghijklm</script><svg><text>nopqr</text></svg></div>", ["abcd"]),
        ("<p>abcd</p><!-- efghijklm --><svg><text>nopqrstuvw</text></svg>", ["abcd"]),
        ("<noscript><img src=p.png></noscript>", []),
    ],
)
def test_hidden_text_is_measured_against_what_is_shown(html: str, expected: list[str]) -> None:
    page = read(html, URL)
    assert [block.text for block in page.blocks] == expected
    assert page.unhidden == (len(expected) > html.startswith("<p>"))


@pytest.mark.parametrize("outer", ["noscript", "div hidden"])
def test_frames_of_an_unhidden_page_are_met_once(outer: str) -> None:
    html = (
        "<head><link rel=next href=/next></head><iframe src=/one></iframe>"
        f"<{outer}>all of it<iframe src=/two></iframe></{outer}>"
    )
    page = read(html, URL)
    assert page.unhidden
    assert page.follow == [f"https://example.org/{name}" for name in ("next", "one", "two")]


def test_what_stands_for_frames_is_markup_and_shown_where_it_is_all_of_the_page() -> None:
    page = read(
        "<FRAMESET><FRAME SRC=/f><NOFRAMES><BODY><H1>Stones</H1>See <A HREF=/all>all</A></NOFRAMES>",
        URL,
    )
    assert page.unhidden
    assert [block.text for block in page.blocks] == ["Stones", "See all"]
    assert [link.url for link in page.links] == ["https://example.org/all"]
    assert page.follow == ["https://example.org/f"]
    assert texts("<p>Granite is hard.<noembed><b>Old</b></noembed><noframes><p>Old</noframes>") == [
        "Granite is hard."
    ]


def test_runs_tell_texts_by_their_innermost_elements() -> None:
    page = read("<p>a <b>b<i>c</i></b><br>d<img src=x></p>", URL)
    (block,) = page.blocks
    assert [(text, page.tree.tags[holder]) for text, holder in block.runs] == [
        *(("a ", "p"), ("b", "b"), ("c", "i")),
        *(("\n", "br"), ("d", "p"), ("", "img")),
    ]
    assert page.tree.tags[block.node] == "p"


def test_links() -> None:
    html = """<p><a href=/x> anchor <b>text</b></a> <a name=y>no link</a> <a href=mailto:x@y>mail</a>
        <a href="z#here"><img src=p></a> <a href=/h hidden>hidden</a> <svg><a href=/svg>svg</a></svg>
        <noscript><a href=/n>n</a></noscript></p>"""
    assert links(html) == [("/x", "anchor text"), ("/a/z#here", ""), ("/h", ""), ("/n", "")]


def test_link_over_several_blocks_lies_where_it_begins() -> None:
    page = read("<div>a</div><a href=/x><div>b</div><div>c</div></a>", URL)
    assert [(block.text, block.links) for block in page.blocks] == [
        *(("a", slice(0, 0)), ("", slice(0, 1))),
        *(("b", slice(1, 1)), ("c", slice(1, 1))),
    ]
    assert page.links[0].text == "b c"
    words = "a<mark data-nosnippet>b</mark>c <b>d</b>e<br>f<p>g</p>h"
    assert links(f"<a href=/x>{words}</a>") == [("/x", "abc de f g h")]


def test_links_that_ask_not_to_be_followed() -> None:
    followed = "<a href=/a>a</a><a href=/b rel='external NoFollow'>b</a><a href=/c rel=nofollower>c</a>"
    assert [link.nofollow for link in read(followed, URL).links] == [False, True, False]
    for directive in ("nofollow", "noindex, NoFollow", "none"):
        page = read(f"<head><meta name=Robots content='{directive}'></head>{followed}", URL)
        assert all(link.nofollow for link in page.links)
        assert directive.lower().split(", ")[-1] in page.robots


def test_head() -> None:
    page = read(
        """<head><title> A \n title </title><title>no</title><base href="/base/x"><base href="/no/">
            <link rel="stylesheet" href="s.css"><link rel="CANONICAL" href="c"><link rel=canonical href=no>
            <link rel="next nofollow" href="?page=2"><link rel="prev" href="mailto:x">
            <meta http-equiv="Refresh" content="5; URL='moved'"><meta name=robots content="noindex">
            <meta name="ROBOTS" content="NOARCHIVE"></head><frameset><frame src=/frame></frameset>
            <body><iframe src="inner">no text</iframe><a href="y">y</a><map><area href=z><area></map>""",
        URL,
    )
    assert page.title == "A title"
    assert page.canonical_url == "https://example.org/base/c"
    assert page.follow == [
        "https://example.org/base/x?page=2",
        "https://example.org/base/moved",
        "https://example.org/frame",
        "https://example.org/base/inner",
        "https://example.org/base/z",
    ]
    assert page.robots == {"noindex", "noarchive"}
    assert [link.url for link in page.links] == ["https://example.org/base/y"]
    assert [block.text for block in page.blocks] == ["y"]


HEAD = """<title>A title</title><base href="/base/"><link rel=canonical href=own><link rel=next href=2>
<meta name=robots content=noindex><meta http-equiv=refresh content="0; moved">"""


@pytest.mark.parametrize(
    "stray",
    [
        "<iframe src=//ads.example/></iframe>",
        "<div>x</div>",
        "stray text",
        "<p>",
        "<!-- </head><body> --><script>'</head><link>'</script><img src=x>",
    ],
)
def test_what_the_parser_moves_out_of_the_head_counts(stray: str) -> None:
    html = f"<html><head>{stray}{HEAD}</head><body class=b><a href=y>y</a>"
    page = read(html, URL)
    assert parse(html).find("head/title") is None
    assert (page.title, page.robots, page.base) == ("A title", {"noindex"}, "https://example.org/base/")
    assert page.robots_metas == [("robots", "noindex")]
    assert page.canonical_url == "https://example.org/base/own"
    assert {"https://example.org/base/2", "https://example.org/base/moved"} <= set(page.follow)
    assert page.links[-1].url == "https://example.org/base/y"
    assert 'href="https://example.org/base/y"' in Rendering(page, [True] * len(page.blocks)).html()


def test_a_canonical_address_in_the_body_is_anyones() -> None:
    body = "<link rel=canonical href=/theirs><link rel=next href=/3>"
    body += "<title>T</title><meta name=robots content=none>"
    for head in ("<head></head><body>", "<head><div></div></head><body>", "<!-- no </head> --><p>text</p>"):
        page = read(head + body, URL)
        assert (page.canonical_url, page.follow) == (None, [])
        assert (page.title, page.robots) == ("T", {"none"})


def test_a_reference_that_is_missing_or_empty_leads_nowhere() -> None:
    page = read("<base href=/><link rel=canonical><link rel=next href=' '><iframe></iframe><iframe src>", URL)
    assert (page.canonical_url, page.follow) == (None, [])


def test_titles_and_robots_of_something_else_are_not_the_pages() -> None:
    within = "<title>no</title><meta name=robots content=noindex><base href=/no/>"
    page = read(
        f"<body><svg>{within}</svg><noscript>{within}</noscript><template><p>{within}</p></template><p>x", URL
    )
    assert (page.title, page.robots, page.base) == ("", frozenset(), URL)


@pytest.mark.parametrize(
    ("html", "expected"),
    [
        ("<x-card><template shadowrootmode=open><p>in</p></template></x-card><p>x", ["in", "x"]),
        (
            "<p>a <x-b><template shadowrootmode=CLOSED><style>s</style><b>bold</b></template></x-b> c",
            ["a bold c"],
        ),
        ("<div><template shadowrootmode=open>a<template>no</template></template>b</div>", ["ab"]),
        ("<ul><template shadowrootmode=open>no</template><li>x</ul>", ["x"]),
        ("<x-b><template shadowrootmode=none>no</template>x</x-b>", ["x"]),
        ("<x-b hidden><template shadowrootmode=open>no</template></x-b>shown", ["shown"]),
        ("<x-b hidden><template shadowrootmode=open>more than</template></x-b>a", ["more thana"]),
        (
            "<math><semantics><mi>x</mi><annotation>tex</annotation>"
            "<annotation-xml><p>doubled</p></annotation-xml></semantics></math>",
            ["x"],
        ),
    ],
)
def test_what_browsers_show_of_shadow_trees_and_formulas(html: str, expected: list[str]) -> None:
    assert texts(html) == expected


@pytest.mark.parametrize(
    "html",
    [
        "<section id=x><h2>Title<a class=headerlink href='#x'>¶</a></h2></section>",
        "<h2 id=x>Title <a href='/a/b?q=1#x'>#</a></h2>",
        "<h2><a href='#x' id=x>§</a> Title</h2>",
        "<h2><a name=x></a>Title <a href='#x'>[#]</a></h2>",
        "<a id=x></a><h2><span><a href='#x'>◆&nbsp;</a></span>Title</h2>",
        "<p></p><span id=z></span><span id=x></span><i id=y></i><h2>Title<a href='#x'>¶</a></h2>",
        "<dl><dt id='%C3%BC'>Title<a href='#%C3%BC'>¶</a></dt></dl>",
        "<dl><dt id='ü'>Title<a href='#%C3%BC'><span>¶</span></a></dt></dl>",
        "<div id=x><p>Title<a href='#x'>​</a></p></div>",
        "<div><h2 id=x>Title</h2><a href='#x'>#</a></div>",
        "<div><h2 id=x>Title</h2><a href='#x'><svg/><span>Section titled “Title”</span></a></div>",
        "<h2>Title <i class=mw-editsection>[<a href='/w?title=A&action=edit&section=1'>edit</a>]</i></h2>",
    ],
)
def test_marks_of_links_to_their_own_place_go_everywhere(html: str) -> None:
    page = read(html, URL)
    assert [block.text for block in page.blocks if block.text] == ["Title"]
    assert [link.text for link in page.links] == [""]
    rendering = Rendering(page, [True] * len(page.blocks))
    assert rendering.markdown().strip("#* \n") == "Title"
    assert "¶" not in rendering.html()
    assert all("¶" not in str(section) for section in rendering.sections())


@pytest.mark.parametrize(
    "html",
    [
        "<h2 id=x>Title <a href='#note'>*</a></h2><p id=note>* a note",
        "<h2 id=x>Title <a href='/other#x'>#</a></h2>",
        "<h2 id=x>Title <a href='#x'>1</a></h2>",
        "<h2 id=x>Title <a href='#x'>more</a></h2>",
        "<div id=x><ul><li><div><p>Title <a href='#x'>↑</a></p></div></li></ul></div>",
        "<p>Title <a href='#fn'>†</a></p><p id=fn>† a note",
        "<h2 id=x>Title <a href='#'>#</a></h2>",
        "<h2>Title <span><a href='/w?title=A&action=edit&section=1'>edit</a></span></h2>",
        "<p>Title <a href='#x'>On Titles</a></p><p></p><h2 id=x>Titles</h2>",
        "<h2 id=x></h2><p>Title <a href='#x'>On Title</a></p>",
    ],
)
def test_marks_of_other_links_stay(html: str) -> None:
    page = read(html, URL)
    assert page.blocks[0].text == f"Title {page.links[0].text}"
    assert page.links[0].text


TEX = "<annotation encoding='application/x-tex'>x^2</annotation>"
SQUARE = f"<math><semantics><msup><mi>x</mi><mn>2</mn></msup>{TEX}</semantics></math>"


@pytest.mark.parametrize(
    ("html", "expected"),
    [
        (f"<p>a {SQUARE} b", "a x^2 b"),
        (SQUARE.replace("<msup>", "<annotation-xml><ci>c</ci></annotation-xml><msup>"), "x^2"),
        (f"<math><semantics><mi>κ</mi>{TEX}</semantics></math>", "κ"),
        (SQUARE.replace("x^2", " "), "x^2"),
        (SQUARE.replace("x-tex", "x-llamapun"), "x^2"),
        ("<math><msup><mi>x</mi><mo>′</mo></msup><mo>=</mo><msub><mrow/><mi>a</mi></msub></math>", "x′=_a"),
        ("<math><mfrac><mrow><mi>x</mi><mo>+</mo><mi>y</mi></mrow><mn>2</mn></mfrac></math>", "(x+y)/2"),
        ("<math><msup><mfrac><mi>x</mi><mi>y</mi></mfrac><mn>2</mn></msup></math>", "(x/y)^2"),
        ("<math><msqrt><mn>2</mn></msqrt><mtable><mtd>1</mtd><mtd>0</mtd></mtable></math>", "√(2) 1 0"),
        (f"<p>a <span><span>{SQUARE}</span><span aria-hidden=true>x<b>2</b></span></span> b", "a x^2 b"),
        (f"<p>a <nobr aria-hidden=true>x2</nobr><span>{SQUARE}</span> b", "a x^2 b"),
        (f"<p>a <span style='display: none'>{SQUARE}</span><img src=x.svg aria-hidden=true> b", "a x^2 b"),
        (f"<p hidden><span hidden>{SQUARE}</span></p><p>More visible text", "More visible text"),
        (f"<p>a <span>{SQUARE} and</span><span aria-hidden=true> b</span>", "a x^2 and b"),
        (f"<p>a <span hidden>{SQUARE} and</span> rather more visible text", "a rather more visible text"),
        (f"<p>a <span>{SQUARE}</span><span> b</span>", "a x^2 b"),
    ],
)
def test_formulas_are_read_once_as_tex_where_a_row_of_signs_says_less(html: str, expected: str) -> None:
    page = read(html, URL)
    assert [block.text for block in page.blocks] == [expected]
    assert "<img" not in Rendering(page, [True]).html()


@pytest.mark.parametrize(
    "html",
    [
        "<pre><span class=linenos>1</span>a = 1\n<span class=linenos>2</span>b = 2\n</pre>",
        "<pre><b><a href='#L1'><i class='x source-line-no'> 1</i></a>a = 1\n</b><i class=ln>2</i>b = 2</pre>",
        "<table><tr><td class='gutter x'><pre>1\n2</pre><td><pre>a = 1\nb = 2</pre></table>",
        "<table><td><pre><i class=lnt>1\n</i><i class=lnt>2\n</i></pre><td><pre>a = 1\nb = 2</pre></table>",
        "<table><tr><td class=LineNumbers>1<br>2<td><code>a = 1<br>b = 2</code></table>",
        "<div><pre>a = 1\nb = 2</pre><div><i class=line-number>1</i><br></div></div>",
        "<div class=lineno>1</div>a = 1<br>b = 2",
        "<table><tr><td><pre class=lines>\n\n1\n2</pre><td><pre class=code>a = 1\nb = 2</pre></table>",
    ],
)
def test_numbers_of_lines_of_code_are_no_text(html: str) -> None:
    assert [text for text in texts(html) if text] == ["a = 1\nb = 2"]


@pytest.mark.parametrize(
    ("html", "expected"),
    [
        ("<pre><div><i>if</i> a:<br></div><div><br></div><div><i>  </i>b<br></div></pre>", ["if a:\n\n  b"]),
        (
            "<pre><code class=x><div>if a:</div><div></div><div><i>  </i>b</div></code></pre>",
            ["if a:\n\n  b"],
        ),
        ("<pre>if a:<div>  b</div></pre>", ["if a:\n  b"]),
        ("<pre><div>if a:<br></div><div>  b<br></div><div>c</div></pre>", ["if a:\n  b\nc"]),
        ("<pre><div>if a:</div><div><br></div><div>  b</div><div>c<br></div></pre>", ["if a:\n\n  b\nc"]),
        ("<pre><div>a</div><p>b</p></pre>", ["a", "b"]),
        ("<pre><div>a<div>b</div></div></pre>", ["a", "b"]),
        ("<pre><div>a<pre>b</pre></div></pre>", ["a", "b"]),
    ],
)
def test_elements_that_are_lines_of_code_are_one_block(html: str, expected: list[str]) -> None:
    page = read(html, URL)
    assert [block.text for block in page.blocks] == expected
    assert Rendering(page, [True] * len(expected)).markdown() == "```\n{}\n```".format("\n".join(expected))


@pytest.mark.parametrize(
    ("html", "expected"),
    [
        ("<dl><dt><b>axis</b><span class=classifier>int</span></dt></dl>", "axis int"),
        (
            "<dl><dt>axis<span class=classifier><i>int</i></span>, <b>n</b><span>s</span></dt></dl>",
            "axis int, ns",
        ),
        ("<p>(<time class=published>May 1</time><time class=updated>May 2</time>)", "(May 1 May 2)"),
        ("<title>Bun&shy;des&#173;tag</title><p>Bun&shy;des<b>\xadtag</b>", "Bundestag"),
        ("<title>\ufeffBundestag</title><p>Bundes\u2060tag\ufeff", "Bundestag"),
        ("<p><time>May 1</time>-<time>2</time>(<time>May 3</time>)", "May 1-2(May 3)"),
        ("<p>By <a>Ada</a><time>May 1</time><i>Updated</i> <time>1990</time>s", "By Ada May 1 Updated 1990s"),
    ],
)
def test_words_are_as_readers_see_them(html: str, expected: str) -> None:
    page = read(html, URL)
    assert texts(html) == [expected]
    assert page.title in expected
    assert re.sub("<.*?>", "", Rendering(page, [True]).html()).strip() == expected


@pytest.mark.parametrize(
    "html",
    [
        "<p>Tram <b class=line-number>42</b>",
        "<div class=gutter><pre>42</pre></div>",
        "<pre class='line-numbers language-c'><code>x = 42</code></pre>",
        "<pre><b class=online>42</b></pre>",
        "<pre class=lineno>4b2</pre>",
    ],
)
def test_other_numbers_stay(html: str) -> None:
    assert "42" in "".join(texts(html)) or "4b2" in texts(html)


@pytest.mark.parametrize("base", ["", "javascript:x", "http://[", "/" * 3000, "x" * 3000])
def test_unusable_base_is_ignored(base: str) -> None:
    page = read(f'<head><base href="{base}"></head><a href="y">y</a>', URL)
    assert page.links[0].url == "https://example.org/a/y"


BASES = [
    *(
        "https://example.org",
        "http://example.org/",
        "https://example.org/a",
        "https://example.org/a/b/c/?q=/x/#f",
    ),
    *(
        "https://example.org/a//b/c",
        "http://example.org/a/../b/./c",
        "http://user@h:80/x/y;p?q#f",
        "http://h/x;",
        "http://h/x?",
        "http://h/.x/y",
    ),
    *(
        "https://example.org/a/b/c/d",
        "HTTP://Example.org/x/",
        "https://example.org?q=1/2",
        "http://h/" + "d/" * 2000,
    ),
]
TRICKY = [
    *(
        "",
        "#",
        "#x",
        "#\\",
        "?",
        "?#x",
        "?a#b",
        "./",
        ".",
        "..",
        "../",
        "../../..",
        "../../../../../x",
        "../..x",
        "...",
        "/",
    ),
    *(
        "//host/x",
        "///x",
        "//",
        "/./a",
        "/a/../b",
        "a/./b",
        "a/..",
        "a/.b",
        "a:b",
        "a/b:c",
        "?a:b",
        "HTTP://X",
        "HTTP:x",
    ),
    *(
        " x ",
        "\tx",
        "a\tb",
        "a\nb",
        "\x00x",
        "a\\b",
        "\\x",
        "http:\\\\x\\y",
        "https:x",
        "https://x",
        "http:///x",
    ),
    *(
        "https://x/",
        "https://x//y",
        "https://x/a/../b",
        "https://[::1]/x",
        "https://[x/",
        "http://a@b/c",
        "https://x?y",
    ),
    *(
        "mailto:x",
        "javascript:x",
        "data:,x",
        "tel:1",
        "ftp://x/y",
        ";p",
        "x;p",
        "x?y#z",
        "x??y",
        "x##y",
        "é",
        "/ü?ß#ñ",
    ),
    *(
        "http://ho\u2100st/x",
        "https://①.example/x",
        "x\u3000",
        "\u3000x",
        "x\u200b",
        "http://x:port/y",
        "http://x:99999/",
    ),
]


@pytest.mark.parametrize("base", BASES)
def test_references_that_are_tricky(base: str) -> None:
    references = References(base)
    assert {reference: references.absolute(reference) for reference in TRICKY} == {
        reference: target(base, reference) for reference in TRICKY
    }


@pytest.mark.parametrize(
    ("reference", "address"),
    [
        (r"docs\a.html", "https://example.org/f/docs/a.html"),
        (r"\docs\a.html", "https://example.org/docs/a.html"),
        (r"..\a.html?p=\x#\y", r"https://example.org/a.html?p=\x#\y"),
        (r"https:\\example.com\a", "https://example.com/a"),
        (r"/\example.com", "https://example.com"),
        (r"C:\a.html", None),
    ],
)
def test_a_backslash_in_a_path_is_a_slash(reference: str, address: str | None) -> None:
    assert References("https://example.org/f/p").absolute(reference) == address


REFERENCE = st.lists(
    st.sampled_from(
        [
            *TRICKY,
            *(
                "/",
                ".",
                "..",
                "?",
                "#",
                ":",
                "\\",
                " ",
                "a",
                "b",
                "https://",
                "HTTP:",
                "h",
                "%20",
                "//",
                ";",
                "?x",
            ),
        ]
    ),
    max_size=6,
).map("".join)


@given(
    st.sampled_from(BASES) | REFERENCE.map("https://example.org/".__add__), REFERENCE | st.text(max_size=12)
)
@settings(max_examples=200, deadline=None)
def test_references_are_joined_as_by_urljoin(base: str, reference: str) -> None:
    try:
        urljoin(base, "x")
    except ValueError:
        return
    assert References(base).absolute(reference) == target(base, reference)


def test_elements_nested_deeper_than_parsers_go() -> None:
    page = read("<div>x" * 10_000, URL)
    assert page.truncated
    assert {block.text for block in page.blocks} == {"x"}
    check(page, "<div>x" * 10_000)
    page = read("<a href=/x>" + "<i><a href=/y>z" * 1_000, URL)
    assert len(page.links) == 1_001
    assert read("<b>" * 1_000 + "x", URL).truncated is False


def test_page_that_is_one_long_text() -> None:
    text = "word " * 200_000
    assert texts(text) == [text.strip()]
    assert texts(f"<pre>{text}") == [text.strip()]


def test_many_blocks() -> None:
    page = read("<p>x</p>" * 100_000, URL)
    assert len(page.blocks) == 100_000
    assert page.blocks[-1].text == "x"


def test_many_links() -> None:
    page = read("".join(f"<a href={number}>{number}</a>" for number in range(50_000)), URL)
    assert [link.text for link in page.links] == [str(number) for number in range(50_000)]
    assert page.links[-1].url == "https://example.org/a/49999"
    assert page.blocks[0].text.split()[-1] == "49999"


HOSTILE = [
    f'<head><meta http-equiv=refresh content="{"1" * 250_000}">',
    f'<head><meta http-equiv=refresh content="{" " * 250_000}x">',
    f'<a href="{"../" * 150_000}x">y</a>',
    f'<a href="{"/" * 250_000}">y</a>',
    f'<p style="{"display " * 50_000}">x',
    "<a href=x><div>" * 900 + "text " + "<b>x</b>" * 25_000,
    "<span><br>" * 900 + "<p>x</p>" * 25_000,
    "<div hidden>x" * 50_000,
    "<p hidden>x</p><noscript>y" * 25_000,
    "<div hidden>" + "<noscript>x</noscript><b>y</b>" * 25_000,
    "<head>" + "<b>" * 1_900 + "<title></title><meta name=x>" * 5_000,
    "<head><p>" + "<link rel=canonical>" * 5_000 + "<!--" * 5_000 + "<script>" * 5_000,
    "<h2 id=x>" + "<a href='#x'>#</a>" * 10_000,
]


@pytest.mark.parametrize("html", HOSTILE)
def test_pages_made_to_be_slow(html: str) -> None:
    read(html, URL)


def real_sites() -> list[Path]:
    """The archives of every fourth site of the corpora; of all where examples are random (`make fuzz`)."""
    found = sorted(Path(os.environ["CORPORA"]).glob("sites/*.warc.gz"))
    return found if os.environ.get("HYPOTHESIS_PROFILE") == "random" else found[::4]


def warc_pages(path: Path, count: int) -> Iterator[tuple[str, str]]:
    with gzip.open(path) as stream:
        pages = (record for record in ArchiveIterator(stream) if record.rec_type == "response")
        for record in islice(pages, count):
            url = record.rec_headers.get_header("WARC-Target-URI")
            yield url, record.content_stream().read().decode("utf-8", "replace")


def without_marks(found: list[str]) -> list[str]:
    """Words without what is no text of the page: marks of links of headings to themselves, soft hyphens, and
    numbers, as those of lines of code.
    """
    words = (word.strip("¶#").replace("\N{SOFT HYPHEN}", "") for word in found)
    return [word for word in words if word and not word.isdecimal()]


@pytest.mark.skipif("CORPORA" not in os.environ, reason="needs the corpora")
def test_real_pages() -> None:
    archives = real_sites()
    assert archives
    for archive in archives:
        for url, html in warc_pages(archive, 3):
            page = read(html, url)
            found = " ".join(block.text for block in page.blocks).split()
            assert without_marks(found) == without_marks(visible_words(parse(html)))
