"""Values of fields on one page: sources, types, bounds, and what is wrong with a description."""

from __future__ import annotations

import pickle
from datetime import date
from time import process_time

import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from parsel import Selector

from pagelets.page import Extracted
from pagelets.page_bytes import from_bytes, to_bytes
from pagelets.reading import flatten, parse, read
from pagelets.reading.elements import UNREAD_TAGS
from pagelets.reading.fields import NO_FIELDS, Extraction, WrongField, extraction_of
from pagelets.reading.fields.css import finding
from pagelets.reading.fields.nodes import Nodes
from pagelets.reading.fields.values import number_of

URL = "https://example.org/shop/bowl"
PAGE = """<!doctype html><html lang=de><head><base href="/img/">
<meta property="og:site_name" content="Quire"><meta name=Author content="Ada &amp;amp; Bo">
<script type="application/ld+json">{"@graph": [
  {"@type": "Product", "name": "Bowl", "author": [{"name": "A"}, {"@id": "#b"}],
   "description": "Caf&eacute; &#38; more, a &copy b", "image": "/i?a=1&#038;copy=2", "text": "<b>&lt;",
   "offers": {"price": "1.234", "availability": "https://schema.org/InStock"}},
  {"@type": "Person", "@id": "#b", "name": "B"}]}</script></head><body>
<div itemscope><meta itemprop=sku content="S-1">
<div itemprop="offers x" itemscope><b itemprop=price>13,50</b></div></div>
<p class="price old"> <i>ab</i> 1.234,50 €</p><p class=price>7,00 €</p>
<a rel=tag href=a.html>A</a> <a rel=tag href="javascript:x">B</a> <img src=p.png>
<time class=deadline datetime="2031-05-01T10:00:00+02:00">1. Mai 2031</time>
<time class=shown>&lrm;Bis 1. Mai 2031&lrm;</time><h4>Size<a>&#8203;</a></h4>
<div class=d onclick=x>Some <b>bold</b><script>x</script><ul><li>one<li><a href=x>two</a></ul></div>
<input type=checkbox checked><span class=stock>Out of stock</span></body></html>"""


def values(given: dict, page: str = PAGE, url: str = URL) -> Extracted:
    return read(page, url, extraction=Extraction(given)).extracted


