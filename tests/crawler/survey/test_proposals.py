"""What a sample of pages proposes for a site's file."""

from __future__ import annotations

import json
import os
import time
from typing import TYPE_CHECKING

import pytest
from hypothesis import given
from hypothesis import strategies as st

from crawler.survey import fields, systems
from crawler.survey.findings import Proposals, proposals_of
from inspection.sampled_page import MAX_ELEMENTS, SampledPage, compiled, is_stable
from pagelets.patterns import Pattern
from pagelets.reading.fields import check_name
from tests.pagelets.reading.test_reading import HOSTILE, real_sites, warc_pages

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from crawler.survey.fields import ProposedField

BASE = "https://shop.example"
PROSE = "<p>The blade is forged by hand in the valley, and its handle turned of old pear wood.</p>" * 3


def product(number: int, *, head: str = "", body: str = "", **details: object) -> SampledPage:
    """The page of a product that JSON-LD declares."""
    node = {
        "@type": "Product",
        "name": f"Knife {number}",
        "sku": f"K-{number}",
        "offers": {"@type": "Offer", "price": f"{number * 10 + 0.5}", "priceCurrency": "EUR"},
        **details,
    }
    return SampledPage(
        f"{BASE}/p/{number}",
        f"<html><head><title>Knife {number}</title><script type='application/ld+json'>{json.dumps(node)}"
        f"</script>{head}</head><body><nav><a href=/>Home</a></nav><main><h1>Knife {number}</h1>{PROSE}"
        f"<p>Number {number} of a hundred.</p>{body}</main></body></html>",
    )


def listing(body: str = "") -> SampledPage:
    return SampledPage(
        f"{BASE}/", f"<html><title>Knives</title><body><h1>Knives</h1>{PROSE}{body}</body></html>"
    )


def named(pages: Iterable[SampledPage]) -> dict[str, ProposedField]:
    return {one.name: one for one in proposals_of(list(pages), (), ()).fields}


def test_what_is_declared_and_shown_has_a_selector_and_what_is_not_its_declaration() -> None:
    shown = "<div class='x81 buy'><b class='price css-1x9'>{0},50 €</b> <i id=sku>K-{1}</i></div>"
    head = "<meta property=product:category content='Knives &amp;amp; axes {0}'>"
    pages = [
        product(n, head=head.format(n), body=shown.format(n * 10, n), brand={"name": f"Pear &amp; Co {n}"})
        for n in range(1, 7)
    ]
    found = named([*pages, listing()])
    assert (found["brand"].given, found["brand"].samples[0]) == ({"json_ld": "brand.name"}, "Pear & Co 1")
    assert (found["category"].given, found["category"].pages) == ({"meta": "product:category"}, 6)
    assert found["price"].given == {"css": ".price::text", "type": "number"}
    assert found["sku"].given == {"css": "#sku::text"}
    assert found["currency"].given == {"json_ld": "offers.priceCurrency"}
    assert (found["price"].pages, found["price"].samples) == (6, ("10.5", "20.5", "30.5"))
    assert not {"title", "author", "published", "name"} & found.keys()
    assert pages[0].values(found["price"].given) == [10.5]


@pytest.mark.parametrize(
    "body",
    [
        "<b class=p81>{0},50 €</b>",
        "<b class=sc-bdVaJa>{0},50 €</b>",
        "<div><b>{0},50 €</b></div>",
        "<b class=price>{0},90 €</b>",
        "<b class=price>9 €</b><b class=price>{0},50 €</b>",
    ],
)
def test_no_selector_by_names_of_programs_by_places_or_by_other_values(body: str) -> None:
    found = named([*(product(n, body=body.format(n * 10)) for n in range(1, 7)), listing()])
    assert found["price"].given == {"json_ld": "offers.price", "type": "number"}


def test_no_selector_that_finds_something_on_pages_that_declare_nothing() -> None:
    pages = [product(n, body=f"<b class=price>{n}0,50 €</b>") for n in range(1, 7)]
    found = named([*pages, listing("<b class=price>7 €</b>")])
    assert found["price"].given == {"json_ld": "offers.price", "type": "number"}


