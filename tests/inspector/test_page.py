"""The page view in a real browser: from a click to the changed document."""

from __future__ import annotations

import re
import tomllib

from store.lock import held
from tests.inspector import sites

URL = f"{sites.BASE}/oak.html"
TEASER = "More about ash"


def shown(served, opened, url=URL):
    opened.page.goto(served.address("/page", site="shed", url=url))
    opened.page.wait_for_selector(".blocks li")
    opened.page.frame_locator("#frame").locator("[data-pb]").first.wait_for()
    return opened.page


def position(served, text, url=URL):
    blocks = served.json("/page", site="shed", url=url)["view"]["blocks"]
    return next(at for at, block in enumerate(blocks) if block["text"] == text)


def point_at(page, at):
    """Moves the pointer over a block as a reader sees it."""
    box = page.frame_locator("#frame").locator(f'[data-pb="{at}"]').first.bounding_box()
    page.mouse.move(box["x"] + 4, box["y"] + 4)


def click(page, at):
    point_at(page, at)
    page.mouse.down()
    page.mouse.up()


def done(page, button, said):
    page.click(button)
    page.wait_for_selector(f"#outcome p:has-text({said!r})", timeout=60_000)
    return page.inner_text("#outcome")


def test_each_block_is_tinted_by_its_verdict_and_told_in_words(served, opened):
    page = shown(served, opened)
    view = served.json("/page", site="shed", url=URL)["view"]
    inner = page.frame_locator("#frame")
    for at, block in enumerate(view["blocks"]):
        told = inner.locator(f'[data-pb="{at}"]').first.get_attribute("data-pv")
        assert told.split()[0] == ("kept" if block["kept"] else "removed")
    title = position(served, "Oak")
    point_at(page, title)
    assert "Kept: " in page.inner_text("#tip")
    assert "% likely" in page.inner_text("#tip")
    colours = {
        verdict: inner.locator(f"[data-pv~={verdict}]").first.evaluate(
            "e => getComputedStyle(e).backgroundColor"
        )
        for verdict in ("kept", "removed")
    }
    assert colours == {"kept": "rgb(211, 239, 214)", "removed": "rgb(247, 210, 206)"}
    assert opened.complaints == []


def test_the_document_stands_beside_the_page_in_each_form(served, opened):
    page = shown(served, opened)
    document = served.json("/page", site="shed", url=URL)["view"]["document"]
    for form in ("text", "markdown", "html"):
        page.click(f"#tab-{form}")
        assert page.inner_text("#panel pre").strip() == document[form].strip()
    page.focus("#tab-html")
    page.keyboard.press("ArrowRight")
    assert document["content_hash"] in page.inner_text("#panel")


def test_keys_go_from_block_to_block_and_from_page_to_page(served, opened):
    page = shown(served, opened)
    page.keyboard.press("r")
    assert "Removed: " in page.inner_text("#verdict")
    first = page.inner_text("#verdict")
    page.keyboard.press("r")
    page.keyboard.press("R")
    assert page.inner_text("#verdict") == first
    page.keyboard.press("t")
    assert page.get_attribute("#tint", "aria-pressed") == "false"
    page.keyboard.press("n")
    page.wait_for_url("**pear.html*")
    page.wait_for_selector("#before:not([hidden])")
    page.keyboard.press("p")
    page.wait_for_url("**oak.html*")


def test_a_click_teaches_the_site_and_undo_takes_it_back(fresh, opened):
    at = position(fresh, TEASER)
    file = fresh.sites / "shed.toml"
    file.write_text('# The shed\nurl = ["https://shed.example/"]  # its address\n', encoding="utf-8")
    source = file.read_text(encoding="utf-8")
    page = shown(fresh, opened)
    before = fresh.json("/page", site="shed", url=URL)["view"]["blocks"][at]["kept"]
    click(page, at)
    assert "1 blocks on 1 pages" in page.inner_text("#counter")
    page.keyboard.press("ArrowUp")
    page.keyboard.press("ArrowUp")
    assert "3 blocks" in page.inner_text("#counter") or "4 blocks" in page.inner_text("#counter")
    assert "Container: " in page.inner_text("#verdict")
    said = done(page, "#preview", "would change")
    now, then = map(float, re.search(r"F1 on the taught pages: ([\d.]+), then ([\d.]+)\.", said).groups())
    assert now < then
    assert file.read_text(encoding="utf-8") == source
    assert "You say: " in page.inner_text("#verdict")
    done(page, "#apply", "Done: ")
    page.wait_for_selector(f"#verdict p.{'removed' if before else 'kept'}")
    assert "You say: " not in page.inner_text("#verdict")
    assert fresh.json("/page", site="shed", url=URL)["view"]["blocks"][at]["kept"] is not before
    text = file.read_text(encoding="utf-8")
    assert text.startswith(source)
    assert tomllib.loads(text)["taught"]
    assert (TEASER in fresh.json("/page", site="shed", url=URL)["view"]["document"]["text"]) is not before
    done(page, "#undo", "Done: ")
    assert fresh.json("/page", site="shed", url=URL)["view"]["blocks"][at]["kept"] is before
    assert "taught" not in tomllib.loads(file.read_text(encoding="utf-8"))
    assert opened.complaints == []


