from __future__ import annotations

import html as references

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from pagelets.methods.base import Subject
from pagelets.methods.source.tokens import RAW, REMARK, TAG, TEXT, SourceTokens
from pagelets.reading import read

URL = "https://example.org/"
MARKUP = """
<p> </p> <div> </div> <b> </b> <a_href="/x"> </a> <br> <ul> <li> <table> <tr> <td> </table> <h1>
</h1> <div_hidden> <p_style="display:none"> <noscript> </noscript> <img_src=x> <option> <pre> </pre>
<!--_no_--> <!--> </> </x> <?pi> <![CDATA[_c_]]> <script>x<y</script> <style>p{}</style> <textarea>
</textarea> <title> </title> <iframe> </iframe> <template> </template> <span_title='a>b'>
<input_value="&lt;"> <p_class=c
"""
WORDS = """&amp; &lt;p&gt; &nbsp; &eacute;t&eacute; &unknown; &#8364; &#x1; &_ one two
Three_words_here _ x_<_y é … 1 a"""
PARTS = st.sampled_from(
    [*(part.replace("_", " ") for part in f"{MARKUP} {WORDS}".split()), "\n", "\r\n\t", "a\nb\n\nc"]
)


def tokens_of(html: str) -> SourceTokens:
    page = read(html, URL)
    tokens = SourceTokens.of(html, page)
    assert len(tokens.kind) == len(tokens.chars) == len(tokens.line) == len(tokens.block) == len(tokens)
    assert tokens.chars.sum() == len(html)
    assert "".join(written(tokens, token) for token in range(len(tokens))) == html
    assert (tokens.chars > 0).all()
    known = tokens.block[tokens.block >= 0]
    assert (np.diff(known) >= 0).all()
    assert known.max(initial=-1) < len(page.blocks)
    assert (tokens.kind[tokens.block >= 0] == TEXT).all()
    assert tokens.line.tolist() == [html.count("\n", 0, int(start)) for start in tokens.start[:-1]]
    return tokens


def bare(text: str) -> str:
    return "".join(filter(str.isprintable, "".join(text.split())))


def written(tokens: SourceTokens, token: int) -> str:
    return tokens.html[tokens.start[token] : tokens.start[token + 1]]


def blocks_of(tokens: SourceTokens, count: int) -> list[str]:
    """What the source says of each block, without white space."""
    found = [""] * count
    for token in np.flatnonzero(tokens.block >= 0).tolist():
        found[tokens.block[token]] += written(tokens, token)
    return [bare(references.unescape(text)) for text in found]


def test_text_markup_lines_and_blocks() -> None:
    html = "<p class='a>b'>One &amp;\n two<!-- no > -->\n<script>if (a < b) {}</script>"
    tokens = tokens_of(html)
    assert [(written(tokens, n), int(tokens.kind[n]), int(tokens.line[n]), int(tokens.block[n]))
            for n in range(len(tokens))] == [
        ("<p class='a>b'>", TAG, 0, -1),
        ("One &amp;\n", TEXT, 0, 0),
        (" two", TEXT, 1, 0),
        ("<!-- no > -->", REMARK, 1, -1),
        ("\n", TEXT, 1, -1),
        ("<script>", TAG, 2, -1),
        ("if (a < b) {}", RAW, 2, -1),
        ("</script>", TAG, 2, -1),
    ]  # fmt: skip
    assert tokens.is_tag.tolist() == (tokens.kind == TAG).tolist()


def test_a_block_is_where_it_is_shown_not_where_the_same_is_hidden() -> None:
    html = (
        "<title>Home</title><ul hidden><li>Home<li>News</ul><noscript>News</noscript>"
        "<ul><li>Home<li>News</ul>"
        "<p>f<b>oo</b></x> bar<br>&eacute; <textarea>Home</textarea><i>Home</i>"
    )
    page = read(html, URL)
    tokens = tokens_of(html)
    assert [block.text for block in page.blocks] == ["Home", "News", "foo bar\né Home"]
    places = {(written(tokens, n), int(tokens.block[n])) for n in np.flatnonzero(tokens.block >= 0)}
    assert places == {
        ("Home", 0), ("News", 1), ("f", 2), ("oo", 2), (" bar", 2), ("&eacute; ", 2), ("Home", 2)
    }  # fmt: skip
    first = int(np.flatnonzero(tokens.block == 0)[0])
    assert tokens.start[first] > html.index("</noscript>")


@given(st.lists(PARTS, max_size=40))
def test_every_block_is_found_where_it_stands(parts: list[str]) -> None:
    html = "".join(parts)
    tokens = tokens_of(html)
    page = read(html, URL)
    assert blocks_of(tokens, len(page.blocks)) == [bare(block.text) for block in page.blocks]


SCRAPS = st.sampled_from(
    """< > </ <!-- --> <script </script> =' =" & <![CDATA[ ]]> <? <p <plaintext> </title <title>""".split()
)


@given(st.lists(st.one_of(st.text(max_size=12), SCRAPS), max_size=30).map("".join))
def test_whatever_a_source_is_its_tokens_are_all_of_it(html: str) -> None:
    tokens_of(html)


def test_a_subject_has_its_source_once() -> None:
    html = "<p>One"
    subject = Subject(read(html, URL), [], html=lambda: html)
    assert subject.source is subject.source
    assert subject.source.block.tolist() == [-1, 0]


HOSTILE = {
    "one line of 10 MB": "<p>" + "word " * 1_000_000,
    "siblings": "<p>a" * 50_000,
    "unclosed quotes": "<a href=\"'" * 50_000 + "<b c='" * 5_000,
    "equals signs": "<a " + "= " * 150_000,
    "less than": "<" * 150_000,
    "comments": "<!--" * 50_000,
    "dashes": "<!--" + "-" * 150_000,
    "end of no script": "<script>" + "</scrip " * 50_000,
    "no end": "</ x" * 50_000,
    "references": "<p>&#1;a" * 10_000,
    "what differs each time": "a\ud800\0<p>" * 10_000,
    "parts": ("a</x>" * 1_000 + "<p>b</x>") * 50,
    "hidden": "<div hidden>" + "<p>a" * 5_000 + "</div>" + "<p>a" * 10_000,
    "lines": "a\n" * 100_000,
}


@pytest.mark.parametrize("name", HOSTILE)
def test_hostile_sources_are_read(name: str) -> None:
    html = HOSTILE[name]
    page = read(html, URL)
    tokens = SourceTokens.of(html, page)
    assert tokens.chars.sum() == len(html)
    shown = [number for number, block in enumerate(page.blocks) if bare(block.text)]
    assert np.isin(shown, tokens.block).all()
