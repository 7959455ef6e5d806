import pytest

from tests.pagelets.render.rendered import READER, markdown, markdown_words, render


@pytest.mark.parametrize(
    ("source", "expected"),
    [
        ("<h1>A</h1><p>b\nc<h3>D<div>e</div></h3>", "# A\n\nb c\n\n### D e"),
        ("<p>a<br>b<br><br>c", "a\\\nb\n\nc"),
        ("<h2>a<br>b #</h2>", "## a b \\#"),
        ("<ul><li>a<li>b<ul><li>c<li>d</ul><li>e</ul>", "- a\n- b\n  - c\n  - d\n- e"),
        ("<ol start=9><li>a<li>b<p>c</ol>d", "9. a\n10. b\n\n    c\n\nd"),
        ("<ol><li>a<ol start=3><li>b</ol></ol>", "1. a\n\n   3. b"),
        ("<ol><li>a<ol><li>b</ol><li>c</ol>", "1. a\n   1. b\n2. c"),
        ("<ol><li>a<li value=7>b</ol>", "1. a\n\n7) b"),
        ("<ol start=-5><li>a</ol>", "1. a"),
        ("<ol reversed><li>a<li>b<li value=9>c<li>d</ol>", "4. a\n\n3) b\n\n9. c\n\n8) d"),
        ("<ol reversed start=3><li>a</ol>", "3. a"),
        ("<ul><li>a</ul><ul><li>b</ul><ol><li>c</ol>", "- a\n\n* b\n\n1. c"),
        ("<ul><li><ul><li>a</ul></ul>", "- - a"),
        ("<ul><li>a</li><ul><li>b</ul></ul>", "- a\n  - b"),
        ("<blockquote>a<blockquote><p>b</blockquote>c</blockquote>", "> a\n>\n> > b\n>\n> c"),
        ("<blockquote>a</blockquote><blockquote>b</blockquote>", "> a\n\n> b"),
        ("<ul><li><blockquote>a</blockquote>b</ul>", "- > a\n\n  b"),
        ("<pre>a\n\n  *b*</pre>", "```\na\n\n  *b*\n```"),
        ("<pre><code class=language-py>````</code></pre>", "`````py\n````\n`````"),
        ("<ul><li>a<pre>b\n\nc</pre></ul>", "- a\n\n  ```\n  b\n\n  c\n  ```"),
        ("<blockquote><pre>b\n\nc</pre></blockquote>", "> ```\n> b\n>\n> c\n> ```"),
        ("<dl><dt>a<dd>b</dl>", "**a**\n\nb"),
        ("<details><summary>a</summary>b</details>", "**a**\n\nb"),
        (
            "<figure><img src=/i.png alt=A><figcaption>b</figcaption></figure>",
            "![A](http://example.org/i.png)\n\nb",
        ),
    ],
)
def test_blocks(source, expected):
    assert render(markdown, source) == expected


@pytest.mark.parametrize(
    ("source", "expected"),
    [
        ("<b>a</b> <i>b</i> <b><i>c</i></b> <s>d</s>", "**a** *b* ***c*** ~~d~~"),
        ("a<b> b </b>c", "a **b** c"),
        ("a<b>b</b>c", "a**b**c"),
        ("a<b>(b)</b>c", "a(b)c"),
        ("<i>a</i><b>b</b>", "*a*b"),
        ("<b>a</b><b>b</b>", "**ab**"),
        ("<b>a<br>b</b>", "**a**\\\n**b**"),
        ("x<sup>2</sup>", "x2"),
        ("<code>a</code> <kbd>`b</kbd> <code>a ``c</code>", "`a` `` `b `` `a ``c`"),
        ("<code>a<b>b</b></code><code>*c*</code>", "`ab*c*`"),
        ("<a href=/x>a <b>b</b></a>", "[a **b**](http://example.org/x)"),
        ("<b><a href=/x>a</a> b</b>", "[**a**](http://example.org/x) **b**"),
        ("<code><a href=/x>a</a></code>", "[`a`](http://example.org/x)"),
        ("<code><a href=/x>a]:b</a></code>", "[a\\]:b](http://example.org/x)"),
        ("a!<a href=/x>b</a>", "a\\![b](http://example.org/x)"),
        ("<a href='/x (y) `z|&amp;copy;a'>b</a>", "[b](http://example.org/x%20%28y%29%20%60z|&amp;copy;a)"),
        ("<a href=javascript:x>b</a>", "b"),
        ("<a href=/x><img src=/i alt='a]b'></a>", "[![a\\]b](http://example.org/i)](http://example.org/x)"),
        ("a <img src=data:x alt=b> c", "a c"),
    ],
)
def test_inline(source, expected):
    assert render(markdown, f"<p>{source}") == expected


