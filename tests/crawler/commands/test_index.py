"""`scrapy index` and `scrapy redeliver`: what the indexes of a site hold, and what they lack."""

from __future__ import annotations

import json
import shutil

import pytest

from settings.places import as_typed
from store.lock import SiteLock
from store.site import Store
from tests import jsonsink
from tests.crawler.commands.conftest import BASE


@pytest.fixture
def fed(scrapy, crawled, tmp_path):
    """A copy of the crawled site, and the commands on it with a sink; nothing is delivered yet."""
    shutil.copytree(crawled.data / "stones", tmp_path / "stones")

    def run(*arguments):
        return scrapy(*arguments, "-s", f"DATA_DIR={tmp_path}", *jsonsink.OPTIONS)

    run.scrapy = scrapy
    run.folder = tmp_path / "_index" / "stones"
    run.data = tmp_path
    return run


def test_a_new_sink_is_filled_from_the_store(fed):
    done = fed("index", "stones")
    assert done.code == 7
    assert done.out.splitlines()[1].split() == ["json", "0", "8", "0"]
    done = fed("redeliver", "stones")
    assert (done.code, done.err) == (0, "")
    assert done.out.splitlines()[1].split() == ["json", "8", "0", "0"]
    feed = [json.loads(line) for line in fed("export", "stones").out.splitlines()]
    assert jsonsink.texts(fed.folder) == {document["url"]: [document["text"]] for document in feed}


def test_for_machines(fed):
    jsonsink.order(fed.folder, poisoned=[f"{BASE}/1"])
    done = fed("redeliver", "stones", "--json")
    assert done.code == 7
    (row,) = done.rows
    refused = row.pop("refused")
    assert row == {"site": "stones", "sink": "json", "held": 7, "undelivered": 1}
    assert [(one["url"], one["reason"]) for one in refused] == [(f"{BASE}/1", "it is poisoned")]
    assert fed("index", "stones", "--json").rows == done.rows


def test_dead_letters_are_named_and_let_go(fed):
    jsonsink.order(fed.folder, poisoned=[f"{BASE}/1"])
    done = fed("redeliver", "stones")
    assert f"json refused {BASE}/1: it is poisoned" in done.out
    assert fed("redeliver", "stones", "--discard").code == 0
    assert fed("redeliver", "stones").code == 0
    assert f"{BASE}/1" not in jsonsink.texts(fed.folder)
    # A rebuild passes them over, too.
    assert fed("index", "stones", "--rebuild").code == 0
    assert len(jsonsink.texts(fed.folder)) == 7


def test_a_sink_that_is_down_is_said_in_a_line(fed):
    jsonsink.order(fed.folder, open=5)
    done = fed("redeliver", "stones")
    assert done.code == 7
    assert "scrapy redeliver: sink json: the index is down for open" in done.err


def test_a_lost_index_is_rebuilt_without_a_crawl(fed):
    fed("redeliver", "stones")
    texts = jsonsink.texts(fed.folder)
    (fed.folder / "json.json").unlink()
    assert fed("index", "stones", "--rebuild").code == 0
    assert jsonsink.texts(fed.folder) == texts


def test_what_a_sink_does_not_take_is_told_with_its_file(fed, tmp_path):
    (tmp_path / "stones.toml").write_text('sinks = ["tantivy"]\n[tantivy]\nlanguage = "klingon"\n')
    for command in (("index", "stones", "--check"), ("redeliver", "stones"), ("search", "stones", "granite")):
        fed.scrapy(*command, "-s", f"DATA_DIR={tmp_path}", "-s", f"SITES_DIR={tmp_path}").refused(
            "stones.toml:3: key 'tantivy.language': unknown language 'klingon'"
        )


def test_a_check_reads_the_index_itself(fed):
    fed("redeliver", "stones")
    done = fed("index", "stones", "--check")
    assert (done.code, done.out) == (0, "json: 8 units, as the store says\n")
    state = json.loads((fed.folder / "json.json").read_text())
    gone, changed, *_ = sorted(state["units"])
    urls = {unit: found["url"] for unit, found in state["units"].items()}
    state["units"]["x" * 32] = state["units"].pop(gone)
    state["units"][changed]["hash"] = "another"
    (fed.folder / "json.json").write_text(json.dumps(state))
    done = fed("index", "stones", "--check")
    assert done.code == 1
    mend = "scrapy index stones --sink json --rebuild"
    assert done.out.splitlines() == [
        "json: 8 units, 1 missing, 1 surplus, 1 different",
        f"  missing: {urls[gone]} {gone}",
        f"  surplus: a URL that the store does not know {'x' * 32}",
        f"  different: {urls[changed]} {changed}",
        as_typed(f"{mend} fills a new one from the store"),
    ]
    (row,) = fed("index", "stones", "--check", "--json").rows
    assert (row["missing"], row["mend"]) == ([gone], mend)
    assert row["urls"] == {one: urls[one] for one in sorted([gone, changed])}
    assert fed("index", "stones", "--rebuild").code == 0
    assert fed("index", "stones", "--check").code == 0


def test_a_check_names_what_mends(fed):
    fed("redeliver", "stones")
    first, *_ = sorted(jsonsink.texts(fed.folder))
    with Store.open(fed.data / "stones") as store, store.transaction():
        store.deliveries.begin("json", [(first, 1)])
    redeliver = "scrapy redeliver stones --sink json"
    done = fed("index", "stones", "--check")
    assert done.out.splitlines()[-1] == as_typed(f"{redeliver} sends what is not delivered")
    (row,) = fed("index", "stones", "--check", "--json").rows
    assert (list(row["urls"].values()), row["mend"]) == ([first], redeliver)
    # What is not as the store notes is not sent again.
    state = json.loads((fed.folder / "json.json").read_text())
    state["units"]["x" * 32] = next(iter(state["units"].values()))
    (fed.folder / "json.json").write_text(json.dumps(state))
    (row,) = fed("index", "stones", "--check", "--json").rows
    assert row["mend"] == "scrapy index stones --sink json --rebuild"


def test_a_site_that_is_being_crawled_is_busy(fed):
    lock = SiteLock(fed.data / "stones.lock")
    try:
        for arguments in (["redeliver"], ["index", "--rebuild"], ["index", "--check"]):
            done = fed(arguments[0], "stones", *arguments[1:])
            assert done.code == 6
            assert "another crawl of site 'stones' runs" in done.err
        assert fed("index", "stones").code == 7
    finally:
        lock.release()


def test_what_is_wrong_is_one_line(fed):
    fed("redeliver", "stone").refused("unknown site 'stone'; did you mean 'stones'?")
    fed("index", "stones", "--sink", "jsn").refused("unknown sink of this site 'jsn'; did you mean 'json'?")
    fed("index", "stones", "--check", "--rebuild").refused("--rebuild and --check do not go together")
    fed("index").refused("give one argument")


def test_a_site_without_sinks_says_so(scrapy, crawled):
    done = scrapy("index", "stones", "-s", "SINKS=")
    assert done.code == 0
    assert "site 'stones' has no sinks; see SINKS" in done.err
