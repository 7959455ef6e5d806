from __future__ import annotations

import re
from datetime import UTC, datetime, timedelta
from pathlib import Path
from zoneinfo import ZoneInfo

import pytest
from hypothesis import given
from hypothesis import strategies as st

from settings.errors import WrongSiteFile
from settings.schedule import NICKNAMES, expression, following, latest, local_zone, zone, zone_name
from settings.site import load

BERLIN = ZoneInfo("Europe/Berlin")
APIA = ZoneInfo("Pacific/Apia")


def utc(text: str) -> datetime:
    return datetime.fromisoformat(text).replace(tzinfo=UTC)


def test_a_schedule_has_a_normal_form():
    assert expression("  0 2\t* *  mon-fri ") == "0 2 * * mon-fri"
    assert expression("@Daily") == "@daily"
    assert expression(" ") == ""


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("0 25 * * *", "wrong hour, '25'; give 0 to 23"),
        ("0,60 2 * * *", "wrong minute, '0,60'; give 0 to 59"),
        ("0 2 32 * *", "wrong day of the month, '32'"),
        ("0 2 * 13 *", "wrong month, '13'"),
        ("0 2 * * FUN", "wrong day of the week, 'FUN'"),
        ("*/0 * * * *", "wrong minute, '*/0'"),
        ("0 2 * *", "has 4 parts and not five (minute, hour, day of the month, month, day of the week)"),
        ("0 0 2 * * *", "has 6 parts"),
        ("0 0 31 2 *", "names a time that never comes"),
        ("0 0 */40 * 1#5", "names a time that never comes"),
        ("@dayly", "did you mean '@daily'?"),
        ("daily", "unknown name of a schedule; did you mean '@daily'?"),
        ("Nightly", "did you mean '@daily'?"),
        ("week", "did you mean '@weekly'?"),
        ("@reboot", "unknown name of a schedule"),
        ("1" * 5000, "too long"),
    ],
)
def test_what_is_wrong_in_a_schedule_is_named(text, said):
    with pytest.raises(ValueError, match=re.escape(said)):
        expression(text)


@given(st.text("0123456789*/-,#@L WMONFRIdaily²ß\x00", max_size=40) | st.text(max_size=40))
def test_any_text_is_a_schedule_or_a_mistake(text):
    try:
        normal = expression(text)
    except ValueError:
        return
    assert expression(normal) == normal
    if normal:
        assert following(normal, UTC, utc("2026-11-21T12:00")) is not None


@pytest.mark.parametrize(
    ("name", "said"),
    [
        ("europe/berlin", "did you mean 'Europe/Berlin'?"),
        ("New York", "did you mean 'America/New_York'?"),
        ("Europe/Berln", "did you mean 'Europe/Berlin'?"),
        ("../../etc/passwd", "give a name such as 'Europe/Berlin' or 'UTC'"),
        ("zone.tab", "is no time zone"),
        ("America", "is no time zone"),
        ("a\x00b", "is no time zone"),
    ],
)
def test_a_time_zone_that_does_not_exist_is_told_the_nearest(name, said):
    with pytest.raises(ValueError, match="is no time zone") as raised:
        zone_name(name)
    assert said in str(raised.value)


def test_the_zone_of_the_machine_is_that_of_tz_then_of_its_file_then_utc(tmp_path):
    link = tmp_path / "localtime"
    assert local_zone({}, link) is UTC
    link.symlink_to("/usr/share/zoneinfo/Europe/Rome")
    if link.exists():
        assert str(local_zone({}, link)) == "Europe/Rome"
        assert local_zone({}, link).utcoffset(datetime(2026, 7, 1)) == timedelta(hours=2)
        assert str(local_zone({"TZ": f":{link}"})) == "Europe/Rome"
    assert local_zone({"TZ": ":Asia/Tokyo"}, link) == ZoneInfo("Asia/Tokyo")
    with pytest.raises(ValueError, match="TZ=CET-1CEST: is no time zone"):
        local_zone({"TZ": "CET-1CEST"}, link)
    for path in (tmp_path, tmp_path / "none", Path(__file__)):
        with pytest.raises(ValueError, match=f"TZ={path}: "):
            local_zone({"TZ": str(path)}, link)


def test_a_named_zone_is_that_zone(monkeypatch):
    monkeypatch.setenv("TZ", "Asia/Tokyo")
    assert zone("Europe/Berlin") == BERLIN
    assert zone("") == ZoneInfo("Asia/Tokyo")


@pytest.mark.parametrize("nickname", NICKNAMES)
def test_a_nickname_is_the_expression_it_stands_for(nickname):
    now = utc("2026-11-21T12:34:56")
    assert latest(nickname, BERLIN, now) == latest(NICKNAMES[nickname], BERLIN, now)


