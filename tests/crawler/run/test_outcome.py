"""How a run ended, by what stopped it and by what its store holds then."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

import pytest

from crawler.feeds.extension import FAILED
from crawler.fetching.browser.middleware import HANDLER
from crawler.run.outcome import EXIT_CODES
from crawler.run.signals import run_closed, run_finished
from store.lock import is_held
from store.site import Store, beside
from tests.crawls import crawl
from tests.reviewed import Night, Site, names
from tests.served import page, served
from tests.store.sites import HOST, Pagelet, record, state

if TYPE_CHECKING:
    from collections.abc import Iterator


@pytest.fixture
def site(tmp_path) -> Iterator[Site]:
    site = Site(tmp_path)
    yield site
    site.close()


def test_exit_codes_are_a_promise():
    codes = {name: EXIT_CODES[name] for name in ("complete", "limited", "usage", "empty", "interrupted")}
    assert codes == {"complete": 0, "limited": 0, "usage": 2, "empty": 3, "interrupted": 4}
    assert [EXIT_CODES[name] for name in ("suspicious", "busy", "undelivered")] == [5, 6, 7]
    assert len(EXIT_CODES) == 8


def ready(site: Site, **given) -> Night:
    """A first night whose documents have gone out, and wait for the end."""
    night = site.night(**given)
    night.has(names(3))
    assert night.passes()
    with night.store.transaction():
        for page in night.store.documents.to_release(night.session.run):
            night.store.documents.put(page, night.session.run, "hash", "v", [True], {})
    return night


@pytest.mark.parametrize(
    ("reason", "outcome"),
    [
        ("finished", "complete"),
        ("closespider_timeout", "limited"),
        ("closespider_itemcount", "limited"),
        ("closespider_pagecount", "limited"),
        ("closespider_errorcount", "limited"),
        ("closespider_timeout_no_item", "limited"),
        ("closespider_pagecount_no_item", "limited"),
        ("shutdown", "interrupted"),
        ("memusage_exceeded", "interrupted"),
    ],
)
def test_what_has_stopped_a_run(site, reason, outcome):
    night = ready(site)
    assert night.closes(reason) == outcome
    with Store.open(night.session.home) as store:
        run = store.runs.last()
        assert (run.outcome, run.counts["documents/delivered"]) == (outcome, 3)
        assert state(store, "p1") == ("delivered", None)
    told = json.loads((night.session.home / "runs" / "1.json").read_text())
    assert told["outcome"] == outcome
    assert told["counts"]["pages/state/delivered"] == told["counts"]["documents/current"] == 3
    assert (night.stats.get_value("run/outcome"), night.stats.get_value("templates/count")) == (outcome, 0)


@pytest.mark.parametrize(
    ("limit", "held", "confirmed", "outcome"),
    [(0, 9, 9, "interrupted"), (3, 2, 1, "limited"), (3, 3, 1, "limited"), (3, 1, 1, "interrupted")],
)
def test_what_is_left_over_is_a_limit_where_that_many_pages_were_asked_for(
    site, limit, held, confirmed, outcome
):
    night = ready(site, settings={"MAX_PAGES": limit})
    for number in range(held):
        night.session.state.hold(number)
    for number in range(confirmed):
        night.session.state.confirm(number)
    night.store.connection.execute("UPDATE pages SET due = 1 WHERE page = 2")
    assert night.closes() == outcome


@pytest.mark.parametrize("reason", ["finished", "shutdown", "closespider_timeout"])
def test_a_broken_store_is_an_interruption_whatever_has_stopped_the_run(site, reason):
    night = ready(site)
    night.session.state.break_off()
    assert night.closes(reason) == "interrupted"


@pytest.mark.parametrize(
    ("pages", "outcome"), [({"p1": "failed"}, "empty"), ({}, "complete"), ({"p1": "held"}, "complete")]
)
def test_a_round_that_asked_and_found_nothing_is_empty(site, caplog, pages, outcome):
    night = site.night()
    night.store.connection.execute("UPDATE pages SET due = 0")
    for name, to in pages.items():
        record(night.store, name, [Pagelet("text")], night.session.run)
        if to == "failed":
            night.finds([name], to, reason="http 503")
            night.store.connection.execute("UPDATE pages SET fetched_run = NULL, seen_run = NULL")
    night.passes()
    assert night.closes() == outcome
    assert (f"No page could be used: {HOST}/p1 failed (http 503)" in caplog.text) == (outcome == "empty")


@pytest.mark.parametrize(
    ("scripted", "settings", "told"),
    [(2, {}, True), (1, {}, False), (2, {"DOWNLOAD_HANDLERS": {"https": HANDLER}}, False)],
)
def test_a_site_that_scripts_fill_is_told(site, caplog, scripted, settings, told):
    if settings:
        pytest.importorskip("playwright")
    night = ready(site, settings=settings)
    night.session.state.scripted = scripted
    assert night.closes() == "complete"
    assert ("2 of 3 pages have no text, or little, unless their scripts are run" in caplog.text) is told


def test_a_first_round_says_that_pages_answer_at_http_and_https(site, caplog):
    night = site.night()
    for number in range(3):
        for scheme, text in (("http", "a" if number else "b"), ("https", "a")):
            record(night.store, f"{scheme}://site.example/{number}", [Pagelet(text)], night.session.run)
    night.store.connection.execute("UPDATE pages SET due = 0")
    night.passes()
    assert night.closes() == "complete"
    assert "2 pages have a document at http:// and one at https://, with the same text" in caplog.text


@pytest.mark.parametrize("how", ["feed", "pipeline"])
@pytest.mark.parametrize("fresh", [0, 1])
def test_what_a_feed_or_a_pipeline_has_not_taken_is_undelivered(site, how, fresh):
    night = ready(site, fresh=fresh)
    if how == "feed":
        night.stats.inc_value(f"{FAILED}/FileFeedStorage")
    if how == "pipeline":
        night.session.state.refused = True
    assert night.closes() == "undelivered"
    assert (night.session.home / "store.sqlite").exists() is not fresh


@pytest.mark.parametrize(
    ("state", "reason", "outcome"),
    [
        ({}, "shutdown", "interrupted"),
        ({"broken": True}, "store_unusable", "interrupted"),
        ({"suspicion": "led away"}, "finished", "suspicious"),
        ({"answers": ["http 503"]}, "finished", "empty"),
    ],
)
def test_a_feed_that_fails_makes_no_good_run_of_another(site, state, reason, outcome):
    night = ready(site)
    night.stats.inc_value(f"{FAILED}/FileFeedStorage")
    for name, value in state.items():
        setattr(night.session.state, name, value)
    assert night.closes(reason) == outcome


@pytest.mark.parametrize(("reason", "outcome"), [("finished", "complete"), ("shutdown", "interrupted")])
def test_a_fresh_store_takes_the_place_of_the_old_one_where_it_is_whole(site, reason, outcome):
    site.first(names(6))
    night = ready(site, fresh=1)
    assert night.closes(reason) == outcome
    with Store.open(night.session.home) as store:
        assert store.documents.count() == (3 if outcome == "complete" else 6)


def test_a_fresh_store_that_cannot_take_the_place_of_the_old_one_is_no_success(site, caplog):
    site.first(names(6))
    night = ready(site, fresh=1)
    # It is in the way, and no folder.
    beside(night.session.home, "old").symlink_to(site.folder)
    assert night.closes() is None
    assert f"move what is in {night.session.folder} to {night.session.home}" in caplog.text
    assert (night.session.folder / "store.sqlite").exists()


@pytest.mark.parametrize(
    ("reason", "outcome"),
    [("closespider_timeout", "suspicious"), ("shutdown", "interrupted"), ("finished", "suspicious")],
)
def test_a_suspicion_outlives_a_limit_and_the_round_is_undone(site, reason, outcome):
    site.first(names(6))
    night = site.night()
    night.finds(["p1"], "gone", reason="http 404")
    night.session.state.suspicion = "led away"
    assert night.closes(reason) == outcome
    with Store.open(night.session.home) as store:
        # One that was interrupted goes on; the review has undone one that has come to its end.
        assert state(store, "p1")[0] == ("delivered" if "close" in reason else "gone")


def test_the_end_is_told_once_and_not_of_a_sample(site):
    told = []
    night = ready(site)

    def listen(night: Night) -> None:
        connect = night.crawler.signals.connect
        connect(lambda run, history: told.append((run.outcome, history)), run_finished, weak=False)
        connect(lambda: told.append("closed"), run_closed, weak=False)

    listen(night)
    night.closes()
    assert told == [("complete", []), "closed"]
    night.closes()
    assert len(told) == 2
    sample = site.night(sample=2)
    listen(sample)
    sample.closes()
    assert told[2:] == ["closed"]


def test_a_run_whose_end_cannot_be_recorded_has_no_outcome(site, caplog):
    told = []
    night = ready(site)
    night.crawler.signals.connect(lambda run: told.append(run), run_finished, weak=False)
    (night.session.folder / "runs").write_text("no folder")
    assert night.closes() is None
    assert [record.levelname for record in caplog.records if "runs" in record.getMessage()] == ["CRITICAL"]
    assert told[0].finished_at is not None
    assert told[0].counts["documents/delivered"] == 3
    with Store.open(night.session.folder) as store:
        assert store.runs.last().outcome is None


def test_tables_that_cannot_be_published_are_no_failure(site, caplog):
    night = ready(site, settings={"PUBLISH_TABLES": True})
    (night.session.folder / "tables").write_text("no folder")
    assert night.closes() == "complete"
    assert "the tables were not published" in caplog.text


@pytest.mark.parametrize("table", ["documents", "sinks"])
def test_a_store_that_fails_at_the_end_is_let_go(site, caplog, table):
    told = []
    night = ready(site, settings={"SINKS": "operations"})
    night.crawler.signals.connect(lambda run: told.append(run.outcome), run_finished, weak=False)
    night.store.connection.execute(f"DROP TABLE {table}")
    assert night.closes() is None
    assert told == [None]
    (critical,) = (record.getMessage() for record in caplog.records if record.levelname == "CRITICAL")
    assert critical.startswith(f"{night.session.folder}")
    assert not is_held(night.session.lock.path)


def test_a_crawl_ends_with_its_outcome(tmp_path):
    with served({"/": page("home")}) as server:
        assert crawl(tmp_path, url=f"{server.base}/").outcome == "complete"


def test_a_night_on_which_dead_links_alone_are_due_is_complete(tmp_path):
    with served(
        {"/": page("home", "/a", "/b", "/gone"), "/a": page("a", text="x"), "/b": page("a", text="x")}
    ) as server:
        first, second = (
            crawl(tmp_path, url=f"{server.base}/", settings={"REVISIT_MAX": "14d"}) for _ in "12"
        )
    assert (second.outcome, second.stats["pages/gone"], second.documents) == ("complete", 1, [])
    assert first.stats["pages/duplicates"] == second.stats["pages/duplicates"] == 1
