from __future__ import annotations

import time

import pytest

from inspection import change_preview, trial
from inspector import changing as trying
from store.lock import held
from tests.inspector import sites
from tests.inspector.test_page import position, shown

URL = f"{sites.BASE}/oak.html"


def result(served, path, values):
    """The state of a job at its end."""
    status, begun = served.post(path, values)
    assert status == 202, begun
    while not (job := served.json("/job", id=begun["job"]))["ended"]:
        time.sleep(0.05)
    return job


def test_a_selector_is_tried_on_a_page_and_on_the_site(served):
    job = result(served, "/try", {"site": "shed", "url": URL, "drop": "p.price"})
    assert job["error"] is None
    assert [(block["comes"], block["text"]) for block in job["result"]["blocks"]] == [
        (False, "Price: 40 euros")
    ]
    site = result(served, "/try", {"site": "shed", "drop": "p.price"})["result"]
    assert site["changed"] == len(sites.WOODS)


def test_some_pages_stand_for_a_larger_site_unless_all_are_asked_for(served, monkeypatch):
    monkeypatch.setattr(trying, "TRIED_PAGES", 4)
    for asked in ({"drop": "p.price"}, {"k": "2", "url": URL}):
        few = result(served, "/try", {"site": "shed", **asked})["result"]
        assert few["looked_at"] == 4 < few["documents"]
        every = result(served, "/try", {"site": "shed", **asked, "all": True})["result"]
        assert every["looked_at"] == every["documents"] == few["documents"]


def test_a_page_of_a_large_site_is_tried_out_alone(served, monkeypatch):
    monkeypatch.setattr(trying, "TRIED_PAGES", 4)
    with monkeypatch.context() as patched:
        # Nothing is copied.
        patched.setattr(trial, "tried", None)
        for asked, said in ({"drop": "p.price"}, 1), ({"bylines": "drop"}, 0), ({"method": "templates"}, 0):
            found = result(served, "/try", {"site": "shed", "url": URL, **asked})["result"]
            assert (found["looked_at"], len(found["approximated"])) == (found["documents"], said)
        assert [block["text"] for block in found["blocks"]]
    shown = []
    monkeypatch.setattr(trying, "try_page", lambda *given: shown.append(given[-1]) or trial.try_page(*given))
    found = result(served, "/try", {"site": "shed", "url": URL, "k": "2"})["result"]
    assert (shown, found["approximated"]) == ([1, 4], [])


def test_another_method_is_tried(served):
    job = result(served, "/try", {"site": "shed", "url": URL, "method": "all-text"})
    assert all(block["comes"] for block in job["result"]["blocks"])


@pytest.mark.parametrize("asked", [{"method": "nothing"}, {"k": "x"}, {"drop": "p["}, {"detection": "guess"}])
def test_what_cannot_be_tried_is_told(served, asked):
    error = result(served, "/try", {"site": "shed", "url": URL, **asked})["error"]
    assert next(iter(asked.values())) in error
    assert served.post("/try", {"site": "shed", "url": URL})[0] == 400


def test_a_preview_of_the_first_pages_is_there_before_the_last(served, monkeypatch):
    monkeypatch.setattr(change_preview, "STEP", 4)
    with served.stores.open_store("shed") as store:
        judge = served.stores.judge_of(store)
        then = change_preview.judge_with(store, judge, taught={".related": 6.0})
        pages = list(store.documents.current())
        found = list(change_preview.previews(store, judge, then, pages, lambda *_: None))
    assert [one.looked_at for one in found] == [4, 8, 12, len(pages)]
    assert [one.estimated for one in found] == [True, True, True, False]
    assert found[-1].changed >= 1


def test_methods_are_compared_side_by_side(served):
    asked = {"site": "shed", "url": URL}
    found = result(served, "/compare", {**asked, "methods": ["all-text", "judged"]})["result"]
    assert [method["name"] for method in found["methods"]] == ["all-text", "judged"]
    assert all(block["kept"][0] for block in found["blocks"])
    assert "nothing" in result(served, "/compare", {**asked, "methods": ["nothing"]})["error"]
    assert served.post("/compare", {**asked, "methods": "all-text"})[0] == 400


def test_a_selector_is_written_to_the_site_file(fresh):
    file = fresh.json("/page", site="shed", url=URL)["file"]
    asked = {"site": "shed", "kind": "drop", "selector": "p.price"}
    status, told = fresh.post("/select", {**asked, "file": file})
    assert status == 200
    path = fresh.sites / "shed.toml"
    assert path.read_text(encoding="utf-8") == 'drop = ["p.price"]\n'
    status, refused = fresh.post("/select", {**asked, "file": file})
    assert (status, "changed meanwhile" in refused["error"]) == (400, True)
    assert fresh.post("/select", {**asked, "kind": "url", "file": told["file"]})[0] == 400
    assert fresh.post("/select", {**asked, "selector": "p[", "file": told["file"]})[0] == 400


