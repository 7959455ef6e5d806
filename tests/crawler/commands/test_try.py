from __future__ import annotations

import pytest

from store.lock import SiteLock

from .conftest import BASE


def test_a_site_is_told_in_figures_and_the_pages_that_change_most(scrapy):
    done = scrapy("try", "stones", "-a", "method=all-text")
    assert (done.code, done.err) == (0, "")
    assert "8 of 8 documents would change\ntext: 0 characters would go, 720 would come" in done.out
    assert f"90  {BASE}/3" in done.out
    gone = scrapy("try", "stones", "-a", "min_pages=9").out
    assert "would be no template any more: 2" in gone
    assert "html/body/nav#menu" in gone


def test_a_page_is_told_block_by_block_while_a_crawl_runs(scrapy, crawled):
    lock = SiteLock(crawled.data / "stones.lock")
    try:
        out = scrapy("try", f"{BASE}/3", "-a", "method=all-text").out
    finally:
        lock.release()
    assert "would come  Home First Second\n      html/body/nav#menu: now template, then content" in out
    assert "would go" not in out
    assert "nothing would change" in scrapy("try", f"{BASE}/3", "-a", "k=3").out


def test_some_pages_stand_for_the_site(scrapy):
    out = scrapy("try", "stones", "-a", "method=all-text", "--pages", "4").out
    assert "estimated from 4 of 8 documents\n8 of 8 documents would change" in out
    assert "estimated from 4 of 8" in scrapy("try", f"{BASE}/3", "-a", "k=3", "--pages", "4").out
    wrong = scrapy("try", "stones", "-a", "k=2", "--pages", "0")
    assert wrong.code == 2
    assert "--pages 0: give a whole number, 1 or more" in wrong.err


def test_a_selector_that_matches_nothing_is_named(scrapy):
    for subject, where in (("stones", "any page"), (f"{BASE}/3", "the page")):
        out = scrapy("try", subject, "-a", 'drop=["h1", "h6.no"]', "-a", "keep=aside").out
        assert f"\naside matches nothing on {where}\nh6.no matches nothing on {where}\n" in out
        assert "h1 matches" not in out
    own = ["-s", "DROP_SELECTORS=h5", "-s", "KEEP_SELECTORS=nav"]
    assert scrapy("try", "stones", "-a", "k=3", "--json", *own).rows[0]["unmet"] == ["h5"]


def test_the_selectors_of_an_override_are_tried_on_its_pages(scrapy):
    overrides = 'overrides=[{"type": "ends", "pattern": "/3", "drop": ["h1", "h6"]}]'
    (changed,) = scrapy("try", "stones", "-a", overrides, "--json").rows[0]["pages"]
    assert changed["url"] == f"{BASE}/3"
    assert scrapy("try", f"{BASE}/3", "-a", overrides, "--json").rows[0]["unmet"] == ["h6"]
    assert scrapy("try", f"{BASE}/2", "-a", overrides, "--json").rows[0]["unmet"] == []


def test_for_machines_it_is_one_object(scrapy):
    (site,) = scrapy("try", "stones", "-a", "method=all-text", "-a", "k=2", "--json").rows
    assert (site["asked"], site["changed"]) == ({"method": "all-text", "k": 2}, 8)
    assert {"url", "gone", "come"} == set(site["pages"][0])
    (page,) = scrapy("try", f"{BASE}/3", "-a", "drop=h1", "--json").rows
    assert [(block["text"], block["comes"]) for block in page["blocks"]] == [("Marble", False)]


def test_other_fields_are_tried_without_a_crawl(scrapy):
    asked = ["-a", 'extract={"stone": "h1::text", "year": {"css": "p", "type": "number"}, "no": ".no"}']
    out = scrapy("try", "stones", *asked).out
    assert "8 of 8 documents would change\ntext: 0 characters would go, 0 would come" in out
    assert '\nstone    0     8  "Granite", "Basalt", "Gneiss"\n' in out
    assert "\nno       0     0\n" in out
    (page,) = scrapy("try", f"{BASE}/3", *asked, "--json").rows
    assert page["fields"][:2] == [
        {"name": "stone", "value": None, "tried_value": "Marble"},
        {"name": "year", "value": None, "tried_value": 1821},
    ]
    scrapy("try", "stones", "-a", "extract={}")
    scrapy("try", "stones", "-a", 'extract={"text": "p"}').refused("'text' is a field already")


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["stones"], ["-a NAME=VALUE", "method"]),
        (["stones", "-a", "methd=paper"], ["'methd'", "'method'"]),
        (["stones", "-a", "method=papr"], ["papr", "paper"]),
        (["stones", "-a", "k"], ["-a k", "NAME=VALUE"]),
        (["stones", "-a", "k=0"], ["k=0", "at least 1"]),
        (["stones", "-a", "drop=[["], ["drop=[["]),
        (["stone", "-a", "k=2"], ["'stone'", "'stones'"]),
        ([f"{BASE}/gone", "-a", "k=2"], [f"{BASE}/gone", "no page"]),
        ([f"{BASE}/goen", "-a", "k=2"], [f"{BASE}/goen", f"{BASE}/gone"]),
    ],
)
def test_what_cannot_be_tried_is_refused(scrapy, arguments, said):
    scrapy("try", *arguments).refused("scrapy try: ", *said)