@pytest.mark.parametrize(
    "line",
    [
        *[
            "# a",
            "#",
            "- a",
            "-",
            "+ a",
            "* a",
            "1. a",
            "1) a",
            "> a",
            "---",
            "***",
            "___",
            "===",
            "~~~",
            "```",
        ],
        *[
            "| a |",
            "|-|",
            ":-",
            "[a]: b",
            "[a](b)",
            "![a](b)",
            "<b>a</b>",
            "<!-- a",
            "<http://a.b>",
            "&copy;",
            "&#35;",
        ],
        *[
            "*a*",
            "**a**",
            "_a_",
            "__a__",
            "a_b_c",
            "`a`",
            "~~a~~",
            "~a~",
            "\\a",
            "\\*a",
            "a\\",
            "[ ] a",
            "[^1]: a",
        ],
    ],
)
def test_text_is_never_markup(line):
    shown = line.replace("&", "&amp;").replace("<", "&lt;")
    rendered = render(markdown, f"<p>{shown}<br>{shown}")
    html = READER.render(rendered)
    escaped = line.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;")
    assert html == f"<p>{escaped}<br />\n{escaped}</p>\n"


def test_words_with_underscores_and_home_pages_are_left_alone():
    plain = "http://a.org/~user/some_file_name AT&T R&D"
    assert render(markdown, f"<p>{plain}") == plain


def test_tables():
    source = """<table><caption>c</caption><tr><th>a|<th>b</tr>
        <tr><td rowspan=2>d<br>e<td><b>f</b><tr><td><code>g|h</code><tr><td colspan=2><p>i<p>j</table>"""
    assert render(markdown, source) == (
        "c\n\n| a\\| | b |\n| --- | --- |\n| d e | **f** |\n|  | `g\\|h` |\n| i j |"
    )


def test_a_table_without_a_heading_row_gets_an_empty_one():
    rendered = render(markdown, "<ul><li><table><tr><th>a<td>b<tr><th>c<td>d</table></ul>")
    assert rendered == "- |  |  |\n  | --- | --- |\n  | a | b |\n  | c | d |"
    assert markdown_words(rendered) == ["a", "b", "c", "d"]
    assert "<table>" in READER.render(rendered)


def test_cells_stay_in_their_columns_when_others_are_removed():
    source = "<table><tr><td>a<td>b<tr><td>c<td>d<tr><td>e<td>f</table>"
    assert render(markdown, source, removed={"a", "c", "d"}) == "|  |  |\n| --- | --- |\n|  | b |\n| e | f |"


@pytest.mark.parametrize(
    "source",
    [
        "<table><tr><td>a<td>b</table>",
        "<table><tr><td>a<tr><td>b</table>",
        "<table><tr><td><div>a</div><td><h2 hidden></h2><tr><td>b<table></table></table>",
        "<table>a<tr><td colspan=1000>b</table>",
    ],
)
def test_tables_of_no_data_are_paragraphs(source):
    assert render(markdown, source) == "a\n\nb"


def test_layout_tables_keep_what_is_in_them():
    data = "<table><tr><th>d<th>e<tr><td>f<td>g</table>"
    source = f"<table><tr><td>a<td><h2>b</h2><ul><li>c</ul><tr><td>{data}</table>"
    expected = "a\n\n## b\n\n- c\n\n| d | e |\n| --- | --- |\n| f | g |"
    assert render(markdown, source) == expected


def test_removed_items_count():
    source = "<ol><li>a<li>b<p>c</p><li>d<li>e</ol>"
    assert render(markdown, source, removed={"a", "b", "d"}) == "2. c\n\n4) e"


def test_deep_lists_stay_readable():
    rendered = render(markdown, "<ul><li>x" * 30)
    assert markdown_words(rendered) == ["x"] * 30
    assert "    " * 5 not in rendered