@pytest.mark.parametrize(
    ("given", "value"),
    [
        (".price::text", "1.234,50 €"),
        ({"css": ".price::text", "type": "number"}, 1234.5),
        ({"css": ".price", "type": "number", "many": True}, [1234.5, 7.0]),
        ({"css": ".old + p", "type": "number"}, 7.0),
        ({"css": ".price", "regex": r"(\d+),(?:\d+)"}, "234"),
        ("[itemprop=sku]::attr(content)", "S-1"),
        ("title", None),
        ({"css": "title", "many": True}, []),
        ({"css": "title", "default": "none"}, "none"),
        ({"css": "a[rel=tag]::text", "many": True}, ["A", "B"]),
        ({"css": "a[rel=tag]", "type": "url", "many": True}, ["https://example.org/img/a.html"]),
        ({"css": "img", "type": "url"}, "https://example.org/img/p.png"),
        ({"xpath": "//img/@src", "type": "url"}, "https://example.org/img/p.png"),
        ({"xpath": "count(//time)", "type": "number"}, 2),
        ({"xpath": "count(//time)"}, "2"),
        ({"xpath": "count(//nothing)", "type": "boolean"}, False),
        ({"xpath": "count(//time) div 4"}, "0.5"),
        ({"xpath": "number(//title)", "default": "none"}, "none"),
        ({"xpath": "//p[@class='price']/text()"}, "7,00 €"),
        ({"xpath": "//p[not(@id) and (.!='re:test($x)')]/descendant::text()[normalize-space()]"}, "ab"),
        ({"json_ld": "author.name"}, "A"),
        ({"json_ld": "author.name", "many": True}, ["A", "B"]),
        ({"json_ld": "author", "many": True}, ["A", "B"]),
        ({"json_ld": "author[0].name"}, "A"),
        ({"json_ld": "[?\"@type\"=='Person'].name | [0]"}, "B"),
        ({"json_ld": "offers.price", "type": "number"}, 1.234),
        ({"json_ld": "offers.availability", "type": "boolean"}, True),
        ({"json_ld": "@type", "many": True}, ["Product", "Person"]),
        ({"json_ld": "description"}, "Café & more, a &copy b"),
        ({"json_ld": "image", "type": "url"}, "https://example.org/i?a=1&copy=2"),
        ({"json_ld": "text"}, "<b>&lt;"),
        ({"json_ld": "length(offers.price)", "type": "number"}, 5),
        ({"json_ld": "abs(name)"}, None),
        ({"meta": "og:site_name"}, "Quire"),
        ({"meta": "AUTHOR"}, "Ada & Bo"),
        ({"microdata": "sku"}, "S-1"),
        ({"microdata": "offers.price", "type": "number"}, 13.5),
        ({"css": "time.deadline", "type": "date"}, "2031-05-01T10:00:00+02:00"),
        ({"css": "time.shown", "type": "date"}, "2031-05-01"),
        ({"css": ".price", "type": "date"}, None),
        ({"css": "h4", "many": True}, ["Size"]),
        ({"css": "h4 a", "many": True}, []),
        ({"css": "input::attr(checked)", "type": "boolean"}, True),
        ({"css": ".stock", "type": "boolean"}, False),
        ({"css": ".gone", "type": "boolean", "default": False}, False),
        ({"css": ".gone", "type": "date", "default": date(2031, 5, 1)}, "2031-05-01"),
        (
            {"css": ".d", "type": "html"},
            "<p>Some <b>bold</b></p>\n<ul><li>one</li>\n"
            '<li><a href="https://example.org/img/x">two</a></li>\n</ul>',
        ),
        (".d", "Some bold one two"),
    ],
)
def test_values_are_found_and_made(given: object, value: object) -> None:
    found = values({"field": given})
    assert found.values == {"field": value}
    assert found.flags == ()


@pytest.mark.parametrize(
    ("text", "language", "number"),
    [
        ("1.234,50 €", "", 1234.5),
        ("$1,234.50", "", 1234.5),
        ("1 234,50", "", 1234.5),
        ("1\u00a0234\u202f567,5 kr", "", 1234567.5),
        ("1'234.5", "", 1234.5),
        ("1’234.–", "", 1234),
        ("٣٤", "", 34),
        ("٣٬٤٥٦٫٧٨", "", 3456.78),
        ("１２３円", "ja", 123),
        ("12,-", "", 12),
        ("-$5", "", -5),
        ("−12 °C", "", -12),
        ("EUR12", "", 12),
        ("Rs.500", "", 500),
        ("₹1,23,456.78", "en-IN", 123456.78),
        ("1.234", "de", 1234),
        ("1.234", "en", 1.234),
        ("1.234", "", 1.234),
        ("1.234 €", "", 1234),
        ("1,659 €", "de-AT", 1.659),
        ("1,234", "", 1234),
        ("0,125", "", 0.125),
        ("1.234.567", "", 1234567),
        ("10–20 €", "", 10),
        ("A4, 12 €", "", 12),
        ("v2.3.1", "", 2.3),
        ("1 299€95", "fr", 1299.95),
        ("12€ 99", "fr", 12),
        (".99", "", 0.99),
        ("from 20 %", "", 20),
        ("4½ stars", "", 4.5),
        ("1.234 ¼", "de", 1234.25),
        ("about ½", "", 0.5),
        ("-3¾", "", -3.75),
        ("120 m²", "", 120),
        ("19⁹⁹ €", "", 19),
        ("250¹", "", 250),
        ("1e5", "", 100000.0),
        ("none", "", None),
        ("", "", None),
        ("9" * 50, "", None),
    ],
)
def test_numbers_are_read_in_any_form(text: str, language: str, number: float | None) -> None:
    found = number_of(text, language)
    assert found == number
    assert type(found) is type(number)