def test_the_latest_time_is_now_where_it_is_now():
    now = utc("2026-11-21T02:00:00")
    assert latest("0 2 * * *", UTC, now) == now
    assert latest("0 2 * * *", UTC, now - timedelta(microseconds=1)) == now - timedelta(days=1)
    assert latest("0 2 * * *", UTC, now + timedelta(microseconds=1)) == now
    assert following("0 2 * * *", UTC, now) == now + timedelta(days=1)


def test_where_the_clock_is_set_back_a_time_comes_once():
    # 2026-10-25, Berlin: at 01:00 UTC the clock goes from 03:00 back to 02:00.
    first = utc("2026-10-25T00:30")
    assert latest("30 2 * * *", BERLIN, first) == first
    for later in ("00:45", "01:10", "01:30", "01:31", "02:30", "23:59"):
        assert latest("30 2 * * *", BERLIN, utc(f"2026-10-25T{later}")) == first
    assert following("30 2 * * *", BERLIN, first) == utc("2026-10-26T01:30")


def test_where_the_clock_is_set_forward_a_skipped_time_comes_after_the_gap():
    # 2026-03-29, Berlin: at 01:00 UTC the clock goes from 02:00 to 03:00.
    gap = utc("2026-03-29T01:00")
    assert latest("30 2 * * *", BERLIN, gap - timedelta(seconds=1)) == utc("2026-03-28T01:30")
    assert latest("30 2 * * *", BERLIN, gap) == gap
    assert latest("30 2 * * *", BERLIN, utc("2026-03-29T20:00")) == gap
    assert following("30 2 * * *", BERLIN, gap) == utc("2026-03-30T00:30")


def test_a_day_that_a_place_never_had():
    # Samoa went from 29 December 2011 to the 31st.
    skipped = latest("0 2 * * *", APIA, utc("2011-12-31T11:00"))
    assert skipped == utc("2011-12-30T12:00") or skipped == utc("2011-12-30T10:00")


def test_an_hourly_schedule_follows_the_clock_through_both_hours():
    times = [utc("2026-10-25T00:00") + timedelta(minutes=10 * step) for step in range(18)]
    assert {latest("0 * * * *", BERLIN, time) for time in times} == {
        utc(f"2026-10-25T0{hour}:00") for hour in range(3)
    }


SCHEDULES = [
    "0 2 * * *", "30 2 * * *", "59 1 * * *", "*/5 * * * *", "0 */2 * * *", "15,45 1-3 * * *", "0 2 L * *",
    "0 0 1 * MON", "@hourly", "@weekly", "30 23 * * 5L",
]  # fmt: skip


@given(
    st.sampled_from(SCHEDULES),
    st.sampled_from(["Europe/Berlin", "America/New_York", "Australia/Lord_Howe", "Antarctica/Troll", "UTC"]),
    st.sampled_from(["2026-03-08", "2026-03-29", "2026-04-04", "2026-10-03", "2026-10-25", "2026-11-01"]),
    st.integers(-36 * 3600, 36 * 3600),
    st.integers(0, 48 * 3600),
)
def test_the_latest_time_only_goes_forward_and_nothing_lies_between(schedule, name, day, offset, step):
    at, now = ZoneInfo(name), utc(day) + timedelta(seconds=offset)
    before = latest(schedule, at, now)
    after = latest(schedule, at, now + timedelta(seconds=step))
    assert before <= now
    assert before <= after <= now + timedelta(seconds=step)
    assert now < following(schedule, at, now)
    assert (following(schedule, at, now) <= now + timedelta(seconds=step)) == (before < after)


def write(folder: Path, text: str) -> None:
    (folder / "stones.toml").write_text(f'url = "https://stones.example/"\n{text}', encoding="utf-8")


def test_a_site_file_has_a_schedule_in_a_time_zone(tmp_path):
    write(tmp_path, 'schedule = "0 2  * * mon-fri"\ntimezone = "Europe/Berlin"\n')
    site = load(tmp_path / "stones.toml")
    assert site.settings["SCHEDULE"] == "0 2 * * mon-fri"
    assert site.settings["SCHEDULE_TIMEZONE"] == "Europe/Berlin"


def test_mistakes_of_a_site_file_are_told_with_line_key_and_value(tmp_path):
    write(tmp_path, 'schedule = "0 25 * * *"\ntimezone = "Berlin"\n')
    with pytest.raises(WrongSiteFile) as raised:
        load(tmp_path / "stones.toml")
    first, second = str(raised.value).splitlines()
    assert "stones.toml:2: key 'schedule': value '0 25 * * *': has a wrong hour, '25'" in first
    assert "stones.toml:3: key 'timezone': value 'Berlin': is no time zone" in second
    assert "did you mean 'Europe/Berlin'?" in second
