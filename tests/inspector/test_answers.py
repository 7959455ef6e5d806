"""Files to send, in a real browser."""

from __future__ import annotations

import contextlib

from inspection.page_view import frame_of, page_view
from inspection.pages import FoundPage
from inspector.stores import OpenStores
from tests.inspector import sites


def written(served, tmp_path, url):
    from inspector.answers import page_file

    with contextlib.closing(OpenStores(served.stores)) as stores, stores.judging("shed") as (store, judge):
        found = FoundPage("shed", store.frontier.get(store.frontier.find(url)), True)
        text = page_file(page_view(store, judge, found), frame_of(store, judge, found))
    path = tmp_path / "page.html"
    path.write_bytes(text)
    return path


def test_the_view_of_a_page_works_without_the_inspector(served, opened, tmp_path):
    opened.page.goto(written(served, tmp_path, f"{sites.BASE}/oak.html").as_uri())
    opened.page.wait_for_selector(".blocks li")
    opened.page.context.grant_permissions(["clipboard-read", "clipboard-write"])
    title = opened.page.frame_locator("#frame").get_by_text("Oak", exact=True).last.bounding_box()
    opened.page.mouse.click(title["x"] + 4, title["y"] + 4)
    assert "Kept: " in opened.page.inner_text("#verdict")
    opened.page.click("button:has-text('Copy TOML line')")
    opened.page.wait_for_selector("button:has-text('Copied')")
    assert opened.page.evaluate("navigator.clipboard.readText()") == 'drop = ["h1"]'
    assert opened.complaints == []
    assert [url for url in opened.requests if not url.startswith(("file:", "about:"))] == []


def test_a_hostile_page_as_a_file_runs_and_loads_nothing(served, opened, tmp_path):
    opened.page.goto(written(served, tmp_path, f"{sites.BASE}/hostile.html").as_uri())
    opened.page.wait_for_selector(".blocks li")
    opened.page.wait_for_timeout(300)
    assert opened.page.frame_locator("#frame").get_by_text("A hostile page").count() == 1
    assert opened.page.evaluate("window.ran") is None
    assert [url for url in opened.requests if not url.startswith(("file:", "about:"))] == []
    assert opened.complaints == []
