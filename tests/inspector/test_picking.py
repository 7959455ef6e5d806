from __future__ import annotations

import tomllib

import pytest

from tests.inspector import sites
from tests.inspector.test_page import CONTRASTS, click, done, position, shown
from tests.inspector.test_trying import result

URL = f"{sites.BASE}/oak.html"
PRICE = "Price: 40 euros"
FILE = '# The shed\nurl = ["https://shed.example/"]  # its address\n'


def asked(served, block, **more):
    view = served.json("/page", site="shed", url=URL)["view"]
    return {"site": "shed", "url": URL, "version": view["version"], "block": position(served, block), **more}


def test_a_price_is_found_on_all_pages_that_have_one(served):
    found = result(served, "/field/pick", asked(served, PRICE, text=PRICE))["result"]
    assert (found["value"], found["name"], found["type"]) == (40, "price", "number")
    best = found["candidates"][0]
    assert best["given"] == {"css": ".price::text", "type": "number"}
    assert best["pages"] == best["places"] == len(sites.WOODS)
    preview = result(served, "/field/preview", {"site": "shed", "name": "price", "given": best["given"]})[
        "result"
    ]
    assert (preview["found"], preview["missing"]) == (len(sites.WOODS), len(sites.pages()) - len(sites.WOODS))
    assert {one["value"] for one in preview["values"]} == {40 + n for n in range(len(sites.WOODS))}
    assert preview["line"] == 'price = {css = ".price::text", type = "number"}'


def test_selectors_go_from_narrow_to_wide(served):
    found = result(served, "/field/pick", asked(served, "More about ash"))["result"]
    places = [one["places"] for one in found["candidates"]]
    assert places == sorted(places)
    assert all(one["values"] for one in found["candidates"])


def test_another_type_finds_another_value(served):
    found = result(served, "/field/pick", asked(served, PRICE, type="text"))["result"]
    assert (found["value"], found["type"]) == (PRICE, "text")


@pytest.mark.parametrize(
    ("name", "described", "said"),
    [
        ("title", {"css": ".price"}, "'title' is a field already"),
        ("run", {"css": ".price"}, "column"),
        ("pages", {"css": ".price"}, "another name"),
        ("a b", {"css": ".price"}, "letters, digits"),
        ("<img src=x onerror=alert(1)>", {"css": ".price"}, "letters, digits"),
        ("price", {"css": "p["}, "no CSS selector"),
        ("price", {"xpath": "//p["}, "no XPath"),
        ("price", {"css": ".price", "type": "money"}, "does not exist"),
        ("price", {}, "says not where"),
    ],
)
def test_what_cannot_be_a_field_is_told_and_not_written(fresh, name, described, said):
    view = fresh.json("/page", site="shed", url=URL)
    values = {"site": "shed", "name": name, "given": described}
    assert said in result(fresh, "/field/preview", values)["error"]
    status, told = fresh.post("/field/write", {**values, "file": view["file"]})
    assert (status, said in told["error"]) == (400, True)
    assert not (fresh.sites / "shed.toml").exists()


def test_a_wrong_request_is_told(served):
    assert served.post("/field/pick", {"site": "shed", "url": URL, "block": "x", "version": ""})[0] == 400
    assert served.post("/field/preview", {"site": "shed", "name": "price", "given": ".price"})[0] == 400
    assert served.post("/field/preview", {"site": "shod", "name": "price", "given": {}})[0] == 400
    job = result(served, "/field/pick", asked(served, PRICE) | {"version": "another"})
    assert "changed meanwhile" in job["error"]
    job = result(served, "/field/pick", asked(served, PRICE) | {"block": 10**6})
    assert "changed meanwhile" in job["error"]


def test_a_field_is_written_and_taken_back(fresh):
    file = fresh.sites / "shed.toml"
    file.write_text(FILE, encoding="utf-8")
    values = {"site": "shed", "name": "price", "given": {"css": ".price", "type": "number"}}
    before = fresh.json("/page", site="shed", url=URL)
    status, told = fresh.post("/field/write", {**values, "file": before["file"]})
    assert status == 200, told
    assert file.read_text(encoding="utf-8").startswith(FILE)
    assert tomllib.loads(file.read_text(encoding="utf-8"))["extract"] == {"price": values["given"]}
    assert fresh.json("/page", site="shed", url=URL)["view"]["document"]["price"] == 40
    file.write_text(file.read_text(encoding="utf-8") + "# by hand\n", encoding="utf-8")
    assert "changed meanwhile" in fresh.post("/undo", {"site": "shed", "file": told["file"]})[1]["error"]
    now = fresh.json("/page", site="shed", url=URL)["file"]
    assert "edit it by hand" in fresh.post("/undo", {"site": "shed", "file": now})[1]["error"]
    file.write_text(file.read_text(encoding="utf-8").removesuffix("# by hand\n"), encoding="utf-8")
    status, undone = fresh.post("/undo", {"site": "shed", "file": told["file"]})
    assert (status, undone["file"]) == (200, before["file"])
    assert file.read_text(encoding="utf-8") == FILE
    assert "nothing was written" in fresh.post("/undo", {"site": "shed", "file": undone["file"]})[1]["error"]