def test_flips_of_several_pages_add_up_and_escape_takes_the_last_back(served, opened):
    page = shown(served, opened)
    click(page, position(served, "Oak"))
    other = f"{sites.BASE}/ash.html"
    page = shown(served, opened, other)
    click(page, position(served, "Ash", other))
    assert "2 blocks on 2 pages" in page.inner_text("#counter")
    page.keyboard.press("Escape")
    assert "1 blocks on 1 pages" in page.inner_text("#counter")
    page.click("#clear")
    assert page.is_disabled("#apply")


def test_a_flip_that_a_selector_overrules_is_named(fresh, opened):
    (fresh.sites / "shed.toml").write_text('drop = [".price"]\n', encoding="utf-8")
    page = shown(fresh, opened)
    click(page, position(fresh, "Price: 40 euros"))
    said = done(page, "#preview", "would change")
    assert "selectors or templates decide, whatever is taught: 1." in said


def test_a_site_file_that_was_changed_meanwhile_is_left_as_it_is(fresh, opened):
    page = shown(fresh, opened)
    click(page, position(fresh, TEASER))
    file = fresh.sites / "shed.toml"
    file.write_text('# by hand\nurl = ["https://shed.example/"]\n', encoding="utf-8")
    said = done(page, "#apply", "changed meanwhile")
    assert "load the page again" in said
    assert file.read_text(encoding="utf-8").startswith("# by hand")
    assert "taught" not in file.read_text(encoding="utf-8")


def test_while_a_crawl_runs_nothing_is_changed(fresh, opened):
    page = shown(fresh, opened)
    click(page, position(fresh, TEASER))
    with held(fresh.data / "shed"):
        done(page, "#apply", "shed")
    assert not (fresh.sites / "shed.toml").exists()


def test_a_page_that_was_fetched_anew_is_not_corrected_by_what_was_seen_before(served):
    view = served.json("/page", site="shed", url=URL)
    asked = {
        "site": "shed",
        "file": view["file"],
        "pages": {URL: {"version": "another", "signs": {"1": True}}},
    }
    _, begun = served.post("/teach/preview", asked)
    while not (job := served.json("/job", id=begun["job"]))["ended"]:
        pass
    assert "has changed meanwhile" in job["error"]


def test_to_apply_flips_or_undo_a_lesson_takes_no_later_flips_back(fresh, opened):
    page = shown(fresh, opened)
    click(page, position(fresh, TEASER))
    asked = []
    page.route("**/job?*", lambda route: route.continue_() if asked else asked.append(route))
    page.click("#apply")
    while not asked:
        page.wait_for_timeout(20)
    click(page, position(fresh, "Oak"))
    assert "2 blocks on 1 pages" in page.inner_text("#counter")
    asked[0].continue_()
    page.wait_for_selector("#outcome p:has-text('Done: ')", timeout=60_000)
    assert "1 blocks on 1 pages" in page.inner_text("#counter")
    done(page, "#undo", "Done: ")
    assert "1 blocks on 1 pages" in page.inner_text("#counter")


def test_an_inspector_that_was_started_anew_is_told_of(served, opened):
    page = shown(served, opened)
    click(page, position(served, "Oak"))
    page.context.route("**/teach/preview", lambda route: route.fulfill(status=403, body="<!DOCTYPE html>"))
    assert "does not answer here any more" in done(page, "#preview", "address")
    page.goto(served.address("/templates", site="shed"))
    page.context.route("**/decide", lambda route: route.abort())
    page.locator("[data-decide]").first.click()
    page.wait_for_selector("#outcome:has-text('does not answer here any more')")


