from __future__ import annotations

from datetime import UTC, datetime, timedelta
from zoneinfo import ZoneInfo

import pytest
from scrapy.settings import Settings

from crawler.scheduling.due import Scheduled, scheduled_sites, standing
from settings.errors import ConfigurationError, UnknownName
from store.lock import SiteLock
from store.site import Store

NIGHTLY = "0 2 * * *"
NIGHT = "2026-11-21T02:00"
"""The scheduled time that the tests are about, in UTC."""


def utc(text: str) -> datetime:
    return datetime.fromisoformat(text).replace(tzinfo=UTC)


@pytest.fixture
def stones(tmp_path):
    return Scheduled("stones", NIGHTLY, UTC, tmp_path / "stones")


def ran(site: Scheduled, *runs: tuple[str, str | None], spider: str = "site") -> None:
    """Writes runs into the site's store: when each began, and its outcome."""
    with Store.open(site.home, create=True) as store, store.transaction():
        for began, outcome in runs:
            number = store.runs.begin({"spider": spider}, {})
            if outcome is not None:
                store.runs.finish(number, outcome, {})
            store.connection.execute(
                "UPDATE runs SET started_at = ? WHERE run = ?", (utc(began).isoformat(), number)
            )


def tried(site: Scheduled, when: str) -> None:
    """Notes that the site was started by its schedule."""
    site.attempt.parent.mkdir(parents=True, exist_ok=True)
    site.attempt.write_text(utc(when).isoformat(), encoding="utf-8")


def due(site: Scheduled, now: str) -> str | None:
    return standing(site, utc(now)).due


def test_a_site_that_was_never_crawled_is_due_at_once(stones):
    assert due(stones, "2026-11-21T14:00") == "never crawled"


def test_a_site_is_due_from_its_scheduled_time_until_it_is_crawled(stones):
    ran(stones, ("2026-11-20T02:00:04", "complete"))
    assert due(stones, "2026-11-21T01:59:59") is None
    assert due(stones, NIGHT) == "scheduled"
    assert due(stones, "2026-11-21T13:00") == "scheduled"
    ran(stones, ("2026-11-21T13:00:01", "complete"))
    assert due(stones, "2026-11-21T13:05") is None
    assert due(stones, "2026-11-22T02:00") == "scheduled"


def test_however_many_times_were_missed_the_site_is_crawled_once(stones):
    ran(stones, ("2026-08-01T02:00:04", "complete"))
    assert due(stones, "2026-11-21T09:00") == "scheduled"
    ran(stones, ("2026-11-21T09:00:02", "complete"))
    assert due(stones, "2026-11-21T09:30") is None


@pytest.mark.parametrize("outcome", ["complete", "limited", "empty", "suspicious", "undelivered"])
def test_a_scheduled_time_is_served_whatever_came_of_the_run(stones, outcome):
    ran(stones, ("2026-11-20T02:00:04", "complete"), ("2026-11-21T02:00:04", outcome))
    assert due(stones, "2026-11-21T02:45") is None


@pytest.mark.parametrize("outcome", ["interrupted", None])
def test_a_run_that_was_cut_short_is_continued_once(stones, outcome):
    ran(stones, ("2026-11-20T02:00:04", "complete"), ("2026-11-21T02:00:04", outcome))
    tried(stones, "2026-11-21T02:00:03")
    assert due(stones, "2026-11-21T02:10") == "continued"
    ran(stones, ("2026-11-21T02:10:02", outcome))
    tried(stones, "2026-11-21T02:10:01")
    assert due(stones, "2026-11-21T02:15") is None
    assert due(stones, "2026-11-22T02:00") == "scheduled"


def test_what_ended_before_its_run_began_is_not_tried_again_for_the_same_time(stones):
    tried(stones, "2026-11-21T02:00:01")
    assert due(stones, "2026-11-21T02:05") is None
    assert due(stones, "2026-11-22T02:00") == "never crawled"
    ran(stones, ("2026-11-20T02:00:04", "complete"))
    assert due(stones, "2026-11-21T02:05") is None
    assert due(stones, "2026-11-22T02:00") == "scheduled"