def test_a_field_of_one_kind_of_page_is_looked_for_and_written_there(fresh):
    values = {"site": "shed", "name": "price", "given": {"css": ".price", "type": "number"}, "match": "/oak"}
    preview = result(fresh, "/field/preview", values)["result"]
    assert (preview["looked_at"], preview["found"], preview["missing"]) == (1, 1, 0)
    file = fresh.json("/page", site="shed", url=URL)["file"]
    status, told = fresh.post("/field/write", {**values, "file": file})
    assert (status, told["line"]) == (200, preview["line"])
    written = tomllib.loads((fresh.sites / "shed.toml").read_text(encoding="utf-8"))
    assert written == tomllib.loads(told["line"])
    assert written["extract"] == {"pages": [{"match": "/oak", "price": values["given"]}]}
    prices = {
        wood: fresh.json("/page", site="shed", url=f"{sites.BASE}/{wood}.html")["view"]["document"]["price"]
        for wood in ("oak", "ash")
    }
    assert prices == {"oak": 40, "ash": None}
    # On other pages it is of another type: it would be two fields.
    assert (
        "type"
        in fresh.post(
            "/field/write", {**values, "match": "/ash", "given": {"css": "p"}, "file": told["file"]}
        )[1]["error"]
    )


def test_a_price_is_picked_in_the_browser(fresh, opened):
    page = shown(fresh, opened)
    page.click("#tab-pick")
    click(page, position(fresh, PRICE))
    page.wait_for_selector("#outcome table", timeout=60_000)
    page.wait_for_selector("#progress", state="hidden", timeout=60_000)
    said = page.inner_text("#outcome")
    assert f"Found on {len(sites.WOODS)} of {len(sites.pages())} pages" in said
    assert page.input_value("[name=name]") == "price"
    for scheme in ("dark", "light"):
        page.emulate_media(color_scheme=scheme)
        assert page.evaluate(CONTRASTS) == []
    page.fill("[name=match]", "/ash")
    page.click("#picking button:has-text('Show its values')")
    page.wait_for_selector("#outcome p:has-text('of 1 pages whose address has /ash, missing on 0')")
    page.fill("[name=match]", "")
    page.fill("[name=name]", "title")
    assert "a field already" in done(page, "#write-field", "already")
    page.fill("[name=name]", "crowns")
    assert "has crowns = " in done(page, "#write-field", "Done: ")
    assert tomllib.loads((fresh.sites / "shed.toml").read_text(encoding="utf-8"))["extract"]["crowns"]
    done(page, ".undo-file", "as it was before")
    assert not (fresh.sites / "shed.toml").exists()
    # By keys alone: the next block, as a field.
    page.focus("#stage")
    page.keyboard.press("x")
    page.wait_for_selector("#outcome table", timeout=60_000)
    page.fill("[name=selector]", "p[")
    page.click("#picking button >> nth=0")
    page.wait_for_selector("#outcome .problem")
    assert "no CSS selector" in page.inner_text("#outcome")
    # Chromium logs each answer that refuses.
    assert [said for said in opened.complaints if "400 (Bad Request)" not in said] == []


def test_forms_keep_what_is_in_them_and_undo_goes_back_to_the_first_change(fresh, opened):
    page = shown(fresh, opened)
    page.click("#tab-pick")
    click(page, position(fresh, PRICE))
    # What is found comes while another tab is shown.
    page.click("#tab-text")
    page.wait_for_selector("#outcome table", timeout=60_000)
    page.click("#tab-pick")
    assert page.input_value("[name=name]") == "price"
    page.click("#tab-try")
    page.fill("[name=keep]", "aside")
    page.fill("[name=drop]", "p.price")
    done(page, "#write", "Done: ")
    file = fresh.sites / "shed.toml"
    while not file.exists() or len(tomllib.loads(file.read_text(encoding="utf-8"))) < 2:
        page.wait_for_timeout(20)
    page.click("#tab-text")
    page.click("#tab-try")
    assert page.input_value("[name=keep]") == "aside"
    done(page, ".undo-file", "as it was before")
    assert list(tomllib.loads(file.read_text(encoding="utf-8"))) == ["keep"]
    page.click(".undo-file")
    while file.exists():
        page.wait_for_timeout(20)
