import pytest

from pagelets.render.inline import language
from tests.pagelets.render.rendered import html, page_of, render


def compact(source, removed=()):
    return render(html, source, removed).replace("\n", "")


@pytest.mark.parametrize(
    ("source", "expected"),
    [
        ("<h2 id=x class=y>A</h2><div>b<span> c</span></div>", "<h2>A</h2><p>b c</p>"),
        ("<section><p>a</p></section><main>b</main>", "<p>a</p><p>b</p>"),
        ("<p>a<br>b<br><br><br>c<br></p>", "<p>a<br>b<br><br>c</p>"),
        ("<ul><li>a<ul><li>b</ul>c<li><p>d</ul>", "<ul><li>a<ul><li>b</li></ul>c</li><li><p>d</p></li></ul>"),
        ("<ul><li><div>a</div><div>b</div></ul>", "<ul><li><p>a</p><p>b</p></li></ul>"),
        ("<ul>a<li>b</ul>", "<ul><li>a</li><li>b</li></ul>"),
        ("<ul><li>a</li><ul><li>b</ul></ul>", "<ul><li>a<ul><li>b</li></ul></li></ul>"),
        ("<li>a</li>", "<p>a</p>"),
        ("<ol start=4><li>a<li>b</ol>", '<ol start="4"><li>a</li><li>b</li></ol>'),
        (
            "<ol type=a start=3><li>a</ol><ol type=1><li>b</ol>",
            '<ol start="3" type="a"><li>a</li></ol><ol><li>b</li></ol>',
        ),
        ("<blockquote><p>a</p>b</blockquote>", "<blockquote><p>a</p><p>b</p></blockquote>"),
        ("<dl><dt>a<dd>b</dl>", "<dl><dt>a</dt><dd>b</dd></dl>"),
        ("<dl><dt>a<dt>b<dd>c<dd>d</dl>", "<dl><dt>a</dt><dt>b</dt><dd>c</dd><dd>d</dd></dl>"),
        (
            "<details open><summary>a</summary>b</details>",
            "<details><summary>a</summary><p>b</p></details>",
        ),
        (
            "<figure><img src=i.png><figcaption>a</figcaption></figure>",
            '<figure><img src="http://example.org/folder/i.png"><figcaption>a</figcaption></figure>',
        ),
        ("<h1>a<div>b</div></h1>", "<h1>a<br>b</h1>"),
        ("<div role=heading aria-level=3>a<div>b</div></div>", "<h3>a<br>b</h3>"),
        ("<div role=heading>a</div><p role=heading aria-level=9>b", "<p>a</p><p>b</p>"),
        (f"<p role=heading aria-level=2>{'a ' * 200}", f"<p>{' '.join('a' * 200)}</p>"),
        (
            "<p>10<sup>6</sup> 2<sup><b>-n</b></sup> 1<sup>st</sup>",
            "<p>10<sup>6</sup> 2<sup><b>⁻ⁿ</b></sup> 1<sup>st</sup></p>",
        ),
        ("<p>a <q>b</q> <q>“c”</q> “<q>d</q>”", '<p>a "b" “c” “d”</p>'),
        (
            "<amp-img src=/i.png alt=a><noscript><img src=/i.png></noscript></amp-img>",
            '<p><img src="http://example.org/i.png" alt="a"></p>',
        ),
        ('<p>&lt;b&gt; &amp;lt; "q"', '<p>&lt;b&gt; &amp;lt; "q"</p>'),
    ],
)
def test_structure(source, expected):
    assert compact(source) == expected


@pytest.mark.parametrize("tag", "strong em b i u s sub sup code kbd mark cite abbr time del ins".split())
def test_inline_markup_stays(tag):
    assert compact(f"<p>a <{tag}>b</{tag}> c") == f"<p>a <{tag}>b</{tag}> c</p>"