@given(
    number=st.integers(-(10**12), 10**12),
    decimals=st.integers(1, 99),
    marks=st.sampled_from([(",", "."), (".", ","), (" ", ","), ("'", "."), ("\u00a0", ","), ("’", ".")]),
    currency=st.sampled_from(["", " €", " EUR", " zł"]),
)
def test_a_number_with_decimals_is_itself_in_each_locale(number, decimals, marks, currency):
    grouped = f"{abs(number):,}".replace(",", marks[0])
    text = f"{'-' * (number < 0)}{grouped}{marks[1]}{decimals:02}{currency}"
    assert number_of(text) == pytest.approx(float(f"{'-' * (number < 0)}{abs(number)}.{decimals:02}"))


def test_a_missing_required_field_and_unread_json_ld_are_flags() -> None:
    given = {"must": {"css": ".none", "required": True}, "name": {"json_ld": "name"}}
    broken = '<script type="application/ld+json">{"name": </script>'
    assert values(given, broken).flags == ("json_ld_unread", "missing_field")
    long = f'<script type="application/ld+json">{{"name": "{"x" * 5_000_000}"}}</script>'
    assert values({"name": {"json_ld": "name"}}, long) == Extracted({"name": None}, (), ("json_ld_unread",))
    assert values({"text": "p"}, broken).flags == ()


def test_values_are_bounded_in_number_and_length() -> None:
    html = "<p>x</p>" * 500 + f"<div>{'y' * 20_000}"
    found = values({"all": {"css": "p", "many": True}, "one": "div"}, html)
    assert (len(found.values["all"]), len(found.values["one"]), found.flags) == (100, 10_000, ("fields_cut",))


def test_a_regex_that_tries_ways_without_end_is_ended_and_takes_no_other_field() -> None:
    html = f"<p>{'x' * 5_000}</p>" * 3 + "<b>12 mm</b>"
    given = {"endless": {"css": "p", "regex": "(?:x+x+)+y"}, "size": {"css": "b", "regex": r"(\d+) mm"}}
    started = process_time()
    found = values(given, html)
    assert process_time() - started < 3
    assert (found.values, found.flags) == ({"endless": None, "size": "12"}, ("fields_cut",))
    assert values({"label": {"css": "p", "regex": r"(?:\w+\s?)+:"}}, f"<p>{'x' * 30}</p>").flags == ()


def test_other_pages_have_other_fields_and_the_highest_priority_counts() -> None:
    extraction = Extraction(
        {
            "a": ".all::text",
            "pages": [
                {"match": "/jobs/", "a": ".job::text", "closes": {"css": "time", "type": "date"}},
                {"match": {"type": "ends", "pattern": ".html", "priority": 2}, "a": ".html::text"},
            ],
        },
        [{"type": "begins", "pattern": "/x/", "extract": {"b": ".b::text"}}],
    )
    names = ("all", "job", "html", "b")
    page = "".join(f"<p class={name}>{name}</p>" for name in names) + "<time>2031-05-01</time>"

    def on(path: str) -> dict:
        return dict(read(page, f"https://example.org{path}", extraction=extraction).extracted.values)

    assert on("/") == {"a": "all", "closes": None, "b": None}
    assert on("/jobs/1") == {"a": "job", "closes": "2031-05-01", "b": None}
    assert on("/jobs/1.html") == {"a": "html", "closes": "2031-05-01", "b": None}
    assert on("/x/") == {"a": "all", "closes": None, "b": "b"}
    assert [one.column.type for one in extraction.fields.values()] == ["text", "date", "text"]


