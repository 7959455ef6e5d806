import pytest

from tests.pagelets.render.rendered import render, text


@pytest.mark.parametrize(
    ("source", "expected"),
    [
        ("<h1>Title</h1><p>One<p>two\n words<h2>Next</h2>Rest", "Title\n\nOne\n\ntwo words\n\nNext\n\nRest"),
        ("<p>a<br>b<br><br>c", "a\nb\nc"),
        ("<p>x<ul><li>a<li>b<ul><li>c</ul><li><div>d</div></ul><p>y", "x\n\na\nb\nc\nd\n\ny"),
        ("<ul><li>a</ul><ul><li>b</ul>", "a\n\nb"),
        ("<ul><li><p>a<li><p>b</ul>", "a\n\nb"),
        ("<ul><li><h3>a</h3>b<li>c</ul>", "a\n\nb\nc"),
        ("<ul>a<li>b</ul>", "a\nb"),
        ("<table><tr><td>a<td>b<tr><td>c</table>d", "a\nb\nc\n\nd"),
        ("<table><tr><td><p>a<p>b<ul><li>c</ul></table>", "a\n\nb\n\nc"),
        ("<table>a<tr>b<td>c</table>", "a\nb\nc"),
        ("<dl><dt>a<dd>b</dl>", "a\nb"),
        ("<pre>  a\n\n  b</pre>", "  a\n\n  b"),
        ("<pre><div>a</div><div> b</div></pre><pre>c</pre>", "a\n b\n\nc"),
        ("<h1><div>a</div><div>b</div></h1>", "a\nb"),
        ("<blockquote>a<div>b</div></blockquote>", "a\n\nb"),
        ("<p><img src=x alt=picture><p>a", "a"),
        ("<p style='display:none'><a href=x>hidden</a><p>What is shown.", "What is shown."),
    ],
)
def test_text(source, expected):
    assert render(text, source) == expected


def test_blocks_next_to_removed_ones():
    source = "<ul><li>a<p>b</p>c<li>d</ul><p>e"
    assert render(text, source, removed={"a", "b"}) == "c\nd\n\ne"
    assert render(text, source, removed={"c", "d"}) == "a\n\nb\n\ne"