@pytest.mark.parametrize(
    ("source", "expected"),
    [
        ("a<b>b <i>c</i></b>", "a<b>b <i>c</i></b>"),
        ("<b> a </b>b", "<b>a</b> b"),
        ("<b>a</b><b>b</b>", "<b>a</b><b>b</b>"),
        ("<tt>a</tt><strike>b</strike>", "<code>a</code><s>b</s>"),
        ("<abbr title='A\"'>a</abbr>", '<abbr title="A&quot;">a</abbr>'),
        ("<time datetime=2020>a</time>", '<time datetime="2020">a</time>'),
        ("<font color=red>a</font><blink>b</blink>", "ab"),
        ("<b></b>a<a href=x></a>", "a"),
    ],
)
def test_inline_nesting_and_attributes(source, expected):
    assert compact(f"<p>{source}") == f"<p>{expected}</p>"


@pytest.mark.parametrize(
    ("attributes", "expected"),
    [
        ("href=x", 'href="http://example.org/folder/x"'),
        ("href='#part'", 'href="http://example.org/folder/page#part"'),
        ("href=//o.org/ target=_blank onclick=x", 'href="http://o.org/"'),
        ("href=mailto:a@b.org", 'href="mailto:a@b.org"'),
        (
            "href=/ rel='nofollow noopener UGC' title=t",
            'href="http://example.org/" title="t" rel="nofollow ugc"',
        ),
    ],
)
def test_links(attributes, expected):
    assert compact(f"<p><a {attributes}>a</a>") == f"<p><a {expected}>a</a></p>"


@pytest.mark.parametrize(
    "href", ["javascript:alert(1)", " JAVA\nSCRIPT:x", "data:text/html,x", "http://[x", "tel:1"]
)
def test_addresses_that_are_no_page_make_no_link(href):
    assert compact(f'<p><a href="{href}">a</a>') == "<p>a</p>"


def test_the_base_of_the_page_counts():
    rendered = compact("<head><base href=/other/></head><p><a href=x>a</a><img src=y>")
    assert (
        rendered == '<p><a href="http://example.org/other/x">a</a><img src="http://example.org/other/y"></p>'
    )


def test_a_link_around_blocks_is_one_in_each():
    link = '<a href="http://example.org/folder/x">'
    assert (
        compact("<a href=x><h2>a</h2><div>b</div></a>c") == f"<h2>{link}a</a></h2><p>{link}b</a></p><p>c</p>"
    )


@pytest.mark.parametrize(
    ("attributes", "expected"),
    [
        (
            "src=x alt='\"b' title=t width=9 height=7px",
            'src="{}x" alt="&quot;b" title="t" width="9" height="7"',
        ),
        ("src=x alt='' width=-1 srcset=y onerror=z", 'src="{}x" alt=""'),
        ("src='data:image/gif;base64,x' data-src=real.png", 'src="{}real.png"'),
        ("data-src=real.png alt=a", 'src="{}real.png" alt="a"'),
        ("src=blank.gif data-lazy-src=real.png", 'src="{}real.png"'),
        ("src=real.png data-src=real_{width}.png data-original=false", 'src="{}real.png"'),
        ("src='data:x' srcset='a,b.png 1w, real.png 300.5w,c.png 2w'", 'src="{}real.png"'),
        ("src=blank.gif data-srcset='a.png, real.png 2x'", 'src="{}real.png"'),
        ("data-lazy=real.png srcset='data:x 2x, small.png 1x'", 'src="{}real.png"'),
    ],
)
def test_pictures(attributes, expected):
    expected = expected.format("http://example.org/folder/")
    assert compact(f"<p><img {attributes}>") == f"<p><img {expected}></p>"


@pytest.mark.parametrize("end", ["", "/"])
def test_a_picture_has_the_address_of_the_source_before_it(end):
    sources = f"<source srcset='a.webp 1x' {end}><source srcset='b.jpg 1x, c.jpg 2x' {end}>"
    expected = '<p><img src="http://example.org/folder/{}" alt="d"></p>'
    for attributes, name in (("", "c.jpg"), (" src='data:x'", "c.jpg"), (" src=e.png", "e.png")):
        source = f"<picture>{sources}<img{attributes} alt=d></picture>"
        assert compact(source) == expected.format(name)


def test_a_picture_without_an_address_is_none():
    assert compact("<p><img src='data:x' alt=a>b<p><img src='javascript:x'>") == "<p>b</p>"


