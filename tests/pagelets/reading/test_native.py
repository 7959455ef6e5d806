"""The compiled reading of pages gives what the plain one gives, field by field."""

from __future__ import annotations

import os
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from pagelets import page, reading
from pagelets.compiled import why_plain
from pagelets.overrides import NO_SELECTORS, Selectors
from pagelets.reading import counts, plain, references
from tests.pagelets.reading.test_reading import HOSTILE, HTML, REFERENCE, URL, real_sites, warc_pages

if TYPE_CHECKING:
    from pagelets.page import Page

WHY_PLAIN = "".join(why_plain(f"pagelets.reading.{name}") for name in ("native", "native_walk"))
pytestmark = pytest.mark.skipif(bool(WHY_PLAIN), reason=WHY_PLAIN)

MARKING = Selectors(("b", ".x"), ("a", "img", "i"))


def by_plain_code(*arguments: Any) -> Page:
    """A page as plain code reads it."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(reading, "flatten", plain.flatten)
        patch.setattr(reading, "walk", plain.walk)
        return reading.read(*arguments)


def fields(found: Page) -> dict[str, Any]:
    """All that a page holds, in a form that can be compared."""
    tree = {
        name: value.tolist() if isinstance(value, np.ndarray) else value
        for name, value in vars(found.tree).items()
        if name in type(found.tree).__dataclass_fields__
    }
    arrays = {value.dtype for value in vars(found.tree).values() if isinstance(value, np.ndarray)}
    blocks = [(block.text, block.node, block.links, block.span, block.runs) for block in found.blocks]
    rest = {name: getattr(found, name) for name in type(found).__slots__ if name not in ("tree", "blocks")}
    return {"tree": tree, "arrays": arrays, "blocks": blocks, **rest}


def test_both_call_things_by_the_same_numbers() -> None:
    from pagelets.reading import native_walk

    names = (
        "INLINE BLOCK PREFORMATTED INLINE_APART LINK_APART LINK LINE_BREAK IMAGE IMAGE_APART SKIPPED HIDES"
    )
    numbers = [getattr(plain, name) for name in names.split()]
    assert (*numbers, page.BREAK, page.PICTURE, page.SPACE, plain.NESTED_LINKS) == native_walk.KINDS


@settings(deadline=None)
@given(html=HTML)
@example(html="")
@example(html="<!-- only a comment -->")
@example(html="\x00\ud800")
@example(html="<p>a<!-- > x --!> b --><?php a > b ?>c<![CDATA[d]]></p>")
@example(html="<svg xml:lang=x xlink:href=y ONclick=z on=1 o=2><a:b c:d=e>f</a:b></svg>")
@example(html="<script type='application/LD+JSON'>{}<!-- --></script><script>x</script><style>y<b>z</style>")
@example(html="<p disabled a='' a=b class=\"&amp;&eacute;&#x1F600;\">&nbsp;&lt;&unknown;</p>")
@example(html="<a href=/x><p>a</p>b<img src=c></a><pre> d\n<br> e </pre><b> f</b> <i>g</i>")
def test_pages_are_the_same(html: str) -> None:
    for selectors in (NO_SELECTORS, MARKING):
        assert fields(reading.read(html, URL, selectors)) == fields(by_plain_code(html, URL, selectors))


def test_hostile_pages_are_the_same() -> None:
    pages = [*(html[:100_000] for html in HOSTILE), "<div>" * 100_000, "<p>x</p>" * 10_000]
    many = "".join(f"<p class=c{number} title='t {number}'>{number}</p>" for number in range(5_000))
    for html in (*pages, many):
        assert fields(reading.read(html, URL)) == fields(by_plain_code(html, URL)), html[:100]


@given(st.binary(max_size=8) | st.text(max_size=8).map(lambda text: text.encode("utf-8", "surrogatepass")))
@example(b"\xf4\x90\x80\x80")
@example(b"a\xc3")
@example(b"a" * 20 + b"\xe2\x82")
def test_bytes_in_utf_8_are_read_as_their_text(content: bytes) -> None:
    if plain.is_utf8(content):
        text = content.decode()
        assert fields(reading.read(content, URL)) == fields(reading.read(text, URL))


@settings(max_examples=300, deadline=None)
@given(st.booleans(), st.lists(REFERENCE, max_size=6))
@example(
    True, ["http://a.b-c/d?e#f", "/a/b?c=d:e//f", "../../../../a", "a?", "/a?#", "http://a", "/.a", "é", "a;"]
)
def test_addresses_are_the_same(has_plain_base: bool, found: list[str]) -> None:
    from pagelets.reading import native_walk

    base = (
        ("http://a.b/c/d", "http://a.b", ["http://a.b/c/", "http://a.b/"]) if has_plain_base else ("", "", [])
    )
    joined = references.all_joined(found, references.joined, *base)
    assert native_walk.all_joined(found, references.joined, *base) == joined


@given(st.lists(st.text(st.sampled_from("a1²½٣𝟎\n") | st.characters(), max_size=5)))
def test_the_same_texts_have_digits(texts: list[str]) -> None:
    from pagelets.reading import native_walk

    places = list(range(0, len(texts), 2))
    assert native_walk.numbered(texts, places, 4) == counts.numbered(texts, places, 4)


@pytest.mark.skipif("CORPORA" not in os.environ, reason="needs the corpora")
def test_real_pages_are_the_same() -> None:
    folder = Path(os.environ["CORPORA"])
    for archive in (*real_sites(), *folder.glob("wcxb/*.warc.gz")):
        for url, html in warc_pages(archive, 2 if archive.parent.name == "sites" else 20):
            assert fields(reading.read(html, url)) == fields(by_plain_code(html, url)), url
