"""The demo site is whole: links, sitemap, page types, gold texts, and the same at each call."""

from __future__ import annotations

import re
from collections import Counter
from urllib.parse import urljoin, urlsplit

import lxml.etree
import lxml.html
import pytest

from demo.content import load
from demo.site import BASE, REDIRECTS, not_found, pages
from tests.demo.gold import gold, visible_text

DEAD_LINKS = {"/downloads/paper-weights-2019.html"}
PAGES, HTML, GOLD, TREES = {}, {}, {}, {}


@pytest.fixture(scope="module", autouse=True)
def made():
    """Makes the site where these tests run, not wherever they are collected."""
    PAGES.update(pages())
    HTML.update({path: page for path, page in PAGES.items() if page.is_html})
    GOLD.update({entry["id"]: entry for entry in gold()})
    TREES.update({path: lxml.html.document_fromstring(page.body.decode()) for path, page in HTML.items()})


def internal(path, values):
    """The paths of this site that the values, seen from a page, point to."""
    for value in values:
        url = urlsplit(urljoin(BASE + path, value))
        if url.scheme == "http" and url.netloc == urlsplit(BASE).netloc:
            yield url.path


def links(path):
    return set(internal(path, TREES[path].xpath("//a/@href | //link/@href | //@src | //form/@action")))


def sitemap():
    tree = lxml.etree.fromstring(PAGES["/sitemap.xml"].body)
    return [urlsplit(url).path for url in tree.xpath("//*[local-name()='loc']/text()")]


def words(text):
    return Counter(re.findall(r"\w+", text))


def test_size_and_types():
    groups = Counter(entry["group"] for entry in GOLD.values())
    assert len(HTML) >= 48
    assert set(groups) == {"home", "listing", "article", "product", "help", "company", "service"}
    assert groups["article"] >= 16
    assert groups["product"] >= 14
    assert groups["listing"] >= 10


def test_pages_are_the_same_at_each_call_and_differ_from_each_other():
    assert pages() == PAGES
    assert len({page.body for page in PAGES.values() if page.status == 200}) == sum(
        page.status == 200 for page in PAGES.values()
    )


def test_absolute_urls_follow_the_base():
    page = pages("http://demo.example")["/about/"].body.decode()
    assert '<link rel="canonical" href="http://demo.example/about/">' in page
    assert BASE not in page


def test_every_internal_link_is_served():
    served = PAGES.keys() | DEAD_LINKS
    assert {path: links(path) - served for path in HTML if links(path) - served} == {}


def test_exceptions_are_used():
    linked = set().union(*map(links, HTML))
    assert linked >= DEAD_LINKS
    assert linked >= REDIRECTS.keys()
    assert not DEAD_LINKS & PAGES.keys()
    assert all(PAGES[path].status == 301 for path in REDIRECTS)
    assert all(PAGES[target].status == 200 for target in REDIRECTS.values())


def test_home_leads_to_everything_but_one_orphan():
    seen, todo = {"/"}, ["/"]
    while todo:
        page = todo.pop()
        follow = {REDIRECTS.get(link, link) for link in internal(page, TREES[page].xpath("//a/@href"))}
        new = (follow & HTML.keys()) - seen
        seen |= new
        todo += new
    assert HTML.keys() - seen == {"/magazine/workshop-flood/"}
    assert "/magazine/workshop-flood/" in sitemap()


def test_sitemap_is_served_and_leaves_out_duplicates():
    listed = sitemap()
    assert len(listed) == len(set(listed)) >= 48
    assert set(listed) <= HTML.keys()
    assert not [path for path in listed if path.startswith(("/print/", "/cart/", "/search/"))]


def test_robots():
    robots = PAGES["/robots.txt"].body.decode()
    assert "Disallow: /cart/" in robots
    assert f"Sitemap: {BASE}/sitemap.xml" in robots


def test_print_version_has_the_text_of_its_article():
    prints = [path for path in GOLD if path.startswith("/print/")]
    assert prints
    for path in prints:
        original = path.removeprefix("/print")
        assert GOLD[path]["text"] == GOLD[original]["text"]
        assert TREES[path].xpath("//link[@rel='canonical']/@href") == [BASE + original]


def test_every_kind_of_link_occurs():
    assert any("?ref=" in href for href in TREES["/"].xpath("//a/@href"))
    assert TREES["/"].xpath("//a[contains(@rel, 'nofollow')]")
    linked = set().union(*map(links, HTML))
    assert "/downloads/imposition-sheet.pdf" in linked
    assert PAGES["/downloads/imposition-sheet.pdf"].content_type == "application/pdf"


def test_drawings_are_xml():
    for page in PAGES.values():
        if page.content_type == "image/svg+xml":
            assert lxml.etree.fromstring(page.body).tag == "{http://www.w3.org/2000/svg}svg"


def test_gold_is_of_every_page():
    assert GOLD.keys() == HTML.keys()
    assert len(GOLD) == len(gold())


def test_gold_text_is_on_its_page():
    for path in HTML:
        body = TREES[path].find("body")
        shown = " ".join(text for text in body.itertext() if text.strip())
        gold_words = words(GOLD[path]["text"])
        assert sum(gold_words.values()) >= 9, path
        assert gold_words <= words(shown), path


def test_gold_text_has_no_template():
    text = "\n".join(GOLD[path]["text"] for path in HTML)
    for phrase in (
        "Share this page",
        "Add to basket",
        "Page generated",
        "two cookies: one",
        "Customers also bought",
        "Related articles",
        "Browse by tag",
        "Read the article",
        "Older",
        "Subscribe",
        "Previous:",
        "Bindery supply and magazine",
    ):
        assert phrase not in text


def test_gold_of_an_article_and_a_product():
    article = GOLD["/magazine/coptic-binding/"]["text"].split("\n")
    assert article[:2] == ["A Coptic binding that lies flat", "By Tobias Wren, 27 May 2023"]
    assert "Each stitch hooks behind the one below it, so the rows grow into a chain." in article
    product = GOLD["/shop/tools/bone-folder/"]["text"].split("\n")
    assert product[:2] == ["Bone folder, 16 cm", "£8.50"]
    assert "Length 160 mm" in product


def test_articles_are_of_a_readers_length():
    for article in load().articles:
        count = len(visible_text(article.body).split())
        assert 120 <= count <= 500, article.slug
        assert len(re.findall("<p[ >]", article.body)) >= 3, article.slug


def test_text_of_keeps_the_lines_of_code_and_no_others():
    assert (
        visible_text("<p>one\ntwo</p><pre>a\nb</pre><td>c</td><td>d &amp; e</td>") == "one two\na\nb\nc d & e"
    )


def test_not_found():
    page = not_found()
    assert (page.status, page.is_html) == (404, True)
