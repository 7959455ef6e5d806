from __future__ import annotations

import json
import shutil
import sqlite3
from pathlib import Path

import pytest

from inspector.stores import KEPT, OpenStores
from store.lock import held
from tests.inspector import sites
from tests.inspector.conftest import TOKEN

URL = f"{sites.BASE}/oak.html"
VIEWS = ("/", "/site", "/pages", "/templates", "/classes", "/runs", "/page", "/changed")


@pytest.mark.parametrize("path", VIEWS)
def test_each_view_is_a_page_and_json(served, path):
    asked = served.address(path, site="shed", url=URL).partition(str(served.port))[2]
    status, headers, text = served.ask(asked)
    assert (status, headers["content-type"]) == (200, "text/html; charset=utf-8")
    assert "shed" in text
    status, headers, text = served.ask(asked, Accept="application/json")
    assert (status, headers["content-type"]) == (200, "application/json")
    assert json.loads(text)["title"]


def test_a_site_is_told_in_a_row(served):
    (row,) = served.json("/")["sites"]
    assert (row["site"], row["outcome"], row["problem"]) == ("shed", "complete", None)
    assert row["documents"] == len(sites.pages())
    assert 0 < row["chars_kept"] < row["chars"]


def test_pages_are_listed_sorted_and_searched(served):
    shares = [page["share"] for page in served.json("/pages", site="shed", sort="-share", least=0)["pages"]]
    assert shares == sorted(shares, reverse=True)
    assert [page["url"] for page in served.json("/pages", site="shed", words="oak SHED")["pages"]] == [URL]
    assert len(served.ask(f"/{TOKEN}/pages?site=shed")[2]) < 20_000
    bars = served.json("/site", site="shed")["shares"]
    assert sum(bars) == len(sites.pages())
    for at, count in enumerate(bars):
        found = served.json("/pages", site="shed", least=at / 10, most=(at + 1) / 10 - 1e-9)
        assert found["total"] == count or at == len(bars) - 1


def test_back_shows_the_choice_that_the_list_is_of(served, opened):
    page = opened.page
    page.goto(served.address("/pages", site="shed"))
    page.select_option("[name=state]", "delivered")
    page.wait_for_url("**state=delivered*")
    page.go_back()
    page.wait_for_load_state()
    assert page.input_value("[name=state]") == ""


def test_the_pages_of_a_class_are_listed(served):
    classes = served.json("/classes", site="shed")["classes"]
    listed = [served.json("/pages", site="shed", **{"class": one["number"]}) for one in classes]
    assert [found["total"] for found in listed] == [one["pages"] for one in classes]
    assert [found["class"] for found in listed] == classes
    assert sum(found["total"] for found in listed) == len(sites.pages())
    few = served.json("/pages", site="shed", words="oak", **{"class": classes[0]["number"]})
    assert [page["url"] for page in few["pages"]] == [URL]
    assert served.json("/pages", site="shed", **{"class": 99})["total"] == 0
    assert "Pages like" in served.ask(f"/{TOKEN}/pages?site=shed&class={classes[0]['number']}")[2]


def test_a_list_goes_on_where_it_ended(served):
    every = [page["url"] for page in served.json("/pages", site="shed")["pages"]]
    rest = [page["url"] for page in served.json("/pages", site="shed", start=4)["pages"]]
    assert rest == every[4:]
    beyond = served.ask(f"/{TOKEN}/pages?site=shed&start=5000")[2]
    assert f"none of {len(every)}" in beyond
    assert 'rel="prev"' in beyond
    assert "&amp;start=0" in beyond
    for wrong in ("9" * 10, "0" * 5000):
        assert "give a whole number" in served.json("/pages", site="shed", start=wrong)["error"]


def test_another_spelling_of_a_url_leads_to_the_page(served):
    status, headers, _ = served.ask(f"/{TOKEN}/page?site=shed&url=HTTPS://SHED.example:443/oak.html%23top")
    assert status == 307
    assert headers["location"].endswith("oak.html")


def test_an_unknown_url_is_answered_with_the_nearest(served):
    assert "oak.html" in served.json("/page", site="shed", url=f"{sites.BASE}/oka.html")["error"]


def test_without_a_store_it_is_said_how_to_make_one(fresh):
    shutil.rmtree(fresh.data / "shed")
    assert "scrapy crawl site" in fresh.ask(f"/{TOKEN}/")[2]
    assert "crawl a site first" in fresh.json("/site", site="shed")["error"]


