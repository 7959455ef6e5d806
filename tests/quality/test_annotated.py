"""The annotated sites are whole: their size, their links, and gold text that is on its page."""

from __future__ import annotations

import json
import re
from collections import Counter
from html.parser import HTMLParser

import lxml.html
import pytest
from warcio.archiveiterator import ArchiveIterator

from evaluation.scoring import words
from pagelets.reading import read
from tests.quality.annotated import MADE, SITES, annotate, visible, write
from tests.quality.prose import first_paragraph, headings, prose, slug, some

ALL = {**SITES, **MADE}
VOID = frozenset("br hr img input link meta base".split())
"""Elements without an end tag."""
OPTIONAL = frozenset("li p td th tr dt dd option".split())
"""Elements whose end tag may be left out."""


def pages_of(name):
    return ALL[name]()


def every_page(sites=ALL):
    return [page for name in sites for page in pages_of(name)]


def blocks(page):
    return read(page.html, page.url)


def test_there_are_enough_pages_of_enough_types():
    assert len(SITES) == 6
    assert len(every_page(SITES)) >= 54
    assert min(len(pages_of(name)) for name in SITES) >= 8
    groups = Counter(page.group for page in every_page(SITES))
    assert groups.keys() == {
        "article",
        "collection",
        "documentation",
        "forum",
        "listing",
        "product",
        "service",
    }
    assert min(groups.values()) >= 6


def test_every_url_is_unique():
    assert len({page.url for page in every_page()}) == len(every_page())


def test_pages_differ_and_are_the_same_at_each_call():
    assert len({page.html for page in every_page()}) == len(every_page())
    assert {name: make.__wrapped__() for name, make in ALL.items()} == {name: pages_of(name) for name in ALL}


@pytest.mark.parametrize("name", ALL)
def test_every_page_is_reached_from_the_first(name):
    links = {page.url: {link.url for link in blocks(page).links} for page in pages_of(name)}
    first = pages_of(name)[0].url
    seen, todo = {first}, [first]
    while todo:
        new = (links[todo.pop()] & links.keys()) - seen
        seen |= new
        todo += new
    assert links.keys() == seen


@pytest.mark.parametrize("name", ALL)
def test_gold_is_on_its_page_beside_boilerplate(name):
    for page in pages_of(name):
        gold, shown = words(page.text), words(visible(page.html))
        assert gold, page.url
        assert gold <= shown, page.url
        assert gold <= words("\n".join(block.text for block in blocks(page).blocks)), page.url
        assert shown.total() - gold.total() >= 25, page.url


@pytest.mark.parametrize("name", ALL)
def test_html_is_whole_and_tells_nothing_of_the_gold(name):
    parser = lxml.html.HTMLParser(encoding="utf-8")
    for page in pages_of(name):
        tree = lxml.html.document_fromstring(page.html.encode(), parser=parser)
        assert tree.find("body") is not None, page.url
        assert tree.findtext(".//title"), page.url
        assert not list(tree.iter(lxml.html.etree.Comment)), page.url
        assert "gold-->" not in page.html, page.url
        # What a slip in a template or a source would leave behind.
        assert not re.search(r"\{[\w.]*\}|\*\*|\]\(", visible(page.html)), page.url


@pytest.mark.parametrize("name", ALL)
def test_every_element_is_closed_in_its_turn(name):
    for page in pages_of(name):
        assert left_open(page) == [], page.url


def left_open(page):
    """The elements that are open at the end of a page; an end tag out of turn fails."""
    open_tags = []

    class Reader(HTMLParser):
        def handle_starttag(self, tag, attrs):
            if tag not in VOID:
                open_tags.append(tag)

        def handle_startendtag(self, tag, attrs):
            pass

        def handle_endtag(self, tag):
            while open_tags[-1] != tag and open_tags[-1] in OPTIONAL:
                open_tags.pop()
            assert open_tags.pop() == tag, (page.url, self.getpos())

    reader = Reader()
    reader.feed(page.html)
    reader.close()
    return open_tags


@pytest.mark.parametrize(
    ("name", "phrases"),
    {
        "brevonne": ["Imprimer", "Voir aussi", "À lire aussi", "Page suivante", "Vigilance orange", "A+"],
        "colmena": ["Registrado:", "Citar", "Temas similares", "Respuesta Rápida", "Treinta colmenas"],
        "ferrule": ["¶", "[source]", "Edit this page", "On this page", "Previous", "Last updated"],
        "slowspoke": ["Share this", "Related posts", "Leave a Reply", "Tagged", "Author:", "Recent Posts"],
        "tanalog": ["ログイン", "無料ではじめる", "ほかの導入事例", "クッキー", "詳しく見る"],
        "wittmoor": [
            "In den Warenkorb",
            "Kunden kauften auch",
            "Zuletzt angesehen",
            "Teebrief",
            "Filtern nach",
        ],
    }.items(),
)
def test_gold_has_no_boilerplate(name, phrases):
    text = "\n".join(page.text for page in pages_of(name))
    assert [phrase for phrase in phrases if phrase in text] == []


