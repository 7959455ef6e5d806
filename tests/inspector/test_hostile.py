"""A hostile page in a real browser: nothing of it runs, nothing leaves, the view answers."""

from __future__ import annotations

import re

import pytest

from tests.inspector import sites

PAGE = f"{sites.BASE}/hostile.html"


def shown(served, opened, url=PAGE):
    opened.page.goto(served.address("/page", site="shed", url=url))
    opened.page.wait_for_selector(".blocks li")
    opened.page.wait_for_timeout(300)
    return opened.page


def nothing_happened(served, opened):
    assert [url for url in opened.requests if not url.startswith((served.root, "data:"))] == []
    assert opened.page.evaluate("window.ran") is None
    assert opened.page.url.startswith(served.root)
    assert "hostile" in opened.page.title()
    assert opened.complaints == []


def test_nothing_of_a_hostile_page_runs_or_leaves(served, opened):
    page = shown(served, opened)
    inner = page.frame_locator("#frame")
    assert inner.get_by_text("A hostile page").count() == 1
    assert inner.get_by_text("Deep in the page").count() == 1
    nothing_happened(served, opened)


def test_a_click_on_a_hostile_page_flips_a_block_and_follows_nothing(served, opened):
    page = shown(served, opened)
    for y in range(180, 700, 40):
        page.mouse.click(200, y)
    page.keyboard.press("r")
    page.keyboard.press("f")
    assert "said to be wrong" in page.inner_text("#counter")
    nothing_happened(served, opened)


def test_the_frame_opened_alone_is_as_safe(served, opened):
    opened.page.goto(served.address("/frame", site="shed", url=PAGE))
    opened.page.wait_for_timeout(300)
    opened.page.mouse.click(200, 200)
    assert [url for url in opened.requests if not url.startswith(served.root)] == []
    assert opened.page.evaluate("window.ran") is None


def test_pictures_are_loaded_when_they_are_asked_for_and_nothing_else_is(served, opened):
    opened.page.context.route(
        "**/*", lambda route: route.continue_() if served.root in route.request.url else route.abort()
    )
    page = shown(served, opened)
    with page.expect_request(f"{sites.OUTSIDE}/img.png"):
        page.click("#images")
    page.wait_for_timeout(500)
    outside = {url for url in opened.requests if not url.startswith((served.root, "data:"))}
    assert outside <= {
        f"{sites.OUTSIDE}/img.png",
        f"{sites.OUTSIDE}/set.png",
        f"{sites.OUTSIDE}/clobber.png",
        f"{sites.BASE}/x",
        f"{sites.BASE}/1",
    }
    assert f"{sites.OUTSIDE}/img.png" in outside
    assert page.evaluate("window.ran") is None


@pytest.mark.parametrize("styles", [0, 1])
def test_the_hostile_page_is_served_without_what_could_harm(served, styles):
    _, _, text = served.ask(
        served.address("/frame", site="shed", url=PAGE, styles=styles).partition(str(served.port))[2]
    )
    low = text.lower()
    for part in (
        "<script",
        "<iframe",
        "<form",
        "<object",
        "<embed",
        "<link",
        "<base",
        "<svg",
        "javascript:",
        "@import",
    ):
        assert part not in low, part
    # What the page shows as text may name a handler: no element may have one.
    assert not re.search(r"<[^<>]*\son\w+\s*=", low)
    assert "url(" not in low
    assert sites.OUTSIDE not in low


def test_a_page_of_too_many_blocks_is_shown_up_to_a_bound(served, opened):
    page = shown(served, opened, f"{sites.BASE}/huge.html")
    assert "The first 5000 blocks are shown." in page.inner_text("#summary")
    assert page.frame_locator("#frame").get_by_text("Row 100 of a table").count() == 1
    assert opened.complaints == []