def test_other_nodes_that_say_the_same_are_told_apart_by_their_types() -> None:
    site = '<script type=\'application/ld+json\'>{"@type": "WebSite", "description": "Knives"}</script>'
    found = named([*(product(n, head=site, description=f"Number {n}") for n in range(1, 4)), listing(site)])
    said = {"json_ld": '[?"@type" && contains("@type", \'Product\')].description'}
    assert found["description"].given == said


def test_microdata_and_meta_elements_are_read_as_well() -> None:
    item = (
        "<div itemscope itemtype=http://schema.org/Product><meta itemprop=mpn content=M{0}>"
        "<i itemprop=brand>B{0}"
    )
    head = "<meta property=og:type content=product><meta property=product:category content='Knives {0}'>"
    pages = [
        SampledPage(f"{BASE}/{n}", f"<head>{head.format(n)}</head>{item.format(n)}") for n in range(1, 5)
    ]
    found = named(pages)
    assert found["mpn"].given == {"css": "[itemprop=mpn]::attr(content)"}
    assert found["brand"].given == {"css": "[itemprop=brand]::text"}
    assert found["category"].given == {"meta": "product:category"}


@pytest.mark.parametrize(
    ("body", "given"),
    [
        (
            "<dl><dt>Blade length:<dd>{0} cm<dt>Made in<dd>Solingen</dl>",
            {"xpath": "//dt[normalize-space() = 'Blade length:']/following-sibling::dd[1]"},
        ),
        (
            "<table><tr><th>Blade length</th><td>{0} cm</td></tr></table>",
            {"xpath": "//tr[th[normalize-space() = 'Blade length']]/td[last()]"},
        ),
        (
            "<ul><li><b>Blade length</b>: {0} cm</li></ul>",
            {
                "xpath": "//li[starts-with(normalize-space(), 'Blade length:')]",
                "regex": "Blade length:\\s+(.+)",
            },
        ),
    ],
)
def test_values_beside_labels_are_fields(body: str, given: dict[str, str]) -> None:
    pages = [SampledPage(f"{BASE}/{n}", f"<h1>{n}</h1>{PROSE}{body.format(n + 20)}") for n in range(4)]
    found = named([*pages, listing()])
    assert {name: one.given for name, one in found.items()} == {"blade_length": given}
    assert [pages[n].values(given) for n in range(4)] == [[f"{n + 20} cm"] for n in range(4)]


def blog(*more: str) -> list[SampledPage]:
    """A sample of a WordPress blog."""
    head = "<meta name=generator content='WordPress 6.7'><link rel=stylesheet href=/wp-content/a.css>"
    texts = ("river", "harbour", "mountain", "orchard", "lighthouse")
    return [
        SampledPage(
            f"{BASE}/{place}/",
            f"<html><head>{head}<title>{place}</title></head><body><article><h1>The {place}</h1>"
            f"{PROSE.replace('valley', place)}<p>All who come to the {place} stay longer than they thought."
            f"</p><div class=sharedaddy>Tell your friends about the {place}</div>{''.join(more)}</article>",
        )
        for place in texts
    ]


def test_what_a_content_system_puts_beside_the_content_is_measured() -> None:
    pages = blog()
    urls = [f"{BASE}/?replytocom=1", f"{BASE}/river/?replytocom=2", f"{BASE}/feed/", f"{BASE}/river/"]
    found = proposals_of(pages, urls, [f"{BASE}/feed/"]).systems
    assert found.systems == ("WordPress",)
    assert [one.selector for one in found.drop] == [".sharedaddy"]
    assert 0 < found.drop[0].documents <= 5
    assert found.drop[0].words == 6 * found.drop[0].documents
    assert [(one.pattern, one.urls) for one in found.deny] == [("replytocom=", 2)]


@pytest.mark.parametrize("inside", ["<h1>What is new</h1>", "<article>More</article>", PROSE])
def test_content_is_never_dropped(inside: str) -> None:
    pages = blog(f"<div class=yarpp-related>{inside}</div>")
    assert ".yarpp-related" not in [one.selector for one in proposals_of(pages, (), ()).systems.drop]