def test_preformatted_text_keeps_its_white_space():
    source = "<pre><code class='x language-c++'>  a\n\n\tb &lt; <b>c</b>\n</code></pre>"
    expected = '<pre><code class="language-c++">  a\n\n\tb &lt; <b>c</b>\n</code></pre>'
    assert render(html, source) == expected
    assert render(html, "<pre><div>a</div><div> b</div></pre>") == "<pre>a\n b</pre>"


def test_tables():
    source = """<table><caption>c</caption><thead><tr><th>a<th>b</thead>
        <tbody><tr><td rowspan=2>d<td>e<tr><td>f<tr><td colspan=2>g</tbody></table>"""
    assert compact(source) == (
        "<table><caption>c</caption><thead><tr><th>a</th><th>b</th></tr></thead>"
        '<tbody><tr><td rowspan="2">d</td><td>e</td></tr><tr><td>f</td></tr>'
        '<tr><td colspan="2">g</td></tr></tbody></table>'
    )


def test_cells_stay_in_their_columns_when_others_are_removed():
    source = "<table><tr><td>a<td>b<td>c<tr><td rowspan=3>d<td>e<td>f<tr><td>g<td>h<tr><td>i<td>j</table>"
    assert compact(source, removed={"a", "b", "e", "g", "h"}) == (
        '<table><tbody><tr><td colspan="2"></td><td>c</td></tr>'
        '<tr><td rowspan="2">d</td><td></td><td>f</td></tr><tr><td>i</td><td>j</td></tr></tbody></table>'
    )
    assert compact(source, removed={"a", "c", "d", "e", "f", "g"}) == (
        '<table><tbody><tr><td></td><td>b</td></tr><tr><td colspan="2"></td><td>h</td></tr>'
        "<tr><td></td><td>i</td><td>j</td></tr></tbody></table>"
    )


def test_a_table_left_with_one_cell_is_layout():
    source = "<table><tr><td>menu<td><p>a<p>b<ul><li>c</ul></table>"
    assert compact(source, removed={"menu"}) == "<p>a</p><p>b</p><ul><li>c</li></ul>"


def test_text_outside_of_cells_stays_in_its_place():
    assert compact("<table>a<tr>b<td>c</table>") == (
        "<table><tbody><tr><td>a</td></tr><tr><td>b</td><td>c</td></tr></tbody></table>"
    )


def test_removed_items_count():
    source = "<ol><li>a<li>b<li>c<li>d</ol><ul><li>e<p>f</p>g</ul>"
    assert compact(source, removed={"a", "c", "e", "f"}) == (
        '<ol><li value="2">b</li><li value="4">d</li></ol><ul><li>g</li></ul>'
    )


@pytest.mark.parametrize(
    ("source", "expected"),
    [
        ("<pre class=language-js>", "js"),
        ("<pre><code class='hljs lang-py'>", "py"),
        ("<div class='highlight-python3 notranslate'><div class=highlight><pre>", "python3"),
        ("<div class='highlight highlight-source-shell'><pre>", "shell"),
        ("<div class=mw-highlight-lang-c#><pre>", "c#"),
        ("<div class='highlight-default'><pre class=language-none>", ""),
        ("<div class=lang-en><pre>", ""),
        ("<pre class='language-a`b'>", ""),
        ("<pre data-language=sh>", "sh"),
        ("<pre><code class=hljs data-lang=toml>", "toml"),
        ("<pre data-lang='a`b' lang=en>", ""),
        ("<pre lang=python>", "python"),
        ("<pre class='wp-block brush: php; title: ; notranslate'>", "php"),
        ("<pre class='line-numbers lang:default decode:true'>", ""),
        ("<pre class='src src-sh'>", "sh"),
        ("<div class='highlight hl-ipython3'><pre>", "ipython3"),
        ("<div class='highlight highlight-text-html'><pre>", "html"),
        ("<div class='c source-c'><pre class=de1>", "c"),
        ("<figure class='highlight js'><table><tr><td class=code><pre>", "js"),
        ("<pre class='sourceCode haskell'><code>", "haskell"),
        ("<pre><pre class=playground><code class=language-rust>", "rust"),
        ("<div class='box go'><pre class='code literal-block'>", ""),
        ("<pre>", ""),
    ],
)
def test_the_language_of_code(source, expected):
    tree = page_of(f"{source}x").tree
    assert language(tree, tree.of_tag("pre")[0]) == expected
