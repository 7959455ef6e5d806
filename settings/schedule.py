"""Schedules of sites: cron's expressions, read in a time zone."""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping
from datetime import UTC, datetime, timedelta, tzinfo
from pathlib import Path
from typing import Final
from zoneinfo import ZoneInfo, available_timezones

from cronsim import CronSim, CronSimError

from settings.values import nearest

NICKNAMES: Final = {
    "@hourly": "0 * * * *",
    "@daily": "0 0 * * *",
    "@midnight": "0 0 * * *",
    "@weekly": "0 0 * * 0",
    "@monthly": "0 0 1 * *",
    "@yearly": "0 0 1 1 *",
    "@annually": "0 0 1 1 *",
}
"""crontab(5)'s names of expressions, but @reboot, which names no time."""

_WORDS: Final = dict.fromkeys(("day", "everyday", "night", "nightly"), "@daily")
"""What people write who mean another name that is not the nearest."""

LOCALTIME: Final = Path("/etc/localtime")

_PARTS: Final = {
    "minute": "0 to 59",
    "hour": "0 to 23",
    "day of the month": "1 to 31, or L for the last",
    "month": "1 to 12, or JAN to DEC",
    "day of the week": "0 to 7, or SUN to SAT",
}
_EXAMPLE: Final = "'0 2 * * *', every night at two"
_LONGEST: Final = 200
_BEFORE: Final = datetime(2001, 1, 1, tzinfo=UTC)
_SHIFT: Final = timedelta(hours=3)
"""More than any clock is set forward or back for daylight saving."""


def expression(value: str) -> str:
    """A schedule in its normal form: five parts with a space between them, a nickname in lower case, or an
    empty text for none. Raises ValueError, which names the part that is wrong.
    """
    text = " ".join(value.split())
    if not text:
        return ""
    if len(text) > _LONGEST:
        raise ValueError(f"is too long; write an expression such as {_EXAMPLE}")
    if text.startswith("@") and text.lower() in NICKNAMES:
        return text.lower()
    if text[0] == "@" or text.isalpha():
        word = text.lower().removeprefix("@")
        known = _WORDS.get(word)
        mend = f"did you mean {known!r}?" if known else nearest(f"@{word}", NICKNAMES)
        raise ValueError(f"unknown name of a schedule; {mend}")
    parts = text.split()
    if len(parts) != len(_PARTS):
        raise ValueError(
            f"has {len(parts)} {'part' if len(parts) == 1 else 'parts'} and not five ({', '.join(_PARTS)}); "
            f"write one such as {_EXAMPLE}"
        )
    for place, (name, known) in enumerate(_PARTS.items()):
        alone = ["*"] * len(_PARTS)
        alone[place] = parts[place]
        if not _comes(" ".join(alone)):
            raise ValueError(f"has a wrong {name}, {parts[place]!r}; give {known}, as in {_EXAMPLE}")
    if not _comes(text):
        raise ValueError(f"names a time that never comes; write one such as {_EXAMPLE}")
    return text


def _comes(text: str) -> bool:
    try:
        return next(CronSim(text, _BEFORE), None) is not None
    except CronSimError:
        return False


def zone_name(value: str) -> str:
    """The name of a time zone of IANA's, or an empty text for the machine's own. Raises ValueError."""
    if value:
        _zone(value)
    return value


def _zone(name: str) -> ZoneInfo:
    try:
        return ZoneInfo(name)
    except (KeyError, ValueError, OSError):
        # Names lead to files: a folder or another file is an OSError or ValueError.
        known = available_timezones()
        same = [zone_id for zone_id in known if zone_id.casefold() == name.casefold()]
        mend = f"did you mean {same[0]!r}?" if same else _nearest_zone(name, known)
        raise ValueError(f"is no time zone; {mend}") from None


def _nearest_zone(name: str, known: set[str]) -> str:
    by_city = {zone_id.rpartition("/")[2].casefold(): zone_id for zone_id in sorted(known)}
    if (of_city := by_city.get(name.replace(" ", "_").casefold())) is not None:
        return f"did you mean {of_city!r}?"
    mend = nearest(name, known)
    return mend if mend.startswith("did") else "give a name such as 'Europe/Berlin' or 'UTC'"


def zone(name: str) -> tzinfo:
    """Returns the time zone of a name that `zone_name` has checked, for an empty one the machine's own.

    Raises ValueError if the machine's own is unknown.
    """
    return _zone(name) if name else local_zone(os.environ)


def local_zone(environ: Mapping[str, str], localtime: Path = LOCALTIME) -> tzinfo:
    """The machine's time zone: that of the environment variable TZ, else that of /etc/localtime, else UTC.

    Raises ValueError where TZ names no time zone of IANA's, such as ``CET-1CEST``.
    """
    name = environ.get("TZ", "").removeprefix(":")
    if name:
        try:
            return _zone(name)
        except ValueError as error:
            raise ValueError(f"the environment variable TZ={name}: {error}") from None
    if not localtime.exists():
        return UTC
    with localtime.open("rb") as file:
        return ZoneInfo.from_file(file, key=_key(localtime))


def _key(localtime: Path) -> str:
    """Returns the name of the zone in a file: its place in the database, if it is a link into that."""
    return str(localtime.resolve()).rpartition("/zoneinfo/")[2]


def latest(schedule: str, at: tzinfo, now: datetime) -> datetime | None:
    """Returns the last time of a ``schedule`` in the zone ``at`` that is not after ``now``, in UTC; None if
    50 years had none.

    As Debian's cron has it: a time that the clock skips comes right after the gap, and one that the clock
    shows twice comes the first time; where minute or hour begin with ``*``, the clock is followed as it is.
    """
    return next((time for time in _times(schedule, at, now, reverse=True) if time <= now), None)


def following(schedule: str, at: tzinfo, now: datetime) -> datetime | None:
    """Returns the first time of a ``schedule`` in the zone ``at`` after ``now``, in UTC; None if 50 years
    have none.
    """
    return next((time for time in _times(schedule, at, now, reverse=False) if time > now), None)


def _times(schedule: str, at: tzinfo, now: datetime, *, reverse: bool) -> Iterator[datetime]:
    """Yields scheduled times from a little on the other side of ``now``: on a day when the clock is set back,
    its times do not come in order.
    """
    start = (now + (_SHIFT if reverse else -_SHIFT)).astimezone(at)
    for time in CronSim(NICKNAMES.get(schedule, schedule), start, reverse=reverse):
        yield time.astimezone(UTC)