@pytest.mark.parametrize(
    ("given", "said"),
    [
        ({"a": "p::txt"}, "extract.a: css 'p::txt' is no CSS selector: ::txt is unknown"),
        ({"a": "p["}, "is no CSS selector"),
        ({"a": {"xpath": "//p["}}, "is no XPath 1.0"),
        ({"a": {"xpath": "re:test(//p, 'x')"}}, "is no XPath 1.0"),
        ({"a": {"xpath": "//p[count(//p) > 1]"}}, "begin it with ./"),
        ({"a": {"xpath": "//p/preceding::a"}}, "preceding:: and following::"),
        ({"a": {"xpath": "//p[re:test(., 'x(')]"}}, "re:test() does not exist in XPath 1.0"),
        ({"a": {"xpath": "//p[contains(., $x)]"}}, "paths have no variables"),
        ({"a": {"json_ld": "a.["}}, "is no JMESPath expression"),
        ({"a": {"microdata": "a b"}}, "cannot name a property"),
        ({"a": {"meta": " "}}, "meta is empty"),
        ({"a": {"css": "p", "regex": "("}}, "regex '(' is wrong"),
        ({"a": {"css": "p", "regex": "(a)(b)"}}, "one group at most"),
        ({"a": {"css": "p", "type": "nmber"}}, "did you mean 'number'?"),
        ({"a": {"css": "p", "type": "number", "default": "5"}}, "default '5' is no number"),
        ({"a": {"css": "p", "type": "date", "default": "1.5.2031"}}, "is no date"),
        ({"a": {"css": "p", "many": 1}}, "many 1: write true or false"),
        ({"a": {"css": "p", "xpath": "//p"}}, "has css and xpath"),
        ({"a": {"type": "text"}}, "says not where its value is"),
        ({"a": {"cs": "p"}}, "did you mean 'css'?"),
        ({"a": 5}, "is no field"),
        ({"a b": "p"}, "cannot name a field"),
        ({"match": "p"}, "is a key of the tables"),
        ({"pages": [{"a": "p"}]}, "match is missing"),
        ({"pages": [{"match": "", "a": "p"}]}, "an empty pattern"),
        ({"a": "p", "A": "p"}, "differ in case alone"),
        ({"a": "p", "pages": [{"match": "/x", "a": {"css": "p", "type": "date"}}]}, "has another type"),
    ],
)
def test_what_is_wrong_with_a_description_is_said(given: dict, said: str) -> None:
    with pytest.raises(WrongField) as error:
        Extraction(given)
    assert said in str(error.value)


def test_an_override_without_a_type_is_named() -> None:
    with pytest.raises(WrongField, match=r"overrides\[0\]: type is missing"):
        Extraction({}, [{"pattern": "/x/", "extract": {"b": "p"}}])


def test_an_extraction_is_a_value() -> None:
    given = {"a": {"css": "p", "type": "number"}, "pages": [{"match": "/x", "b": "p"}]}
    one, other = Extraction(given), pickle.loads(pickle.dumps(Extraction(given)))
    assert one.fingerprint == other.fingerprint != Extraction({"a": "p"}).fingerprint
    assert extraction_of(given) is extraction_of(given)
    assert extraction_of({}) is NO_FIELDS
    assert not NO_FIELDS.fingerprint
    page = read("<p>5", URL, extraction=other)
    assert from_bytes(to_bytes(page)).extracted == page.extracted


EVERY = Extraction(
    {
        "text": {"css": "div p, a ~ b::text", "many": True},
        "first": {"css": "p:nth-child(2) > i::attr(title)"},
        "number": {"css": "*::text", "type": "number", "many": True},
        "date": {"css": "*", "type": "date"},
        "boolean": {"xpath": "//@*", "type": "boolean"},
        "url": {"css": "a, img", "type": "url", "many": True},
        "html": {"css": "div", "type": "html", "many": True},
        "ld": {"json_ld": "a.b", "many": True},
        "jmespath": {"json_ld": "a[].b | [0]", "required": True},
        "meta": {"meta": "og:title", "regex": r"\w+"},
        "item": {"microdata": "a.b"},
    }
)
SOUP = st.lists(
    st.sampled_from(
        """<div>|</div>|<p>|<i title='1.5'>|<a href=x>|<a href='http://[x'>|<b>|text|1.234,5|٣|2031-05-01|\ud800|
        \x00|<time datetime=2031-13-45>|<img src=//x>|<div itemprop=a>|<i itemprop='b c'>|
        <meta property=og:title content=T>|
        <script type=application/ld+json>|{"a": [{"b": 1}, {"b": "\\ud800"}]}|[[[|{"@graph": [|</script>|
        <!--|-->|<template>|<svg>|<?x|&#0;|<base href=ftp://x>|<table><td>|]]>|é|
        {"@id": "x", "a": {"@id": "x"}}""".split("|")
    ),
    max_size=40,
).map("".join)


