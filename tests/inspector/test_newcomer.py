"""The task list of a newcomer, in a real browser, counted in clicks and keys."""

from __future__ import annotations

import tomllib

from tests import forked
from tests.inspector import sites
from tests.inspector.test_page import click, done, point_at, position, shown

URL = f"{sites.BASE}/oak.html"
MOST = 25
LETTER = sites.letter(0)


class Hand:
    """A person at a page, whose clicks and keys are counted."""

    def __init__(self, page):
        self.page = page
        self.steps = 0

    def click(self, selector):
        self.steps += 1
        self.page.click(selector)

    def click_block(self, at):
        self.steps += 1
        click(self.page, at)

    def press(self, key):
        self.steps += 1
        self.page.keyboard.press(key)

    def choose(self, selector, value):
        # The list opens, and a line of it is chosen.
        self.steps += 2
        self.page.select_option(selector, value)

    def done(self, button, said):
        self.steps += 1
        return done(self.page, button, said)


def test_a_newcomer_sets_a_site_up(crawled, fresh, opened):
    # Why is a teaser kept? Drop it, pick the price, keep the authors, see that nothing else changed.
    before = {
        wood: fresh.json("/page", site="shed", url=f"{sites.BASE}/{wood}.html")["view"]["document"]["text"]
        for wood in sites.WOODS
    }
    page = shown(fresh, opened)
    hand = Hand(page)
    # Why is the teaser kept?
    point_at(page, position(fresh, LETTER))
    assert "Kept: " in page.inner_text("#tip")
    hand.click_block(position(fresh, LETTER))
    hand.press("Escape")
    # Drop it, and see over the site that nothing else goes.
    hand.click("#verdict button:has-text('Try dropping it')")
    page.wait_for_selector("#outcome p:has-text('1 blocks would change')", timeout=60_000)
    assert f"{len(sites.WOODS)} of {len(sites.pages())} documents" in hand.done(
        "#try-site", "documents would change"
    )
    hand.done("#write", "Done: ")
    # Pick the price, whose name and selector are offered.
    hand.click("#tab-pick")
    hand.click_block(position(fresh, "Price: 40 euros"))
    page.wait_for_selector("#outcome table", timeout=60_000)
    page.wait_for_selector("#progress", state="hidden", timeout=60_000)
    assert f"Found on {len(sites.WOODS)} of" in page.inner_text("#outcome")
    hand.done("#write-field", "Done: ")
    # Keep the authors.
    hand.click("#tab-try")
    hand.choose("[name=bylines]", "keep")
    lacking = sum(sites.BYLINE not in text for text in before.values())
    assert f"{lacking} of {len(sites.pages())} documents" in hand.done("#try-site", "documents would change")
    hand.done("#write", "Done: ")
    file = tomllib.loads((fresh.sites / "shed.toml").read_text(encoding="utf-8"))
    assert file == {
        "bylines": "keep",
        "drop": ["p.letter"],
        "extract": {"price": {"css": ".price::text", "type": "number"}},
    }
    options = ["-s", f"DATA_DIR={fresh.data}", "-s", f"SITES_DIR={fresh.sites}", "-s", "LOG_LEVEL=WARNING"]
    crawl = [
        "crawl",
        "archive",
        "-a",
        f"path={crawled.parent / 'shed'}",
        "-a",
        f"base={sites.BASE}",
        *options,
    ]
    ended = forked.run(crawl)
    assert ended.returncode == 0, ended.stderr
    # See that nothing else changed.
    page.reload()
    hand.click("a:has-text('Last change')")
    page.wait_for_selector(".diff")
    went = page.locator(".diff .removed").all_inner_texts()
    assert [text.removeprefix("went").strip() for text in went if text.removeprefix("went").strip()] == [
        LETTER
    ]
    assert "price" in page.inner_text("table")
    assert hand.steps <= MOST
    for number, wood in enumerate(sites.WOODS):
        view = fresh.json("/page", site="shed", url=f"{sites.BASE}/{wood}.html")["view"]
        lines = {line for line in before[wood].split("\n") if line} - {sites.letter(number)}
        assert {line for line in view["document"]["text"].split("\n") if line} == lines | {sites.BYLINE}
        assert view["document"]["price"] == 40 + number
    assert opened.complaints == []
