import re

import pytest
from hypothesis import given
from hypothesis import strategies as st
from lxml import html as lxml_html

from pagelets.render import Rendering
from tests.pagelets.render.rendered import (
    everything,
    html,
    html_words,
    kept_words,
    markdown,
    markdown_words,
    page_of,
    sections,
    text,
)

TAGS = """
    a a abbr address b b blockquote blockquote br br button caption center code code col dd del details dir
    div div dl dt em em fieldset figcaption figure font form h1 h2 h3 h6 hr i img img ins kbd li li li main
    mark menu nav ol ol optgroup option p p pre pre q s s samp section select small span span strong strong
    sub summary sup table table tbody td td th thead time tr tr tr tt u ul ul
""".split()
HOSTILE = """
    body embed head iframe input math meta noscript object script style svg template textarea title video
""".split()
ATTRIBUTES = [
    "",
    "",
    "",
    " href=a.html",
    " href='http://x.org/a b(c)`d`|e&copy;f'",
    " href='JavaScript:alert(1)'",
    " href=' java\nscript:alert(1)'",
    " href='mailto:a@b.c'",
    " href='data:text/html,x' src='data:image/png;base64,x'",
    " href='//[bad' src='http://[bad'",
    " src='i.png' alt='a [pic] *x*' width=3 height=x",
    " src='javascript:x' alt='<b>'",
    ' src="x" alt="\'><script>alert(1)</script>" title=\'"><iframe>\'',
    " onclick=alert(1) style='color:red'",
    " style='display:none'",
    " hidden",
    " class='language-python highlight-x`y'",
    " colspan=2",
    " colspan=99999 rowspan=99999",
    " rowspan=2",
    " start=7",
    " value=-3",
    " value=12345678901",
    " rel='nofollow noopener' href=b",
    " title='t\"t' datetime='2020' cite='javascript:x'",
]
TEXTS = [
    *[
        "word",
        "two words",
        " ",
        "\n",
        "  spaced  ",
        "ünïcode 漢字。「",
        "​",
        "&nbsp;",
        "&amp;lt;",
        "&lt;script&gt;x",
    ],
    *[
        "*",
        "**",
        "_",
        "__a__",
        "a_b",
        "`",
        "```",
        "``` x",
        "~~",
        "~~~",
        "~/x",
        "[",
        "]",
        "[x](y)",
        "![",
        "!",
        "\\",
    ],
    *[
        "# ",
        "#",
        "#######",
        "- ",
        "-",
        "+ x",
        "---",
        "===",
        "> q",
        "1. one",
        "2)",
        "123456789. x",
        "|",
        "| - |",
    ],
    *[":-", "-|-", "&copy;", "&amp;copy;", "&amp;#35;", "http://x.org/a_b*c", "www.x.org", "a@b.org", "$x$"],
    *[
        "<!-- c -->",
        "<![CDATA[x]]>",
        "\t",
        "    indented",
        "a\nb",
        "\x0b",
        "\x85",
        "\u2028",
        "\r\n",
        ".",
        "!a",
        "*a",
    ],
]
TOKENS = st.one_of(
    st.sampled_from(TEXTS),
    st.builds("<{}{}>".format, st.sampled_from(TAGS), st.sampled_from(ATTRIBUTES)),
    st.builds("</{}>".format, st.sampled_from(TAGS)),
    st.sampled_from(HOSTILE).map("<{0} src=x>alert</{0}>".format),
    st.text(st.characters(codec="utf-8", exclude_characters="<&"), max_size=6),
)
SOURCES = st.lists(TOKENS, max_size=50).map("".join)


@st.composite
def pages(draw):
    page = page_of(draw(SOURCES))
    size = len(page.blocks)
    return page, draw(
        st.one_of(st.just([True] * size), st.lists(st.booleans(), min_size=size, max_size=size))
    )


@given(pages())
def test_text_is_the_kept_blocks_in_order(case):
    page, mask = case
    lines = [line for line in text(page, mask).split("\n") if line.strip()]
    kept = [block.text for block, content in zip(page.blocks, mask, strict=True) if content]
    assert lines == [line for block in kept for line in block.split("\n") if line.strip()]


@given(pages())
def test_html_says_the_same_words(case):
    page, mask = case
    assert html_words(html(page, mask)) == kept_words(page, mask)


@given(pages())
def test_markdown_says_the_same_words(case):
    page, mask = case
    assert markdown_words(markdown(page, mask)) == kept_words(page, mask)


@given(pages())
def test_sections_say_the_same_words(case):
    page, mask = case
    words = []
    path = []
    for section in sections(page, mask):
        heading = section["heading"]
        shared = 0
        while shared < min(len(path), len(heading)) and path[shared] == heading[shared]:
            shared += 1
        words += " ".join(heading[shared:]).split()
        words += section["text"].split()
        path = heading
    kept = kept_words(page, mask)
    # Two headings of the same words may follow each other: nothing else can be told once only.
    assert [word for word in words if word in kept] == words
    assert set(words) == set(kept)


@given(pages())
def test_html_is_safe(case):
    rendered = html(*case)
    if not rendered:
        return
    for element in lxml_html.fragment_fromstring(rendered, create_parent=True).iter():
        assert element.tag not in {
            "script",
            "style",
            "form",
            "iframe",
            "object",
            "embed",
            "input",
            "svg",
            "math",
        }
        for name, value in element.attrib.items():
            assert not name.startswith("on")
            assert name not in {"style", "id", "srcset", "action"}
            if name == "href":
                assert re.match(r"https?://|mailto:", value)
            elif name == "src":
                assert re.match(r"https?://", value)
    assert "<script" not in rendered.lower()


@given(pages())
def test_a_rendering_is_what_the_functions_give(case):
    rendering = Rendering(*case)
    assert rendering.sections() == sections(*case)
    assert rendering.markdown() == markdown(*case)
    assert rendering.text() == text(*case)
    assert rendering.html() == html(*case)


@given(SOURCES)
def test_nothing_kept_gives_nothing(source):
    page = page_of(source)
    mask = [False] * len(page.blocks)
    assert (text(page, mask), html(page, mask), markdown(page, mask), sections(page, mask)) == (
        "",
        "",
        "",
        [],
    )


@pytest.mark.parametrize("function", [text, html, markdown, sections])
@pytest.mark.parametrize("size", [1, 3])
def test_a_mask_of_another_length_is_an_error(function, size):
    with pytest.raises(ValueError, match=f"a mask of {size} for a page of 2 blocks"):
        function(page_of("<p>a<p>b"), [True] * size)


@pytest.mark.parametrize(
    "tag", ["div", "blockquote", "b", "span", "ul><li", "table><tr><td", "dl><dd", "sup", "a href=x"]
)
def test_deep_nesting_is_no_trouble(tag):
    page = page_of("".join(f"<{tag}>word{number} " for number in range(2000)))
    mask = everything(page)
    words = kept_words(page, mask)
    assert len(words) > 500
    assert text(page, mask).split() == words
    assert html_words(html(page, mask)) == words
    assert markdown_words(markdown(page, mask)) == words
    assert len(markdown(page, mask)) < 60 * len(words)


@pytest.mark.parametrize("function", [text, html, markdown, sections])
@pytest.mark.parametrize(
    "source",
    [
        "<p>a",
        "<li>a</li>text",
        "<ul><ul><li>a</ul>",
        "<table><tr><td rowspan=9>a<td colspan=9>b",
        "<h6>a</h6>",
        "<a href=x>a</a><b>b</b>",
    ],
)
def test_large_pages_are_rendered(function, source):
    page = page_of("<ol>" + source * 4_000)
    assert function(page, everything(page))