def test_a_continuation_that_ended_before_its_run_began_is_not_tried_again(stones):
    ran(stones, ("2026-11-21T02:00:04", None))
    tried(stones, "2026-11-21T02:10:01")
    assert due(stones, "2026-11-21T02:15") is None


def test_a_note_that_was_cut_short_counts_for_nothing(stones):
    tried(stones, "2026-11-21T02:00:01")
    stones.attempt.write_text("2026-1", encoding="utf-8")
    assert due(stones, "2026-11-21T02:05") == "never crawled"


def test_a_run_of_another_spider_is_no_crawl_of_the_site(stones):
    ran(stones, ("2026-11-21T03:00", "complete"), spider="archive")
    assert due(stones, "2026-11-21T03:05") == "never crawled"
    assert standing(stones, utc("2026-11-21T03:05")).run == 2


def test_where_the_clock_was_set_back_by_a_day_each_night_is_crawled_once(stones):
    ran(stones, ("2026-11-21T02:00:04", "complete"), ("2026-11-22T02:00:04", "complete"))
    tried(stones, "2026-11-22T02:00:03")
    for now in ("2026-11-21T09:00", "2026-11-21T18:00", "2026-11-22T00:30"):
        assert due(stones, now) is None
    ran(stones, ("2026-11-22T02:00:04", "complete"))
    assert due(stones, "2026-11-22T02:05") is None
    assert due(stones, "2026-11-23T02:00") == "scheduled"


def test_a_clock_that_was_years_ahead_keeps_no_site_from_being_crawled(stones):
    ran(stones, ("2026-11-20T02:00:04", "complete"), ("2031-01-01T02:00:04", "complete"))
    tried(stones, "2031-01-01T02:00:03")
    assert due(stones, NIGHT) == "scheduled"
    ran(stones, ("2026-11-21T02:00:04", "complete"))
    tried(stones, "2026-11-21T02:00:03")
    assert due(stones, "2026-11-21T02:05") is None


def test_a_clock_that_was_set_back_a_little_starts_nothing_twice(stones):
    ran(stones, ("2026-11-20T02:00:04", "complete"), ("2026-11-21T02:00:09", "complete"))
    assert due(stones, "2026-11-21T02:00:01") is None


@pytest.mark.parametrize(("ahead", "counts"), [("2026-11-21T03:00:00", True), ("2026-11-21T03:00:01", False)])
@pytest.mark.parametrize("what", ["run", "start"])
def test_what_was_noted_an_hour_ahead_counts_and_later_not(stones, what, ahead, counts):
    ran(stones, ("2026-11-20T02:00:04", "complete"))
    if what == "run":
        ran(stones, (ahead, "complete"))
    else:
        tried(stones, ahead)
    assert (due(stones, "2026-11-21T02:00:00") is None) is counts


@pytest.mark.parametrize(
    ("schedule", "runs"),
    [("30 2 * * *", 2), ("0 3 * * *", 2), ("@hourly", 48)],
)
@pytest.mark.parametrize("noon_before", ["2026-10-24T12:00", "2026-03-28T12:00"])
def test_through_the_change_of_clocks_no_time_is_run_twice_or_left_out(tmp_path, schedule, runs, noon_before):
    site = Scheduled("stones", schedule, ZoneInfo("Europe/Berlin"), tmp_path / "stones")
    began = [utc(noon_before)]
    ran(site, (noon_before, "complete"))
    for step in range(1, 2 * 24 * 2 + 1):
        now = utc(noon_before) + timedelta(minutes=30 * step)
        if standing(site, now).due:
            ran(site, (now.isoformat()[:16], "complete"))
            began.append(now)
    assert len(began) - 1 == runs