def test_a_site_of_no_known_system_is_left_as_it_is() -> None:
    assert proposals_of([listing()], [f"{BASE}/?replytocom=1"], ()).systems == systems.Recognised()


@pytest.mark.parametrize(
    ("name", "stable"),
    [
        *(
            (name, True)
            for name in ("price", "product-price", "productPrice", "price_box", "entry-meta", "js-sku")
        ),
        *(
            (name, False)
            for name in ("css-1x9", "sc-bdVaJa", "p81", "xkcdqrt", "_a", "", "Price__aBcDeF", "ä")
        ),
    ],
)
def test_names_that_people_gave_are_told_from_hashes(name: str, stable: bool) -> None:
    assert is_stable(name) is stable


MARKUP = st.lists(
    st.sampled_from(
        (
            *(
                "<div itemscope itemtype=http://schema.org/Product>",
                "<b itemprop=price>",
                "<i class=price>5 €",
            ),
            *(
                "</div>",
                "</b>",
                "<dt>Weight",
                "<dd>5 kg",
                "<tr><th>A: <td>b",
                "<li>Price: 7",
                "<meta name=generator",
            ),
            *(
                " content=wordpress>",
                "<meta property=og:type content=product>",
                "<p>",
                "\x00",
                "\ud800",
                "<!--",
            ),
            *(
                '<script type="application/ld+json">',
                '{"@type": "Product", "offers": {"price": ',
                "1",
                "[[[",
                "}}",
            ),
            *(
                "</script>",
                '"sku": null',
                '{"@type": ["Product", 5], "sku": [[["x"]]]}',
                "<h1 class='sharedaddy'>",
            ),
        )
    ),
    max_size=40,
).map("".join)


@given(st.lists(MARKUP, max_size=6))
def test_whatever_pages_say_something_is_proposed_or_nothing(sources: Sequence[str]) -> None:
    pages = [SampledPage(f"{BASE}/{place}", source) for place, source in enumerate(sources)]
    found = proposals_of(pages, (), ())
    assert found.pages <= len(pages)
    for one in found.fields:
        check_name(one.name)
        assert sum(bool(page.values(one.given)) for page in pages) >= one.pages > 0


@pytest.mark.parametrize(
    "source",
    [
        *(html[:2_000_000] for html in HOSTILE),
        "<div class=price>" * 3_000,
        "<dt>a<dd>b" * MAX_ELEMENTS,
        "<li>Price: 5" * (MAX_ELEMENTS // 2),
        "<script type=application/ld+json>" + '{"@type": "Product", "offers": [' * 50_000,
    ],
)
def test_hostile_pages_take_little_time(source: str) -> None:
    began = time.monotonic()
    assert isinstance(proposals_of([SampledPage(f"{BASE}/", source)] * 2, (), ()), Proposals)
    assert time.monotonic() - began < 20


def test_the_data_of_fields_and_systems_can_be_used() -> None:
    for kind, table in fields.vocabulary().items():
        for name, entry in table.items():
            if name != "types":
                assert check_name(name)
                assert set(entry) <= {"type", "many", "paths", "meta"}, kind
    for one in systems.systems():
        assert set(one) <= {"name", "generator", "classes", "paths", "drop", "deny"}
        for selector in one.get("drop", ()):
            compiled(selector)
        for rule in one.get("deny", ()):
            Pattern.of(*rule.split(" ", 1))


@pytest.mark.skipif("CORPORA" not in os.environ, reason="needs the corpora")
def test_proposed_fields_have_the_declared_values_on_real_sites() -> None:
    right: list[bool] = []
    for archive in real_sites():
        pages = [SampledPage(url, html) for url, html in warc_pages(archive, 20)]
        for one in fields.declared_fields(
            [page for page in pages[:: max(1, len(pages) // 10)] if page.is_usual]
        ):
            right += fields.agreements(one, pages)
    assert sum(right) >= 0.98 * len(right) > 0