def test_a_template_is_pinned_rejected_and_left_to_detection(fresh):
    name = fresh.json("/templates", site="shed")["templates"][0]["name"]
    for key, state in (("reject", "rejected"), ("pin", "pinned"), ("reset", "found")):
        status, told = fresh.post("/decide", {"site": "shed", key: [name]})
        assert (status, told["templates"][0]["state"]) == (200, state)
    for wrong in ({}, {"pin": "x"}, {"pin": ["nothing"]}, {"pin": [name], "reject": [name]}):
        assert fresh.post("/decide", {"site": "shed", **wrong})[0] == 400


def test_what_is_decided_while_a_crawl_runs_waits_for_its_end(fresh):
    name = fresh.json("/templates", site="shed")["templates"][0]["name"]
    with held(fresh.data / "shed"):
        status, told = fresh.post("/decide", {"site": "shed", "reject": [name]})
    assert (status, told["templates"][0]["state"], told["templates"][0]["waits"]) == (
        200,
        "found",
        "rejected",
    )


def test_other_pages_with_a_text_are_named(served):
    at = position(served, "Home Oak Ash")
    told = served.json("/alike", site="shed", url=URL, block=at)
    assert told["text"] == "Home Oak Ash"
    assert len(told["urls"]) == len(sites.pages()) - 1
    assert URL not in told["urls"]
    assert "no text" in served.json("/alike", site="shed", url=URL, block=10**6)["error"]


def test_the_index_is_searched_and_hits_lead_to_pages(served):
    told = served.json("/search", words="oak winters", site="shed")
    assert told["found"][0]["hits"][0]["url"] == URL
    assert any(piece["hit"] for piece in told["found"][0]["hits"][0]["snippet"])
    first = told["found"][0]["hits"][0]
    assert (first["rank"], first["id"]) == (1, first["document"])
    assert served.json("/search", words="oak")["found"][0]["site"] == "shed"
    assert served.json("/search", words="")["found"] == []
    assert "error" in served.json("/search", words="oak", site="../shed")


def test_methods_and_decisions_are_at_hand_in_the_browser(fresh, opened):
    page = shown(fresh, opened)
    page.click("#tab-try")
    page.fill("[name=method]", "all-text, judged")
    page.click("#compare")
    page.wait_for_selector("#outcome table", timeout=60_000)
    assert "Share kept" in page.inner_text("#outcome")
    page.goto(fresh.address("/templates", site="shed"))
    page.click("[data-decide=reject] >> nth=0")
    page.wait_for_selector("[data-decide=reset]")
    assert "rejected" in page.inner_text(".cards")
    assert opened.complaints == []


def test_a_choice_for_a_kind_is_previewed_by_class_and_written(fresh):
    asked = {"site": "shed", "bylines": "keep"}
    keeps = 0
    for wood in sites.WOODS:
        url = f"{sites.BASE}/{wood}.html"
        keeps += sites.BYLINE in fresh.json("/page", site="shed", url=url)["view"]["document"]["text"]
    for choice, count in (("keep", len(sites.WOODS) - keeps), ("drop", keeps)):
        found = result(fresh, "/kinds/preview", {**asked, "bylines": choice})["result"]
        assert (found["changed"], sum(one["changed"] for one in found["classes"])) == (count, count)
        samples = [block for one in found["classes"] for block in one["samples"]]
        assert {(block["text"], block["comes"]) for block in samples} <= {(sites.BYLINE, choice == "keep")}
    assert found["documents"] == found["looked_at"] == len(sites.pages())
    file = fresh.json("/page", site="shed", url=URL)["file"]
    with held(fresh.data / "shed"):
        # The crawl has read its file: the choice is the next one's.
        status, told = fresh.post("/kinds", {**asked, "file": file})
    assert status == 200
    assert (fresh.sites / "shed.toml").read_text(encoding="utf-8") == 'bylines = "keep"\n'
    assert "changed meanwhile" in fresh.post("/kinds", {**asked, "file": file})[1]["error"]
    assert "hide" in fresh.post("/kinds", {**asked, "bylines": "hide", "file": told["file"]})[1]["error"]
    assert fresh.post("/undo", {"site": "shed", "file": told["file"]})[0] == 200
    assert not (fresh.sites / "shed.toml").exists()
    assert "hide" in result(fresh, "/kinds/preview", {**asked, "bylines": "hide"})["error"]
    assert result(fresh, "/kinds/preview", {**asked, "comments": "drop"})["result"]["changed"] == (
        len(sites.WOODS) - keeps
    )
    assert "give keep, drop or auto" in fresh.post("/kinds", {"site": "shed", "file": file})[1]["error"]
    tried = [
        result(fresh, "/try", {**asked, "url": URL, "bylines": choice})["result"]["blocks"]
        for choice in ("keep", "drop")
    ]
    assert [block["text"] for blocks in tried for block in blocks] == [sites.BYLINE]
