from __future__ import annotations

import pytest

from pagelets.reading import parse, read
from pagelets.reading.attributes import MOST, are_too_many, without_too_many

MANY = range(50_000)
HOSTILE = {
    "values": lambda: "<p " + " ".join(f"a{n}=b" for n in MANY) + ">",
    "names alone": lambda: "<p " + "/".join(f"a{n}" for n in MANY) + ">",
    "brackets in values": lambda: "<p " + "".join(f"a{n}='>'" for n in MANY) + ">",
    "a tag in a comment": lambda: "<!-- <p x='-->" + "<p " + " ".join(f"a{n}" for n in MANY) + " b='y'>",
    "a name that is a sign": lambda: "<p x=y ='" + " ".join(f"a{n}" for n in MANY) + "'>",
    "no white space": lambda: "<p " + "".join(f'a{n}="b"' for n in MANY) + ">",
    "merged tags": lambda: "".join(f"<body a{n}>" for n in MANY),
    "never closed": lambda: "<p>The harbour opens at nine.<p " + " ".join(f"a{n}" for n in MANY),
}


@pytest.mark.parametrize("name", HOSTILE)
def test_elements_have_so_many_attributes_at_most(name: str) -> None:
    """Nothing is timed: without a bound each of these takes ten seconds."""
    html = "<p>The harbour opens at nine.</p>" + HOSTILE[name]() + "The ferry leaves at ten."
    assert are_too_many(html.encode())
    assert max(len(element.attrib) for element in parse(html).iter("*")) <= MOST
    texts = [block.text for block in read(html, "https://a.example/").blocks]
    assert texts[0] == "The harbour opens at nine."


@pytest.mark.parametrize(
    "part", ["<aa=x", "<a", '<a x="', "<a x='<b y=\"", "<p>a < b, and c > d</p>", "<a <b "]
)
def test_looking_is_linear(part: str) -> None:
    """Nothing is timed: what is not linear takes minutes."""
    for size in (280_000, 4_000_000):
        are_too_many(part.encode() * (size // len(part)))


def test_what_is_written_anew_is_the_same_page() -> None:
    html = """<html lang=en><title>A &amp; B</title><body class="x y"><h1>One &lt; two</h1><br>
    <script type="application/ld+json">{"a": "<b>"}</script><p title='"'>Some <b>bold</b> text<img src=a>
    <ul><li>one<li><a href="/?a=1&amp;b=2">two</a></ul><pre> kept
    as it is</pre><style>p > a {}</style>"""
    page, same = (read(text, "https://a.example/") for text in (html, without_too_many(html.encode())))
    assert [block.text for block in page.blocks] == [block.text for block in same.blocks]
    assert page.links == same.links
    assert page.tree.tags == same.tree.tags
    assert page.tree.attribute("title") == same.tree.attribute("title")
