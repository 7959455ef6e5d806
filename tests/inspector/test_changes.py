"""Views of what has changed on a site: documents and fields; its schedule and warnings."""

from __future__ import annotations

import json
import sqlite3

import pytest

from tests.inspector import sites
from tests.inspector.conftest import TOKEN

URL = f"{sites.BASE}/oak.html"


def crawled_again(served):
    """Makes the second run of a store, which has changed one document."""
    folder = served.data / "shed"
    lines = (folder / "changes" / "1.jsonl").read_text(encoding="utf-8").splitlines()
    document = next(one for one in map(json.loads, lines) if one["url"] == URL)
    text = document["text"].replace("a chest", "a <b>boat</b>")
    later = {**document, "text": text, "title": "Oak & more"}
    (folder / "changes" / "2.jsonl").write_text(
        json.dumps(later, separators=(",", ":")) + "\n", encoding="utf-8"
    )
    connection = sqlite3.connect(folder / "store.sqlite")
    connection.execute(
        "INSERT INTO runs SELECT 2, started_at, finished_at, outcome, parameters, versions, counts FROM runs"
    )
    connection.execute(
        "INSERT INTO document_changes SELECT page, 2, 'changed' FROM pages WHERE url = ?", (URL,)
    )
    connection.commit()
    connection.close()


def test_a_page_is_shown_before_and_after_its_last_change(fresh):
    crawled_again(fresh)
    change = fresh.json("/changed", site="shed", url=URL)["change"]
    assert (change["kind"], change["run"], change["before_run"], change["problem"]) == ("changed", 2, 1, None)
    assert change["fields"] == [{"name": "title", "before": "Oak", "after": "Oak & more"}]
    signs = [(line["sign"], line["text"]) for line in change["lines"] if line["sign"] in "+-"]
    assert [sign for sign, _ in signs] == ["-", "+"]
    assert "<b>boat</b>" in signs[1][1]
    asked = fresh.address("/changed", site="shed", url=URL).partition(str(fresh.port))[2]
    status, _, page = fresh.ask(asked)
    assert (status, "&lt;b&gt;boat" in page, "<b>boat" in page) == (200, True, False)


def test_a_version_that_is_kept_no_more_is_told(fresh):
    assert "not changed since" in fresh.json("/changed", site="shed", url=URL)["change"]["problem"]
    crawled_again(fresh)
    (fresh.data / "shed" / "changes" / "1.jsonl").unlink()
    assert "last 30 runs" in fresh.json("/changed", site="shed", url=URL)["change"]["problem"]
    assert "oak.html" in fresh.json("/changed", site="shed", url=f"{sites.BASE}/oka.html")["error"]


def test_fields_are_told_with_their_pages_and_those_that_lack_them(fresh):
    file = fresh.sites / "shed.toml"
    file.write_text(
        '[extract]\nprice = { css = ".price", type = "number" }\nnothing = ".nothing"\n', encoding="utf-8"
    )
    fields = fresh.json("/site", site="shed")["fields"]
    assert [one["name"] for one in fields["fields"]] == ["nothing", "price"]
    assert fields["pages"] == 0
    connection = sqlite3.connect(fresh.data / "shed" / "store.sqlite")
    connection.execute(
        "INSERT INTO page_fields SELECT page, 'x', '', iif(instr(url, 'oak'), 'price', ''), '', '{}' "
        "FROM pages"
    )
    connection.commit()
    connection.close()
    fields = fresh.json("/site", site="shed")["fields"]
    assert {one["name"]: one["pages"] for one in fields["fields"]} == {"nothing": 0, "price": 1}
    assert fresh.json("/pages", site="shed", lacks="price")["total"] == len(sites.pages()) - 1
    assert fresh.json("/pages", site="shed", lacks="' OR 1 --")["total"] == len(sites.pages())
    assert "lacks=price" in fresh.ask(f"/{TOKEN}/site?site=shed")[2]


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ('url = ["https://shed.example/"]\nschedule = "0 3 * * *"\n', None),
        ('url = ["https://shed.example/"]\nschedule = "yes"\n', "schedule"),
    ],
)
def test_a_site_is_told_with_its_schedule_or_the_mistake_in_it(fresh, text, said):
    assert fresh.json("/")["sites"][0]["due"] is None
    (fresh.sites / "shed.toml").write_text(text, encoding="utf-8")
    row = fresh.json("/")["sites"][0]
    if said is None:
        # The store is of an archive: by its schedule the site was never crawled.
        assert (row["due"]["reason"], row["due"]["following"][13:16]) == ("never crawled", ":00")
    else:
        assert any(said in warning for warning in row["warnings"])
    assert "Traceback" not in fresh.ask(f"/{TOKEN}/")[2]


def test_failures_of_the_last_run_are_warnings(fresh):
    assert fresh.json("/")["sites"][0]["warnings"] == []
    connection = sqlite3.connect(fresh.data / "shed" / "store.sqlite")
    counts = {"pages/faults/judging": 2, "fields/missing": 3}
    connection.execute("UPDATE runs SET outcome = 'suspicious', counts = ?", (json.dumps(counts),))
    connection.commit()
    connection.close()
    warnings = fresh.json("/")["sites"][0]["warnings"]
    assert [warning.split()[0] for warning in warnings] == ["far", "2", "3"]
    assert "nothing was deleted" in fresh.ask(f"/{TOKEN}/")[2]