def test_a_site_that_is_being_crawled_is_told(stones):
    ran(stones, ("2026-11-20T02:00:04", None))
    lock = SiteLock(stones.lock)
    assert standing(stones, utc(NIGHT)).running
    assert due(stones, NIGHT) == "scheduled"
    assert due(stones, "2026-11-21T01:00") is None
    lock.release()
    assert not standing(stones, utc(NIGHT)).running
    assert due(stones, "2026-11-21T01:00") == "continued"
    # A process that was killed leaves its name in the file, and no lock.
    stones.lock.write_text("process 1: scrapy crawl", encoding="utf-8")
    assert not standing(stones, utc(NIGHT)).running


def settings(folder, **values) -> Settings:
    project = Settings()
    project.setmodule("settings.base", priority="project")
    project.update({"SITES_DIR": str(folder), "METHOD": "templates"}, priority="project")
    project.update(values, priority="cmdline")
    return project


def write(folder, name: str, text: str) -> None:
    (folder / f"{name}.toml").write_text(f'url = "https://{name}.example/"\n{text}\n', encoding="utf-8")


def test_sites_with_a_schedule_are_found_and_mistakes_are_told_beside_them(tmp_path):
    write(tmp_path, "stones", 'schedule = "0 2 * * *"\ntimezone = "Asia/Tokyo"')
    write(tmp_path, "pebbles", "")
    write(tmp_path, "rocks", 'schedule = "0 2 * *"')
    (tmp_path / "archive.toml").write_text('url = []\nschedule = "0 2 * * *"\n', encoding="utf-8")
    sites, wrong = scheduled_sites([], settings(tmp_path))
    assert [(site.name, site.schedule, str(site.zone)) for site in sites] == [
        ("stones", "0 2 * * *", "Asia/Tokyo")
    ]
    assert [path.name for path in wrong] == ["archive.toml", "rocks.toml"]
    assert scheduled_sites(["stones"], settings(tmp_path)) == (sites, {})


def test_a_schedule_of_the_project_is_for_the_sites_that_have_none(tmp_path):
    write(tmp_path, "stones", 'schedule = "0 4 * * *"')
    write(tmp_path, "pebbles", "")
    write(tmp_path, "rocks", 'schedule = ""')
    project = settings(tmp_path)
    project.set("SCHEDULE", "@daily", priority="project")
    sites, _ = scheduled_sites([], project)
    assert {site.name: site.schedule for site in sites} == {"stones": "0 4 * * *", "pebbles": "@daily"}


def test_a_name_that_has_no_file_or_no_schedule_is_refused(tmp_path):
    write(tmp_path, "pebbles", "")
    with pytest.raises(UnknownName, match="did you mean 'pebbles'"):
        scheduled_sites(["pebble"], settings(tmp_path))
    with pytest.raises(ConfigurationError, match="'pebbles' has no schedule; write one into"):
        scheduled_sites(["pebbles"], settings(tmp_path))
    with pytest.raises(ConfigurationError, match="SCHEDULE=0 2: has 2 parts"):
        scheduled_sites([], settings(tmp_path, SCHEDULE="0 2"))


def test_where_the_zone_of_the_machine_cannot_be_told_the_mend_is_said(tmp_path, monkeypatch):
    monkeypatch.setenv("TZ", "CET-1CEST")
    write(tmp_path, "stones", 'schedule = "0 2 * * *"')
    write(tmp_path, "rocks", 'schedule = "0 2 * * *"\ntimezone = "UTC"')
    sites, wrong = scheduled_sites([], settings(tmp_path))
    assert [site.name for site in sites] == ["rocks"]
    ((problem,),) = wrong.values()
    assert (problem.path.name, problem.line, problem.key) == ("stones.toml", 2, "schedule")
    assert "TZ=CET-1CEST: is no time zone" in problem.text
    assert "or give the key timezone" in problem.text