@given(SOUP | st.text())
@example("<script type=application/ld+json>" + "[" * 100_000)
@example("<div>" * 3_000 + "<p>1")
def test_no_page_makes_it_raise_and_the_same_page_has_the_same_values(html: str) -> None:
    page = read(html, URL, extraction=EVERY)
    assert page.extracted == read(html, URL, extraction=EVERY).extracted
    assert page.extracted.values.keys() == EVERY.fields.keys()
    assert Extracted.unpacked(page.extracted.packed()) == page.extracted
    page.extracted.packed().encode()
    plain = read(html, URL)
    assert [block.text for block in page.blocks] == [block.text for block in plain.blocks]


CSS = """p | .b | div p | div > p | p + p | p ~ i | div div p, i | p:nth-child(2) | div:not(.b) i |
    [title] | i::text | div p::text | i::attr(title) | p::text, i::attr(title) | p, p.b | div ::text |
    div *::text | div > *::text | div p ::attr(title) | ::text, i | p::text, div::text"""
CSS = CSS.replace("\n", "").split("|")


@given(html=SOUP, css=st.sampled_from(CSS))
def test_css_finds_what_parsel_finds(html: str, css: str) -> None:
    html = "<html>" + html.replace("\x00", "").replace("\ud800", "").replace("<?x", "").replace("<!--", "")
    wanted = [one.root if isinstance(one.root, str) else one.root.tag for one in Selector(html).css(css)]
    root = parse(html)
    page = Nodes(root, flatten(root, UNREAD_TAGS))
    found = [one if isinstance(one, str) else page.tree.tags[one.number] for one in finding(css)(page)]
    assert found == list(map(str, wanted))


@pytest.mark.parametrize(
    "html",
    [
        "<div>" * 1_500 + "<p>x</p>" * 20_000,
        "<p>x</p>" * 20_000,
        ("<div itemprop='a b'>" * 300 + "y" + "</div>" * 300) * 50,
        "<table>" + ("<tr>" + "<td>x" * 8) * 3_000,
    ],
)
def test_a_hostile_page_costs_little(html: str) -> None:
    """Nothing is timed: without a bound these take minutes."""
    given = {
        "a": "div div p::text",
        "b": "p:nth-child(7)",
        "c": {"xpath": "//p/following-sibling::p/following-sibling::p"},
        "d": {"css": "div", "type": "html", "many": True},
        "e": {"css": "*", "many": True},
        "f": {"css": "p ~ p:contains(x)", "many": True},
        "g": {"microdata": "a.b.a"},
        "h": {"xpath": "//*/../..//p"},
        "i": {"xpath": "//p[../p = 'y']"},
        "j": {"xpath": "//p[.//p | .//td]"},
    }
    read(html, URL, extraction=Extraction(given))


@pytest.mark.parametrize(
    ("path", "value"),
    [
        ("//h1/text()", "Dovetail"),
        ("//p[starts-with(normalize-space(), 'Weight:')]", "Weight: 2 kg"),
        ("//dt[. = 'Size']/following-sibling::dd[1]", "S"),
        ("//b[. = 'Price']/../i", "9 €"),
    ],
)
def test_a_path_that_comes_to_each_element_once_is_taken_of_large_pages(path: str, value: str) -> None:
    rows = "<ul>" + "<li><a>Oak</a>" * 1_000 + "</ul>"
    page = "<h1>Dovetail</h1><p>Weight: 2 kg</p><dl><dt>Size<dd>S</dl><p><b>Price</b><i>9 €</i></p>"
    given = {"a": {"xpath": path}, "b": {"xpath": "//li/following-sibling::li/a"}}
    extracted = read(page + rows * 5, URL, extraction=Extraction(given)).extracted
    assert extracted.values == {"a": value, "b": None}
