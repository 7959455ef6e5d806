"""What is seen to be clean is what the cleaner changes nothing of."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from pagelets.compiled import why_plain
from pagelets.render.cleaning import CLEANER, cleaned, is_clean

WHY_PLAIN = why_plain("pagelets.render.native")
TAGS = "a b blockquote br caption code dd dl dt h2 img li ol p pre table tbody td tr ul div script".split()
VALUES = """
    mailto: mailto:/?a http://X.Org http://x.org:/ http://x.org:8080a
    https://x.org/ https://x.org:80 http://1.2.3.4 http://a.0x1/ http://xn--a.b/ //x.org javascript:x
    mailto:a@b.c mailto://[ http://a..b/ http://a_b http://é.org http://x.org\\y http://x.org?a&amp;b=%zz#[ HTTP://x.org
    &quot;'&lt; & > \0 \xa0 &nbsp; \ufeff
""".split()
TEXTS = [
    "word",
    "\n",
    " ",
    "&amp;&lt;&gt;",
    "&quot;",
    "\"'",
    ">",
    "&x;",
    "\r",
    "\0",
    "\xa0",
    "\x0c",
    "\ufeff",
    "<",
]
OPENINGS = st.sampled_from(TAGS).flatmap(
    lambda tag: st.tuples(
        st.just(tag),
        st.lists(
            st.builds(
                '{}="{}"'.format,
                st.sampled_from(["href", "src", "title", "alt", "class", "onclick"]),
                st.sampled_from(VALUES),
            ),
            max_size=2,
        ),
    )
)
PIECES = st.recursive(
    st.sampled_from(TEXTS) | st.text(max_size=3),
    lambda inner: st.builds(
        lambda opening, inside, ended: (
            f"<{' '.join([opening[0], *opening[1]])}>{''.join(inside)}"
            + (f"</{opening[0]}>" if ended and opening[0] not in ("br", "img") else "")
        ),
        OPENINGS,
        st.lists(inner, max_size=4),
        st.sampled_from([True] * 9 + [False]),
    ),
)


@settings(deadline=None)
@given(st.lists(PIECES, max_size=4).map("".join))
def test_what_needs_no_cleaning_is_what_the_cleaner_leaves(html: str) -> None:
    assert cleaned(html) == CLEANER.clean(html)


@pytest.mark.skipif(bool(WHY_PLAIN), reason=WHY_PLAIN)
def test_what_is_written_as_a_parser_reads_it_is_seen_to_be_clean() -> None:
    for html in (
        "",
        '<h1>A &amp; "b"</h1>\n<p><a href="https://x.org/a?b&amp;c#d" title="it\'s">x</a><br></p>\n',
        '<ul><li>a<ul><li><p>b</p>\n</li>\n</ul>\n</li>\n</ul>\n<img src="http://x.org/i j.png" alt="">',
        '<table><caption>c</caption>\n<tbody><tr><td colspan="2">x</td>\n</tr>\n</tbody></table>\n',
        '<pre><code class="language-c++">a\n\tb</code></pre>\n<a href="mailto:a@b.c">m</a>',
        '<p>&nbsp;<a href="mailto:?subject=x" title="&nbsp;">x</a><a href="http://X.Org:8080/">y</a></p>',
    ):
        assert is_clean(html), html
        assert CLEANER.clean(html) == html


@pytest.mark.parametrize(
    "html",
    [
        "text",
        "<p>a",
        "<p>a</b>",
        "</p>",
        "<p",
        "<p>a</p",
        "<P>a</P>",
        "<p >a</p>",
        "<p/>",
        "<p><p>a</p></p>",
        "<script>x</script>",
        "<!-- a -->",
        "<a href='https://x.org'>x</a>",
        '<a href="https://x.org" href="https://y.org">x</a>',
        '<a href="https://x.org" onclick="x">x</a>',
        '<a href="javascript:x">x</a>',
        '<a href="https://x.org/"title="y">x</a>',
        '<a href="https://x.org"><b><a href="https://x.org">x</a></b></a>',
        "<table><tr><td>a</td></tr></table>",
        "<table>text<tbody></tbody></table>",
        "<table> text<tbody></tbody></table>",
        "<pre>\nx</pre>",
        "<p>\xa0</p>",
        '<a href="mailto://a:b">x</a>',
        '<a href="http://x.org:80a">x</a>',
        "<p>&amp</p>",
        "<p>\r</p>",
        "<div>x</div>",
        "<p>" * 300 + "</p>" * 300,
        "<blockquote>" * 300 + "</blockquote>" * 300,
    ],
)
def test_what_is_written_otherwise_is_cleaned(html: str) -> None:
    assert not is_clean(html)