def test_gold_of_an_article_begins_with_its_title_and_date():
    page = next(page for page in every_page() if page.url.endswith("/the-tube-you-patch/"))
    lines = page.text.split("\n")
    assert lines[:2] == ["The tube you patch is the tube you trust", "Posted on 14 March 2023 by Nora Feld"]
    assert lines[2].startswith(
        "There is a small lie that most of us tell ourselves at the side of the road: that"
    )
    assert lines[2].endswith("pull out eleven tubes, every one of them with a hole.")


def test_gold_of_a_product_has_price_and_facts_without_reviews():
    page = next(page for page in every_page() if page.url.endswith("st-104.html"))
    lines = page.text.split("\n")
    assert lines[0] == "Assam Brahmaputra Blatt"
    assert {"7,90 €", "Lieferzeit: 2–3 Werktage", "Ziehzeit 3–4 Minuten"} <= set(lines)
    assert "Heike B., 03.02.2024" not in lines


def test_gold_of_a_topic_has_each_post_with_its_head():
    page = next(page for page in every_page() if page.url.endswith("t=1866"))
    assert page.text.count("Re: Miel de brezo que no sale del panal") == 3
    assert "por Marisa_Soria » 03 Abr 2024, 08:15" in page.text.split("\n")


def test_gold_keeps_the_lines_of_code():
    page = next(page for page in every_page() if page.url.endswith("/quickstart.html"))
    assert '[weir-north]\ndriver = "hydro9"\nport = "/dev/ttyUSB0"' in page.text


def test_sites_are_written_as_archives_with_gold(tmp_path):
    write(tmp_path / "sites")
    for name in SITES:
        pages = pages_of(name)
        with (tmp_path / "sites" / f"{name}.warc.gz").open("rb") as file:
            records = [
                (
                    record.rec_headers["WARC-Target-URI"],
                    record.http_headers["Content-Type"],
                    record.content_stream().read().decode(),
                )
                for record in ArchiveIterator(file)
                if record.rec_type == "response"
            ]
        assert records == [(page.url, "text/html; charset=utf-8", page.html) for page in pages]
        gold = (tmp_path / "sites" / f"{name}.gold.jsonl").read_text(encoding="utf-8")
        assert [json.loads(line) for line in gold.splitlines()] == [
            {"id": page.url, "text": page.text, "group": page.group, "cluster": name} for page in pages
        ]


def test_gold_is_read_from_marked_regions():
    page = annotate(
        "https://a.example/",
        "<body><ul><li>Menu</ul><!--gold--><h1>Title<!--/gold--><a>¶</a><!--gold--></h1>"
        "<p>one\ntwo <b>t</b>hree</p><pre>a\n b</pre><table><tr><td>c<td>d &amp; e</tr></table>"
        "<script>var x</script><!--/gold-->Footer</body>",
        "article",
    )
    assert page.text == "Title\none two three\na\nb\nc d & e"
    assert page.html.startswith("<body><ul><li>Menu</ul><h1>Title<a>¶</a></h1>")
    assert visible(page.html).startswith("Menu\nTitle¶\n")


@pytest.mark.parametrize(
    "marked", ["<!--gold-->a<!--gold-->b<!--/gold-->", "a<!--/gold-->", "<!--gold-->a", "<!--gold--><p>a</p>"]
)
def test_markers_come_in_pairs(marked):
    with pytest.raises(ValueError, match=r"gold|region"):
        annotate("https://a.example/", marked, "article")


def test_prose_of_paragraphs_and_lines():
    source = "One *two*\n**three** `a<b` [four](/x?a=1&b).\n\n## A head"
    assert prose(source) == (
        "<p>One <em>two</em> <strong>three</strong> <code>a&lt;b</code> "
        '<a href="/x?a=1&amp;b">four</a>.</p>\n<h2>A head</h2>'
    )
    assert prose("本を\n数える", {"p": "<div>{0}</div>"}, joint="") == "<div>本を数える</div>"
    assert first_paragraph(source) == "One two three a<b four."
    assert headings(source) == ["A head"]


@pytest.mark.parametrize(
    ("source", "html"),
    [
        ("- one\n  more\n- *two*", "<ul><li>one more</li>\n<li><em>two</em></li></ul>"),
        ("1. one\n2. two", "<ol><li>one</li>\n<li>two</li></ol>"),
        ("> said\n>\n> more", "<blockquote><p>said</p>\n<p>more</p></blockquote>"),
        ("```\na  b\n\n*c*\n```", "<pre><code>a  b\n\n*c*</code></pre>"),
        ("| a |\n| b |", "<table><tr><th>a</th></tr>\n<tr><td>b</td></tr></table>"),
        ("![A\ncap](/i.png)", '<figure><img src="/i.png" alt=""><figcaption>A cap</figcaption></figure>'),
    ],
)
def test_prose_of_a_block(source, html):
    assert prose(source) == html


def test_choices_depend_on_the_key_alone():
    items = list(range(20))
    assert some(items, 3, "a") == some(items, 3, "a")
    assert len({tuple(some(items, 3, key)) for key in "abcdef"}) > 1
    assert sorted(some(items, 30, "a")) == items
    assert slug("Déjà vu: Teil 2") == "deja-vu-teil-2"