def test_a_page_that_is_wider_than_its_frame_is_seen_to_its_end(served, opened):
    page = shown(served, opened)
    body = page.frame_locator("#frame").locator("body")
    body.evaluate("body => { body.style.cssText = 'width: 3000px; text-align: right' }")
    page.hover("#cover", position={"x": 50, "y": 50})
    page.mouse.wheel(700, 0)
    page.wait_for_timeout(100)
    assert body.evaluate("() => scrollX") == 700
    page.keyboard.press("r")
    stage = page.locator("#stage").bounding_box()
    block = page.frame_locator("#frame").locator("[data-ps]").first.bounding_box()
    assert stage["x"] <= block["x"] <= stage["x"] + stage["width"] - block["width"]


def test_what_lies_over_a_page_and_shows_nothing_hides_no_block(served, opened):
    page = shown(served, opened)
    body = page.frame_locator("#frame").locator("body")
    body.evaluate("body => { body.innerHTML += '<p style=position:fixed;inset:0>' }")
    point_at(page, position(served, "Oak"))
    assert "Kept: " in page.inner_text("#tip")


def test_pages_that_tell_most_are_offered(served, opened):
    page = shown(served, opened)
    assert f"{sites.BASE}/" in done(page, "#next-pages", "Correct these next")


VIEWS = ("/", "/site", "/pages", "/templates", "/classes", "/runs", "/changed", "/search")


def test_what_is_written_is_seen_well_enough_and_fits_a_phone_in_light_and_dark(served, opened):
    page = shown(served, opened)
    for path in (None, *VIEWS):
        page.set_viewport_size({"width": 1280, "height": 800})
        if path is not None:
            page.goto(served.address(path, site="shed", url=URL, words="oak"))
        for scheme in ("light", "dark"):
            page.emulate_media(color_scheme=scheme)
            assert page.evaluate(CONTRASTS) == [], (path, scheme)
        page.set_viewport_size({"width": 360, "height": 700})
        for scheme in ("light", "dark"):
            page.emulate_media(color_scheme=scheme)
            assert page.evaluate("document.documentElement.scrollWidth") <= 360, (path, scheme)
    assert opened.complaints == []


CONTRASTS = """() => {
  const parts = (text) => text.match(/[\\d.]+/g).map(Number);
  const light = (colour) => colour.slice(0, 3).map((part) => part / 255)
    .map((part) => part <= 0.04045 ? part / 12.92 : ((part + 0.055) / 1.055) ** 2.4)
    .reduce((sum, part, at) => sum + part * [0.2126, 0.7152, 0.0722][at], 0);
  const behind = (element) => {
    for (let at = element; at; at = at.parentElement) {
      const found = parts(getComputedStyle(at).backgroundColor);
      if (found.length < 4 || found[3] > 0) return found;
    }
    return [255, 255, 255];
  };
  const wrong = [];
  for (const element of document.querySelectorAll("body *")) {
    const written = [...element.childNodes].some((node) => node.nodeType === 3 && node.data.trim());
    if (!written || !element.checkVisibility()) continue;
    const colour = parts(getComputedStyle(element).color);
    const pair = [light(colour), light(behind(element))].sort((a, b) => b - a);
    const contrast = (pair[0] + 0.05) / (pair[1] + 0.05);
    if (contrast < 4.5 && !element.disabled) wrong.push(`${element.textContent.slice(0, 30)}: ${contrast}`);
  }
  return wrong;
}"""


def test_the_first_view_is_small(served):
    size = 0
    for path in ("/page?site=shed&url=" + URL, "/static/page.js", "/static/inspector.css"):
        size += len(served.ask(served.address(path).partition(str(served.port))[2])[2].encode())
    assert size < 100_000


def test_what_a_script_would_have_shown_is_seen(served, opened):
    hiding = (
        "<style>html{opacity:0}body{visibility:hidden;position:absolute;height:90px;overflow:hidden}"
        "main{display:none}.letter{opacity:0}.menu{position:absolute;opacity:0}</style></head>"
    )

    def hidden(route):
        answer = route.fetch()
        route.fulfill(response=answer, body=answer.text().replace("</head>", hiding))

    opened.page.context.route("**/frame?*", hidden)
    frame = shown(served, opened).frame_locator("#frame")
    seen = "one => one.checkVisibility({opacityProperty: true, visibilityProperty: true})"
    assert frame.locator(".letter [data-pb]").evaluate(seen)
    assert frame.locator("footer [data-pb]").evaluate(f"one => ({seen})(one) && one.offsetTop > 90")
    assert frame.locator("body").evaluate("body => getComputedStyle(body).overflow") == "visible"
    assert not frame.locator(".menu [data-pb]").first.evaluate(seen)