def test_few_stores_stay_open(fresh):
    sites = [shutil.copytree(fresh.data / "shed", fresh.data / f"shed{number}") for number in range(KEPT + 2)]
    opened = OpenStores(fresh.stores)
    for site in sites:
        with opened.reading(site.name) as store:
            assert store.name == site.name

    def files() -> set[str]:
        return {str(one.readlink()) for one in Path("/proc/self/fd").iterdir() if one.is_symlink()}

    kept = {str(site / "store.sqlite") for site in sites[2:]}
    assert kept <= files()
    assert not {str(site / "store.sqlite") for site in sites[:2]} & files()
    opened.close()
    assert not kept & files()


def test_a_store_that_goes_while_it_is_open_is_noticed(fresh):
    assert fresh.json("/site", site="shed")["documents"]
    shutil.rmtree(fresh.data / "shed")
    assert "error" in fresh.json("/page", site="shed", url=URL)


def test_a_store_that_is_replaced_while_it_is_open_is_read_anew(fresh, crawled):
    assert fresh.json("/site", site="shed")["documents"]
    shutil.rmtree(fresh.data / "shed")
    shutil.copytree(crawled / "shed", fresh.data / "shed")
    for _ in range(6):
        assert fresh.json("/page", site="shed", url=URL)["view"]["blocks"]


@pytest.mark.parametrize("how", ["no database", "another version"])
def test_a_store_that_cannot_be_read_is_told_with_the_mend(fresh, how):
    file = fresh.data / "shed" / "store.sqlite"
    if how == "no database":
        for path in fresh.data.joinpath("shed").glob("store.sqlite*"):
            path.unlink()
        file.write_bytes(b"no database" * 100)
    else:
        connection = sqlite3.connect(file)
        connection.execute("PRAGMA user_version = 999")
        connection.commit()
        connection.close()
    status, _, text = fresh.ask(f"/{TOKEN}/site?site=shed")
    assert status == 503
    assert "Traceback" not in text
    assert fresh.json("/")["sites"][0]["problem"]


def test_what_cannot_be_written_is_named(fresh):
    lock = fresh.data / "shed.lock"
    lock.unlink()
    lock.mkdir()
    name = fresh.json("/templates", site="shed")["templates"][0]["name"]
    status, said = fresh.post("/decide", {"site": "shed", "pin": [name]})
    assert status == 503
    assert "shed.lock: Is a directory. Check its permissions" in said["error"]


def test_a_store_that_a_crawl_writes_to_is_read(fresh):
    connection = sqlite3.connect(fresh.data / "shed" / "store.sqlite", isolation_level=None)
    connection.execute("BEGIN IMMEDIATE")
    assert fresh.json("/page", site="shed", url=URL)["view"]["blocks"]
    connection.execute("ROLLBACK")
    connection.close()


def test_two_tabs_that_change_a_site_at_once_are_told_of_each_other(fresh):
    with held(fresh.data / "shed"):
        job = fresh.post("/teach/undo", {"site": "shed", "file": ""})[1]["job"]
        while not (told := fresh.json("/job", id=job))["ended"]:
            pass
    assert told["error"] == "another change of site 'shed' is at work; wait for its end"


def test_a_url_without_a_page_is_told_with_its_state(fresh):
    connection = sqlite3.connect(fresh.data / "shed" / "store.sqlite")
    connection.execute("UPDATE pages SET state = 'gone', reason = 'http 404' WHERE url = ?", (URL,))
    connection.commit()
    connection.close()
    assert "gone: http 404" in fresh.ask(f"/{TOKEN}/page?site=shed&url={URL}")[2]


def test_a_page_without_a_body_is_told(fresh):
    connection = sqlite3.connect(fresh.data / "shed" / "store.sqlite")
    connection.execute("DELETE FROM bodies WHERE page = (SELECT page FROM pages WHERE url = ?)", (URL,))
    connection.commit()
    connection.close()
    for path in fresh.data.joinpath("shed").glob("round.sqlite*"):
        path.unlink()
    for path in ("/page", "/frame"):
        status, _, text = fresh.ask(f"/{TOKEN}{path}?site=shed&url={URL}", Accept="application/json")
        assert status == 404
        assert "no body" in json.loads(text)["error"]
